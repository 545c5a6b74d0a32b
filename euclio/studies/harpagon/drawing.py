"""Draws workloads until enough of them have a plan from every system; the accepted draws' runs are kept."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass

from euclio.session import Session
from euclio.session.workloads.protocol import Draws, workloads
from euclio.studies.harpagon.tasks import SYSTEM_TASKS
from euclio.studies.harpagon.workers import Outcome, run_draws

DRAWS_PER_JOB = 8


@dataclass(frozen=True, slots=True)
class Drawn:
    """Draws of the protocol and the outcomes of the accepted ones, in the same order."""

    draws: Draws
    outcomes: tuple[Outcome, ...]


def draw_workloads(
    pool: ProcessPoolExecutor, jobs: int, count: int, seed: int, advance: Callable[[int], None]
) -> Drawn:
    """Draw in parallel what the protocol would draw one by one.

    A draw depends on seed and number only, so workers try the next draws ahead of the protocol, which then takes
    their verdicts in order: the same workloads for any number of workers.
    """
    tried = _tried_in_order(pool, jobs, seed)
    kept: list[Outcome] = []

    def accept(session: Session) -> tuple[str, ...]:
        outcome = next(tried)
        assert outcome.workload.session.name == session.name
        if not outcome.without_plan:
            kept.append(outcome)
            advance(1)
        return outcome.without_plan

    return Drawn(workloads(accept, count, seed), tuple(kept))


def _tried_in_order(pool: ProcessPoolExecutor, jobs: int, seed: int) -> Iterator[Outcome]:
    """Outcomes of draws 1, 2, … ; a few jobs per worker are ahead at any time."""
    waiting: deque[Future[list[Outcome]]] = deque()
    first = 1
    while True:
        while len(waiting) < 2 * jobs:
            numbers = range(first, first + DRAWS_PER_JOB)
            waiting.append(pool.submit(run_draws, (seed, numbers, SYSTEM_TASKS)))
            first += DRAWS_PER_JOB
        yield from waiting.popleft().result()
