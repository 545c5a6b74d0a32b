"""Runs on this machine: the threads of all slots together never exceed the cores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import Protocol

from euclio.core.progress import say
from euclio.core.system import HARD_LIMITS, soft
from euclio.experiments.record import Record
from euclio.experiments.slot import Slot, StoppedError
from euclio.experiments.task import Batch

SOFT_LIMITS = "runs are made one after the other in this process, and limits are those that solvers keep themselves"


class Pool(AbstractContextManager["Pool"], Protocol):
    """Makes the runs of batches: a context manager, since it holds processes."""

    def run(self, batches: Iterable[Batch]) -> Iterator[Record]:
        """Make the runs of all batches.

        Args:
            batches: the batches, taken one by one as slots get free.

        Yields:
            The record of every run as soon as it is finished, in any order; a run that was killed or that crashed
            has one too.
        """
        ...


class LocalPool(AbstractContextManager["LocalPool"]):
    """Slots on this machine, each driven by a thread.

    A batch whose solvers take k threads takes k cores, at most all. Batches start in their order, so that one that
    needs many cores does not starve.

    On systems without hard limits it makes one run after the other in this process, and says so. A crash then ends the
    batch, and the same command resumes it.

    Args:
        cores: cores to use, hence the most runs at a time.
        logs: existing folder for the output of solvers, a file per slot; None disables it.
    """

    def __init__(self, cores: int, logs: Path | None = None) -> None:
        if not HARD_LIMITS:
            _say_that_limits_are_soft()
            cores = 1
        self._slots = [Slot(None if logs is None else logs / f"slot-{number}.log") for number in range(cores)]
        self._threads = ThreadPoolExecutor(cores, "euclio-slot")
        self._working: dict[Slot, Future[None]] = {}
        self._cores = cores

    def __exit__(self, *_: object) -> None:
        self._stop()
        self._threads.shutdown()
        for slot in self._slots:
            slot.close()

    def run(self, batches: Iterable[Batch]) -> Iterator[Record]:
        """Make the runs of all batches; see `Pool.run`."""
        if not HARD_LIMITS:  # in the main thread, which signals reach
            for given in batches:
                yield from self._slots[0].run(given)
            return
        waiting = (batch for batch in batches if batch.tasks)
        batch = next(waiting, None)
        taken: dict[Slot, int] = {}
        done: SimpleQueue[Record | Slot | BaseException] = SimpleQueue()
        try:
            while batch is not None or taken:
                while batch is not None and cores_of(batch, self._cores) <= self._cores - sum(taken.values()):
                    slot = self._idle(taken, batch.tasks[0].setting.library)
                    taken[slot] = cores_of(batch, self._cores)
                    self._working[slot] = self._threads.submit(_work, slot, batch, done)
                    batch = next(waiting, None)
                match done.get():
                    case Record() as record:
                        yield record
                    case BaseException() as error:
                        raise error
                    case slot:
                        del taken[slot]
        finally:
            self._stop()

    def _stop(self) -> None:
        """Give up the current runs; the threads that wait for their processes end these."""
        for slot in self._working:
            slot.stopped = True
        wait(self._working.values())
        for slot in self._working:
            slot.stopped = False
        self._working.clear()

    def _idle(self, taken: dict[Slot, int], library: str) -> Slot:
        """An idle slot, if possible one that has the library loaded."""
        idle = [slot for slot in self._slots if slot not in taken]
        return next((slot for slot in idle if slot.has_loaded(library)), idle[0])


def _work(slot: Slot, batch: Batch, done: SimpleQueue[Record | Slot | BaseException]) -> None:
    """Make the runs of a batch in a thread: its records, and the slot once it is idle."""
    try:
        for record in slot.run(batch):
            done.put(record)
        done.put(slot)
    except StoppedError:
        pass
    except BaseException as error:
        done.put(error)


@cache
def _say_that_limits_are_soft() -> None:
    say(soft(SOFT_LIMITS))


def cores_of(batch: Batch, cores: int) -> int:
    """The cores that a batch takes: the most threads of its solvers, at most all cores."""
    return min(cores, max(task.setting.threads for task in batch.tasks))


def local_pool(slots: int, *, logs: Path | None = None) -> Pool:
    """A pool on this machine; arguments as of `LocalPool`."""
    return LocalPool(slots, logs)
