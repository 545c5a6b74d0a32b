"""The columns as one small MILP: plans for clusters that neither tables nor the bulk can prove; it proves nothing.

Per column: rate x ≥ 0 and whole virtual GPUs g_k; per pool (model, position, GPU type): whole GPUs y.

    maximise z (or −Σ price · y)
    x_c ≤ g_ck · rate_ck            each partition
    Σ g / v ≤ y                     each pool
    Σ y ≤ count                     each GPU type
    Σ x_c ≥ weight · z (or rate)    each model
    x_c ≤ most_c · u_c, Σ u_c ≤ 1   one pipeline per sequence, where asked for; u binary

Next to a bulk, x, g, y and z are what is added to what the bulk takes and serves, so that all numbers are small.
Only columns that may be part of a better plan take part: what they lose at least is within what a plan may lose.
HiGHS works within tolerances that are coarser than proofs are: its plans are of use, its bounds prove nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from formulations.engines.highs_arrays import Program, solve_mip
from formulations.pipeline.columns.dominance import undominated
from formulations.pipeline.columns.enumeration import Columns, Floats, Ints
from formulations.pipeline.columns.level import Setting, first_gap, what_may_be_lost
from formulations.pipeline.columns.patterns import columns_within
from formulations.pipeline.columns.progress import Counts, Progress
from formulations.pipeline.columns.task import Task

CLOSE = 1e-7
"""Relative distance of bound and incumbent at which HiGHS may stop: it works with tolerances anyway."""

LARGEST = 5000
"""Virtual GPUs of a pool up to which HiGHS is asked where a plan is known. With tens of thousands HiGHS 1.13.1 calls
plans optimal that are not, by 1e-6 to 1e-5 of their value, with and without presolve."""

FEW_NODES = 200
"""Nodes after which a plan next to the bulk is good enough."""


def search_by_milp(setting: Setting) -> None:
    """Widen what a plan may lose until it holds the best plan found; it proves nothing.

    Raises:
        OutOfTimeError: the deadline has passed.
    """
    columns, relaxation, progress = setting.columns, setting.relaxation, setting.progress
    if progress.plan is not None and _largest(setting.task, columns) > LARGEST:
        return
    gap = first_gap(setting)
    while True:
        setting.deadline.check()
        near = columns_within(setting.task, columns, relaxation, gap)
        near = near[undominated(columns.take(near))]
        _solve(setting, near)
        missing = what_may_be_lost(setting)
        if missing <= gap:
            return
        gap = min(4 * gap, missing)


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the variables of the columns stand: x, then g by position (-1: none)."""

    rate: Ints
    count: Ints


def _solve(setting: Setting, near: Ints) -> None:
    """Solve over some columns; a better plan goes to the setting's progress."""
    task, progress = setting.task, setting.progress
    chosen = setting.columns.take(near)
    scale, base = abs(setting.relaxation.bound) / 100 or 1.0, np.zeros_like(chosen.gpu)
    low = _lowest(task, progress)
    program, layout = _program(task, chosen, scale, (low, setting.relaxation.bound), base)
    run = solve_mip(program, setting.deadline.left, CLOSE)
    progress.count("milp_nodes", max(0, run.nodes))
    progress.stats["milp_columns"] = len(near)
    if run.values is not None:
        plan, value = _read(task, chosen, near, run.values, layout, base)
        if plan is not None:
            progress.improve(value, plan)


def plan_beside_bulk(setting: Setting, count: Ints) -> Counts | None:
    """A plan with the bulk that HiGHS finds within a few nodes; it proves nothing.

    Args:
        setting: bulk and what is left next to it.
        count: all GPUs by type.

    Raises:
        OutOfTimeError: the deadline has passed.
    """
    task, prices, bulk = setting.task, setting.relaxation, dict(setting.bulk)
    scale, progress = float(prices.gpu.max()), replace(setting.progress)
    gap, best = first_gap(setting), None
    while True:
        setting.deadline.check()
        near = columns_within(task, setting.columns, setting.beside, gap)
        near = near[undominated(setting.columns.take(near))]
        near = np.union1d(near, np.array(list(bulk), dtype=np.int64))
        if len(near):
            chosen = setting.columns.take(near)
            base = np.array([bulk.get(int(c), np.zeros(chosen.gpu.shape[1], np.int64)) for c in near])
            program, layout = _program(task, chosen, scale, (_lowest(task, progress), prices.bound), base)
            run = solve_mip(program, setting.deadline.left, CLOSE, FEW_NODES)
            setting.progress.count("milp_nodes", max(0, run.nodes))
            if run.values is not None:
                plan, value = _read(replace(task, count=count), chosen, near, run.values, layout, base)
                if plan is not None and value > progress.value:
                    progress.value, progress.plan, best = value, plan, plan
            if not run.finished:
                return best
        missing = prices.bound - max(task.worst, progress.value)
        if gap >= missing:
            return best
        gap = min(4 * gap, missing)


def _lowest(task: Task, progress: Progress) -> float:
    return task.worst if progress.plan is None else progress.value


def _largest(task: Task, columns: Columns) -> int:
    """Most virtual GPUs that a pool may have."""
    return int(np.where(columns.live, task.count[columns.gpu] * columns.share, 0).max())


def _program(
    task: Task, columns: Columns, scale: float, within: tuple[float, float], base: Ints
) -> tuple[Program, _Layout]:
    """The program in units of `scale`, values from the first to the second of `within`, next to these virtual GPUs."""
    build, (low, high) = Program(), within
    z = -1 if task.cost else int(build.variables(1, 0.0, (high - low) / scale, whole=False, cost=-1.0)[0])
    size, live = len(columns), columns.live
    served = _served(columns, base)
    rates = build.variables(size, 0.0, math.inf, whole=False)
    counts = np.full(columns.gpu.shape, -1)
    most = np.where(live, task.count[columns.gpu] * columns.share, 0)
    counts[live] = build.variables(int(live.sum()), 0.0, most[live].astype(float), whole=True)
    unit = 1.0 if task.cost else scale
    for c, k in np.argwhere(live):
        over = base[c, k] * columns.rate[c, k] - served[c]
        build.row([rates[c], counts[c, k]], [1.0, -columns.rate[c, k] / unit], -math.inf, over / unit)
    for t, available in enumerate(task.count):
        pools = _pools(columns, t)
        if task.whole:
            whole = build.variables(len(pools), 0.0, float(available), whole=True, cost=float(task.price[t]) / scale)
            for pool, y in zip(pools, whole, strict=True):
                lcm = int(np.lcm.reduce([columns.share[c, k] for c, k in pool]))
                parts = [lcm // columns.share[c, k] for c, k in pool]
                build.row([*(counts[c, k] for c, k in pool), y], [*parts, -lcm], -math.inf, 0.0)
            build.row(list(whole), [1.0] * len(whole), -math.inf, float(available))
        else:
            every = [(c, k) for pool in pools for c, k in pool]
            used = build.variables(1, 0.0, float(available), whole=False, cost=float(task.price[t]) / scale)
            parts = [1 / columns.share[c, k] for c, k in every]
            build.row([*(counts[c, k] for c, k in every), used[0]], [*parts, -1.0], -math.inf, 0.0)
    for m, weight in enumerate(task.weight):
        own = columns.model == m
        need = (float(task.enough if task.cost else low) * weight - served[own].sum()) / unit
        row = rates[own].tolist()
        if task.cost:
            build.row(row, [1.0] * len(row), need, math.inf)
        else:
            build.row([*row, z], [*([1.0] * len(row)), -weight], need, math.inf)
    if task.one_per_sequence:
        _one_per_sequence(build, columns, rates, (_served(columns, base + most) - served) / unit)
    return build, _Layout(rates, counts)


def _pools(columns: Columns, gpu: int) -> list[list[tuple[int, int]]]:
    """Columns and positions of each pool of a GPU type."""
    pools: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for c, k in np.argwhere(columns.gpu == gpu):
        pools.setdefault((int(columns.model[c]), int(k)), []).append((int(c), int(k)))
    return list(pools.values())


def _served(columns: Columns, counts: Ints) -> Floats:
    """Requests per second of columns with these virtual GPUs."""
    return np.asarray(np.where(columns.live, counts * np.where(columns.live, columns.rate, 1.0), np.inf).min(axis=1))


def _one_per_sequence(build: Program, columns: Columns, rates: Ints, best: Floats) -> None:
    used = build.variables(len(columns), 0.0, 1.0, whole=True)
    groups: dict[tuple[int, ...], list[int]] = {}
    for c in range(len(columns)):
        build.row([rates[c], used[c]], [1.0, -best[c]], -math.inf, 0.0)
        groups.setdefault((int(columns.model[c]), *columns.gpu[c].tolist()), []).append(c)
    for group in groups.values():
        build.row([used[c] for c in group], [1.0] * len(group), -math.inf, 1.0)


def _read(
    task: Task, columns: Columns, near: Ints, values: Floats, layout: _Layout, base: Ints
) -> tuple[Counts | None, float]:
    """The plan that HiGHS's values stand for, no more virtual GPUs than its rates need, and what it is worth."""
    counts = base + np.where(columns.live, np.rint(values[layout.count]), 0).astype(np.int64)
    served = _served(columns, counts)
    used = (counts > 0).any(axis=1) & (served > 0)
    if task.one_per_sequence:
        used &= (values[layout.rate] > 1e-6) | base.any(axis=1)
    counts = np.where(columns.live, np.ceil(served[:, None] / columns.rate * (1 - 1e-12)), 0).astype(np.int64)
    total = np.bincount(columns.model[used], served[used], minlength=len(task.weight))
    gpus = np.zeros(len(task.count))
    for t in range(len(task.count)):
        for pool in _pools(columns, t):
            amount = sum(counts[c, k] / columns.share[c, k] for c, k in pool if used[c])
            gpus[t] += math.ceil(amount - 1e-9) if task.whole else amount
    if (gpus > task.count + 1e-9).any() or (task.cost and (total < task.enough * task.weight).any()):
        return None, -math.inf
    value = -float(gpus @ task.price) if task.cost else float((total / task.weight).min())
    if value <= 0 and not task.cost:
        return None, -math.inf
    return [(int(near[c]), counts[c]) for c in np.flatnonzero(used)], value
