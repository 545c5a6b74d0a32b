"""What a result was made with: versions, machine and git revision (docs/architecture.md)."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any


@cache
def provenance() -> dict[str, Any]:
    """Versions, machine and git revision that a result was made with."""
    packages = {}
    for name in ("euclio", "numpy", "numba", "pulp", "highspy", "ortools"):
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = "unknown"
    return {
        "python": sys.version.split()[0],
        "packages": packages,
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "git": _git_revision(),
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _git_revision() -> str:
    """The revision of the source tree; an installed package has none, though it may lie in somebody's repository."""
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        return "unknown"
    try:
        done = subprocess.run(
            ["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True, timeout=5, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return done.stdout.strip() or "unknown"
