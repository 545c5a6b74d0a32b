"""Lower bounds per leading configuration that look two configurations deep, for the joint MILP under `tc` (ours).

A plan begins with n whole machines of its leading configuration k. Either k closes it, with a partial machine, exactly
or with dummies, and its latency and cost are known; or another configuration j comes next, at the rate
1 − n t_k + dummy (shares of the module's rate), and everything from there on costs at least j's unit cost:

    latency ≥ max(d_k + b_k/(1 + dummy),  d_j + b_j/(1 − n t_k + dummy))
    cost    ≥ n p_k + ρ_j T (1 − n t_k + dummy)

Dummies are cut into intervals, with the latency of an interval's upper end and the cost of its lower end. Of all these
points of one k the lower convex hull is kept, as columns h_k_i ≥ 0 with

    Σ_i h_k_i = lead_k,   latency ≥ Σ latency_k,i h_k_i,   cost ≥ Σ cost_k,i h_k_i         head_k

A plan lies above one point of its k, hence keeps these rows. Nothing else depends on the columns.

Machines that are charged whole cost no less, so that the rows hold without dummies. With dummies, which then fill any
number of machines, there is no rate left that the leading machines determine, and no such row
(`JointProblem.all_full`).
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formulations.session.milp.allocation_model import largest_dummy, throughputs
from formulations.session.milp.joint_model import JointModel
from formulations.tolerances import HEADS, ROOM

EDGES = np.array([0.0, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0])
"""Ends of the intervals of dummies, as shares of the largest throughput that may close the plan."""
MOST_MACHINES = 20_000
"""Modules whose configurations may have more machines together get no such rows: the points would be too many."""
Points = NDArray[np.float64]


def add_heads(joint: JointModel, deadline: float = math.inf) -> None:
    """Add the columns and rows of every module to a joint model under policy `tc`.

    Args:
        joint: the model.
        deadline: `time.perf_counter` value from which on no more modules get theirs; the model holds without, too.
    """
    import pulp

    if joint.problem.all_full:
        return
    for m, rows in enumerate(joint.rows):
        if time.perf_counter() >= deadline:
            return
        if sum(c.most_machines for c in rows.module.configurations) > MOST_MACHINES:
            continue
        latency, name = joint.latencies[m], rows.name
        all_latency: dict[Any, float] = {latency.latency: -1.0}
        all_cost: dict[Any, float] = {v: -c for v, c in rows.cost.items()}
        for k, lead in enumerate(rows.lead):
            points = _hull(_points(joint, m, k), latency.latency.upBound)
            columns = [joint.model.add_variable(f"h_{name}_{k}_{i}", 0.0, 1.0) for i in range(len(points))]
            row = pulp.LpAffineExpression({**dict.fromkeys(columns, 1.0), lead: -1.0})
            joint.model += row == 0.0, f"head_{name}_{k}"
            all_latency |= {v: float(p[0]) for v, p in zip(columns, points, strict=True)}
            all_cost |= {v: float(p[1]) for v, p in zip(columns, points, strict=True)}
        joint.model += pulp.LpAffineExpression(all_latency) <= ROOM, f"head_{name}_latency"
        joint.model += pulp.LpAffineExpression(all_cost) <= ROOM, f"head_{name}_cost"


def _points(joint: JointModel, m: int, k: int) -> Points:
    """Latency (share of the SLO) and cost of every way to go on after the leading configuration, shape (points, 2)."""
    rows, latency = joint.rows[m], joint.latencies[m]
    t, d, b = np.array(throughputs(rows.module)), np.array(latency.d), np.array(latency.b)
    unit = joint.unit / rows.module.rate_rps
    full_cost = np.array([float(c.unit_cost / unit) for c in rows.module.configurations])
    closing = _closing(t[k], d[k], b[k], full_cost[k], joint.problem.dummies)
    counts = np.arange(1, rows.module.configurations[k].most_machines + 1, dtype=np.float64)
    # What is left may be nothing but for rounding: then it is taken for a little more (latency) and for nothing (cost).
    left = 1.0 - counts * t[k]
    left = np.maximum(left[left > -HEADS], 0.0)
    counts = counts[: left.size]
    after = np.arange(k + 1, t.size)
    if not counts.size or not after.size:
        return closing
    most_dummy = np.array([largest_dummy(rows.module, int(j)) if joint.problem.dummies else 0.0 for j in after])
    low = EDGES[:-1] if joint.problem.dummies else np.zeros(1)
    high = EDGES[1:] if joint.problem.dummies else np.zeros(1)
    shape = (counts.size, after.size, low.size)
    least = most_dummy[None, :, None] * low[None, None, :]
    most = most_dummy[None, :, None] * high[None, None, :]
    rest = left[:, None, None]
    first = d[k] + b[k] / (1.0 + most)
    following = d[after][None, :, None] + b[after][None, :, None] / (rest + most + HEADS)
    points_latency = np.broadcast_to(np.maximum(first, following), shape).ravel()
    cost = (counts * t[k] * full_cost[k])[:, None, None] + full_cost[after][None, :, None] * (rest + least)
    going_on = np.stack([points_latency, np.broadcast_to(cost, shape).ravel()], axis=1)
    return np.concatenate([closing, going_on * (1.0 - HEADS)])


def _closing(t: float, d: float, b: float, full_cost: float, dummies: bool) -> Points:
    """Plans of one configuration alone; where rounding may decide whether it fits exactly, all that it may be."""
    whole = int(1.0 / t + HEADS)
    rest = 1.0 - whole * t
    points = []
    if rest < 1e-6:
        points.append((d + b, full_cost))
    if rest > 0.0:
        points.append((d + b / rest, full_cost))
    if dummies and rest > -HEADS:
        points.append((d + b / ((whole + 1) * t), (whole + 1) * t * full_cost))
    return np.array(points).reshape(-1, 2) * (1.0 - HEADS)


def _hull(points: Points, most_latency: float) -> list[Points]:
    """The lower left convex hull of the points within a latency, latency rising and cost falling."""
    points = points[points[:, 0] <= most_latency]
    hull: list[Points] = []
    best = np.inf
    for p in points[np.lexsort((points[:, 1], points[:, 0]))]:
        if p[1] >= best:
            continue
        best = float(p[1])
        while len(hull) > 1 and _is_above(hull[-2], hull[-1], p):
            hull.pop()
        hull.append(p)
    return hull


def _is_above(a: Points, b: Points, c: Points) -> bool:
    """Whether b lies on or above the line from a to c."""
    return bool((b[0] - a[0]) * (c[1] - a[1]) <= (b[1] - a[1]) * (c[0] - a[0]))
