"""Small results frames, as `euclio.experiments.results.load` gives them, for tests of what is made of them."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

SPACE = {"policy": "tc", "dummy": "machine", "max_allocations": None, "objective": "cost"}
PACKAGES = {"euclio": "0.1.0", "numpy": "2.4.6"}


def run(instance: str = "one", label: str = "exact", value: float | None = 2.0, **changes: Any) -> dict[str, Any]:
    """One row; `changes` are further columns, such as ``status="unknown"``."""
    bound = value if label == "exact" else None
    status = "unknown" if value is None else "optimal" if bound is not None else "feasible"
    row = {
        "family": "session",
        "instance": instance,
        "solver": label,
        "label": label,
        "solver_version": "0.1.0",
        "options": json.dumps(SPACE),
        "seed": 0,
        "repeat": 0,
        "time_limit_s": 5.0,
        "hard_time_limit_s": 20.0,
        "memory_limit_mb": 4096,
        "objective": "cost",
        "maximised": False,
        "status": status,
        "raw_status": status,
        "reason": "",
        "value": value,
        "claimed": value,
        "bound": bound,
        "warm_start": "none",
        "stats": "{}",
        "plan": None,
        "trace": [],
        "wall_s": 0.1,
        "import_s": 0.0,
        "check_s": 0.001,
        "peak_memory_mb": 100.0,
        "started_at": "2026-01-02T03:04:05.000+00:00",
        "worker": 1,
        "host": "vm",
        "experiment": "race",
        "git": "0123456789abcdef",
        "euclio": "0.1.0",
        "python": "3.11.7",
        "cpu": "a CPU",
        "cores": 2,
        "packages": json.dumps(PACKAGES),
        "certificate": None,
        "certify_s": None,
        "certify_nodes": None,
        "certify_reason": "",
        "cpu_s": 0.1,
        "measured": None,
        "feature.modules": 2.0,
    }
    row |= changes
    row.setdefault("instance_hash", f"hash of {row['instance']}")
    row.setdefault("key", "/".join(str(row[part]) for part in ("instance", "label", "seed", "repeat")))
    return row


def runs(*rows: dict[str, Any]) -> pd.DataFrame:
    """A frame of rows."""
    return pd.DataFrame(list(rows))


def two_solvers(count: int = 6) -> pd.DataFrame:
    """`exact` against `fast`, which is 10 % more expensive on every other instance."""
    rows = []
    for k in range(count):
        size = {"feature.modules": 2.0 + k}
        rows.append(run(f"instance-{k}", "exact", 2.0 + k, wall_s=0.1 * 2**k, **size))
        rows.append(run(f"instance-{k}", "fast", (2.0 + k) * (1.1 if k % 2 else 1.0), wall_s=0.01, **size))
    return runs(*rows)
