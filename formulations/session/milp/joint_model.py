"""Splitting and allocation in one MILP: an outer approximation of the worst-case latency by tangents (ours).

The rows of every module (`allocation_model.py`) are extended by latencies and start times, here as shares of the SLO:

    minimise  Σ_m cost_m + costs of changes and spare machines
    start_m ≥ start_a + latency_a + delay_a_m              for every edge (a, m)           after_a_m
    start_m + latency_m ≤ 1 − end of m                     for every module m with an end  end_m
    latency_m ≥ d_k + b_k/w_k  where whole machines of k,  d_k + b_k/f_k  where its partial machine is used

(the policies' own latencies replace these: Harpagon §III-B, Table III). 1/w is convex, so each of its tangents

    1/w ≥ 2/v − w/v²,   for any v > 0, with equality at w = v,

is linear and below it. Let c be the rate at which a machine collects, forced to 0 by its indicator i (c ≤ w, c ≤
largest w · i), and ℓ the module's least latency. Then these rows hold for every plan, at any v:

    latency ≥ ℓ (1 − u_k) + (d_k + 2 b_k/v) u_k − b_k/v² · c_k                             whole_k_v
    latency ≥ ℓ (1 − Σ_k z_k) + Σ_k [(d_k + 2 b_k/v_k) z_k − b_k/v_k² · f_k]               partial_r
    latency ≥ Σ_k [(d_k + 2 b_k/v_k) lead_k − b_k/v_k² · (lead_k + D_k)]                   leading_r

In form `EVEN` the n_k + 1 machines of an allocation with a partial machine take d_k + q_k (n_k + 1)/R, with R their
rate. That is convex in R for one number of machines, so its tangents are rows for a configuration and a number n. They
have two binaries that are 1 only if there are more or fewer, and μ such that the row is no stricter than ℓ otherwise:

    latency ≥ d_k + q_k (n + 1) (2/v − (n t_k + f_k)/v²) − μ (1 − z_k + more + fewer)      even_k_n_v

A stock of S_h machines of hardware h is one row over all modules, by share or whole (docs/model/whole-machines.md).
Spare machines are not part of S_h (`euclio.problems.session.resources`). A resource with a capacity is such a row too,
over several types, with the amount that each machine takes:

    Σ_m Σ_{k on h} n_k + f_k T/t_k ≤ S_h   or   Σ_m Σ_{k on h} n_k + z_k ≤ S_h             stock_h

Endless machines, and those that may stand before them, take their duration, with b_k = 0 in all rows. So the model's
optimum is a bound, with any number of tangents. A point whose exact latency is larger than in the model breaks the
tangents at its own w. These cut it off, and there are finitely many points.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pulp

from euclio.problems.session.policies import Form
from euclio.problems.session.resources import machine_limits
from formulations.engines.milp import readable
from formulations.session.joint.problem import JointProblem
from formulations.session.milp.allocation_model import AllocationRows, add_allocation
from formulations.session.milp.coupled import CoupledCosts, add_coupled_costs
from formulations.tolerances import ENGINE, ROOM, VIOLATION

LEAST_RATE = 1e-5
"""Tangents are not taken at smaller shares of the module's rate, as their coefficients would drown in rounding."""


@dataclass(frozen=True, slots=True)
class LatencyRows:
    """Latency of one module; lists have one entry per configuration.

    Attributes:
        latency: worst-case latency, share of the SLO.
        least: least latency, share of the SLO.
        d: duration, share of the SLO.
        b: batch over the module's rate, share of the SLO; in form `EVEN` the collection q of a machine, likewise.
        need: rate that the largest budget requires, share of the module's. Tangents at smaller rates would add nothing
            to the rows on needs, with coefficients that drown in rounding.
        whole: rate at which whole machines collect, 0 without any; None if the policy does not depend on it.
        partial: rate at which the partial machine collects, 0 without one; None in form `EVEN`, where it waits as
            long as the machines next to it.
    """

    latency: Any
    least: float
    d: list[float]
    b: list[float]
    need: list[float]
    whole: list[Any] | None
    partial: list[Any] | None


@dataclass(slots=True)
class JointModel:
    """The MILP of a joint problem.

    Attributes:
        problem: the problem.
        model: the PuLP model.
        rows: allocation of each module.
        latencies: latency of each module.
        begin: start time of each module.
        unit: money per hour that counts as 1 in the model.
        cost: coefficient of every variable in the cost of a plan.
        most_cost: most that a point may cost, in that unit.
        tangents: tangents added so far.
        forbidden: rows added so far that cut off whole numbers.
        seen: tangents added so far, by kind, module and rates.
    """

    problem: JointProblem
    model: pulp.LpProblem
    rows: list[AllocationRows]
    latencies: list[LatencyRows]
    begin: list[Any]
    cost: dict[Any, float]
    coupled: CoupledCosts
    unit: Fraction = Fraction(1)
    most_cost: float = math.inf
    tangents: int = 0
    forbidden: int = 0
    seen: set[tuple[object, ...]] = field(default_factory=set)

    def cost_per_h(self, value: float) -> Fraction:
        """A cost in the model's unit as money per hour."""
        return Fraction(value) * self.unit

    def demand_below(self, cost: Fraction, *, by_row: bool) -> None:
        """Demand at most this cost per hour; the limit is a little laxer, so that no plan is lost.

        Args:
            cost: the cost.
            by_row: whether a row demands it; otherwise the engine is to receive `most_cost`.
        """
        self.most_cost = float(cost / self.unit) * (1.0 + ROOM) + ROOM
        if by_row:
            self.forbidden += 1
            total = pulp.LpAffineExpression(self.cost)
            self.model += total <= self.most_cost, f"cutoff_{self.forbidden}"

    def separate(self, values: Mapping[str, float]) -> int:
        """Add the tangents that a fractional point breaks; returns how many."""
        before = self.tangents
        for m in range(len(self.rows)):
            self._leading(m, values)
            self._partial(m, values)
            for k in range(len(self.rows[m].n)):
                self._whole(m, k, values)
        return self.tangents - before

    def add_whole(self, m: int, k: int, v: float) -> bool:
        """Add the tangent at rate v for whole machines; False means that it exists already, or v is too small."""
        latency, u = self.latencies[m], self.rows[m].u[k]
        v = max(v, latency.need[k])
        if latency.whole is None or v < LEAST_RATE or not self._new("whole", m, k, v):
            return False
        terms = {
            u: latency.d[k] + 2.0 * latency.b[k] / v - latency.least,
            latency.whole[k]: -latency.b[k] / v**2,
        }
        self._tangent(m, terms, -latency.least, f"whole_{self.rows[m].name}_{k}")
        return True

    def add_partial(self, m: int, rates: list[float]) -> bool:
        """Add the row of tangents at one rate per configuration for the partial machine."""
        latency, z = self.latencies[m], self.rows[m].z
        if latency.partial is None:
            return False
        rates = [max(v, need) for v, need in zip(rates, latency.need, strict=True)]
        if min(rates) < LEAST_RATE or not self._new("partial", m, *rates):
            return False
        terms: dict[Any, float] = {}
        for k, v in enumerate(rates):
            terms[z[k]] = latency.d[k] + 2.0 * latency.b[k] / v - latency.least
            terms[latency.partial[k]] = -latency.b[k] / v**2
        self._tangent(m, terms, -latency.least, f"partial_{self.rows[m].name}")
        return True

    def add_even(self, m: int, k: int, n: int, v: float) -> bool:
        """Add the tangent at rate v for n whole machines of configuration k and a partial one, in form `EVEN`."""
        if v < LEAST_RATE or not self._new("even", m, k, n, v):
            return False
        latency, rows = self.latencies[m], self.rows[m]
        weight, t = latency.b[k] * (n + 1), float(rows.module.configurations[k].throughput_rps / rows.module.rate_rps)
        constant = latency.d[k] + weight * (2.0 / v - n * t / v**2)
        off = max(constant - latency.least, 0.0)
        others = rows.other_counts(self.model, k, n, f"even{self.tangents}_{rows.name}_{k}")
        terms = {rows.z[k]: off, rows.f[k]: -weight / v**2, **dict.fromkeys(others, -off)}
        self._tangent(m, terms, off - constant, f"even_{rows.name}_{k}")
        return True

    def add_leading(self, m: int, rates: list[float]) -> bool:
        """Add the row of tangents at one rate per configuration for the leading configuration."""
        if not self._new("leading", m, *rates):
            return False
        latency, rows = self.latencies[m], self.rows[m]
        terms: dict[Any, float] = {}
        for k, v in enumerate(rates):
            terms[rows.lead[k]] = latency.d[k] + 2.0 * latency.b[k] / v - latency.b[k] / v**2
            if rows.lead_dummy:
                terms[rows.lead_dummy[k]] = -latency.b[k] / v**2
        self._tangent(m, terms, 0.0, f"leading_{rows.name}")
        return True

    def _new(self, *key: object) -> bool:
        if key in self.seen:
            return False
        self.seen.add(key)
        return True

    def _tangent(self, m: int, terms: dict[Any, float], most: float, label: str) -> None:
        self.tangents += 1
        row = pulp.LpAffineExpression({**terms, self.latencies[m].latency: -1.0})
        self.model += row <= most, f"tangent_{label}_{self.tangents}"

    def _whole(self, m: int, k: int, values: Mapping[str, float]) -> None:
        latency, u = self.latencies[m], values[self.rows[m].u[k].name]
        if latency.whole is None or u < 1e-6:
            return
        c = max(values[latency.whole[k].name], 1e-3 * u)
        believed = values[latency.latency.name]
        if latency.least * (1.0 - u) + u * (latency.d[k] + latency.b[k] * u / c) > believed + VIOLATION:
            self.add_whole(m, k, c / u)

    def _partial(self, m: int, values: Mapping[str, float]) -> None:
        latency, z = self.latencies[m], self.rows[m].z
        if latency.partial is None:
            return
        needed, rates, total = latency.least, [], 0.0
        for k, v in enumerate(z):
            share, f = values[v.name], values[latency.partial[k].name]
            rate = f / share if share > 1e-6 and f > 1e-3 * share else 1.0
            rates.append(rate)
            total += share
            needed += share * (latency.d[k] + 2.0 * latency.b[k] / rate - latency.least) - f * latency.b[k] / rate**2
        if total > 1e-6 and needed > values[latency.latency.name] + VIOLATION:
            self.add_partial(m, rates)

    def _leading(self, m: int, values: Mapping[str, float]) -> None:
        latency, rows = self.latencies[m], self.rows[m]
        if latency.whole is None or not rows.lead_dummy:
            return
        needed, rates = 0.0, []
        for k, v in enumerate(rows.lead):
            share, dummy = values[v.name], values[rows.lead_dummy[k].name]
            rate = 1.0 + dummy / share if share > 1e-6 else 1.0
            rates.append(rate)
            needed += share * (latency.d[k] + 2.0 * latency.b[k] / rate) - (share + dummy) * latency.b[k] / rate**2
        if needed > values[latency.latency.name] + VIOLATION:
            self.add_leading(m, rates)


def joint_model(problem: JointProblem, unit: Fraction = Fraction(1)) -> JointModel:
    """The MILP of a joint problem whose modules all have useful configurations, with its first tangents.

    Args:
        problem: the problem.
        unit: money per hour that counts as 1 in the model.
    """
    model = pulp.LpProblem("splitting_and_allocation", pulp.LpMinimize)
    names = readable([module.name for module in problem.modules])
    rows = [add_allocation(model, problem, m, name, unit) for m, name in enumerate(names)]
    coupled = add_coupled_costs(model, problem, rows, unit)
    cost = Counter({v: c for r in rows for v, c in r.cost.items()})
    cost.update(coupled.cost)
    model += pulp.LpAffineExpression(cost)
    latencies = [_latency(model, problem, r) for r in rows]
    begin = [model.add_variable(f"start_{name}", 0.0, 1.0) for name in names]
    shape, slo = problem.shape, problem.session.slo_s
    after = readable([f"after_{names[a]}_{names[m]}" for a, m in shape.edges])
    for (a, m), delay, row in zip(shape.edges, shape.delays, after, strict=True):
        end = pulp.LpAffineExpression({begin[a]: 1.0, latencies[a].latency: 1.0, begin[m]: -1.0})
        model += end <= -float(delay / slo), row
    for m, (name, spare) in enumerate(zip(names, shape.ends, strict=True)):
        if spare is not None:
            model += begin[m] + latencies[m].latency <= 1.0 - float(spare / slo) + ROOM, f"end_{name}"
    _stock(model, problem, rows, coupled)
    joint = JointModel(problem, model, rows, latencies, begin, dict(cost), coupled, unit)
    for m, latency in enumerate(latencies):
        _first_tangents(joint, m, latency)
    return joint


def _stock(model: pulp.LpProblem, problem: JointProblem, rows: list[AllocationRows], coupled: CoupledCosts) -> None:
    """At most the stock of machines of a type, and at most the capacity of a resource."""
    limits = machine_limits(problem.session)
    for limit, label in zip(limits, readable([limit.name for limit in limits]), strict=True):
        unit = max(limit.takes.values())
        taken: dict[Any, float] = {
            v: float(limit.takes[name] / unit) for v, name in coupled.idle.items() if name in limit.takes
        }
        for r in rows:
            for k, c in enumerate(r.module.configurations):
                if c.configuration.hardware not in limit.takes:
                    continue
                each = limit.takes[c.configuration.hardware] / unit
                taken[r.n[k]] = float(each)
                if problem.space.charging.whole:
                    taken[r.z[k]] = float(each)
                else:
                    taken[r.f[k]] = float(each * r.module.rate_rps / c.throughput_rps)
        if taken:
            most = limit.left(problem.session.spare_machines) / unit
            row = f"{'stock' if limit.is_stock else 'resource'}_{label}"
            model += pulp.LpAffineExpression(taken) <= most * (1.0 + ROOM) + ROOM, row


def _latency(model: pulp.LpProblem, problem: JointProblem, rows: AllocationRows) -> LatencyRows:
    """Latency and collecting rates of a module, and the latencies that do not depend on a rate."""
    module, policy, slo = rows.module, problem.space.policy, problem.session.slo_s
    places = range(len(rows.n))
    least, most = _noticed(module.least_s / slo), float(module.most_s / slo)
    latency = model.add_variable(f"latency_{rows.name}", least, most * (1.0 + ROOM))
    whole: list[Any] | None = None
    even = policy.form is Form.EVEN
    partial = None if even else rows.f
    if policy.form.in_sequence:
        starts = [rows.group_start(k) if policy.form is Form.TIED else k for k in places]
        whole = [_collection_rate(model, rows, "whole", rows.u[k], k, at) for k, at in enumerate(starts)]
        if policy.form is Form.TIED:
            partial = [_collection_rate(model, rows, "partial", rows.z[k], k, at) for k, at in enumerate(starts)]
    leading = {v: _noticed(c.lead_latency_s / slo) for v, c in zip(rows.lead, module.configurations, strict=True)}
    model += pulp.LpAffineExpression({**leading, latency: -1.0}) <= 0.0, f"leading_{rows.name}"
    if whole is None:
        for k, c in enumerate(module.configurations):
            own = _noticed(policy.fixed_latency(c.configuration) / slo)
            row = pulp.LpAffineExpression({rows.u[k]: own - least, latency: -1.0})
            model += row <= -least, f"whole_{rows.name}_{k}_own"
            if even:
                row = pulp.LpAffineExpression({rows.z[k]: own - least, latency: -1.0})
                model += row <= -least, f"partial_{rows.name}_{k}_own"
    durations = [float(c.configuration.duration_s / slo) for c in module.configurations]
    collected = [policy.even_batch(c.configuration) if even else c.configuration.batch for c in module.configurations]
    batches = [
        0.0 if c.instant else float(batch / module.rate_rps / slo)
        for c, batch in zip(module.configurations, collected, strict=True)
    ]
    return LatencyRows(
        latency,
        least,
        durations,
        batches,
        [batch / (latency.upBound - duration) for batch, duration in zip(batches, durations, strict=True)],
        whole,
        partial,
    )


def _noticed(latency: Fraction) -> float:
    """A least latency as a share of the SLO; 0, which only adds plans, if it is below the tolerance of engines.

    HiGHS calls models with rows of such small numbers infeasible even if they have points that satisfy every row.
    """
    return float(latency) if latency >= ENGINE else 0.0


def _collection_rate(model: pulp.LpProblem, rows: AllocationRows, kind: str, indicator: Any, k: int, at: int) -> Any:
    """The rate left at place `at`, or 0 if the indicator is 0."""
    label = f"collecting_{kind}_{rows.name}_{k}"
    most = rows.w[at].upBound
    c = model.add_variable(label, 0.0, most)
    model.addConstraint(c - rows.w[at] <= 0.0, label)
    model.addConstraint(c - most * indicator <= 0.0, f"{label}_used")
    return c


def _first_tangents(joint: JointModel, m: int, latency: LatencyRows) -> None:
    """Tangents at the usual rates of machines: the whole rate, and the rate that meets the largest budget exactly."""
    needs = latency.need
    for k, need in enumerate(needs):
        for v in sorted({1.0, min(1.0, 2.0 * need), need}):
            joint.add_whole(m, k, v)
    joint.add_partial(m, needs)
    joint.add_partial(m, [2.0 * need for need in needs])
