"""HiGHS inside the process: models in PuLP, through PuLP's interface to highspy; models as arrays in `highs_arrays.py`.

Traps of HiGHS 1.13.1 that this file closes:

- tolerances below `ENGINE` make it cut optima off;
- restarts and feasibility jump lose optima, and the run then calls a worse solution optimal (`euclio.core.highs_runs`);
- it calls models infeasible that are not, with presolve or without (`formulations.engines.milp.run_twice` asks twice);
- one scheduler serves the whole process and refuses another number of threads (`euclio.core.highs_runs`);
- its callbacks are silent unless it also logs somewhere;
- it refuses rows with coefficients too far apart, which PuLP turns into an `IndexError`;
- it prunes past a bound on the objective, so bounds beyond that count only up to it.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any

import pulp

from euclio.core.highs_runs import run_highs, status_of
from euclio.core.result import Status, WarmStart
from formulations.engines.interface import (
    EngineLimits,
    LinearOutcome,
    LinearValues,
    Outcome,
    Point,
    is_beyond,
    note,
    within,
)
from formulations.tolerances import ENGINE

START_TAKEN = "MIP start solution is feasible"
"""HiGHS's line in the log about a start that it uses."""

REFUSED = "HiGHS refused the model: numbers too far apart"

PLAIN = {
    "mip_heuristic_run_rens": False,
    "mip_heuristic_run_rins": False,
    "mip_heuristic_run_root_reduced_cost": False,
}
"""The options that `EngineLimits.plain` turns off."""


@dataclass(frozen=True, slots=True)
class Highs:
    """The engine HiGHS for linear models in PuLP."""

    name: str = "highs"
    prunes: bool = True

    def run(self, model: pulp.LpProblem, limits: EngineLimits, start: LinearValues | None = None) -> LinearOutcome:
        """Solve a model; see `formulations.engines.interface.Engine`."""
        return _run(model, limits, start)


HIGHS = Highs()


def _run(model: pulp.LpProblem, limits: EngineLimits, start: LinearValues | None) -> LinearOutcome:
    import highspy

    sign = -1.0 if model.sense == pulp.LpMaximize else 1.0
    watch = _HighsWatch(sign, float(model.objective.constant), limits.most)

    class Solver(pulp.HiGHS):  # type: ignore[misc]
        """PuLP's HiGHS, with a start and callbacks between building and running."""

        def callSolver(self, lp: Any) -> None:  # noqa: N802
            highs = lp.solverModel
            watch.listen(highs)
            if start is not None:
                solution = highspy.HighsSolution()
                solution.col_value = [start[variable.name] for variable in lp.variables()]
                highs.setSolution(solution)
            run_highs(highs)

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
    except IndexError:  # PuLP's error if HiGHS refuses a row for its coefficients
        return Outcome(Status.UNKNOWN, REFUSED)
    return _read(model, model.solverModel, watch, limits, start is not None)


def _options(limits: EngineLimits, constant: float) -> dict[str, Any]:
    return {
        # Without a log of any kind its callbacks would be silent.
        "log_to_console": False,
        "log_file": os.devnull if limits.log_file is None else str(limits.log_file),
        "random_seed": limits.seed % 2**31,
        "primal_feasibility_tolerance": ENGINE,
        "dual_feasibility_tolerance": ENGINE,
        "mip_feasibility_tolerance": ENGINE,
        **(PLAIN if limits.plain else {}),
        **({} if limits.presolve else {"presolve": "off"}),
        **({} if limits.most is None or limits.relaxed else pruning_options(limits.most - constant)),
    }


def pruning_options(most: float) -> dict[str, Any]:
    """A limit on the objective, since a row in its place hides the reduced costs that fix variables.

    It may prune solutions that are worse than the limit by more than its tolerance.
    """
    return {"objective_bound": most + ENGINE}


class _HighsWatch:
    """Listens to HiGHS: incumbent and bound over time, and whether the start was taken."""

    def __init__(self, sign: float, constant: float, most: float | None = None) -> None:
        self.sign = sign
        self.constant = constant
        self.most = most
        self.start_taken = False
        self.trace: list[Point[float]] = []

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
        note(self.trace, float(data.running_time), incumbent, bound)

    def value(self, raw: float) -> float | None:
        """A value of HiGHS's objective, which minimises and knows no constant, as one of the model's."""
        return self.sign * raw + self.constant if math.isfinite(raw) else None

    def bound(self, raw: float) -> float | None:
        """A bound of HiGHS's objective as one of the model's."""
        return within(self.value(raw), self.most)

    def beyond(self, raw: float) -> bool:
        """Whether an objective is past the limit."""
        return is_beyond(self.value(raw), self.most)


def _read(model: pulp.LpProblem, highs: Any, watch: _HighsWatch, limits: EngineLimits, started: bool) -> LinearOutcome:
    info, (status, raw) = highs.getInfo(), status_of(highs)
    if status is Status.OPTIMAL and not limits.relaxed and watch.beyond(info.objective_function_value):
        status = Status.INFEASIBLE  # its heuristics found it; solutions within the limit were pruned
    found = status in (Status.OPTIMAL, Status.FEASIBLE)
    variables = model.variables()
    is_mip = not limits.relaxed and any(variable.cat == pulp.LpInteger for variable in variables)
    bound = watch.bound(info.mip_dual_bound) if is_mip else None
    objective = watch.value(info.objective_function_value) if found else None
    if status is Status.OPTIMAL and not is_mip:
        bound = objective
    return Outcome(
        status,
        raw,
        {variable.name: float(variable.varValue) for variable in variables} if found else None,
        objective,
        None if status is Status.INFEASIBLE else bound,
        max(0, int(info.mip_node_count)),
        tuple(watch.trace),
        WarmStart.NONE if not started else WarmStart.USED if watch.start_taken else WarmStart.IGNORED,
        {variable.name: float(variable.dj) for variable in variables} if found and limits.relaxed else None,
    )
