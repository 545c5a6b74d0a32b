"""Runs on a dask cluster: this program submits batches and keeps their records; dask workers make the runs.

A dask worker supervises worker processes of its own, as `euclio.experiments.pool` does. If a dask worker dies, another
one makes its batch.
"""

from __future__ import annotations

import logging
import os
import platform
import queue
import signal
import threading
import time
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from euclio.core.errors import InputError
from euclio.core.progress import say
from euclio.core.system import HARD_LIMITS
from euclio.core.system import cores as cores_here
from euclio.core.versions import provenance
from euclio.experiments.execution import blank_record, lost
from euclio.experiments.pool import Pool, cores_of
from euclio.experiments.record import Record
from euclio.experiments.slot import Slot
from euclio.experiments.task import LARGEST_BATCH, Batch, SolverSetting, Task
from euclio.supervision.limits import Cause, EndedError

BATCH_S = 60.0
"""Most seconds of time limits in one dask task, summed over its runs; their records arrive together at its end."""

LOOK_EVERY_S = 1.0
CONNECT_S = 10.0
MOST_ATTEMPTS = 3
"""How often a batch is submitted again after dask gave it up; dask does so after several workers died over it."""

FLAG = "--dask"
SCHEDULER_GONE = "the dask scheduler is gone; the same command goes on with the runs left"
ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def dask_pool(address: str | None, *, slots: int | None = None, logs: Path | None = None) -> Pool:
    """A pool on a dask cluster.

    Args:
        address: address of its scheduler, such as ``tcp://host:8786``; None starts a cluster of processes on this
            machine.
        slots: cores of the cluster on this machine; None means all that this process may use.
        logs: folder for the output of solvers; dask workers that lack this folder keep no output.

    Raises:
        InputError: dask is not installed, or this is no address.
    """
    distributed = _distributed()
    if address is not None:
        _check_address(distributed, address)
    return DaskPool(distributed, address, slots or cores_here(), logs)


def _distributed() -> Any:
    """The library, which lacks types for many of its functions used here."""
    try:
        return import_module("distributed")
    except ImportError:
        raise InputError("dask is not installed; run `pip install euclio[dask]`", field=FLAG) from None


def _check_address(distributed: Any, address: str) -> None:
    try:
        distributed.comm.get_address_host_port(address)
    except ValueError:
        raise InputError(f"is {address!r}; give an address such as tcp://HOST:8786, or local", field=FLAG) from None


def _own_version() -> str:
    """The version of euclio in this process, cached since looking it up takes as long as a run."""
    return str(provenance()["packages"]["euclio"])


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep dask from logging that workers or the scheduler are gone; the pool reports the consequences."""
    loggers = [logging.getLogger(name) for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextmanager
def _while_scheduler_is_there() -> Iterator[None]:
    """Turn the errors of a request to a scheduler that is gone into one clear line."""
    try:
        yield
    except (OSError, CancelledError):
        raise InputError(SCHEDULER_GONE, field=FLAG) from None


@contextmanager
def _interrupted_later() -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM until a cluster has started, as a half-started one cannot be closed."""
    if threading.current_thread() is not threading.main_thread():  # where no signal comes
        yield
        return
    came: list[int] = []
    before = {number: signal.signal(number, lambda what, _: came.append(what)) for number in ENDING_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


@dataclass(frozen=True, slots=True)
class _AskedBatch:
    """A batch submitted to dask.

    Attributes:
        cores: cores that it takes.
        attempt: how often it was submitted.
    """

    batch: Batch
    cores: int
    attempt: int = 1


class DaskPool:
    """A pool on a dask cluster; arguments as of `dask_pool`."""

    def __init__(self, distributed: Any, address: str | None, slots: int, logs: Path | None) -> None:
        self._distributed, self._address, self._slots = distributed, address, slots
        self._logs = None if logs is None else str(logs.resolve())
        self._cluster: Any = None
        self._client: Any = None
        self._looked_at, self._cores = 0.0, 1
        self._workers: set[str] = set()

    def __enter__(self) -> DaskPool:
        with ExitStack() as entered:
            entered.enter_context(_quiet())
            entered.callback(self._close)
            with _interrupted_later():
                self._client = self._connect()
            self._left = entered.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._left.close()

    def _close(self) -> None:
        for opened in (self._client, self._cluster):
            if opened is not None:
                opened.close()

    def run(self, batches: Iterable[Batch]) -> Iterator[Record]:
        """Make the runs of all batches; see `euclio.experiments.pool.Pool.run`."""
        waiting = (chunk for batch in batches for chunk in chunks(batch))
        chunk = next(waiting, None)
        asked: dict[Any, _AskedBatch] = {}
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        while chunk is not None or asked:
            self._look()
            while chunk is not None and self._has_room(chunk, asked.values()):
                asked[self._ask(chunk, done)] = _AskedBatch(chunk, cores_of(chunk, self._cores))
                chunk = next(waiting, None)
            try:
                future = done.get(timeout=LOOK_EVERY_S)
            except queue.Empty:
                continue
            was = asked.pop(future)
            status = future.status
            if status == "lost":  # its records went with their dask worker before they were fetched
                asked[self._ask(was.batch, done)] = was
                continue
            records = self._records(future, status, was)
            if records is None:
                asked[self._ask(was.batch, done)] = replace(was, attempt=was.attempt + 1)
            else:
                yield from records

    def _connect(self) -> Any:
        """Connect to the scheduler, or start a cluster here; raises an `InputError` if no scheduler answers."""
        if self._address is None:
            # Nothing but runs is done there, and each has its own limit of memory.
            self._cluster = self._distributed.LocalCluster(
                n_workers=self._slots,
                threads_per_worker=1,
                memory_limit=0,
                dashboard_address=None,
                preload=[__name__],
                silence_logs=logging.CRITICAL,
            )
            return self._distributed.Client(self._cluster, set_as_default=False)
        try:
            return self._distributed.Client(self._address, timeout=CONNECT_S, set_as_default=False)
        except OSError as error:
            text = " ".join(str(error).split())
            raise InputError(
                f"no dask scheduler answers at {self._address}: {text}; start one with `dask scheduler`", field=FLAG
            ) from None

    def _ask(self, batch: Batch, done: queue.SimpleQueue[Any]) -> Any:
        future = self._client.submit(make_runs, batch, self._logs, _own_version(), pure=False)
        future.add_done_callback(done.put)
        return future

    def _records(self, future: Any, status: str, asked: _AskedBatch) -> list[Record] | None:
        """The records of a batch; None where it must be submitted again.

        Raises:
            InputError: the dask workers cannot make runs at all, or the scheduler is gone.
        """
        if status == "finished":
            with _while_scheduler_is_there():
                records: list[Record] = future.result()
            return records
        if status != "error":
            raise InputError(SCHEDULER_GONE, field=FLAG)
        error = future.exception()
        if not isinstance(error, self._distributed.KilledWorker):
            text = self._other_versions() or " ".join(f"{type(error).__name__}: {error}".split())
            raise InputError(
                f"dask workers cannot make runs ({text}); install the same version of euclio there", field=FLAG
            )
        if asked.attempt < MOST_ATTEMPTS:
            return None
        end = EndedError(Cause.DIED, f"was lost with its dask worker, in {asked.attempt} attempts")
        return [lost(blank_record(task), end) for task in asked.batch.tasks]

    def _other_versions(self) -> str:
        """The dask workers without this process's version of euclio; empty if all have it."""
        with _while_scheduler_is_there():
            own, found = _own_version(), self._client.run(version, "euclio", on_error="return")
        others = sorted(f"{address} has version {there}" for address, there in found.items() if there != own)
        return f"{', '.join(others)}; here is {own}" if others else ""

    def _look(self) -> None:
        """Once a second, count the cores and report the dask workers that are gone.

        Raises:
            InputError: the scheduler is gone.
        """
        if time.monotonic() < self._looked_at + LOOK_EVERY_S:
            return
        with _while_scheduler_is_there():
            threads = self._client.nthreads()
        for address in sorted(self._workers - threads.keys()):
            say(f"the dask worker {address} is gone; its runs are made by others, of which there are {len(threads)}")
        self._workers, self._cores = set(threads), max(1, sum(threads.values()))
        self._looked_at = time.monotonic()

    def _has_room(self, batch: Batch, asked: Collection[_AskedBatch]) -> bool:
        """Whether to submit one more batch.

        Twice as many as cores, so that no dask worker waits for work; on this machine, where each worker has one core,
        only as many as cores where a batch takes several.
        """
        cores = [cores_of(batch, self._cores), *(one.cores for one in asked)]
        waits = self._cluster is None or max(cores) == 1
        return not asked or sum(cores) <= self._cores * (2 if waits else 1)


def chunks(batch: Batch) -> Iterator[Batch]:
    """A batch in parts that each take a short time, with absolute folders of solver files."""
    longest = max(((task.limits.time_s or 0.0) + (task.certify_s or 0.0) for task in batch.tasks), default=0.0)
    size = max(1, min(LARGEST_BATCH, int(BATCH_S / longest))) if longest else LARGEST_BATCH
    for start in range(0, len(batch.tasks), size):
        yield Batch(batch.instance_text, tuple(_anywhere(task) for task in batch.tasks[start : start + size]))


def _anywhere(task: Task) -> Task:
    """The task as another process understands it."""
    if not isinstance(task.setting, SolverSetting) or not task.setting.folder:
        return task
    setting = replace(task.setting, folder=str(Path(task.setting.folder).resolve()))
    return replace(task, setting=setting)


# The work of a dask worker: the same supervised processes as on a machine without dask.


def dask_setup(worker: object) -> None:
    """Leave Ctrl-C to the runner; dask calls this in workers that it starts with this module preloaded."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def make_runs(batch: Batch, logs: str | None, asked_by: str) -> list[Record]:
    """Make the runs of a batch in this dask worker, in its own process where the system has no hard limits.

    Args:
        batch: the batch.
        logs: folder for the output of solvers; without this folder on the machine none is kept.
        asked_by: version of euclio in the process that asks.

    Returns:
        A record of every run, also of those that were killed or crashed.

    Raises:
        InputError: this is another version of euclio.
    """
    if _own_version() != asked_by:
        raise InputError(f"euclio is of version {_own_version()} here, not {asked_by}")
    if not HARD_LIMITS:
        return list(Slot().run(batch))
    cores = _distributed().get_worker().state.nthreads
    with _taken(cores_of(batch, cores), cores):
        return list(_slot(threading.get_native_id(), logs).run(batch))


_TURN, _CHANGED = threading.Lock(), threading.Condition()
_TAKEN: list[int] = []
"""Cores of each current batch."""


@contextmanager
def _taken(wanted: int, cores: int) -> Iterator[None]:
    """Take cores of this dask worker as soon as they are free.

    Batches get them in the order of their requests, so that one that needs many does not starve.
    """
    with _TURN, _CHANGED:
        _CHANGED.wait_for(lambda: sum(_TAKEN) + wanted <= cores)
        _TAKEN.append(wanted)
    try:
        yield
    finally:
        with _CHANGED:
            _TAKEN.remove(wanted)
            _CHANGED.notify()


@cache
def _slot(thread: int, logs: str | None) -> Slot:
    """The slot of a thread; dask keeps as many threads as the worker has cores."""
    if logs is None or not Path(logs).is_dir():
        return Slot()
    return Slot(Path(logs) / f"{platform.node()}-{os.getpid()}-{thread}.log")
