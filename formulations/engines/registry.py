"""The engines that linear models in PuLP run on, by name: where one is added.

An engine for them is a record of a name and a place: `highs` is HiGHS inside the process, `cbc` the binary that PuLP
brings; `highs-program`, `scip` and `gurobi` need packages of their own. All run with gap limits 0 and the tolerance
`ENGINE`, print nothing, and come back as the same outcome. What counts as solved is read from the engine itself, never
from PuLP's `status`: PuLP calls a run that a time limit stopped optimal as soon as it has any solution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from euclio.core.errors import InputError
from euclio.core.lazy import late_value
from euclio.core.registry import EngineOptions, Option
from formulations.engines.interface import Engine, LinearValues

if TYPE_CHECKING:
    from pulp import LpProblem

LinearEngine: TypeAlias = Engine["LpProblem", LinearValues, float]

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


CPSAT_OPTIONS = frozenset({Option.THREADS, Option.WARM_START, Option.LOG_FILE})
"""CP-SAT has no LP format that would keep its products, so no export."""
