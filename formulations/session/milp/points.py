"""Between plans and points of the joint MILP: read a plan, write a start, cut off a point that only rounding allows."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pulp

from euclio.problems.session import Evaluation, Plan
from euclio.problems.session.policies import Form
from formulations.session.joint.candidates import Exclusion, ModuleState, state
from formulations.session.milp.allocation_model import throughputs
from formulations.session.milp.joint_model import JointModel
from formulations.tolerances import BELIEVED, ROOM


def read_plan(joint: JointModel, values: Mapping[str, float]) -> Plan:
    """The plan of a point: its whole machines, the rest of the rate on the partial machine."""
    machines: list[list[int]] = []
    partial_at: list[int | None] = []
    for rows in joint.rows:
        counts = [round(values[v.name]) for v in rows.n]
        served = (n * c.throughput_rps for n, c in zip(counts, rows.module.configurations, strict=True))
        rest = rows.module.rate_rps - sum(served, Fraction(0))
        place = None
        if rest > 0:
            place = max(range(len(counts)), key=lambda k: values[rows.z[k].name])
            if values[rows.z[place].name] < 0.5:
                place = max((k for k, n in enumerate(counts) if n), default=place)
            if rest == rows.module.configurations[place].throughput_rps:
                counts[place] += 1
                place = None
        machines.append(counts)
        partial_at.append(place)
    return joint.problem.plan(machines, partial_at)


def point_of(joint: JointModel, plan: Plan, checked: Evaluation) -> dict[str, float] | None:
    """The value of every variable at a feasible plan; None means that the plan is not within the problem."""
    slo, parents = joint.problem.session.slo_s, joint.problem.shape.parents()
    values = {v.name: 0.0 for v in joint.model.variables()}
    finish: dict[int, Fraction] = {}
    for m in joint.problem.session.order:
        begin = max((finish[a] + delay for a, delay in parents[m]), default=Fraction(0))
        finish[m] = begin + checked.modules[m].worst_case_latency_s
        values[joint.begin[m].name] = float(begin / slo)
        values[joint.latencies[m].latency.name] = float(checked.modules[m].worst_case_latency_s / slo)
    for m, rows in enumerate(joint.rows):
        places = {c.configuration: k for k, c in enumerate(rows.module.configurations)}
        if any(a.configuration not in places for a in plan.modules[m].allocations):
            return None
        values |= _allocation_values(
            joint, m, [(places[a.configuration], a.machines) for a in plan.modules[m].allocations], checked
        )
    return values | joint.coupled.values_at(values)


def _allocation_values(joint: JointModel, m: int, used: list[tuple[int, int]], checked: Evaluation) -> dict[str, float]:
    rows, latency = joint.rows[m], joint.latencies[m]
    rate = rows.module.rate_rps
    machines = dict(used)
    partial, dummy = checked.modules[m].partial_rps / rate, checked.modules[m].dummy_rps / rate
    first, last = used[0][0], used[-1][0]
    values = {rows.lead[first].name: 1.0, rows.last[last].name: 1.0}
    if rows.dummy is not None and rows.filled is not None:
        values |= {rows.dummy.name: float(dummy), rows.filled.name: float(dummy > 0)}
        values[rows.lead_dummy[first].name] = float(dummy)
    left = 1 + dummy
    left_at: list[float] = []
    for k, c in enumerate(rows.module.configurations):
        n = machines.get(k, 0)
        left_at.append(float(left))
        values[rows.w[k].name] = float(left)
        values[rows.n[k].name], values[rows.u[k].name] = float(n), float(n > 0)
        here = k == last and partial > 0
        values[rows.z[k].name], values[rows.f[k].name] = float(here), float(partial) if here else 0.0
        if rows.used:
            values[rows.used[k].name] = float(k in machines)
        at = left_at[rows.group_start(k)] if joint.problem.space.policy.form is Form.TIED else left_at[k]
        if latency.whole is not None:
            values[latency.whole[k].name] = at if n else 0.0
        if latency.partial is not None and latency.partial is not rows.f:
            values[latency.partial[k].name] = at if here else 0.0
        left -= n * c.throughput_rps / rate
    values[rows.w[-1].name] = float(left)
    return values


def states_at(joint: JointModel, values: Mapping[str, float]) -> list[ModuleState]:
    """The whole numbers of a point before any correction."""
    found: list[ModuleState] = []
    for rows in joint.rows:
        at = next((k for k, z in enumerate(rows.z) if values[z.name] > 0.5), None)
        indices = [c.index for c in rows.module.configurations]
        found.append(state(indices, [round(values[v.name]) for v in rows.n], at))
    return found


def cut_off(joint: JointModel, values: Mapping[str, float], plan: Plan, checked: Evaluation) -> int:
    """Cut off an integer point whose plan is too slow by tangents at its exact rates; returns how many there are."""
    added = 0
    for m, rows in enumerate(joint.rows):
        if not checked.modules:
            break
        entry, places = checked.modules[m], {c.configuration: k for k, c in enumerate(rows.module.configurations)}
        used = [(places[a.configuration], a.machines) for a in plan.modules[m].allocations]
        believed = values[joint.latencies[m].latency.name]
        if float(entry.worst_case_latency_s / joint.problem.session.slo_s) <= believed + BELIEVED:
            continue
        point = _allocation_values(joint, m, used, checked)
        added += _exact_tangents(joint, m, used, point, believed)
    return added


def _exact_tangents(
    joint: JointModel, m: int, used: list[tuple[int, int]], point: dict[str, float], believed: float
) -> int:
    rows, latency = joint.rows[m], joint.latencies[m]
    added = 0
    for k, n in used:
        if n and latency.whole is not None:
            v = point[latency.whole[k].name]
            if latency.d[k] + latency.b[k] / v > believed + BELIEVED:
                added += joint.add_whole(m, k, v)
    k, n = used[-1]
    if latency.partial is None:
        v = n * throughputs(rows.module)[k] + point[rows.f[k].name]
        exact = latency.d[k] + latency.b[k] * (n + 1) / v
        return added + (point[rows.z[k].name] > 0 and exact > believed + BELIEVED and joint.add_even(m, k, n, v))
    v = point[latency.partial[k].name]
    if point[rows.z[k].name] and latency.d[k] + latency.b[k] / v > believed + BELIEVED:
        added += joint.add_partial(m, [v if j == k else need for j, need in enumerate(latency.need)])
    return added


def forbid(joint: JointModel, exclusion: Exclusion) -> None:
    """Cut off whole numbers; modules that cannot have them need no cut."""
    joint.forbidden += 1
    changes: list[Any] = []
    for m, excluded in exclusion.states.items():
        place = {c.index: k for k, c in enumerate(joint.rows[m].module.configurations)}
        used = [i for i, _ in excluded.machines] + ([] if excluded.partial_at is None else [excluded.partial_at])
        if any(i not in place for i in used):
            return
        partial_at = None if excluded.partial_at is None else place[excluded.partial_at]
        changes += _changes(joint, m, {place[i]: n for i, n in excluded.machines}, partial_at)
    for m in exclusion.whole:
        changes += joint.rows[m].z
    if exclusion.cheaper is not None:
        changes.append(_cheaper(joint, exclusion.cheaper))
    joint.model += pulp.lpSum(changes) >= 1, f"forbid_{joint.forbidden}"


def _cheaper(joint: JointModel, cost: Fraction) -> Any:
    """A binary variable that is 1 only if all modules together cost at most a given amount per hour."""
    total = joint.cost
    most = sum(c * v.upBound for v, c in total.items())
    cheaper = joint.model.add_variable(f"cheaper_{joint.forbidden}", cat=pulp.LpBinary)
    limit = float(cost / joint.unit) * (1.0 + ROOM) + ROOM
    most = min(most, joint.most_cost)
    row = pulp.LpAffineExpression({**total, cheaper: most - limit})
    joint.model += row <= most, f"forbid_{joint.forbidden}_cheaper"
    return cheaper


def _changes(joint: JointModel, m: int, machines: Mapping[int, int], partial_at: int | None) -> list[Any]:
    """Variables of which one is 1 if the whole numbers of module m differ."""
    rows, r = joint.rows[m], joint.forbidden
    changes: list[Any] = []
    for k in range(len(rows.n)):
        n = machines.get(k, 0)
        if n == 0:
            changes.append(rows.u[k])
        else:
            changes += rows.other_counts(joint.model, k, n, f"{r}_{rows.name}_{k}")
        changes.append(1 - rows.z[k] if k == partial_at else rows.z[k])
    return changes
