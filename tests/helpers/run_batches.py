"""Batches of runs on a tiny session, for tests of worker processes and pools."""

from __future__ import annotations

import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import psutil
from tiny_sessions import TEXT

from euclio.core.registry import find_solver
from euclio.experiments.record import TIMING, Record
from euclio.experiments.task import Batch, RunLimits, SolverSetting, Task, text_hash

HERE = Path(__file__).parent
LONG = RunLimits(time_s=None, hard_time_s=120.0, memory_mb=4096)


def faulty_setting(function: str, **changes: Any) -> SolverSetting:
    """One of `faulty_solvers`."""
    name = f"faulty_solvers.py:{function}"
    version = find_solver(name, HERE).version
    return SolverSetting(name, version, function, folder=str(HERE), **changes)


def run_of(function: str, limits: RunLimits = LONG, *, repeat: int = 0, **changes: Any) -> Task:
    """A run of one of `faulty_solvers` on the tiny session."""
    return Task("session", "tiny", text_hash(TEXT), faulty_setting(function, **changes), limits, 0, repeat)


def batch_of(*tasks: Task) -> Batch:
    """Runs on the tiny session."""
    return Batch(TEXT, tasks)


def lasting(record: Record) -> dict[str, Any]:
    """The fields of a record that do not differ between two runs of the same task."""
    return {field.name: getattr(record, field.name) for field in fields(Record) if field.name not in TIMING}


def is_alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:  # perhaps only since a moment ago
        return False


def pid_in(file: Path) -> int:
    """The process number that a solver writes to a file, once it is there."""
    while not (file.exists() and file.read_text()):
        time.sleep(0.01)
    return int(file.read_text())
