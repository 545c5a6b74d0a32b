"""Limits of time and memory, and who looks whether a process is above one; `process.py` then kills it.

A process ends before its answer for one of four causes: a limit of time, a limit of memory, by itself, or since it
wrote what is no message. Experiments, verbs and `check-solver` have these words in common.
"""

from __future__ import annotations

import time
from contextlib import suppress
from enum import Enum
from math import inf

import psutil

from euclio.core.references import is_reference
from euclio.core.system import own_memory_bytes, peak_memory_bytes
from euclio.supervision.keeper import worker_of

START_LIMIT_S = 120.0
"""Limit of the start of a process, in which no solver is loaded yet."""

COMPILATION_LIMIT_S = 600.0
"""Limit of preparing a solver that a package offers: its code may have to be compiled, on a machine that is busy."""

OWN_PREPARATION_LIMIT_S = 60.0
"""Limit of preparing a user's own solver from a file."""

LOOK_EVERY_S = 0.05
"""How often memory and the process itself are looked at."""

CHILDREN_EVERY_S = 0.5
"""How often the memory of a worker's own processes is added up, which takes longer."""

MIB = 1 << 20


def preparation_limit_s(solver: str) -> float:
    """Seconds that a solver's imports, compilation and warm-up may take, unless the caller sets another limit.

    Args:
        solver: its name, or ``path/to/file.py:function``.
    """
    return OWN_PREPARATION_LIMIT_S if is_reference(solver) else COMPILATION_LIMIT_S


class Cause(Enum):
    """Why a process ended before it answered."""

    TIME = "time limit"
    MEMORY = "memory limit"
    DIED = "ended by itself"
    GARBLED = "wrote what is no message"


class EndedError(Exception):
    """A process ended, or was killed, before it answered (says how, after the subject).

    Attributes:
        cause: why.
        began: whether its preparations were over.
        wall_s: seconds since then.
    """

    def __init__(self, cause: Cause, how: str, *, began: bool = False, wall_s: float = 0.0) -> None:
        super().__init__(how)
        self.cause, self.began, self.wall_s = cause, began, wall_s


class Watch:
    """Looks whether a process keeps to its limits.

    Args:
        process: the process, or the keeper above it.

    Attributes:
        memory_limit_mb: resident memory, in MiB, of the process and of all below it; infinity means no limit.
        peak_memory_mb: most resident memory seen so far, in MiB.
    """

    def __init__(self, process: psutil.Process) -> None:
        self._process = process
        self._worker: psutil.Process | None = None
        self._deadline = self.memory_limit_mb = inf
        self._next_look = self._next_children = self.peak_memory_mb = 0.0

    def allow(self, limit_s: float, memory_mb: float | None = None) -> None:
        """Let the process go on for so many seconds from now, with so much memory (None keeps the limit)."""
        now = time.monotonic()
        self._deadline, self._next_children = now + limit_s, now + CHILDREN_EVERY_S
        if memory_mb is not None:
            self.memory_limit_mb = memory_mb

    @property
    def patience_s(self) -> float:
        """Seconds until the next look."""
        return max(0.0, min(LOOK_EVERY_S, self._deadline - time.monotonic()))

    def exceeded(self) -> Cause | None:
        """The limit that the process is above; None if it keeps to all, or was looked at a moment ago."""
        now = time.monotonic()
        if now >= self._deadline:
            return Cause.TIME
        if now < self._next_look or self.memory_limit_mb == inf:
            return None
        self._next_look = now + LOOK_EVERY_S
        return Cause.MEMORY if self._memory_mb(now) > self.memory_limit_mb else None

    def _memory_mb(self, now: float) -> float:
        """Resident memory now of the process below the keeper, and twice a second of all that it started."""
        self._worker = self._worker or worker_of(self._process)
        worker = self._worker or self._process
        found = _memory_mb(worker)
        if now >= self._next_children:
            self._next_children = now + CHILDREN_EVERY_S
            with suppress(psutil.Error):
                found += sum(map(_memory_mb, worker.children(recursive=True)))
        self.peak_memory_mb = max(self.peak_memory_mb, found)
        return found


def _memory_mb(process: psutil.Process) -> float:
    """Resident memory of a process now; 0 when it is gone."""
    try:
        return float(process.memory_info().rss) / MIB
    except psutil.Error:
        return 0.0


def peak_memory_mb() -> float:
    """Most resident memory of this process so far."""
    return peak_memory_bytes() / MIB


class Footprint:
    """The things that runs leave behind in this process."""

    def __init__(self) -> None:
        self.settle()

    def settle(self) -> None:
        """Take what is in memory now as what the process needs for itself, such as libraries just loaded."""
        self._usual_mb = own_memory_bytes() / MIB

    def bloated(self, limit_mb: float) -> bool:
        """Whether earlier runs fill more than half of what a run may take."""
        left_behind_mb = own_memory_bytes() / MIB - self._usual_mb
        return left_behind_mb > (limit_mb - self._usual_mb) / 2
