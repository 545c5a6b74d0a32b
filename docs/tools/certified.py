"""Certifies both papers' workloads in whole machines: `python docs/tools/certified.py`, some ten minutes.

Writes the table of `docs/certificates.md`, with measured sessions where `../shared/instances` has them.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Iterable, Iterator

from drawn import MEASURED, of_folder
from pasting import DOCS, paste, table

from euclio import certify, solve
from euclio.core.result import Status
from euclio.core.words import duration
from euclio.problems.session import PlanSpace, Session
from euclio.workloads.populations import find_population

SPACES = {"": PlanSpace(charging="whole"), ", rule `none`": PlanSpace(dummy="none", charging="whole")}
"""Plan spaces, and what their rows say of them."""
SOLVED_S, CERTIFIED_S = 20.0, 30.0
HEADER = ("sessions, in whole machines", "optimal or infeasible", "certified", "left open", "median", "longest")


def row(title: str, sessions: Iterable[Session], space: PlanSpace) -> list[str]:
    """Claims of `exact` on some sessions, and what the prover says of them."""
    seconds: list[float] = []
    verdicts: Counter[str] = Counter()
    for session in sessions:
        result = solve(session, "exact", space=space, time_limit_s=SOLVED_S)
        if result.status not in (Status.OPTIMAL, Status.INFEASIBLE):
            continue
        began = time.process_time()
        found = certify(session, result, CERTIFIED_S)
        seconds.append(time.process_time() - began)
        verdicts[found.verdict.value] += 1
    assert not verdicts["refuted"], f"{title}: {verdicts}"
    times = (duration(statistics.median(seconds)), duration(max(seconds)))
    return [title, f"{len(seconds)}", f"{verdicts['certified']}", f"{verdicts['open']}", *times]


def populations() -> Iterator[tuple[str, Iterable[Session]]]:
    """The sets of sessions that the table has, with their names."""
    for name, title in (("harpagon", "workloads of Harpagon"), ("piccolo", "workloads of Piccolo")):
        drawn = find_population(name)
        yield title, drawn.draw(drawn.count, drawn.seed)
    for folder in MEASURED:
        if sessions := of_folder(folder):
            yield f"measured, {folder.name.replace('_', ', ')}", sessions


def main() -> None:
    """Certify all sets and write the table."""
    rows = []
    for words, space in SPACES.items():
        for title, sessions in populations():
            print(f"{title}{words} …", flush=True)
            rows.append(row(title + words, sessions, space))
    paste(DOCS / "certificates.md", {"certified-whole": table(HEADER, rows)})


if __name__ == "__main__":
    main()
