"""Gurobi inside the process (package `gurobipy`), on models in PuLP; euclio does not bring it.

The package alone solves models of at most 2,000 variables and 2,000 rows; a licence of one's own is found as Gurobi
finds it (`GRB_LICENSE_FILE`).

Traps that this file closes:

- it prints its licence and its parameters before any is set, so environments begin empty and silent;
- a model beyond the licence is an error of its own, which names no remedy of ours;
- "infeasible or unbounded" is infeasible, as the objectives of our models are bounded;
- only its log tells whether it took a start;
- at Ctrl-C it ends a run with its incumbent, but the program should end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pulp

from euclio.core.engine_packages import is_installed
from euclio.core.errors import InputError
from euclio.core.result import Status, WarmStart
from formulations.engines.interface import EngineLimits, LinearOutcome, LinearValues, Outcome, Point, note, within
from formulations.engines.rows import columns, rows
from formulations.tolerances import ENGINE

PACKAGE = "gurobipy"
INFEASIBLE = ("INFEASIBLE", "INF_OR_UNBD", "CUTOFF")
"""Words for a model without a solution, or without one within the limit."""
REMEDY = "use the engine highs"
START_TAKEN = "Loaded user MIP start"
"""Gurobi's line in the log about a start that it uses."""
LARGEST_SEED = 2_000_000_000
NOTHING_YET = 1e100
"""Gurobi's value for a missing incumbent or bound."""


@dataclass(frozen=True, slots=True)
class Gurobi:
    """The engine Gurobi for linear models in PuLP."""

    name: str = "gurobi"
    prunes: bool = True

    def run(self, model: pulp.LpProblem, limits: EngineLimits, start: LinearValues | None = None) -> LinearOutcome:
        """Solve a model; see `formulations.engines.interface.Engine`.

        Raises:
            InputError: the package is not installed, or its licence does not allow the model.
        """
        if not is_installed(PACKAGE):
            raise InputError(
                f"gurobi needs the package {PACKAGE}: pip install {PACKAGE}; or {REMEDY}", field="--engine"
            )
        import gurobipy

        try:
            return _run(model, limits, start)
        except gurobipy.GurobiError as error:
            raise InputError(f"gurobi: {error}; {REMEDY}", field="--engine") from None


GUROBI = Gurobi()


def _run(model: pulp.LpProblem, limits: EngineLimits, start: LinearValues | None) -> LinearOutcome:
    import gurobipy

    with gurobipy.Env(empty=True) as environment:
        environment.setParam("OutputFlag", 0)
        environment.start()
        with gurobipy.Model(env=environment) as solver:
            variables = _build(solver, model, limits)
            _set(solver, limits)
            for name, variable in variables.items() if start is not None else ():
                variable.Start = start[name]  # type: ignore[index]
            watch = _GurobiWatch(limits.most)
            solver.optimize(watch)
            return _read(solver, variables, limits, watch, start is not None)


def _build(solver: Any, model: pulp.LpProblem, limits: EngineLimits) -> dict[str, Any]:
    """Build the model in Gurobi; gives its variables by name."""
    import gurobipy

    kinds = {True: gurobipy.GRB.INTEGER, False: gurobipy.GRB.CONTINUOUS}
    variables = {
        column.name: solver.addVar(
            -gurobipy.GRB.INFINITY if column.low is None else column.low,
            gurobipy.GRB.INFINITY if column.high is None else column.high,
            column.cost,
            kinds[column.whole and not limits.relaxed],
        )
        for column in columns(model)
    }
    places = list(variables.values())
    senses = {"<=": gurobipy.GRB.LESS_EQUAL, ">=": gurobipy.GRB.GREATER_EQUAL, "==": gurobipy.GRB.EQUAL}
    for row in rows(model):
        left = gurobipy.LinExpr([a for _, a in row.terms], [places[k] for k, _ in row.terms])
        solver.addLConstr(left, senses[row.sense], row.right)
    solver.ObjCon = float(model.objective.constant)
    solver.ModelSense = gurobipy.GRB.MAXIMIZE if model.sense == pulp.LpMaximize else gurobipy.GRB.MINIMIZE
    return variables


def _set(solver: Any, limits: EngineLimits) -> None:
    chosen: dict[str, Any] = {
        "MIPGap": 0.0,
        "MIPGapAbs": 0.0,
        "FeasibilityTol": ENGINE,
        "IntFeasTol": ENGINE,
        "OptimalityTol": ENGINE,
        "Threads": limits.threads,
        "Seed": limits.seed % LARGEST_SEED,
        "Presolve": -1 if limits.presolve else 0,
        # Without output there are no messages to listen to.
        "LogToConsole": 0,
        "LogFile": "" if limits.log_file is None else str(limits.log_file),
        "OutputFlag": 1,
    }
    if limits.time_limit_s is not None:
        chosen["TimeLimit"] = max(limits.time_limit_s, 0.0)
    if limits.most is not None and not limits.relaxed:
        chosen["Cutoff"] = limits.most + ENGINE
    for name, value in chosen.items():
        solver.setParam(name, value)


class _GurobiWatch:
    """Listens to Gurobi: incumbent and bound over time, and whether the start was taken."""

    def __init__(self, most: float | None) -> None:
        self.most = most
        self.start_taken = False
        self.trace: list[Point[float]] = []

    def __call__(self, solver: Any, where: int) -> None:
        from gurobipy import GRB

        if where == GRB.Callback.MESSAGE:
            self.start_taken |= START_TAKEN in solver.cbGet(GRB.Callback.MSG_STRING)
        elif where == GRB.Callback.MIP:
            incumbent = _finite(solver.cbGet(GRB.Callback.MIP_OBJBST))
            bound = within(_finite(solver.cbGet(GRB.Callback.MIP_OBJBND)), self.most)
            note(self.trace, float(solver.cbGet(GRB.Callback.RUNTIME)), incumbent, bound)


def _read(
    solver: Any, variables: dict[str, Any], limits: EngineLimits, watch: _GurobiWatch, started: bool
) -> LinearOutcome:
    from gurobipy import GRB

    words = {getattr(GRB.Status, name): name for name in dir(GRB.Status) if name.isupper()}
    raw, nodes, trace = words[solver.Status], int(solver.NodeCount), tuple(watch.trace)
    warm = WarmStart.NONE if not started else WarmStart.USED if watch.start_taken else WarmStart.IGNORED
    if raw == "INTERRUPTED":
        raise KeyboardInterrupt
    if raw in INFEASIBLE:
        return Outcome(Status.INFEASIBLE, raw, nodes=nodes, trace=trace, warm_start=warm)
    found = solver.SolCount > 0
    objective = float(solver.ObjVal) if found else None
    bound = _finite(solver.ObjBound) if solver.IsMIP else objective if raw == "OPTIMAL" else None
    bound = within(bound, limits.most)
    if not found:
        return Outcome(Status.UNKNOWN, raw, bound=bound, nodes=nodes, trace=trace, warm_start=warm)
    return Outcome(
        Status.OPTIMAL if raw == "OPTIMAL" else Status.FEASIBLE,
        raw,
        {name: float(variable.X) for name, variable in variables.items()},
        objective,
        bound,
        nodes,
        trace,
        warm,
        {name: float(variable.RC) for name, variable in variables.items()} if limits.relaxed else None,
    )


def _finite(value: float) -> float | None:
    """A number of Gurobi's; None if the number stands for no value."""
    return float(value) if math.isfinite(value) and abs(value) < NOTHING_YET else None
