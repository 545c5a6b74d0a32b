"""The worker process: makes the runs that its supervisor sends, one after the other (docs/architecture.md).

Whatever a solver prints goes to the log that the supervisor gave as standard output and standard error.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import sys
from contextlib import suppress

from euclio.core.progress import mute
from euclio.experiments.execution import execute
from euclio.experiments.memory import Footprint
from euclio.experiments.messages import Assignment, Bloated, Certifying, Finished, Ready, Started
from euclio.experiments.record import Record
from euclio.supervision.channel import Channel, GarbledError
from euclio.supervision.keeper import settle


def main() -> None:
    """Serve the supervisor at the other end of the file descriptor in the first argument, until it is gone."""
    channel = Channel.at(int(sys.argv[1]))
    settle(parent=int(sys.argv[2]))
    mute()
    faulthandler.enable()
    footprint = Footprint()
    channel.send(Ready())
    while True:
        try:
            assignment = channel.receive()
        except (EOFError, OSError, GarbledError):
            return
        _work(assignment, channel, footprint)


def _work(assignment: Assignment, channel: Channel, footprint: Footprint) -> None:
    """Make the runs of an assignment, or those before the process has to be replaced."""

    def started(record: Record) -> None:
        if record.import_s:
            footprint.settle()
            gc.freeze()  # what was imported stays, and is looked through for garbage no more
        channel.send(Started(record))

    def certifying(record: Record, limit_s: float) -> None:
        channel.send(Certifying(record, limit_s))

    process = os.getpid()
    for task in assignment.batch.tasks:
        warm = task.setting.solver not in assignment.cold
        printed = _log_position()
        record = execute(task, assignment.batch.instance_text, warm=warm, started=started, certifying=certifying)
        if os.getpid() != process:  # the solver forked, and its child has come back too
            os._exit(0)
        if _log_position() != printed:
            with suppress(OSError):  # the disk may be full
                print(f"-- printed by {task.setting.label} on {task.instance} (run {task.key})", file=sys.stderr)
        channel.send(Finished(record))
        if footprint.bloated(task.limits.memory_mb):
            channel.send(Bloated())
            return


def _log_position() -> int:
    """Where the log ends for this process; 0 where it is no file."""
    try:
        return os.lseek(sys.stderr.fileno(), 0, os.SEEK_CUR)
    except (OSError, ValueError):
        return 0


if __name__ == "__main__":
    main()
