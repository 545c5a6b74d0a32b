"""How HiGHS is run: what is off in every run, the one way to run it in the process, and how a run ended.

Heuristics, engines and provers all come here. A test names every file that reaches HiGHS, and this one as the only one
that sets what is `OFF`.
"""

from __future__ import annotations

import math
import os
from typing import Any

from euclio.core.result import Status

OFF: dict[str, Any] = {"mip_allow_restart": False, "mip_heuristic_run_feasibility_jump": False}
"""What HiGHS 1.13 to 1.15 loses optima by, and calls what is left optimal.

Restarts lose optima that keep every row. Feasibility jump without presolve does so where a big M is loose
(ERGO-Code/HiGHS #3273): `max x1 + x2; x1 ≤ x3 ≤ 1; x2 ≤ 1000 x0; x0 + x2 ≤ 12; x0 binary` is 12, and was called 11.
"""

_ran: set[int] = set()
"""The process that has run HiGHS here, by its number: a process that was forked is another one."""


def run_highs(highs: Any) -> None:
    """Run an instance of `highspy.Highs`, without what is `OFF`.

    One scheduler with its threads serves the whole process. A run that asks for another number of threads than the
    first run of the process did ends at once, with an error and without a solution; then the scheduler is taken down,
    and the run is made again. That first run may have been anybody's: a model with `threads=2`, or a program of the
    user's own. A process that was forked has the scheduler without its threads and would wait for them for ever, so it
    is taken down before the first run of a process.
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
    """How a run of HiGHS ended, in our words and in HiGHS's; the one place where HiGHS's statuses are read.

    The objectives of our models are bounded, so "unbounded or infeasible" is infeasible. Whether there is a solution,
    HiGHS says apart from the status: 2 is a point that keeps all rows, to its tolerance.
    """
    import highspy

    info, status = highs.getInfo(), highs.getModelStatus()
    raw, statuses = str(highs.modelStatusToString(status)), highspy.HighsModelStatus
    if status in (statuses.kInfeasible, statuses.kUnboundedOrInfeasible):
        return Status.INFEASIBLE, raw
    if info.primal_solution_status != 2 or not math.isfinite(info.objective_function_value):
        return Status.UNKNOWN, raw
    return Status.OPTIMAL if status == statuses.kOptimal else Status.FEASIBLE, raw
