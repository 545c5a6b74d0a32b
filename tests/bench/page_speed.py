"""How long the page of a large experiment takes: 100,000 drawn runs, from the file of results to the page."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from euclio.experiments.columns import LATER
from euclio.experiments.results import save
from euclio.problems.session import FULL_SPACE
from euclio.report.experiment.page import write_report
from tests.bench.report import Line, Section, at_most

INSTANCES, SOLVERS = 5000, 20
TARGET_S = 30.0
TARGET_MB = 3.0
LIMIT_S = 10.0
SEED = 5


def page_speed() -> Section:
    """The section about the page."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "large.parquet"
        frame = drawn_runs()
        save(frame, results)
        start = time.perf_counter()
        page = write_report(results)
        seconds = time.perf_counter() - start
        size_mb = page.stat().st_size / 1e6
    lines = (
        at_most("results read, page written", seconds, TARGET_S),
        Line("size of the page", f"{size_mb:.1f} MB", f"≤ {TARGET_MB:g} MB", size_mb <= TARGET_MB),
    )
    return Section(f"Page of an experiment: {len(frame):,} runs of {SOLVERS} solvers", lines)


def drawn_runs() -> pd.DataFrame:
    """Runs of solvers of growing skill: gaps and times are drawn, every other solver proves what it ends in time."""
    generator = np.random.default_rng(SEED)
    shape = (INSTANCES, SOLVERS)
    modules = generator.integers(2, 13, INSTANCES)
    optimum = generator.uniform(1, 50, INSTANCES)
    skill = np.linspace(0, 1, SOLVERS)
    gap = np.where(generator.random(shape) < skill, 0, generator.exponential(0.2, shape))
    time_s = 1e-3 * modules[:, None] ** (1 + 2 * skill) * generator.lognormal(0, 0.8, shape)
    proves = (np.arange(SOLVERS) % 2 == 1) & (gap == 0) & (time_s < LIMIT_S)
    failed = generator.random(shape) < 0.02
    value = np.where(failed, np.nan, optimum[:, None] * (1 + gap))
    number, solver = (indices.ravel() for indices in np.indices(shape))
    names = np.array([f"session-{k:05d}" for k in range(INSTANCES)])[number]
    labels = np.array([f"solver-{k:02d}" for k in range(SOLVERS)])[solver]
    status = np.select([failed.ravel(), proves.ravel()], ["unknown", "optimal"], "feasible")
    traces = [
        [[0.3 * end, 1.2 * best, 0.5 * best], [end, best, best]] if proof else []
        for end, best, proof in zip(time_s.ravel(), value.ravel(), (proves & ~failed).ravel(), strict=True)
    ]
    features = np.array([json.dumps({"modules": int(count), "edges": int(count) - 1}) for count in modules])[number]
    alike = {
        "family": "session",
        "solver_version": "1",
        "options": json.dumps(FULL_SPACE.describe()),
        "seed": 0,
        "repeat": 0,
        "time_limit_s": LIMIT_S,
        "hard_time_limit_s": 3 * LIMIT_S,
        "memory_limit_mb": 4096,
        "objective": "cost",
        "maximised": False,
        "warm_start": "none",
        "stats": "{}",
        "plan": None,
        "import_s": 0.0,
        "check_s": 0.0,
        "peak_memory_mb": 100.0,
        "started_at": "2026-01-01T00:00:00.000+00:00",
        "worker": 1,
        "host": "drawn",
        "git": "none",
        "euclio": "none",
        "python": "none",
        "cpu": "none",
        "cores": 1,
        "packages": "{}",
        "experiment": "drawn",
    }
    return pd.DataFrame(
        {
            "key": [f"{k:032x}" for k in range(INSTANCES * SOLVERS)],
            "instance": names,
            "instance_hash": names,
            "solver": labels,
            "label": labels,
            "features": features,
            "status": status,
            "raw_status": status,
            "reason": np.where(failed.ravel(), "the time limit was hit", ""),
            "value": value.ravel(),
            "claimed": value.ravel(),
            "bound": np.where(proves & ~failed, value, np.nan).ravel(),
            "trace": traces,
            "wall_s": np.minimum(time_s, LIMIT_S).ravel(),
            **alike,
            **dict.fromkeys(LATER),
        }
    )
