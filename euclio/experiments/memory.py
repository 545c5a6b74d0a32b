"""Resident memory of processes, in MiB."""

from __future__ import annotations

import psutil

from euclio.core.system import own_memory_bytes, peak_memory_bytes

MIB = 1 << 20


def peak_memory_mb() -> float:
    """Most resident memory of this process so far."""
    return peak_memory_bytes() / MIB


def memory_mb(process: psutil.Process) -> float:
    """Resident memory of a process now; 0 when it is gone."""
    try:
        return float(process.memory_info().rss) / MIB
    except psutil.Error:
        return 0.0


def children_memory_mb(process: psutil.Process) -> float:
    """Resident memory of all processes below a process; takes milliseconds."""
    try:
        return sum(memory_mb(child) for child in process.children(recursive=True))
    except psutil.Error:
        return 0.0


class Footprint:
    """What runs leave behind in this process."""

    def __init__(self) -> None:
        self.settle()

    def settle(self) -> None:
        """Take what is in memory now as what the process needs for itself, such as libraries just loaded."""
        self._usual_mb = own_memory_bytes() / MIB

    def bloated(self, limit_mb: float) -> bool:
        """Whether earlier runs fill more than half of what a run may take."""
        left_behind_mb = own_memory_bytes() / MIB - self._usual_mb
        return left_behind_mb > (limit_mb - self._usual_mb) / 2
