"""Running HiGHS inside the process, whatever ran it there before: the one way of heuristics, engines and provers."""

from __future__ import annotations

import os
from typing import Any

_ran: set[int] = set()
"""The process that has run HiGHS here, by its number: a process that was forked is another one."""


def run_highs(highs: Any) -> None:
    """Run an instance of `highspy.Highs`.

    One scheduler with its threads serves the whole process. A run that asks for another number of threads than the
    first run of the process did ends at once, with an error and without a solution; then the scheduler is taken down,
    and the run is made again. That first run may have been anybody's: a model with `threads=2`, or a program of the
    user's own. A process that was forked has the scheduler without its threads and would wait for them for ever, so it
    is taken down before the first run of a process.
    """
    import highspy

    if os.getpid() not in _ran:
        highspy.Highs.resetGlobalScheduler(True)
        _ran.clear()
        _ran.add(os.getpid())
    if highs.run() == highspy.HighsStatus.kError:
        highspy.Highs.resetGlobalScheduler(True)
        highs.run()
