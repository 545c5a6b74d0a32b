"""What every engine is given and what it gives back: one record of limits and one outcome (ours).

An engine is a solver library behind `Engine`. Three kinds of models are handed to engines, each with values of its own:

    linear models in PuLP          values by variable name, floats       HiGHS (`highs.py`), CBC (`cbc.py`),
                                                                         HiGHS 1.15 (`highs_program.py`),
                                                                         SCIP (`scip.py`), Gurobi (`gurobi.py`)
    models in whole numbers        values by variable index, integers    CP-SAT (`cpsat.py`)
    linear models as arrays        values by column, floats              HiGHS (`highs_arrays.py`)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from euclio.core.registry import Limits
from euclio.core.result import Status, TracePoint, WarmStart
from formulations.tolerances import ENGINE

# What an engine that prunes by `EngineLimits.most` may say of solutions and bounds past it.


def within(bound: float | None, most: float | None) -> float | None:
    """A bound, but never past `EngineLimits.most`: what is past that is pruned, and not counted."""
    return bound if bound is None or most is None else min(bound, most)


def is_beyond(objective: float | None, most: float | None) -> bool:
    """Whether an objective is past `EngineLimits.most` by more than the engines' tolerance."""
    return most is not None and objective is not None and objective > most + ENGINE


ModelT = TypeVar("ModelT", contravariant=True)
ValuesT = TypeVar("ValuesT")
NumberT = TypeVar("NumberT")
OtherValuesT = TypeVar("OtherValuesT")
OtherNumberT = TypeVar("OtherNumberT")


@dataclass(frozen=True, slots=True)
class Point(Generic[NumberT]):
    """Incumbent and bound of a model at one moment of a run.

    Attributes:
        wall_s: seconds since the run began.
        incumbent: objective of the best solution so far; None means none yet.
        bound: proven bound so far; None means none yet.
    """

    wall_s: float
    incumbent: NumberT | None
    bound: NumberT | None


def note(trace: list[Point[float]], wall_s: float, incumbent: float | None, bound: float | None) -> None:
    """Add a moment to a trace where incumbent or bound changed; engines tell of many at which neither did."""
    last = (trace[-1].incumbent, trace[-1].bound) if trace else (None, None)
    if (incumbent, bound) != last:
        trace.append(Point(wall_s, incumbent, bound))


@dataclass(frozen=True, slots=True)
class Outcome(Generic[ValuesT, NumberT]):
    """What an engine found on a model, in the model's own units.

    Attributes:
        status: how the run ended, by the engine's word and to its tolerance: optimal, feasible (a limit stopped it with
            a solution), infeasible, or unknown (a limit stopped it without one, or the engine failed).
        raw_status: the engine's own word for that.
        values: value of every variable; None means no solution.
        objective: value of the objective; None means no solution.
        bound: proven bound on the optimum, from below when minimising and from above when maximising; None means none.
        nodes: what the search took: nodes of branch and bound; conflicts in CP-SAT.
        trace: incumbent and bound over time.
        warm_start: what became of the start; used: the first solution comes from it, perhaps repaired.
        reduced_costs: of every variable, where the linear relaxation was solved.
    """

    status: Status
    raw_status: str
    values: ValuesT | None = None
    objective: NumberT | None = None
    bound: NumberT | None = None
    nodes: int = 0
    trace: tuple[Point[NumberT], ...] = ()
    warm_start: WarmStart = WarmStart.NONE
    reduced_costs: ValuesT | None = None

    @property
    def optimal(self) -> bool:
        """Whether the solution is the model's best one."""
        return self.status is Status.OPTIMAL

    @property
    def infeasible(self) -> bool:
        """Whether the engine says that the model has no solution."""
        return self.status is Status.INFEASIBLE

    @property
    def finished(self) -> bool:
        """Whether the model is decided: solved to its optimum, or shown to have no solution."""
        return self.optimal or self.infeasible

    def translated(
        self,
        values: Callable[[ValuesT], OtherValuesT],
        objective: Callable[[NumberT], OtherNumberT],
        bound: Callable[[NumberT], OtherNumberT],
    ) -> Outcome[OtherValuesT, OtherNumberT]:
        """The outcome in the terms of a problem instead of the model's; reduced costs are left out.

        Args:
            values: the problem's decisions for values of the model's variables.
            objective: the problem's objective for the model's.
            bound: the problem's bound for the model's, moved outwards by what the model leaves open.
        """
        return Outcome(
            self.status,
            self.raw_status,
            _through(values, self.values),
            _through(objective, self.objective),
            _through(bound, self.bound),
            self.nodes,
            tuple(Point(p.wall_s, _through(objective, p.incumbent), _through(bound, p.bound)) for p in self.trace),
            self.warm_start,
        )

    def trace_from(self, begun_s: float) -> tuple[TracePoint, ...]:
        """The trace on the clock of the solver.

        Args:
            begun_s: seconds between the start of the solver and that of the engine's run.
        """
        numbers: Callable[[Any], float] = float
        return tuple(
            TracePoint(begun_s + p.wall_s, _through(numbers, p.incumbent), _through(numbers, p.bound))
            for p in self.trace
        )


def _through(function: Callable[[ValuesT], OtherValuesT], value: ValuesT | None) -> OtherValuesT | None:
    return None if value is None else function(value)


LinearValues = Mapping[str, float]
LinearOutcome = Outcome[LinearValues, float]
"""Of a linear model in PuLP; values by variable name."""


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """How an engine is to run.

    Attributes:
        time_limit_s: seconds; None means no limit. Engines overrun it, within presolve by seconds.
        seed: random seed.
        threads: threads.
        log_file: file that the engine's log is appended to; None means no log.
        presolve: whether to simplify the model first; on models that take milliseconds it costs more than it saves.
            CP-SAT never does: its presolve errs.
        plain: no searches for incumbents in smaller models: for models that the root all but solves, where they take
            longer than all the rest. HiGHS only.
        relaxed: solve the linear relaxation instead. Linear models only.
        most: of interest are only solutions whose objective, to be minimised, is at most this; None means that all are.
            An engine that `prunes` searches no others, and where it has nothing else to offer the outcome is
            "infeasible"; the others leave it aside.
    """

    time_limit_s: float | None = None
    seed: int = 0
    threads: int = 1
    log_file: Path | None = None
    presolve: bool = True
    plain: bool = False
    relaxed: bool = False
    most: float | None = None


class Engine(Protocol[ModelT, ValuesT, NumberT]):
    """A solver library that models are handed to."""

    @property
    def name(self) -> str:
        """Its name, as `--engine` takes it."""

    @property
    def prunes(self) -> bool:
        """Whether it prunes by `EngineLimits.most`; where it does not, the model needs a row that says it."""

    def run(self, model: ModelT, limits: EngineLimits, start: ValuesT | None = None) -> Outcome[ValuesT, NumberT]:
        """Solve a model to proven optimality, or until a limit is hit; gap limits are 0.

        Args:
            model: the model.
            limits: how to run.
            start: value of every variable to start from; None means a cold start, but for hints that the model itself
                has.

        Raises:
            InputError: the library is not on this machine.
        """


def engine_limits(limits: Limits[Any], left_s: float) -> EngineLimits:
    """Limits of one run of an engine within a solver's run.

    Args:
        limits: limits of the solver's run.
        left_s: seconds that are left of it; infinite means no limit.
    """
    options = limits.options
    return EngineLimits(left_s if math.isfinite(left_s) else None, limits.seed, options.threads or 1, options.log_file)
