"""Latency splitting alone on large random DAGs: our exact method, and HiGHS on the plain start-time model."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_matrix

from euclio.core.words import duration
from formulations.session.split.alone.solver import split_modes
from tests.bench.measuring import bar
from tests.bench.random_splittings import CURVES, TIGHTNESS, Splitting, random_splitting
from tests.bench.report import Line, Section

MODES = 10
LIMIT_S = {20: 20.0, 50: 20.0, 100: 30.0, 200: 60.0}
"""Seconds per run by number of modules: our method takes ten minutes in all at most, the plain model two."""
SEEDS = {20: 10, 50: 10, 100: 2}
"""Seeds per number of modules, for every curve and SLO."""
LARGEST = (200, (("convex", 0.2), ("non-convex", 0.4), ("convex", 0.6)))
"""Number of modules, and the curves and SLOs that it is tried with."""
PLAIN_SEEDS = {20: 1, 50: 1}
"""Seeds per number of modules for the plain model, for every curve and SLO."""
MEDIAN_TARGET_S = {100: 5.0, 200: 60.0}


COLUMNS = ("method", "problem", "time", "cost per hour", "gap")


class Run(NamedTuple):
    """Seconds taken, cost found (infinite: none) and the relative gap that is left."""

    seconds: float
    cost: float
    gap: float


class _Batch(NamedTuple):
    """Problems of one size and the runs of one method on them."""

    method: str
    modules: int
    problems: list[Splitting]
    runs: list[Run]


def splittings_speed() -> Section:
    """Four lines per size for either method, and a table of all runs."""
    our_method(random_splitting(0, 20, MODES, CURVES[0], 0.4), 60.0)  # compiled before anything is timed
    modules, kinds = LARGEST
    largest = [random_splitting(0, modules, MODES, curve, tightness) for curve, tightness in kinds]
    batches = [
        *(_batch("ours", n, _drawn(n, seeds), our_method) for n, seeds in SEEDS.items()),
        _batch("ours", modules, largest, our_method),
        *(_batch("plain MILP", n, _drawn(n, seeds), plain_model) for n, seeds in PLAIN_SEEDS.items()),
    ]
    counts = ", ".join(f"{6 * seeds} with {n} modules" for n, seeds in SEEDS.items())
    limits = ", ".join(f"{limit:g} s with {n}" for n, limit in LIMIT_S.items())
    notes = (
        f"Sampled: {counts}, over both kinds of curves and SLOs at 0.2, 0.4 and 0.6 alike, and {len(kinds)} with "
        f"{modules} modules. Limits: {limits} modules; the median is that of the times to the proof, the worst that "
        "of all runs. The plain model, HiGHS on one variable per mode and a start time per module, has the first seed "
        "of 20 and 50 modules.",
    )
    return Section(
        f"Latency splitting on random DAGs, {MODES} modes per module",
        tuple(line for batch in batches for line in _lines(batch)),
        notes,
        columns=COLUMNS,
        rows=tuple(row for batch in batches for row in _rows(batch)),
    )


def _drawn(modules: int, seeds: int) -> list[Splitting]:
    return [
        random_splitting(seed, modules, MODES, curve, tightness)
        for seed in range(seeds)
        for curve in CURVES
        for tightness in TIGHTNESS
    ]


def _batch(method: str, modules: int, problems: list[Splitting], solve: Callable[[Splitting, float], Run]) -> _Batch:
    runs = []
    with bar(f"{method}, {modules} modules", len(problems)) as advance:
        for problem in problems:
            runs.append(solve(problem, LIMIT_S[modules]))
            advance()
    return _Batch(method, modules, problems, runs)


def _is_proven(run: Run) -> bool:
    return run.gap <= 1e-9


def _lines(batch: _Batch) -> list[Line]:
    """Times are those until the proof: a run without one counts as longer than any limit."""
    method, modules, _, runs = batch
    median = statistics.median(run.seconds if _is_proven(run) else math.inf for run in runs)
    what = f"{method}, {modules} modules"
    measured = duration(median) if math.isfinite(median) else f"> {duration(LIMIT_S[modules])}"
    target = MEDIAN_TARGET_S.get(modules) if method == "ours" else None
    goal, met = ("", None) if target is None else (f"≤ {duration(target)}", median <= target)
    return [
        Line(f"{what}: median", measured, goal, met),
        Line(f"{what}: worst", duration(max(run.seconds for run in runs))),
        Line(f"{what}: proven", f"{sum(map(_is_proven, runs))} of {len(runs)}"),
        Line(f"{what}: largest gap", f"{max(run.gap for run in runs):.3%}"),
    ]


def _rows(batch: _Batch) -> list[tuple[str, ...]]:
    return [
        (
            batch.method,
            problem.name,
            duration(run.seconds),
            f"{run.cost:.4f}" if math.isfinite(run.cost) else "none",
            "proven" if _is_proven(run) else f"{run.gap:.3%}",
        )
        for problem, run in zip(batch.problems, batch.runs, strict=True)
    ]


def our_method(problem: Splitting, limit_s: float) -> Run:
    """`split_modes` with its usual tolerance."""
    started = time.perf_counter()
    found = split_modes(problem.edges, problem.latencies, problem.costs, problem.slo, deadline=started + limit_s)
    gap = 0.0 if found.complete else _gap(found.cost, found.bound)
    return Run(time.perf_counter() - started, found.cost, gap)


def plain_model(problem: Splitting, limit_s: float) -> Run:
    """HiGHS on one variable per mode and a start time per module."""
    size, most = len(problem.latencies), len(problem.latencies[0])
    latency, starts = np.array(problem.latencies), size * most
    children = [[c for p, c in problem.edges if p == m] for m in range(size)]
    ends = [(m, c) for m in range(size) for c in children[m] or [-1]]
    entries = [(m, m * most + i, 1.0) for m in range(size) for i in range(most)]
    for row, (m, c) in enumerate(ends, size):
        entries += [(row, m * most + i, latency[m, i]) for i in range(most)] + [(row, starts + m, 1.0)]
        entries += [(row, starts + c, -1.0)] if c >= 0 else []
    rows, columns, values = (np.array(column) for column in zip(*entries, strict=True))
    matrix = coo_matrix((values, (rows, columns)), shape=(size + len(ends), starts + size)).tocsr()
    lower = np.concatenate((np.ones(size), np.full(len(ends), -np.inf)))
    upper = np.concatenate((np.ones(size), [problem.slo if c < 0 else 0.0 for _, c in ends]))
    started = time.perf_counter()
    answer = milp(
        np.concatenate((np.array(problem.costs).ravel(), np.zeros(size))),
        integrality=np.concatenate((np.ones(starts), np.zeros(size))),
        bounds=Bounds(0.0, np.concatenate((np.ones(starts), np.full(size, problem.slo)))),
        constraints=LinearConstraint(matrix, lower, upper),
        options={"time_limit": limit_s, "mip_rel_gap": 0.0},
    )
    seconds = time.perf_counter() - started
    cost = math.inf if answer.fun is None else float(answer.fun)
    return Run(seconds, cost, 0.0 if answer.status == 0 else _gap(cost, answer.mip_dual_bound))


def _gap(cost: float, bound: float | None) -> float:
    return math.inf if bound is None or not math.isfinite(cost) else max(0.0, (cost - bound) / cost)
