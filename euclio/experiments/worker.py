"""Inside of a worker process: one run, and what it leaves behind (docs/architecture.md).

Whatever a solver prints goes to the log that the supervisor gave as standard output and standard error.
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
        report: is given the record without an answer, and the answered one before a prover tries it, each with the
            hard limit that begins to count then.
        task: the run.
        instance_text: JSON text of its instance.
        warm: whether the solver is warmed up first.

    Returns:
        Its record, and whether runs have left so much in memory that a new process is to go on.

    Raises:
        KeyboardInterrupt: Ctrl-C, or SIGTERM where a command says so, in a process that no other one supervises.
    """
    if not HARD_LIMITS:
        return _made_here(task, instance_text), False
    footprint, printed = _footprint(), _log_position()

    def started(record: Record) -> None:
        if record.import_s:
            footprint.settle()
            gc.freeze()  # what was imported stays, and is looked through for garbage no more
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
    """Nobody has to know when a limit begins to count that nobody keeps."""


@cache
def _footprint() -> Footprint:
    """What this process needs for itself; where it crashes, it says where."""
    faulthandler.enable()
    return Footprint()


def _log_position() -> int:
    """Where the log ends for this process; 0 where it is no file."""
    try:
        return os.lseek(sys.stderr.fileno(), 0, os.SEEK_CUR)
    except (OSError, ValueError):
        return 0
