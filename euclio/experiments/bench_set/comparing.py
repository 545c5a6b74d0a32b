"""A solver against the best that is known of the set's instances."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.objective import Goal
from euclio.core.progress import told
from euclio.core.registry import SolverLike, find_solver
from euclio.core.result import AnyResult, Status
from euclio.core.tolerances import NEWS_TOLERANCE
from euclio.experiments.bench_set.folder import read_best, read_instance
from euclio.experiments.bench_set.improving import Found, attempt
from euclio.experiments.bench_set.manifest import Difficulty, Entry

EXACT = "exact"
"""Kind of solvers whose word on infeasibility is a proof."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A solver's run on an instance of the set.

    Attributes:
        entry: what is known of the instance.
        status: outcome of the run, in the plan space that the solver searched.
        value: value of its plan in the instance's plan space, as priced; None: no plan of that space.
        gap: how much worse it is than the best known, as a share of the best known; below 0: better.
        proven: its bound proves its plan in the instance's plan space.
        wall_s: seconds in the solver.
        news: better than what is known: "new best", "new bound", "proves it"; empty: none.
        wrong: what cannot be true of the answer; empty: nothing.
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
        time_limit_s: limit of each run in seconds; None: none.

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
        raise InputError("the best known plan is refused; `euclio bench-set check` says why", file=entry.name)
    result, found = attempt(instance, space, solver, time_limit_s)
    searched_all = result.space == space and find_solver(solver).kind == EXACT
    wrong = _wrong(goal, entry, best, searched_all, result, found)
    gap = None if found.value is None else _worse(goal, found.value, best)
    news = () if wrong else tuple(_news(goal, entry, best, found))
    proven = not wrong and found.value is not None and goal.proven(found.value, found.bound)
    return Compared(entry, result.status, found.value, gap, proven, result.wall_s, news, wrong)


def _wrong(goal: Goal, entry: Entry, best: Fraction, searched_all: bool, result: AnyResult, found: Found) -> str:
    """What cannot be true, as the best known plan is there and its bound is proven."""
    if result.status is Status.ERROR:
        return result.reason
    if result.status is Status.INFEASIBLE and searched_all:
        return f"it claims that there is no plan, but {entry.solver} found one"
    own = "" if found.value is None else goal.contradiction(found.value, entry.bound)
    return own or goal.contradiction(best, found.bound)


def _worse(goal: Goal, value: Fraction, best: Fraction) -> float:
    """How much worse a value is than the best known, as a share of the best known; below 0: better."""
    return 0.0 - goal.gap(best, value)


def _news(goal: Goal, entry: Entry, best: Fraction, found: Found) -> Iterator[str]:
    if found.value is not None and _worse(goal, found.value, best) < -NEWS_TOLERANCE:
        yield "new best"
    if entry.difficulty is not Difficulty.OPEN or found.bound is None:
        return
    value = best if found.value is None else min(best, found.value, key=lambda v: _worse(goal, v, best))
    if goal.proven(value, found.bound):
        yield "proves it"
    elif entry.bound is None or goal.gap(best, entry.bound) - goal.gap(best, found.bound) > NEWS_TOLERANCE:
        yield "new bound"
