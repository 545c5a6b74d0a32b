"""HiGHS inside the process, through PuLP's interface to highspy."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from euclio.core.result import TracePoint, WarmStart
from formulations.engines.milp import TOLERANCE, EngineLimits, EngineRun, Outcome

if TYPE_CHECKING:
    from pulp import LpProblem

START_TAKEN = "MIP start solution is feasible"
"""What HiGHS logs about a start that it uses."""

REFUSED = "HiGHS refused the model: numbers too far apart"

PLAIN = {
    "mip_heuristic_run_feasibility_jump": False,
    "mip_heuristic_run_rens": False,
    "mip_heuristic_run_rins": False,
    "mip_heuristic_run_root_reduced_cost": False,
}
"""What `EngineLimits.plain` leaves out."""

_scheduler: dict[str, int] = {}
"""Threads that HiGHS's scheduler of this process runs on."""


def run_highs(model: LpProblem, limits: EngineLimits, start: Mapping[str, float] | None = None) -> EngineRun:
    """Solve a PuLP model with HiGHS; see `formulations.engines.milp.run_model`."""
    import highspy
    import pulp

    if _scheduler.setdefault("threads", limits.threads) != limits.threads:
        # One scheduler serves the whole process; it refuses another number of threads unless it is made anew.
        highspy.Highs.resetGlobalScheduler(True)
        _scheduler["threads"] = limits.threads
    sign = -1.0 if model.sense == pulp.LpMaximize else 1.0
    watch = _Watch(sign, float(model.objective.constant), limits.most)

    class Solver(pulp.HiGHS):  # type: ignore[misc]
        """PuLP's HiGHS, with a start and callbacks between building and running."""

        def callSolver(self, lp: Any) -> None:  # noqa: N802
            highs = lp.solverModel
            watch.listen(highs)
            if start is not None:
                solution = highspy.HighsSolution()
                solution.col_value = [start[variable.name] for variable in lp.variables()]
                highs.setSolution(solution)
            highs.run()

    solver = Solver(
        mip=not limits.relaxed,
        gapRel=0.0,
        gapAbs=0.0,
        timeLimit=limits.time_limit_s,
        threads=limits.threads,
        **_options(limits, watch.constant),
    )
    try:
        model.solve(solver)
    except IndexError:  # how PuLP takes it that HiGHS refused a row for its coefficients
        return EngineRun(Outcome.UNKNOWN, REFUSED)
    return _read(model, model.solverModel, watch, limits, start is not None)


def _options(limits: EngineLimits, constant: float) -> dict[str, Any]:
    # HiGHS tells its callbacks nothing unless it also logs to a console or a file.
    return {
        "log_to_console": False,
        "log_file": os.devnull if limits.log_file is None else str(limits.log_file),
        "random_seed": limits.seed % 2**31,
        "primal_feasibility_tolerance": TOLERANCE,
        "dual_feasibility_tolerance": TOLERANCE,
        "mip_feasibility_tolerance": TOLERANCE,
        # Restarts of HiGHS 1.13.1 lose optima that keep every row, and call what is left optimal.
        "mip_allow_restart": False,
        **(PLAIN if limits.plain else {}),
        **({} if limits.presolve else {"presolve": "off"}),
        **({} if limits.most is None or limits.relaxed else _pruning(limits.most - constant)),
    }


def _pruning(most: float) -> dict[str, Any]:
    """A limit on the objective, in place of a row, which hides from HiGHS what it could fix by reduced costs.

    It may prune what is worse than the limit by more than its tolerance.
    """
    return {"objective_bound": most + TOLERANCE}


class _Watch:
    """Listens to HiGHS: incumbent and bound over time, and whether the start was taken."""

    def __init__(self, sign: float, constant: float, most: float | None = None) -> None:
        self.sign = sign
        self.constant = constant
        self.most = most
        self.start_taken = False
        self.trace: list[TracePoint] = []

    def listen(self, highs: Any) -> None:
        highs.cbLogging += self.on_log
        highs.cbMipLogging += self.on_progress
        highs.cbMipImprovingSolution += self.on_progress

    def on_log(self, event: Any) -> None:
        if START_TAKEN in event.message:
            self.start_taken = True

    def on_progress(self, event: Any) -> None:
        data = event.data_out
        incumbent, bound = self.value(data.mip_primal_bound), self.bound(data.mip_dual_bound)
        last = (self.trace[-1].incumbent, self.trace[-1].bound) if self.trace else (None, None)
        if (incumbent, bound) != last:
            self.trace.append(TracePoint(float(data.running_time), incumbent, bound))

    def value(self, raw: float) -> float | None:
        """A value of HiGHS's objective, which minimises and knows no constant, as one of the model's."""
        return self.sign * raw + self.constant if math.isfinite(raw) else None

    def bound(self, raw: float) -> float | None:
        """Likewise a bound; past `EngineLimits.most` there are points that HiGHS pruned and does not count."""
        value = self.value(raw)
        return value if value is None or self.most is None else min(value, self.most)

    def beyond(self, raw: float) -> bool:
        """Whether an objective is past what is of interest."""
        value = self.value(raw)
        return self.most is not None and value is not None and value > self.most + TOLERANCE


def _read(model: LpProblem, highs: Any, watch: _Watch, limits: EngineLimits, started: bool) -> EngineRun:
    import highspy
    import pulp

    info, status = highs.getInfo(), highs.getModelStatus()
    raw = str(highs.modelStatusToString(status))
    found = info.primal_solution_status == 2 and math.isfinite(info.objective_function_value)
    if model.status == pulp.LpStatusInfeasible:
        outcome, found = Outcome.INFEASIBLE, False
    elif not found:
        outcome = Outcome.UNKNOWN
    else:
        proven = model.sol_status == pulp.LpSolutionOptimal and status == highspy.HighsModelStatus.kOptimal
        outcome = Outcome.OPTIMAL if proven else Outcome.FEASIBLE
        if proven and not limits.relaxed and watch.beyond(info.objective_function_value):
            outcome, found = Outcome.INFEASIBLE, False  # its heuristics came upon it; what is of interest was pruned
    variables = model.variables()
    is_mip = not limits.relaxed and any(variable.cat == pulp.LpInteger for variable in variables)
    bound = watch.bound(info.mip_dual_bound) if is_mip else None
    objective = watch.value(info.objective_function_value) if found else None
    if outcome is Outcome.OPTIMAL and not is_mip:
        bound = objective
    warm = WarmStart.NONE if not started else WarmStart.USED if watch.start_taken else WarmStart.IGNORED
    return EngineRun(
        outcome,
        raw,
        {variable.name: float(variable.varValue) for variable in variables} if found else {},
        objective,
        None if outcome is Outcome.INFEASIBLE else bound,
        max(0, int(info.mip_node_count)),
        tuple(watch.trace),
        warm,
        {variable.name: float(variable.dj) for variable in variables} if found and limits.relaxed else {},
    )
