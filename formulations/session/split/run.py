"""What the solvers of latency splitting share around an engine's model: frontiers, start, limits, answer (ours)."""

from __future__ import annotations

import time
from collections.abc import Callable

from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.session import PlanSpace, Session
from formulations.session.known_plans import with_known_plans
from formulations.session.per_hardware import cheapest_over_hardware
from formulations.session.split.frontiers import split_problem
from formulations.session.split.problem import SplitProblem
from formulations.session.split.proof import Build, answer_of, modes_within, solve_split


def split_session(
    session: Session,
    space: PlanSpace,
    limits: Limits,
    build: Build,
    export: Callable[[SplitProblem], None] | None = None,
) -> Answer:
    """Cheapest plan of a session: module frontiers, then an engine's models until the best split is proven.

    Args:
        session: the session.
        space: the plan space.
        limits: limits of the run.
        build: makes an engine's model.
        export: writes the model of a problem to a file; None: nothing is written.
    """
    return with_known_plans(session, space, limits, lambda within: _split(session, space, within, build, export))


def _split(
    session: Session, space: PlanSpace, limits: Limits, build: Build, export: Callable[[SplitProblem], None] | None
) -> Answer:
    started = time.perf_counter()
    deadline = limits.deadline(started)
    given = limits.options.warm_start

    def run(on: PlanSpace) -> Answer:
        problem = split_problem(session, on, deadline)
        if export is not None:
            export(problem)
        start = None if given is None else modes_within(problem, session, given, on)
        return answer_of(solve_split(problem, build, deadline, start, started), given, start)

    return cheapest_over_hardware(session, space, run)
