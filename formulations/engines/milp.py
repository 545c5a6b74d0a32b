"""One way to run a PuLP model: HiGHS inside the process, or the CBC binary that PuLP brings.

Both run with gap limits 0 and tight feasibility tolerances, print nothing, and come back as the same plain record. What
counts as solved is read from `sol_status` and from the engine itself, never from `status`: PuLP calls a run that a time
limit stopped optimal as soon as it has any solution.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euclio.core.errors import InputError
from euclio.core.registry import EngineOptions, Limits
from euclio.core.result import TracePoint, WarmStart

if TYPE_CHECKING:
    from pulp import LpProblem

ENGINES = ("highs", "cbc")
TOLERANCE = 1e-6
"""Feasibility and integrality tolerance asked of the engines; tighter ones made HiGHS 1.13.1 cut optima off."""


class Outcome(StrEnum):
    """How a run ended."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    """A limit stopped it with a solution."""
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"
    """A limit stopped it without a solution, or the engine failed."""


@dataclass(frozen=True, slots=True)
class EngineRun:
    """What an engine found.

    Attributes:
        outcome: how it ended.
        raw_status: the engine's own word.
        values: value of each variable by name; empty: no solution.
        objective: value of the objective; None: no solution.
        bound: proven bound on the optimum, from below when minimising and from above when maximising; None: none.
        nodes: nodes of branch and bound.
        trace: incumbent and bound over time, seconds since the run began.
        warm_start: what became of the start.
        reduced_costs: of each variable by name, where the linear relaxation was solved.
    """

    outcome: Outcome
    raw_status: str
    values: Mapping[str, float] = field(default_factory=dict)
    objective: float | None = None
    bound: float | None = None
    nodes: int = 0
    trace: tuple[TracePoint, ...] = ()
    warm_start: WarmStart = WarmStart.NONE
    reduced_costs: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """How an engine is to run.

    Attributes:
        time_limit_s: seconds; None: no limit. Engines overrun it, within presolve by seconds.
        seed: random seed.
        threads: threads.
        log_file: file that the engine's log is appended to; None: no log.
        plain: no searches for incumbents in smaller models: for models that the root all but solves, where they take
            longer than all the rest. HiGHS only.
        relaxed: solve the linear relaxation instead.
        presolve: whether to simplify the model first.
        most: of interest are only solutions whose objective, to be minimised, is at most this; None: all are. HiGHS
            prunes by it, and where it has nothing else to offer the outcome is "infeasible"; CBC leaves it aside.
    """

    time_limit_s: float | None = None
    seed: int = 0
    threads: int = 1
    log_file: Path | None = None
    plain: bool = False
    relaxed: bool = False
    presolve: bool = True
    most: float | None = None


def run_model(
    model: LpProblem, engine: str, limits: EngineLimits, start: Mapping[str, float] | None = None
) -> EngineRun:
    """Solve a PuLP model to proven optimality, or until the time limit.

    Args:
        model: the model.
        engine: "highs" or "cbc".
        limits: time limit, seed, threads, log.
        start: value of every variable by name, to start from; None: cold.

    Raises:
        InputError: the engine is not there.
    """
    if engine == "highs":
        from formulations.engines.highs import run_highs

        return run_highs(model, limits, start)
    from formulations.engines.cbc import run_cbc

    return run_cbc(model, limits, start)


def run_twice(
    model: LpProblem, engine: str, limits: EngineLimits, start: Mapping[str, float] | None = None
) -> EngineRun:
    """Like `run_model`, but "infeasible" only where the engine says so without and with its presolve.

    HiGHS 1.13.1 and CBC both call models infeasible that have points which keep every row to the last digit, and with
    coefficients that lie well together: sometimes with presolve, sometimes without. Where the two disagree, the
    solution counts: it can be looked at.
    """
    first = run_model(model, engine, replace(limits, presolve=False), start)
    if first.outcome is not Outcome.INFEASIBLE:
        return first
    second = run_model(model, engine, replace(limits, presolve=True, plain=True), start)
    return replace(second, nodes=first.nodes + second.nodes)


def engine_limits(limits: Limits[Any], left_s: float) -> EngineLimits:
    """Limits of one run of an engine within a solver's run.

    Args:
        limits: limits of the solver's run.
        left_s: seconds that are left of it; infinite: no limit.
    """
    options = limits.options
    return EngineLimits(left_s if math.isfinite(left_s) else None, limits.seed, options.threads or 1, options.log_file)


def solve_relaxation(model: LpProblem, engine: str, limits: EngineLimits) -> EngineRun:
    """Solve the linear relaxation of a model; its objective is the bound, and there are reduced costs."""
    return run_model(model, engine, replace(limits, relaxed=True))


def later(trace: tuple[TracePoint, ...], seconds: float) -> tuple[TracePoint, ...]:
    """A trace whose clock started `seconds` later."""
    return tuple(replace(point, wall_s=point.wall_s + seconds) for point in trace)


def readable(names: Sequence[str]) -> list[str]:
    """The names with letters, digits and underscores only, as LP files need them, and still all different."""
    found: list[str] = []
    for name in names:
        plain = re.sub(r"[^0-9A-Za-z_]", "_", name)
        unique, number = plain, 1
        while unique in found:
            number += 1
            unique = f"{plain}_{number}"
        found.append(unique)
    return found


def chosen_engine(options: EngineOptions[Any]) -> str:
    """The engine that is asked for, the default one if none is.

    Raises:
        InputError: there is no such engine.
    """
    engine = options.engine or ENGINES[0]
    if engine not in ENGINES:
        raise InputError(f"unknown engine {engine!r}; known: {', '.join(ENGINES)}", field="--engine")
    return engine


def export_lp(model: LpProblem, file: Path) -> None:
    """Write a model in LP format, with the names that it was built with.

    Raises:
        InputError: the file cannot be written.
    """
    try:
        model.writeLP(str(file))
    except OSError as error:
        raise InputError(
            f"cannot be written ({error.strerror}); name a file in a folder that exists", field="--export-lp"
        ) from None
