"""The best that is known of an instance: plans and bounds of many runs, each priced by the checker."""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from euclio.core.compiled import time_runs
from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.numbers import exact
from euclio.core.registry import SolverLike, find_solver
from euclio.core.result import AnyResult, Status
from euclio.core.solving import solve
from euclio.core.warm_up import warm_up
from euclio.experiments.bench_set.manifest import Effort

SHORT_S = 0.5
"""Runs of less processor time are timed again."""
REPEATS = 3


@dataclass(frozen=True, slots=True)
class Found:
    """A plan's value in the plan space of the instance, and a bound, each with the solver behind it.

    Attributes:
        value: value as priced; None: no plan.
        solver: who found the plan.
        plan: the plan.
        bound: proven bound for that plan space; None: none.
        bound_solver: who proved it.
    """

    value: Fraction | None = None
    solver: str = ""
    plan: Any = None
    bound: Fraction | None = None
    bound_solver: str = ""


def attempt(instance: Any, space: Any, solver: SolverLike, time_limit_s: float | None) -> tuple[AnyResult, Found]:
    """Run a solver; its plan is priced in the plan space of the instance, whatever its own.

    Args:
        instance: an instance of the set.
        space: plan space that the set asks for.
        solver: a solver, or its name; one that searches part of the family's full space by design keeps to its part.
        time_limit_s: limit in seconds; None: none.

    Returns:
        The result in the plan space that was searched, and what it says about the instance.

    Raises:
        InputError: unknown solver, or one of another family.
    """
    family = family_of(instance)
    chosen = find_solver(solver)
    asked = space if chosen.space == family.full_space else chosen.space
    goal: dict[str, Any] = {"objective": family.goal(space).name} if len(family.goals) > 1 else {}
    result = solve(instance, chosen, space=asked, time_limit_s=time_limit_s, **goal)
    if result.status is Status.ERROR:
        return result, Found()
    bound = result.bound if result.space == space else None
    found = Found(bound=None if bound is None else exact(bound), bound_solver="" if bound is None else chosen.name)
    if result.plan is None:
        return result, found
    checked = family.evaluate(instance, result.plan, space)
    if not checked.feasible or checked.value is None:
        return result, found
    return result, Found(checked.value, chosen.name, result.plan, found.bound, found.bound_solver)


def better(a: Found, b: Found, maximised: bool) -> Found:
    """The better plan and the better bound of two; of equals the first one's."""
    plan = b if a.value is None or (b.value is not None and _ahead(b.value, a.value, maximised)) else a
    bound = b if a.bound is None or (b.bound is not None and _ahead(a.bound, b.bound, maximised)) else a
    return Found(plan.value, plan.solver, plan.plan, bound.bound, bound.bound_solver)


def _ahead(a: Fraction, b: Fraction, maximised: bool) -> bool:
    return a > b if maximised else a < b


def measured(instance: Any, space: Any, time_limit_s: float) -> tuple[Effort, Found]:
    """Run the reference method of the instance's family, its default solver, and measure its effort."""
    solver = family_of(instance).default_solver
    time_runs()
    warm_up(find_solver(solver), space)
    least = float("inf")
    for _ in range(REPEATS):
        started = time.process_time()
        result, found = attempt(instance, space, solver, time_limit_s)
        least = min(least, time.process_time() - started)
        if least > SHORT_S:
            break
    return Effort(solver, result.status.value, least, dict(result.stats)), found


def improved(instance: Any, space: Any, found: Found, time_limit_s: float) -> tuple[Found, list[str]]:
    """Try the other methods until the plan is proven; returns the best and the methods tried."""
    family = family_of(instance)
    goal = family.goal(space)
    tried = []
    for solver in family.improvers:
        if found.value is not None and goal.proven(found.value, found.bound):
            break
        try:
            _, more = attempt(instance, space, solver, time_limit_s)
        except InputError:
            continue
        tried.append(solver)
        found = better(found, more, goal.maximised)
    return found, tried
