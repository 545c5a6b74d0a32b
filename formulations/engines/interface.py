"""Input and output of every engine: one record of limits and one outcome (ours).

An engine is a solver library behind `Engine`. There are three kinds of models, each with values of its own:

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

# Solutions and bounds of an engine that prunes by `EngineLimits.most`, if they are past it.


def within(bound: float | None, most: float | None) -> float | None:
    """A bound up to `EngineLimits.most`, since the engine prunes solutions past that."""
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
    """Add a moment to a trace if incumbent or bound changed; engines report many at which neither did."""
    last = (trace[-1].incumbent, trace[-1].bound) if trace else (None, None)
    if (incumbent, bound) != last:
        trace.append(Point(wall_s, incumbent, bound))


@dataclass(frozen=True, slots=True)
class Outcome(Generic[ValuesT, NumberT]):
    """The result of an engine on a model, in the model's own units.

    Attributes:
        status: the outcome by the engine's word and within its tolerance: optimal, feasible (a limit stopped it with a
            solution), infeasible, or unknown (no solution because of a limit or a failure).
        raw_status: the engine's own word for that.
        values: value of every variable; None means no solution.
        objective: value of the objective; None means no solution.
        bound: proven bound on the optimum, from below when minimising and from above when maximising; None means none.
        nodes: the effort of the search: nodes of branch and bound, or conflicts in CP-SAT.
        trace: incumbent and bound over time.
        warm_start: outcome of the start; "used" means that the first solution comes from it, perhaps repaired.
        reduced_costs: reduced cost of every variable, if the linear relaxation was solved.
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
        """Whether the model is solved to its optimum, or shown to have no solution."""
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
            bound: the problem's bound for the model's, moved outwards by the model's rounding.
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
"""The outcome on a linear model in PuLP; values by variable name."""


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """Settings of one run of an engine.

    Attributes:
        time_limit_s: seconds; None means no limit. Engines overrun it, within presolve by seconds.
        seed: random seed.
        threads: threads.
        log_file: file for the engine's log, which is appended; None disables it.
        presolve: whether to simplify the model first; on models that take milliseconds it costs more than it saves.
            CP-SAT never does, since its presolve errs.
        plain: whether to leave out searches for incumbents in smaller models. On models that the root almost solves,
            they take longer than all else. HiGHS only.
        relaxed: whether to solve the linear relaxation instead. Linear models only.
        most: largest objective of interest, of a minimised model; None means no limit. An engine that `prunes` searches
            no solutions past it, and answers "infeasible" without one within it. The others ignore it.
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
    """A solver library that solves models."""

    @property
    def name(self) -> str:
        """Its name, as in `--engine`."""

    @property
    def prunes(self) -> bool:
        """Whether it prunes by `EngineLimits.most`; otherwise the model needs a row for it."""

    def run(self, model: ModelT, limits: EngineLimits, start: ValuesT | None = None) -> Outcome[ValuesT, NumberT]:
        """Solve a model to proven optimality, or until a limit; gap limits are 0.

        Args:
            model: the model.
            limits: settings of the run.
            start: value of every variable for a warm start; None means a cold start, except for hints in the model
                itself.

        Raises:
            InputError: the library is not on this machine.
        """


def engine_limits(limits: Limits[Any], left_s: float) -> EngineLimits:
    """Limits of one run of an engine within a solver's run.

    Args:
        limits: limits of the solver's run.
        left_s: remaining seconds; infinite means no limit.
    """
    options = limits.options
    return EngineLimits(left_s if math.isfinite(left_s) else None, limits.seed, options.threads or 1, options.log_file)
