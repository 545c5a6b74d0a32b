"""Runs of HiGHS: the options that are always off, the way to run it in this process, and its status.

Heuristics, engines and provers all use this module. A test lists every file that uses HiGHS, and checks that only this
one sets the options in `OFF`.
"""

from __future__ import annotations

import math
import os
from typing import Any

from euclio.core.result import Status

OFF: dict[str, Any] = {"mip_allow_restart": False, "mip_heuristic_run_feasibility_jump": False}
"""Options with which HiGHS 1.13 to 1.15 loses optima and calls the best remaining plan optimal. Restarts lose optima
that keep every row. Feasibility jump without presolve does so if a big M is loose (ERGO-Code/HiGHS #3273): `max x1 +
x2; x1 ≤ x3 ≤ 1; x2 ≤ 1000 x0; x0 + x2 ≤ 12; x0 binary` is 12, and was called 11."""

_ran: set[int] = set()
"""The number of the process that has run HiGHS; a forked process has another one."""


def run_highs(highs: Any) -> None:
    """Run an instance of `highspy.Highs`, without the options in `OFF`.

    One scheduler with its threads serves the whole process. A run with another number of threads than the process's
    first run fails at once. The scheduler is then taken down, and the run is repeated. The first run may come from any
    code: a model with `threads=2`, or a program of the user's own. A forked process has the scheduler without its
    threads and would wait for them forever, so it is taken down before the first run of a process.
    """
    import highspy

    for name, value in OFF.items():
        highs.setOptionValue(name, value)
    if os.getpid() not in _ran:
        highspy.Highs.resetGlobalScheduler(True)
        _ran.clear()
        _ran.add(os.getpid())
    if highs.run() == highspy.HighsStatus.kError:
        highspy.Highs.resetGlobalScheduler(True)
        highs.run()


def status_of(highs: Any) -> tuple[Status, str]:
    """The status of a run of HiGHS, in our words and in HiGHS's; the only place that reads HiGHS's statuses.

    The objectives of our models are bounded, so "unbounded or infeasible" means infeasible. HiGHS reports separately
    whether there is a solution: 2 is a point that keeps all rows within its tolerance.
    """
    import highspy

    info, status = highs.getInfo(), highs.getModelStatus()
    raw, statuses = str(highs.modelStatusToString(status)), highspy.HighsModelStatus
    if status in (statuses.kInfeasible, statuses.kUnboundedOrInfeasible):
        return Status.INFEASIBLE, raw
    if info.primal_solution_status != 2 or not math.isfinite(info.objective_function_value):
        return Status.UNKNOWN, raw
    return Status.OPTIMAL if status == statuses.kOptimal else Status.FEASIBLE, raw
