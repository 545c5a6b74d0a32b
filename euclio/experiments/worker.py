"""Inside of a worker process: one run and its traces (docs/architecture.md).

All output of a solver goes to the supervisor's log, which is standard output and standard error.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import sys
from contextlib import suppress
from dataclasses import replace
from functools import cache

from euclio.core.quick_records import changed
from euclio.core.system import HARD_LIMITS
from euclio.experiments.execution import execute
from euclio.experiments.record import Record
from euclio.experiments.task import Task
from euclio.supervision.limits import Footprint
from euclio.supervision.serving import Begun, Report, Said


def make_run(report: Report, task: Task, instance_text: str, warm: bool) -> tuple[Record, bool]:
    """Make a run.

    Args:
        report: called with the unanswered record, and with the answered one before a prover tries it, each with the
            hard limit that then begins to count.
        task: the run.
        instance_text: JSON text of its instance.
        warm: whether the solver is warmed up first.

    Returns:
        Its record, and whether runs have left so much in memory that a new process must go on.

    Raises:
        KeyboardInterrupt: Ctrl-C, or SIGTERM where a command says so, in an unsupervised process.
    """
    if not HARD_LIMITS:
        return _made_here(task, instance_text), False
    footprint, printed = _footprint(), _log_position()

    def started(record: Record) -> None:
        if record.import_s:
            footprint.settle()
            gc.freeze()  # imported objects stay, so garbage collection skips them
        certifying(record, task.limits.hard_time_s)

    def certifying(record: Record, limit_s: float) -> None:
        report(Said(record))
        report(Begun(limit_s))

    process = os.getpid()
    record = execute(task, instance_text, warm=warm, started=started, certifying=certifying)
    if os.getpid() == process and _log_position() != printed:  # else the solver forked, and its child has come back too
        with suppress(OSError):  # the disk may be full
            print(f"-- printed by {task.setting.label} on {task.instance} (run {task.key})", file=sys.stderr)
    return record, footprint.bloated(task.limits.memory_mb)


def _made_here(task: Task, instance_text: str) -> Record:
    """As `make_run`, without hard limits: a solver without a time limit gets the hard limit of its run as one."""
    limits, given = task.limits, task
    if limits.time_s is None:
        given = replace(task, limits=replace(limits, time_s=limits.hard_time_s))
    ending = (KeyboardInterrupt,)
    record = execute(given, instance_text, warm=True, started=_unheard, certifying=_unheard, ending=ending)
    return changed(record, key=task.key)


def _unheard(*_: object) -> None:
    """Does nothing: without hard limits, no start of a limit needs to be reported."""


@cache
def _footprint() -> Footprint:
    """Set up this process; if it crashes, it reports the place."""
    faulthandler.enable()
    return Footprint()


def _log_position() -> int:
    """The end of the log for this process; 0 where it is no file."""
    try:
        return os.lseek(sys.stderr.fileno(), 0, os.SEEK_CUR)
    except (OSError, ValueError):
        return 0
