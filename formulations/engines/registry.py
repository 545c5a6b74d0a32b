"""The engines for linear models in PuLP by name; a new engine gets a line here.

An engine for them is a record of a name and a place. `highs` is HiGHS inside the process, `cbc` the binary within PuLP;
`highs-program`, `scip` and `gurobi` need packages of their own. All run with gap limits 0 and the tolerance `ENGINE`,
print nothing, and return the same kind of outcome. The status comes from the engine itself, never from PuLP's `status`,
since PuLP calls a run optimal if a time limit stopped it with any solution.
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
"""The engines by name, the default one first; one line per engine, which is imported at its first use."""
ENGINES = tuple(REGISTERED)


def chosen_engine(options: EngineOptions[Any]) -> LinearEngine:
    """The chosen engine, or the default one.

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
"""CP-SAT has no export, since the LP format cannot hold its products."""
