"""Running HiGHS inside the process, whatever ran it there before: the one way of heuristics, engines and provers."""

from __future__ import annotations

from typing import Any


def run_highs(highs: Any) -> None:
    """Run an instance of `highspy.Highs`.

    One scheduler serves the whole process: a run that asks for another number of threads than the first run of the
    process did ends at once, with an error and without a solution. Then the scheduler is taken down, and the run is
    made again. That first run may have been anybody's: a model with `threads=2`, or a program of the user's own.
    """
    import highspy

    if highs.run() == highspy.HighsStatus.kError:
        highspy.Highs.resetGlobalScheduler(True)
        highs.run()
