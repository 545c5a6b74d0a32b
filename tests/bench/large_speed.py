"""`exact` on DAGs of 50 to 1000 measured modules: how many are proven in time, and what is open at a limit."""

from __future__ import annotations

from dataclasses import dataclass

from euclio.core.result import Result, Status
from euclio.core.words import duration, percent
from euclio.problems.session import Session
from tests.bench.large_sessions import layered_sessions
from tests.bench.measuring import Timed, bar, timed
from tests.bench.race import EXACT, HEURISTIC
from tests.bench.report import Line, Section, complete, percentile, slowest

MOST_HARPAGON = 100
"""Modules up to which Harpagon is run: its time grows with their third power, to 12 s each at twice as many."""


@dataclass(frozen=True, slots=True)
class Size:
    """A number of modules and what is asked of them.

    Attributes:
        modules: modules of each session.
        limit_s: limit of each run in seconds.
        proven_s: seconds within which all are to be proven; None means no target.
        gap: the gap allowed at the limit without a proof; None means no target.
    """

    modules: int
    limit_s: float
    proven_s: float | None = None
    gap: float | None = None


SIZES = (
    Size(50, 10.0, proven_s=0.1),
    Size(100, 10.0, proven_s=2.0),
    Size(200, 10.0, gap=0.005),
    # Asked for within 60 s: a quarter of it is stricter, and twelve runs to that limit alone take twelve minutes.
    Size(1000, 15.0, gap=0.02),
)


def large_speed() -> list[Section]:
    """One section per number of modules."""
    return [_measure(size, layered_sessions(size.modules)) for size in SIZES]


def _measure(size: Size, sessions: list[Session]) -> Section:
    runs: list[Timed] = []
    heuristic: list[Timed] = []
    with bar(f"{size.modules} modules", len(sessions)) as advance:
        for session in sessions:
            runs.append(timed(session, (EXACT,), time_limit_s=size.limit_s, repeats=1)[EXACT])
            if size.modules <= MOST_HARPAGON:
                heuristic.append(timed(session, (HEURISTIC,), repeats=1)[HEURISTIC])
            advance()
    seconds, gaps = [run.seconds for run in runs], [gap_of(run.result) for run in runs]
    proven = sum(run.result.status is Status.OPTIMAL for run in runs)
    lines = [complete("have a plan", sum(run.result.plan is not None for run in runs), len(runs))]
    if size.proven_s is not None:
        within = sum(run.result.status is Status.OPTIMAL and run.seconds <= size.proven_s for run in runs)
        lines.append(complete(f"proven within {duration(size.proven_s)}", within, len(runs)))
    if size.gap is not None:
        small = sum(gap <= size.gap for gap in gaps)
        lines.append(complete(f"proven, or gap at most {percent(size.gap)}", small, len(runs)))
    lines += [
        Line(f"proven within the limit of {duration(size.limit_s)}", f"{proven} of {len(runs)}"),
        Line("median", duration(percentile(seconds, 0.5))),
        Line("worst", duration(max(seconds))),
        Line("worst gap", percent(max(gaps))),
    ]
    if heuristic:
        pairs = [(h.result.cost, r.result.cost) for h, r in zip(heuristic, runs, strict=True)]
        above = [theirs / own - 1.0 for theirs, own in pairs if theirs and own]
        lines.append(Line("Harpagon, median", duration(percentile([run.seconds for run in heuristic], 0.5))))
        lines.append(Line("Harpagon costs more by, median", percent(percentile(above, 0.5))))
        lines.append(Line("Harpagon costs more by, worst", percent(max(above))))
    title = f"exact on {len(sessions)} DAGs of {size.modules} measured modules, every second one tight"
    return Section(title, tuple(lines), slowest=slowest(runs), runs=(*runs, *heuristic))


def gap_of(result: Result) -> float:
    """The gap of a plan; 1 if there is no plan or no bound."""
    if result.status is Status.OPTIMAL:
        return 0.0
    if result.cost is None or result.bound is None:
        return 1.0
    return (result.cost - result.bound) / result.cost
