"""What a result was made with: versions, machine and git revision (docs/architecture.md)."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from euclio.core.system import cpu_name


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
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "git": _git_revision(),
    }


def _git_revision() -> str:
    """The revision of the source tree; an installed package has none, though it may lie in somebody's repository."""
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        return "unknown"
    try:
        words = ["git", "-C", str(root), "rev-parse", "HEAD"]
        done = subprocess.run(words, capture_output=True, encoding="ascii", errors="replace", timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return done.stdout.strip() or "unknown"
