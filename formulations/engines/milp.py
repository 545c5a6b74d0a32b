"""Linear models in PuLP and the engines that they run on.

An engine for them is a record of a name and a place: `highs` is HiGHS inside the process, `cbc` the binary that PuLP
brings; `highs-program`, `scip` and `gurobi` need packages of their own. All run with gap limits 0 and the tolerance
`ENGINE`, print nothing, and come back as the same outcome. What counts as solved is read from the engine itself, never
from PuLP's `status`: PuLP calls a run that a time limit stopped optimal as soon as it has any solution.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euclio.core.errors import InputError
from euclio.core.lazy import late_value
from euclio.core.registry import EngineOptions
from euclio.core.result import Status
from formulations.engines.interface import Engine, EngineLimits, LinearOutcome, LinearValues

if TYPE_CHECKING:
    from pulp import LpProblem

LinearEngine = Engine["LpProblem", LinearValues, float]

REGISTERED: dict[str, Callable[[], LinearEngine]] = {
    "highs": late_value("formulations.engines.highs", "HIGHS"),
    "cbc": late_value("formulations.engines.cbc", "CBC"),
    "highs-program": late_value("formulations.engines.highs_program", "HIGHS_PROGRAM"),
    "scip": late_value("formulations.engines.scip", "SCIP"),
    "gurobi": late_value("formulations.engines.gurobi", "GUROBI"),
}
"""The engines by name, the default one first; one line per engine, which is imported when it is asked for."""
ENGINES = tuple(REGISTERED)


def chosen_engine(options: EngineOptions[Any]) -> LinearEngine:
    """The engine that is asked for, the default one if none is.

    Raises:
        InputError: there is no such engine.
    """
    return find_engine(options.engine or ENGINES[0])


def find_engine(name: str) -> LinearEngine:
    """An engine by its name.

    Raises:
        InputError: there is no such engine.
    """
    if name not in REGISTERED:
        raise InputError(f"unknown engine {name!r}; known: {', '.join(REGISTERED)}", field="--engine")
    return REGISTERED[name]()


def run_twice(
    model: LpProblem, engine: LinearEngine, limits: EngineLimits, start: LinearValues | None = None
) -> LinearOutcome:
    """Like `Engine.run`, but "infeasible" only where the engine says so without and with its presolve.

    HiGHS 1.13.1 and CBC both call models infeasible that have points which keep every row to the last digit, and with
    coefficients that lie well together: sometimes with presolve, sometimes without. Where the two disagree, the
    solution counts: it can be looked at.
    """
    first = engine.run(model, replace(limits, presolve=False), start)
    if first.status is not Status.INFEASIBLE:
        return first
    second = engine.run(model, replace(limits, presolve=True, plain=True), start)
    return replace(second, nodes=first.nodes + second.nodes)


def solve_relaxation(model: LpProblem, engine: LinearEngine, limits: EngineLimits) -> LinearOutcome:
    """Solve the linear relaxation of a model; its objective is the bound, and there are reduced costs."""
    return engine.run(model, replace(limits, relaxed=True))


LONGEST_NAME = 40
"""Characters of a name that are kept: LP files have names of 100 at most, which are made of two and more."""


def readable(names: Sequence[str]) -> list[str]:
    """The names as LP files need them: of ASCII letters, digits and underscores only, short, and still all different.

    Names that are put together of others are given too, since `a_b` and `c` make the same as `a` and `b_c`.
    """
    found: dict[str, None] = {}
    for name in names:
        plain = re.sub(r"[^0-9A-Za-z_]", "_", name)[:LONGEST_NAME]
        unique, number = plain, 1
        while unique in found:
            number += 1
            unique = f"{plain}_{number}"
        found[unique] = None
    return list(found)


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
