"""What a dask worker does with a batch: the same supervised worker processes as on a machine without dask."""

from __future__ import annotations

import os
import platform
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from euclio.core.system import HARD_LIMITS
from euclio.experiments.pool import cores_of
from euclio.experiments.record import Record
from euclio.experiments.slot import Slot
from euclio.experiments.task import Batch


def dask_setup(worker: object) -> None:
    """Leave Ctrl-C to the runner; dask calls this in workers that it starts with this module preloaded."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def make_runs(batch: Batch, logs: str | None) -> list[Record]:
    """Make the runs of a batch in this dask worker, in its own process where the system has no hard limits.

    Args:
        batch: the batch.
        logs: folder for what solvers print; not kept where this machine has no such folder.

    Returns:
        A record of every run, also of those that were killed or crashed.
    """
    if not HARD_LIMITS:
        return list(Slot().run(batch))
    from distributed import get_worker

    places = _places(get_worker().state.nthreads, logs)
    with places.slot(batch) as slot:
        return list(slot.run(batch))


class Places:
    """Slots of this process, whose threads together never exceed its cores.

    Batches get their cores in the order in which they ask, so that one that needs many is not passed over for ever.

    Args:
        cores: cores, the threads of the dask worker.
        logs: folder for logs; None: they are not kept.
    """

    def __init__(self, cores: int, logs: Path | None) -> None:
        self._cores = self._free = cores
        self._logs = logs
        self._idle: list[Slot] = []
        self._made = 0
        self._turn, self._changed = threading.Lock(), threading.Condition()

    @contextmanager
    def slot(self, batch: Batch) -> Iterator[Slot]:
        """A slot for a batch, as soon as its cores are free; one that has its library loaded, if possible."""
        wanted = cores_of(batch, self._cores)
        with self._turn, self._changed:
            self._changed.wait_for(lambda: self._free >= wanted)
            self._free -= wanted
            slot = self._take(batch.tasks[0].setting.library)
        try:
            yield slot
        finally:
            with self._changed:
                self._free += wanted
                self._idle.append(slot)
                self._changed.notify()

    def _take(self, library: str) -> Slot:
        if not self._idle:
            self._made += 1
            name = f"{platform.node()}-{os.getpid()}-{self._made}.log"
            return Slot(None if self._logs is None else self._logs / name)
        best = max(range(len(self._idle)), key=lambda place: self._idle[place].has_loaded(library))
        return self._idle.pop(best)


_FIRST = threading.Lock()


def _places(cores: int, logs: str | None) -> Places:
    with _FIRST:
        return _kept_places(cores, logs)


@cache
def _kept_places(cores: int, logs: str | None) -> Places:
    folder = None if logs is None else Path(logs)
    return Places(cores, folder if folder is not None and folder.is_dir() else None)
