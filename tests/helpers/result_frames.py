"""Small results frames by hand, in the columns of `euclio.experiments.results.load`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

FULL_SESSION = {
    "policy": "tc",
    "dummy": "machine",
    "max_allocations": None,
    "hardware": None,
    "single_hardware": False,
    "batching": True,
    "concurrency": True,
}


def run(label: str, instance: str = "i", value: float | None = None, **fields: Any) -> dict[str, Any]:
    """One run of a cost; a value makes it feasible, and optimal where the bound is the value.

    Args:
        label: label and solver.
        instance: name of the instance, and its hash.
        value: checked cost; None: unknown.
        **fields: other columns; `options` are changes to the full plan space, `size` is "feature.modules".
    """
    options = {**FULL_SESSION, **fields.pop("options", {})}
    size = fields.pop("size", 3.0)
    bound = fields.get("bound")
    status = "unknown" if value is None else "optimal" if bound == value else "feasible"
    row = {
        "family": "session",
        "objective": "cost",
        "maximised": False,
        "instance": instance,
        "instance_hash": instance,
        "solver": label,
        "label": label,
        "options": json.dumps(options),
        "seed": 0,
        "repeat": 0,
        "time_limit_s": 10.0,
        "hard_time_limit_s": 30.0,
        "status": status,
        "value": np.nan if value is None else value,
        "bound": np.nan,
        "wall_s": 1.0,
        "trace": [],
    }
    spread = {f"option.{name}": option for name, option in options.items()}
    return row | spread | {"feature.modules": size} | fields


def cluster_run(label: str, instance: str = "c", value: float | None = None, **fields: Any) -> dict[str, Any]:
    """One run of a throughput."""
    given = {"family": "pipeline", "objective": "throughput", "maximised": True, "options": {}} | fields
    return run(label, instance, value, **given)


def frame(rows: Iterable[dict[str, Any]]) -> pd.DataFrame:
    """Runs as a frame."""
    return pd.DataFrame(list(rows))


def race(solvers: int = 4, instances: int = 8, seed: int = 0) -> pd.DataFrame:
    """Many runs: the first solver is exact with a trace, the second fails at times, the others have gaps."""
    draw = np.random.default_rng(seed)
    rows = []
    for i in range(instances):
        best = float(draw.uniform(1, 9))
        for k in range(solvers):
            size, wall = float(2 + i % 4), float(draw.uniform(0.01, 2) * (1 + i % 4))
            value = best * (1 + (k > 0) * float(draw.choice([0.0, draw.exponential(0.2)])))
            bound = best if k == 0 else None
            trace = [[wall / 4, None, best / 2], [wall / 2, best * 1.5, best * 0.9]] if k == 0 else []
            found = None if k == 1 and i % 3 == 0 else value
            rows.append(run(f"s{k:02d}", f"i{i}", found, bound=bound, wall_s=wall, trace=trace, size=size))
    return frame(rows)
