"""Draws workloads until enough of them have a plan from every system; the accepted draws' runs are kept."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass

from euclio.reproduce.harpagon.tasks import SYSTEM_TASKS
from euclio.reproduce.harpagon.workers import Outcome, run_draws
from euclio.session import Session
from euclio.workloads.applications import applications
from euclio.workloads.protocol import Draws, workloads

DRAWS_PER_JOB = 4


@dataclass(frozen=True, slots=True)
class Drawn:
    """Draws of the protocol and the outcomes of the accepted ones, in the same order."""

    draws: Draws
    outcomes: tuple[Outcome, ...]


def draw_workloads(
    pool: ProcessPoolExecutor, jobs: int, count: int, seed: int, advance: Callable[[int], None]
) -> Drawn:
    """Draw in parallel what the protocol would draw one by one.

    A draw depends on seed, application and number only, so workers try each application's next draws ahead of the
    protocol, which then takes their verdicts in order: the same workloads for any number of workers.
    """
    known = applications()
    ahead = -(-2 * jobs // len(known))
    tried = {name: _tried_in_order(pool, ahead, seed, name) for name in known}
    kept: list[Outcome] = []

    def accept(session: Session) -> tuple[str, ...]:
        outcome = next(tried[session.name.rsplit("-", 1)[0]])
        assert outcome.workload.session.name == session.name
        if not outcome.without_plan:
            kept.append(outcome)
            advance(1)
        return outcome.without_plan

    return Drawn(workloads(accept, count, seed), tuple(kept))


def _tried_in_order(pool: ProcessPoolExecutor, ahead: int, seed: int, application: str) -> Iterator[Outcome]:
    """Outcomes of an application's draws 1, 2, … ; this many jobs are ahead at any time."""
    waiting: deque[Future[list[Outcome]]] = deque()
    first = 1
    while True:
        while len(waiting) < ahead:
            numbers = range(first, first + DRAWS_PER_JOB)
            waiting.append(pool.submit(run_draws, (seed, application, numbers, SYSTEM_TASKS)))
            first += DRAWS_PER_JOB
        yield from waiting.popleft().result()
