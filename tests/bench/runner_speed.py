"""What a run costs next to its solver: 10,000 runs of heuristics that take about a millisecond."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pandas as pd
import psutil

from euclio.core.system import cores
from euclio.experiments.experiment import DrawnSource, Experiment
from euclio.experiments.runner import Outcome, run
from euclio.experiments.solver_settings import solver_settings
from tests.bench.measuring import processor_s
from tests.bench.report import Line, Section, at_most

SOLVERS = ("harpagon", *(f"harpagon:{name}" for name in ("2d", "dt", "1c", "2c", "nd", "0re", "nnm", "ncd", "tb")))
FEW, MANY = 500, 1000
"""Instances before and while it is measured."""

OVERHEAD_TARGET_S = 2e-3
GROWTH_TARGET_MB = 16.0


def runner_speed() -> Section:
    """The section about the runner."""
    with tempfile.TemporaryDirectory() as folder:
        few, few_cpu_s, before_mb = _measured(Path(folder) / "few", FEW)
        many, many_cpu_s, after_mb = _measured(Path(folder) / "many", MANY)
        frame = many.frame()
    growth = after_mb - before_mb
    lines = (
        Line("solver, mean", _milliseconds(frame["wall_s"].mean())),
        Line("checker, mean", _milliseconds(frame["check_s"].mean())),
        at_most("all that a run takes next to its solver", _next_to_solver(frame), OVERHEAD_TARGET_S),
        Line("CPU time per run, all processes", _milliseconds((many_cpu_s - few_cpu_s) / (many.made - few.made))),
        Line("memory of the runner's process at the end", f"{after_mb:.0f} MiB"),
        Line(
            f"more than after {few.made:,} runs",
            f"{growth:.1f} MiB",
            f"≤ {GROWTH_TARGET_MB:g} MiB",
            growth <= GROWTH_TARGET_MB,
        ),
    )
    note = (
        "Next to its solver: mean time from the start of a run to that of the next one in the same worker, less the "
        "solver's: the checker, records, reading instances, waiting for work. Other work on the machine counts too. "
        "CPU time includes the solver's; import and compilation are left out of both."
    )
    return Section(f"Runner: {many.made:,} runs of {len(SOLVERS)} heuristics on {cores()} slots", lines, (note,))


def _measured(folder: Path, instances: int) -> tuple[Outcome, float, float]:
    """An experiment, CPU seconds of this process and its workers for it, and resident MiB of this one at its end."""
    settings = tuple(setting for name in SOLVERS for setting in solver_settings(name))
    before = processor_s()
    outcome = run(Experiment("runner", (DrawnSource("random", instances),), settings), folder, quiet=True)
    return outcome, processor_s() - before, psutil.Process().memory_info().rss / 2**20


def _next_to_solver(frame: pd.DataFrame) -> float:
    """Seconds per run; those before which something was imported or compiled are left out."""
    ordered = frame.assign(started=pd.to_datetime(frame["started_at"])).sort_values(["worker", "started"])
    following = ordered.groupby("worker").shift(-1)
    taken_s = (following["started"] - ordered["started"]).dt.total_seconds()
    return float((taken_s - ordered["wall_s"])[following["import_s"] == 0].mean())


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.2f} ms"
