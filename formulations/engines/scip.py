"""SCIP inside the process, through PySCIPOpt (package `pyscipopt`), on models in PuLP; always on one thread.

Traps that this file closes:

- it handles Ctrl-C itself and ends a run with its incumbent, but the program should end;
- it stores a start until the search begins, so we try it on the model's rows before;
- presolve and propagation remove variables from a linear program, which then lack reduced costs, so they are off there;
- it takes 1e+20 and more for infinite, also as the value of a missing bound.
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

PACKAGE = "pyscipopt"
INFEASIBLE = ("infeasible", "inforunbd")
"""The objectives of our models are bounded, so "infeasible or unbounded" is infeasible."""
LARGEST_SEED = 2**31


@dataclass(frozen=True, slots=True)
class Scip:
    """The engine SCIP for linear models in PuLP."""

    name: str = "scip"
    prunes: bool = True

    def run(self, model: pulp.LpProblem, limits: EngineLimits, start: LinearValues | None = None) -> LinearOutcome:
        """Solve a model; see `formulations.engines.interface.Engine`.

        Raises:
            InputError: the package is not installed.
        """
        if not is_installed(PACKAGE):
            raise InputError(
                f"scip needs the package {PACKAGE}: pip install 'euclio[engines]'; or use the engine highs",
                field="--engine",
            )
        return _run(model, limits, start)


SCIP = Scip()


def _run(model: pulp.LpProblem, limits: EngineLimits, start: LinearValues | None) -> LinearOutcome:
    scip, variables = _built(model, limits)
    _set(scip, limits)
    watch = _watch(scip, limits.most)
    taken = start is not None and _begin_from(scip, variables, start)
    scip.optimize()
    warm = WarmStart.NONE if start is None else WarmStart.USED if taken else WarmStart.IGNORED
    return _read(scip, variables, limits, watch.trace, warm)


def _built(model: pulp.LpProblem, limits: EngineLimits) -> tuple[Any, dict[str, Any]]:
    """The model in SCIP, and its variables by name."""
    import pyscipopt

    scip = pyscipopt.Model()
    variables = {
        column.name: scip.addVar(
            vtype="I" if column.whole and not limits.relaxed else "C", lb=column.low, ub=column.high, obj=column.cost
        )
        for column in columns(model)
    }
    places = list(variables.values())
    for row in rows(model):
        left = pyscipopt.quicksum(a * places[k] for k, a in row.terms)
        scip.addCons(
            left <= row.right if row.sense == "<=" else left >= row.right if row.sense == ">=" else left == row.right
        )
    scip.addObjoffset(float(model.objective.constant))
    if model.sense == pulp.LpMaximize:
        scip.setMaximize()
    else:
        scip.setMinimize()
    return scip, variables


def _set(scip: Any, limits: EngineLimits) -> None:
    import pyscipopt

    scip.hideOutput()
    if limits.log_file is not None:
        scip.setLogfile(str(limits.log_file))
    if limits.time_limit_s is not None:
        scip.setParam("limits/time", max(limits.time_limit_s, 0.0))
    scip.setParam("misc/catchctrlc", False)
    scip.setParam("randomization/randomseedshift", limits.seed % LARGEST_SEED)
    scip.setParam("numerics/feastol", ENGINE)
    scip.setParam("numerics/dualfeastol", ENGINE)
    if limits.most is not None and not limits.relaxed:
        scip.setObjlimit(limits.most + ENGINE)
    if limits.relaxed or not limits.presolve:
        scip.setPresolve(pyscipopt.scip.PY_SCIP_PARAMSETTING.OFF)
    if limits.relaxed:
        scip.setHeuristics(pyscipopt.scip.PY_SCIP_PARAMSETTING.OFF)
        scip.disablePropagation()


def _watch(scip: Any, most: float | None) -> Any:
    """Listens to SCIP: incumbent and bound over time."""
    import pyscipopt

    class Watch(pyscipopt.Eventhdlr):
        """Notes changes; the class is made here, since its base is in the package."""

        def __init__(self) -> None:
            self.trace: list[Point[float]] = []

        def eventinit(self) -> None:
            for event in (pyscipopt.scip.PY_SCIP_EVENTTYPE.BESTSOLFOUND, pyscipopt.scip.PY_SCIP_EVENTTYPE.NODESOLVED):
                self.model.catchEvent(event, self)

        def eventexec(self, _: Any) -> None:
            incumbent = _finite(scip, scip.getPrimalbound()) if scip.getNSols() else None
            bound = within(_finite(scip, scip.getDualbound()), most)
            note(self.trace, float(scip.getSolvingTime()), incumbent, bound)

    watch = Watch()
    scip.includeEventhdlr(watch, "watch", "incumbent and bound over time")
    return watch


def _begin_from(scip: Any, variables: dict[str, Any], start: LinearValues) -> bool:
    """Hand a start over if it keeps all rows; returns whether it does."""
    solution = scip.createOrigSol()
    for name, variable in variables.items():
        scip.setSolVal(solution, variable, start[name])
    keeps: bool = scip.checkSol(solution, printreason=False, original=True)
    if keeps:
        scip.addSol(solution)
    return keeps


def _read(
    scip: Any, variables: dict[str, Any], limits: EngineLimits, trace: list[Point[float]], warm: WarmStart
) -> LinearOutcome:
    raw, nodes = str(scip.getStatus()), int(scip.getNTotalNodes())
    if raw in INFEASIBLE:
        return Outcome(Status.INFEASIBLE, raw, nodes=nodes, trace=tuple(trace), warm_start=warm)
    bound = within(_finite(scip, scip.getDualbound()), limits.most)
    if not scip.getNSols():
        return Outcome(Status.UNKNOWN, raw, bound=bound, nodes=nodes, trace=tuple(trace), warm_start=warm)
    best = scip.getBestSol()
    return Outcome(
        Status.OPTIMAL if raw == "optimal" else Status.FEASIBLE,
        raw,
        {name: float(scip.getSolVal(best, variable)) for name, variable in variables.items()},
        float(scip.getPrimalbound()),
        bound,
        nodes,
        tuple(trace),
        warm,
        {name: float(scip.getVarRedcost(v)) for name, v in variables.items()} if limits.relaxed else None,
    )


def _finite(scip: Any, value: float) -> float | None:
    """A number of SCIP's; None means infinite."""
    return None if scip.isInfinity(abs(value)) or not math.isfinite(value) else float(value)
