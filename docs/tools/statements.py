"""How often the statement of an attainment is wrong: `python docs/tools/statements.py [--only N] [--answers FILE]`.

A plan that `solve --attainment` finds is played for so long that its share of requests in time is known to a few
digits. Then it is judged again and again, each time on requests of its own and as one that has to keep exactly that
share: a bound above it is a false statement. The sessions are measured ones, evenly spaced in the folder
`../shared/instances/sessions`, and that of notebook 09, whose machines are nearly full. It writes the table of
`docs/findings/holding.md`; the same code gives the same bytes.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from answers import keep_answers, known_answers
from drawn import MEASURED, of_folder
from pasting import FINDINGS, paste, table

from euclio import generate
from euclio.core.progress import progress_bar
from euclio.problems.session import Session
from euclio.problems.session.latency.of_requests import session_rate
from euclio.problems.session.space import PlanSpace
from euclio.serving.attainment import setup_of, solve_attaining
from euclio.serving.attainment.demand import Demand
from euclio.serving.attainment.long_run import Run
from euclio.serving.attainment.margins import spare_space
from euclio.serving.attainment.trials import Trials, part_of_error
from euclio.serving.session.setup import Dispatch, Setup
from euclio.serving.session.system import build_system
from euclio.serving.setup import Arrivals

SPARE = spare_space(PlanSpace())
TARGET, LIMIT_S = 0.99, 60.0
POISSON = Setup(arrivals=Arrivals.POISSON)
KINDS = {
    "Poisson, `pull`": replace(POISSON, dispatch=Dispatch.PULL),
    "gamma of variation 2, `pull`": Setup(arrivals=Arrivals.GAMMA, cv=2.0, dispatch=Dispatch.PULL),
    "Poisson, batches in turn": POISSON,
    "the same, batches always full": replace(POISSON, timeout_s=math.inf),
}
SESSIONS, JUDGEMENTS = 9, 40
PLAYED_REQUESTS, PIECES, BEGIN, BLOCKS = 60_000_000, 2000, 20, 40
"""Requests of the long play, windows that it is counted in, those left out at its begin, and blocks of the others that
its error is taken from."""
PLAYED_SEED, FIRST_SEED = 987_654_321, 7000
CLEAR = 0.9997
"""Plans that keep more have too few late requests to be judged at their share."""
ALLOWED = 1 - part_of_error(0, 1)


class Judged(NamedTuple):
    """A plan, judged many times.

    Attributes:
        session: name of its session.
        kind: arrivals and dispatch.
        share: requests in time in the long play.
        error: standard error of that.
        bounds: the bound of each judgement.
    """

    session: str
    kind: str
    share: float
    error: float
    bounds: list[float]


def main() -> None:
    """Judge the plans and paste the table."""
    parser = argparse.ArgumentParser(description="Judge plans whose share in time is known.")
    parser.add_argument("--only", type=int, metavar="N", default=SESSIONS, help="measured sessions, evenly spaced")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="keeps judgements; those in it are not made again")
    arguments = parser.parse_args()
    paste(FINDINGS / "holding.md", {"statements": shown(list(judgements(sessions(arguments.only), arguments.answers)))})


def sessions(number: int) -> list[Session]:
    """The measured ones, evenly spaced, and that of notebook 09."""
    measured = of_folder(MEASURED[0])
    own = generate("published", models=["ssd_resnet50", "resnet50", "bert_base_128"], rate=500, slo=0.4)
    return [*measured[:: math.ceil(len(measured) / number)], *own]


def judgements(sessions: Sequence[Session], known: Path | None) -> Iterator[Judged]:
    """All plans that can be judged; with a file what it holds is taken from there, and what is new goes there."""
    found = {(row["session"], row["kind"]): Judged(**row) for row in known_answers(known)}
    with progress_bar("plans", len(sessions) * len(KINDS)) as advance:
        for session in sessions:
            for kind in KINDS:
                one = found.get((session.name, kind))
                if one is None:
                    one = judged(session, kind)
                    if one is not None:
                        keep_answers(known, one._asdict())
                if one is not None:
                    yield one
                advance()


def judged(session: Session, kind: str) -> Judged | None:
    """The plan of one session, played and judged; None: there is none, or it is clear of its attainment."""
    result = solve_attaining(session, "exact", TARGET, KINDS[kind], time_limit_s=LIMIT_S)
    if result.plan is None:
        return None
    setup = setup_of(result)
    system = build_system(session, result.plan, SPARE, setup)
    window_s = PLAYED_REQUESTS / float(session_rate(session)) / PIECES
    played = Run(system, replace(setup, seed=PLAYED_SEED), window_s, PIECES).go_on(PIECES).since(BEGIN)
    share = 1 - float(played.late.sum() / played.arrived.sum())
    if share > CLEAR:
        return None
    size = len(played.late) // BLOCKS
    blocks = played.late[: BLOCKS * size].reshape(BLOCKS, size).mean(axis=1) / played.arrived.mean()
    demand = Demand(share, setup)
    seeds = range(FIRST_SEED, FIRST_SEED + JUDGEMENTS)
    bounds = [Trials(session, SPARE, demand, seed).judged(result.plan, 0, None).estimate.lower for seed in seeds]
    return Judged(session.name, kind, share, float(blocks.std(ddof=1)) / math.sqrt(BLOCKS), bounds)


def shown(found: Sequence[Judged]) -> str:
    """The table."""
    rows = [_row(kind, [own for own in found if own.kind == kind]) for kind in KINDS]
    header = (
        "arrivals and dispatch",
        "plans",
        "judgements",
        f"bound above the share (allowed: {100 * ALLOWED:.1f} %)",
        "and by more than two errors of the share",
        "bound below the share: median",
    )
    return "\n" + table(header, [*rows, _row("all", found)]) + "\n\n"


def _row(title: str, found: Sequence[Judged]) -> tuple[str, ...]:
    above = [bound > own.share for own in found for bound in own.bounds]
    far = [bound > own.share + 2 * own.error for own in found for bound in own.bounds]
    below = np.median([100 * (own.share - bound) for own in found for bound in own.bounds])
    return (
        title,
        f"{len(found)}",
        f"{len(above)}",
        f"{sum(above)}, {100 * float(np.mean(above)):.1f} %",
        f"{sum(far)}",
        f"{below:.2f} points",
    )


if __name__ == "__main__":
    main()
