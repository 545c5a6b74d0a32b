"""`python -m tests.searches.attainment_coverage`: how often stated attainments hold, by kind of arrivals and by target.

With `--floors`: whether any plan below a lower bound keeps what it is said not to.

Exit codes: 0 as many hold as are said to, 1 fewer do.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from statistics import median

from rich.table import Table
from scipy import stats

from euclio.core.tables import to_text
from euclio.serving.attainment.demand import CONFIDENCE

from . import attainment_floors
from .attainment_cases import Held
from .search_attainment_bounds import SESSIONS, in_words, statements

AT_A_TIME = 50
"""Sessions after which bounds are counted."""
LISTED = 20
"""Bounds that did not hold that are listed."""


def main(argv: Sequence[str] | None = None) -> int:
    """Draw, judge, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.searches.attainment_coverage", description=__doc__)
    parser.add_argument("--count", type=int, default=200, metavar="N", help="statements; default: 200")
    parser.add_argument("--seed", type=int, default=0, metavar="K", help="the first seed; default: 0")
    parser.add_argument("--jobs", type=int, default=2, metavar="J", help="processes; default: 2")
    parser.add_argument("--floors", action="store_true", help="lower bounds in place of statements")
    asked = parser.parse_args(argv)
    began = time.monotonic()
    if asked.floors:
        return _floors(asked.count, asked.seed, asked.jobs)
    seeds = range(asked.seed, asked.seed - (-asked.count // SESSIONS))
    with ProcessPoolExecutor(asked.jobs, multiprocessing.get_context("spawn")) as pool:
        found: list[Held] = []
        for some in pool.map(statements, seeds):
            found += some
            held = sum(one.holds for one in found)
            print(f"{held} of {len(found)} hold, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    found = found[: asked.count]
    print(to_text(table(found), 120))
    missed = [held for held in found if not held.holds]
    for held in missed[:LISTED]:
        print(in_words(held))
    likely = stats.binom.sf(len(missed) - 1, len(found), 1 - CONFIDENCE)
    print(f"{len(found) - len(missed)} of {len(found)} bounds hold, {time.monotonic() - began:.0f} s")
    return int(len(missed) > (1 - CONFIDENCE) * len(found) and likely < 1e-6)


def _floors(count: int, seed: int, jobs: int) -> int:
    """Draw sessions until so many bounds are held against cheaper plans, and print what was wrong."""
    began, bounds, long, wrong = time.monotonic(), 0, 0, 0
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        while bounds < count:
            for floors in pool.map(attainment_floors.judge, range(seed, seed + AT_A_TIME)):
                bounds, wrong = bounds + len(floors), wrong + sum(bool(floor.wrong) for floor in floors)
                long += sum(floor.requests == attainment_floors.MILLION for floor in floors)
                for floor in floors:
                    if floor.wrong:
                        print(f"{floor.session.name}, {floor.target:g}: {floor.wrong}", flush=True)
            print(f"{bounds} bounds, {wrong} wrong, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
            seed += AT_A_TIME
    print(f"{wrong} of {bounds} lower bounds wrong, {long} of them held against plans of 10^6 requests")
    return int(wrong > 0)


def table(found: Sequence[Held]) -> Table:
    """Rows by kind of arrivals and by target."""
    shown = Table(box=None, pad_edge=False)
    shown.add_column("statements")
    for heading in ("held", "of", "misses allowed / there are", "misses measured / there are"):
        shown.add_column(heading, justify="right")
    for kind in sorted({held.case.setup.arrivals.value for held in found}):
        _add(shown, f"{kind} arrivals", found, lambda held, kind=kind: held.case.setup.arrivals.value == kind)
    for target in sorted({held.case.target for held in found}):
        _add(shown, f"target {target:g}", found, lambda held, target=target: held.case.target == target)
    _add(shown, "all", found, lambda held: True)
    return shown


def _add(shown: Table, name: str, found: Sequence[Held], counts: Callable[[Held], bool]) -> None:
    own = [held for held in found if counts(held)]
    loose = median(held.looseness for held in own)
    ratio = median((1 - held.measured) / (1 - held.kept) if held.kept < 1 else 1.0 for held in own)
    held = sum(held.holds for held in own)
    shown.add_row(name, str(held), str(len(own)), f"{loose:.2f}", f"{ratio:.2f}")


if __name__ == "__main__":
    raise SystemExit(main())
