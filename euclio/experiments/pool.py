"""Runs on this machine: slots whose threads together never exceed the cores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from multiprocessing.connection import wait
from pathlib import Path
from typing import Protocol

from euclio.core.system import HARD_LIMITS
from euclio.experiments.record import Record
from euclio.experiments.slot import LOOK_EVERY_S, Slot
from euclio.experiments.soft_pool import SoftPool
from euclio.experiments.task import Batch


class Pool(AbstractContextManager["Pool"], Protocol):
    """Makes the runs of batches: a context manager, since it holds processes."""

    def run(self, batches: Iterable[Batch]) -> Iterator[Record]:
        """Make the runs of all batches.

        Args:
            batches: taken one by one, as places get free.

        Yields:
            The record of every run as soon as it is finished, in any order; a run that was killed or that crashed
            has one too.
        """
        ...


class LocalPool(AbstractContextManager["LocalPool"]):
    """Slots on this machine, driven by one thread.

    A batch whose solvers take k threads takes k cores; batches start in their order, so that one that needs many cores
    is not passed over for ever. One that needs more cores than there are takes all.

    Args:
        cores: cores to use, hence the most runs at a time.
        logs: folder, which exists, for what solvers print: a file per slot; None: it is not kept.
    """

    def __init__(self, cores: int, logs: Path | None = None) -> None:
        self._slots = [Slot(None if logs is None else logs / f"slot-{number}.log") for number in range(cores)]
        self._cores = cores

    def __exit__(self, *_: object) -> None:
        for slot in self._slots:
            slot.close()

    def run(self, batches: Iterable[Batch]) -> Iterator[Record]:
        """Make the runs of all batches; see `Pool.run`."""
        waiting = (batch for batch in batches if batch.tasks)
        batch = next(waiting, None)
        taken: dict[Slot, int] = {}
        records: list[Record] = []
        while batch is not None or taken:
            while batch is not None and cores_of(batch, self._cores) <= self._cores - sum(taken.values()):
                slot = self._idle(taken, batch.tasks[0].setting.library)
                slot.begin(batch)
                taken[slot] = cores_of(batch, self._cores)
                batch = next(waiting, None)
            yield from records  # after all slots have been given work
            wait([slot.channel.fileno() for slot in taken], LOOK_EVERY_S)
            records = [record for slot in taken for record in slot.step()]
            taken = {slot: cores for slot, cores in taken.items() if slot.busy}
        yield from records

    def _idle(self, taken: dict[Slot, int], library: str) -> Slot:
        """An idle slot, if possible one that has the library loaded."""
        idle = [slot for slot in self._slots if slot not in taken]
        return next((slot for slot in idle if slot.has_loaded(library)), idle[0])


def cores_of(batch: Batch, cores: int) -> int:
    """How many of the cores a batch takes: the most threads of its solvers, all cores at most."""
    return min(cores, max(task.setting.threads for task in batch.tasks))


def local_pool(slots: int, *, logs: Path | None = None) -> Pool:
    """A pool on this machine, of processes where they can be ended from outside; arguments as of `LocalPool`."""
    if not HARD_LIMITS:
        return SoftPool(logs)
    return LocalPool(slots, logs)
