"""The best known plan and bound of an instance over many runs, and a solver against them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from euclio.core.compiled import time_runs
from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.numbers import exact
from euclio.core.objective import Goal
from euclio.core.parameters import verb_text
from euclio.core.progress import told
from euclio.core.registry import SolverLike, find_solver
from euclio.core.result import AnyResult, Status
from euclio.core.solving import solve
from euclio.core.tolerances import NEWS_TOLERANCE
from euclio.core.warm_up import warm_up
from euclio.experiments.bench_set.manifest import Difficulty, Effort, Entry, read_best, read_instance

SHORT_S = 0.5
"""Runs with less processor time are timed again."""
REPEATS = 3


@dataclass(frozen=True, slots=True)
class BestFound:
    """A plan's value in the plan space of the instance, and a bound, each with the solver behind it.

    Attributes:
        value: value as priced; None if there is no plan.
        solver: the solver that found the plan.
        bound: proven bound for that plan space; None if none is proven.
        bound_solver: the solver that proved it.
    """

    value: Fraction | None = None
    solver: str = ""
    plan: Any = None
    bound: Fraction | None = None
    bound_solver: str = ""


def attempt(instance: Any, space: Any, solver: SolverLike, time_limit_s: float | None) -> tuple[AnyResult, BestFound]:
    """Run a solver and price its plan in the plan space of the instance, not in the solver's own.

    Args:
        instance: an instance of the set.
        space: plan space that the set asks for.
        solver: a solver, or its name; one that searches part of the family's full space by design keeps to its part.
        time_limit_s: limit in seconds; None means no limit.

    Returns:
        The result in the plan space that was searched, and its plan and bound for the instance.

    Raises:
        InputError: unknown solver, or one of another family.
    """
    family = family_of(instance)
    chosen = find_solver(solver)
    asked = space if chosen.space == family.full_space else chosen.space
    goal: dict[str, Any] = {"objective": family.goal(space).name} if len(family.goals) > 1 else {}
    result = solve(instance, chosen, space=asked, time_limit_s=time_limit_s, **goal)
    if result.status is Status.ERROR:
        return result, BestFound()
    bound = result.bound if result.space == space else None
    found = BestFound(bound=None if bound is None else exact(bound), bound_solver="" if bound is None else chosen.name)
    if result.plan is None:
        return result, found
    checked = family.evaluate(instance, result.plan, space)
    if not checked.feasible or checked.value is None:
        return result, found
    return result, BestFound(checked.value, chosen.name, result.plan, found.bound, found.bound_solver)


def better(a: BestFound, b: BestFound, maximised: bool) -> BestFound:
    """The better plan and the better bound of two; the first one's where they are equal."""
    plan = b if a.value is None or (b.value is not None and _ahead(b.value, a.value, maximised)) else a
    bound = b if a.bound is None or (b.bound is not None and _ahead(a.bound, b.bound, maximised)) else a
    return BestFound(plan.value, plan.solver, plan.plan, bound.bound, bound.bound_solver)


def _ahead(a: Fraction, b: Fraction, maximised: bool) -> bool:
    return a > b if maximised else a < b


def measured(instance: Any, space: Any, time_limit_s: float) -> tuple[Effort, BestFound]:
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


def improved(instance: Any, space: Any, found: BestFound, time_limit_s: float) -> tuple[BestFound, list[str]]:
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


EXACT = "exact"
"""The kind of solvers whose answer "infeasible" is a proof."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A solver's run on an instance of the set.

    Attributes:
        entry: the manifest's entry of the instance.
        status: outcome of the run, in the plan space that the solver searched.
        value: value of its plan in the instance's plan space, as priced; None if there is no plan of that space.
        gap: excess over the best known value, as a share of it; below 0 means better.
        proven: its bound proves its plan in the instance's plan space.
        wall_s: seconds in the solver.
        news: improvement on the best known: "new best", "new bound", "proves it"; empty if there is none.
        wrong: the contradiction in the answer; empty if there is none.
    """

    entry: Entry
    status: Status
    value: Fraction | None
    gap: float | None
    proven: bool
    wall_s: float
    news: tuple[str, ...]
    wrong: str


@told("running a solver on the benchmark set")
def compare_with_best(
    folder: Path, entries: Iterable[Entry], solver: SolverLike, time_limit_s: float | None = None
) -> Iterator[Compared]:
    """Run a solver on instances of the set, one after the other.

    Args:
        folder: folder of the set.
        entries: which instances.
        solver: the solver, or its name.
        time_limit_s: limit of each run in seconds; None means no limit.

    Raises:
        InputError: unknown solver, or one of another family than an instance.
    """
    for entry in entries:
        instance = read_instance(folder, entry)
        yield _compared(entry, instance, read_best(folder, instance), solver, time_limit_s)


def _compared(entry: Entry, instance: Any, written: Any, solver: SolverLike, time_limit_s: float | None) -> Compared:
    goal, space = written.goal, written.space
    best = family_of(instance).evaluate(instance, written.plan, space).value
    if best is None:
        raise InputError(f"the best known plan is refused; {verb_text('bench-set check')} says why", file=entry.name)
    result, found = attempt(instance, space, solver, time_limit_s)
    searched_all = result.space == space and find_solver(solver).kind == EXACT
    wrong = _wrong(goal, entry, best, searched_all, result, found)
    gap = None if found.value is None else _worse(goal, found.value, best)
    news = () if wrong else tuple(_news(goal, entry, best, found))
    proven = not wrong and found.value is not None and goal.proven(found.value, found.bound)
    return Compared(entry, result.status, found.value, gap, proven, result.wall_s, news, wrong)


def _wrong(goal: Goal, entry: Entry, best: Fraction, searched_all: bool, result: AnyResult, found: BestFound) -> str:
    """The contradiction between an answer and the best known plan or its proven bound."""
    if result.status is Status.ERROR:
        return result.reason
    if result.status is Status.INFEASIBLE and searched_all:
        return f"it claims that there is no plan, but {entry.solver} found one"
    own = "" if found.value is None else goal.contradiction(found.value, entry.bound)
    return own or goal.contradiction(best, found.bound)


def _worse(goal: Goal, value: Fraction, best: Fraction) -> float:
    """The excess of a value over the best known, as a share of the best known; below 0 means better."""
    return 0.0 - goal.gap(best, value)


def _news(goal: Goal, entry: Entry, best: Fraction, found: BestFound) -> Iterator[str]:
    if found.value is not None and _worse(goal, found.value, best) < -NEWS_TOLERANCE:
        yield "new best"
    if entry.difficulty is not Difficulty.OPEN or found.bound is None:
        return
    value = best if found.value is None else min(best, found.value, key=lambda v: _worse(goal, v, best))
    if goal.proven(value, found.bound):
        yield "proves it"
    elif entry.bound is None or goal.gap(best, entry.bound) - goal.gap(best, found.bound) > NEWS_TOLERANCE:
        yield "new bound"
