"""Trials as observed and checked: the evidence on which claims are judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from euclio.core.family import Checked, Family
from euclio.core.objective import Goal
from euclio.core.registry import solvers
from euclio.core.result import Answer, Status
from euclio.core.solving import solve
from euclio.core.trials import SMALL_LIMIT_S, Purpose, Trial


class Ending(StrEnum):
    """How a trial ended."""

    ANSWERED = "answered"
    INAPPLICABLE = "inapplicable"
    RAISED = "raised"
    HUNG = "hung"
    """Killed far above its time limit."""
    DIED = "died"
    """The process ended by itself."""
    SKIPPED = "skipped"
    """Never tried, because the process had ended too often."""


@dataclass(frozen=True, slots=True)
class Observation:
    """The observation of one trial.

    Attributes:
        ending: how it ended.
        message: one line about the ending: the exception, the signal.
        answer: the answer.
        space: the plan space that the solver searched (`Solver.narrow`); None if it never got that far.
        wall_s: seconds in the solver.
        waited_s: seconds that its threads waited for a processor meanwhile, summed over the threads.
        printed: its standard output.
        mutated: whether the run changed the instance's text.
        left: the state of its process that the run changed.
    """

    ending: Ending
    message: str = ""
    answer: Answer[Any] | None = None
    space: Any = None
    wall_s: float = 0.0
    waited_s: float = 0.0
    printed: str = ""
    mutated: bool = False
    left: tuple[str, ...] = ()

    @property
    def took_s(self) -> float:
        """Seconds that the solver would have taken on an idle machine, or fewer."""
        return max(0.0, self.wall_s - self.waited_s)


@dataclass(frozen=True, slots=True)
class Described:
    """A solver's description of itself, as plain data (`euclio.core.registry.Solver`).

    Attributes:
        name: its name.
        kind: its kind.
        family: its problem family.
        space: its plan space.
        version: its version.
    """

    name: str
    kind: str
    family: str
    space: Any
    version: str


NEAR_LIMIT = 0.9
"""Part of the time limit above which the clock explains a different outcome."""


@dataclass(frozen=True, slots=True)
class Optimum:
    """The proof of a reference solver.

    Attributes:
        value: the optimum; None if there is no plan, or nothing was proven.
        infeasible: whether it proved that there is no plan.
        by: name of the reference solver.
    """

    value: Fraction | None
    infeasible: bool
    by: str


@dataclass(frozen=True, slots=True)
class CheckedRun:
    """A trial with its observation and the answers of the checker and a reference solver.

    Attributes:
        trial: the trial.
        seen: its observation.
        goal: the objective.
        checked: the checker's answer on the plan; None if there is no plan that it can read.
        unreadable: the reason why the checker cannot read the plan; empty if it can.
        optimum: the proof about the instance in the plan space; None if nothing is proven.
    """

    trial: Trial
    seen: Observation
    goal: Goal
    checked: Checked | None = None
    unreadable: str = ""
    optimum: Optimum | None = None

    @property
    def answer(self) -> Answer[Any] | None:
        """The answer, where there is one."""
        return self.seen.answer

    @property
    def value(self) -> Fraction | None:
        """The value of an accepted plan."""
        return self.checked.value if self.checked is not None and self.checked.feasible else None

    @property
    def proven(self) -> bool:
        """Whether plan and bound meet."""
        return self.value is not None and self.answer is not None and self.goal.proven(self.value, self.answer.bound)

    @property
    def in_time(self) -> bool:
        """Whether it ended by itself, clear of its time limit."""
        return self.seen.ending is Ending.ANSWERED and self.seen.wall_s < NEAR_LIMIT * SMALL_LIMIT_S


@dataclass(frozen=True, slots=True)
class Evidence:
    """All trials of one solver.

    Attributes:
        solver: the solver, as it describes itself.
        family: its problem family.
        runs: all trials, in order.
    """

    solver: Described
    family: Family
    runs: tuple[CheckedRun, ...]

    def of(self, *purposes: Purpose) -> Iterator[CheckedRun]:
        """The runs of some purposes."""
        return (run for run in self.runs if run.trial.purpose in purposes)

    def pairs(self, *purposes: Purpose) -> Iterator[tuple[CheckedRun, CheckedRun]]:
        """Runs of some purposes, each after the one that it is compared with."""
        for run in self.of(*purposes):
            if run.trial.like is not None:
                yield self.runs[run.trial.like], run


def checked_run(family: Family, trial: Trial, seen: Observation, optimum: Optimum | None) -> CheckedRun:
    """Let the checker price the answer of a trial."""
    goal = family.goal(trial.space if seen.space is None else seen.space)
    plan = None if seen.answer is None else seen.answer.plan
    if plan is None:
        return CheckedRun(trial, seen, goal, optimum=optimum)
    try:
        return CheckedRun(trial, seen, goal, family.evaluate(trial.instance, plan, seen.space), optimum=optimum)
    except Exception as error:  # a plan of wrong types may raise anywhere in the checker
        return CheckedRun(trial, seen, goal, unreadable=f"{type(error).__name__}: {error}", optimum=optimum)


class References:
    """Proven optima of instances, each solved once per plan space, by another solver than the one tried."""

    def __init__(self, family: Family, tried: str) -> None:
        names = [name for name in family.sources().references if name != tried and name in solvers(family.name)]
        self._names: Sequence[str] = names
        self._known: dict[tuple[int, Any], Optimum | None] = {}

    def optimum(self, trial: Trial, space: Any) -> Optimum | None:
        """The proof about a trial's instance in a plan space; None if nothing is proven."""
        if trial.purpose is Purpose.LARGE or space is None:
            return None
        key = id(trial.instance), space
        if key not in self._known:
            self._known[key] = next(filter(None, (_prove(name, trial.instance, space) for name in self._names)), None)
        return self._known[key]


def _prove(name: str, instance: Any, space: Any) -> Optimum | None:
    result = solve(instance, name, space=space, time_limit_s=SMALL_LIMIT_S)
    if result.status is Status.OPTIMAL:
        return Optimum(result.value, False, name)
    return Optimum(None, True, name) if result.status is Status.INFEASIBLE else None
