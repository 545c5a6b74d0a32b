"""Changes, spare, idle and unused machines, which belong to no single module, in the joint MILP (ours).

docs/model/whole-machines.md. With x_m_h = Σ_{k of m on h} n_k + z_k the machines of module m on hardware h, x⁰_m_h
those that run, P_m the price of a change in module m, K the most changes:

    x_m_h − x⁰_m_h ≤ x⁺_m_h,   x⁰_m_h − x_m_h ≤ x⁻_m_h,   0 ≤ x⁺_m_h,   0 ≤ x⁻_m_h ≤ x⁰_m_h   added_m_h, removed_m_h
    Σ x⁺_m_h + x⁻_m_h + gone ≤ K                                                            changes
    u_k, z_k ≤ type_h ≤ 1                                     for every k on h              type_h
    Σ_{k of m on h} lead_k ≤ type_h,   Σ_{k of m on h} last_k ≤ type_h                      type_h_m
    cost of a plan = Σ_m cost_m + Σ_m P_m Σ_h (x⁺ + x⁻) + gone_cost + N Σ_h p_h type_h

`gone` are the running machines of modules, and of hardware for modules, for which the model has no machines. It is a
variable fixed at 1, since engines leave constants out of their objectives. If nothing runs, x⁺ = x needs no variable.
All these may be fractional: next to whole n, z and u they are whole whenever that is cheapest. The rows on the first
and the last configuration used are implied. As each module uses a first one, they make the relaxation pay for a type.

Least machines (docs/model/limits.md): in a module m with at least L machines, i_m_h machines of type h stand by. They
are of the first type that it uses, in the order ≺ of rising prices. A plan pays for A machines of a type h, of which
o_h are not used:

    Σ_k n_k + z_k + Σ_h i_m_h ≥ L                                                          least_m
    i_m_h ≤ (L − 1) Σ_{k on h} u_k + z_k,   i_m_h ≤ (L − 1)(1 − u_k), (1 − z_k) for k on types ≺ h   idle_m_h
    o_h + Σ_m x_m_h + Σ_m i_m_h + N type_h ≥ A                                             unused_h

An endless configuration counts as L machines there, since it may have any number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import pulp

from euclio.problems.session.machine_limits import least_machines, paid_for
from formulations.engines.milp import readable
from formulations.session.demands import Changes
from formulations.session.joint.problem import JointProblem
from formulations.session.milp.allocation_model import AllocationRows
from formulations.tolerances import ROOM


class LeastRow(NamedTuple):
    """The machines of a module that has a least number.

    Attributes:
        least: that number.
        machines: variables of its machines, with the number that each counts for.
        types: by type, in the order of its choice for idle machines, its variable of these and those of its use.
    """

    least: int
    machines: dict[Any, float]
    types: list[tuple[Any, list[Any]]]


@dataclass(frozen=True, slots=True)
class CoupledCosts:
    """Variables of costs that belong to no single module.

    Attributes:
        cost: coefficient of every variable in the cost, with variables of modules.
        changed: machines that run, by the variables of those added and those removed, with the machines of the plan.
        types: variables of machines by the variable of their hardware type.
        gone: a variable that is always 1; None means that there is none.
        spare: variables of hardware types by name, if there are spare machines.
        idle: type of idle machines by their variable.
        least: modules with least machines.
        unused: machines that are paid for, by the variable of those not used, with the numbers that the others count.
    """

    cost: dict[Any, float] = field(default_factory=dict)
    changed: dict[tuple[Any, Any], tuple[int, list[Any]]] = field(default_factory=dict)
    types: dict[Any, list[Any]] = field(default_factory=dict)
    gone: Any | None = None
    spare: dict[str, Any] = field(default_factory=dict)
    idle: dict[Any, str] = field(default_factory=dict)
    least: list[LeastRow] = field(default_factory=list)
    unused: dict[Any, tuple[int, dict[Any, float]]] = field(default_factory=dict)

    def values_at(self, values: Mapping[str, float]) -> dict[str, float]:
        """The values of these variables, by name, given those of modules."""
        found = {} if self.gone is None else {self.gone.name: 1.0}
        for (added, removed), (runs, machines) in self.changed.items():
            more = sum(values[v.name] for v in machines) - runs
            found |= {added.name: max(0.0, more), removed.name: max(0.0, -more)}
        for used, machines in self.types.items():
            found[used.name] = max(values[v.name] for v in machines)
        for row in self.least:
            lacking = row.least - sum(c * values[v.name] for v, c in row.machines.items())
            for idle, used in row.types:
                stands = lacking > 0 and any(values[v.name] > 0.5 for v in used)
                found[idle.name] = lacking if stands else 0.0
                lacking = 0.0 if stands else lacking
        for unused, (least, bought) in self.unused.items():
            known = {**values, **found}
            found[unused.name] = max(0.0, least - sum(c * known[v.name] for v, c in bought.items()))
        return found


def add_coupled_costs(
    model: pulp.LpProblem, problem: JointProblem, rows: list[AllocationRows], unit: Fraction
) -> CoupledCosts:
    """Add variables and rows of changes, spare, idle and unused machines to a model.

    Args:
        model: the PuLP model.
        problem: the joint problem.
        rows: allocation of each module.
        unit: money per hour that counts as 1 in the model.
    """
    found = CoupledCosts()
    changes = problem.changes
    if changes is not None:
        found = _changes(model, problem, rows, changes, unit)
    spare = problem.session.spare_machines
    if spare:
        _types(model, rows, found, {name: float(spare * p / unit) for name, p in problem.session.price.items()})
    _idle(model, problem, rows, found, unit)
    _unused(model, problem, rows, found, unit)
    return found


def _idle(
    model: pulp.LpProblem, problem: JointProblem, rows: list[AllocationRows], found: CoupledCosts, unit: Fraction
) -> None:
    """Add idle machines of modules that have a least number."""
    price, asked = problem.session.price, least_machines(problem.session)
    ranked = [h.name for h in sorted(problem.session.hardware, key=lambda h: h.price_per_h)]
    for r in rows:
        least, cs = asked.get(r.module.name, 0), r.module.configurations
        if not least:
            continue
        machines: dict[Any, float] = {}
        for k, c in enumerate(cs):
            machines |= {r.u[k]: float(least)} if c.endless else {r.n[k]: 1.0, r.z[k]: 1.0}
        types: list[tuple[Any, list[Any]]] = []
        before: list[Any] = []
        for i, name in enumerate(ranked):
            used = [v for k, c in enumerate(cs) if c.configuration.hardware == name for v in (r.u[k], r.z[k])]
            if not used:
                continue
            label = f"idle_{r.name}_{i}"
            idle = model.add_variable(label, 0, least - 1, pulp.LpInteger)
            most = float(least - 1)
            model += pulp.LpAffineExpression({idle: 1.0, **dict.fromkeys(used, -most)}) <= 0.0, label
            for j, v in enumerate(before):
                model.addConstraint(idle + most * v <= most, f"{label}_{j}")
            types.append((idle, used))
            before += used
            found.idle[idle], found.cost[idle] = name, float(price[name] / unit)
        row = pulp.LpAffineExpression({**machines, **{idle: 1.0 for idle, _ in types}})
        model += row >= least - ROOM, f"least_{r.name}"
        found.least.append(LeastRow(least, machines, types))


def _unused(
    model: pulp.LpProblem, problem: JointProblem, rows: list[AllocationRows], found: CoupledCosts, unit: Fraction
) -> None:
    """Add machines that are paid for and not used."""
    asked, whole = paid_for(problem.session), problem.space.charging.whole
    for (name, least), label in zip(asked.items(), readable(list(asked)), strict=True):
        machines: dict[Any, float] = {v: 1.0 for v, own in found.idle.items() if own == name}
        for r in rows:
            for k, c in enumerate(r.module.configurations):
                if c.configuration.hardware != name:
                    continue
                machines[r.n[k]] = 1.0
                machines |= {r.z[k]: 1.0} if whole else {r.f[k]: float(r.module.rate_rps / c.throughput_rps)}
        if name in found.spare:
            machines[found.spare[name]] = float(problem.session.spare_machines)
        unused = model.add_variable(f"unused_{label}", 0.0, float(least))
        row = pulp.LpAffineExpression({**machines, unused: 1.0})
        model += row >= least * (1.0 - ROOM) - ROOM, f"unused_{label}"
        found.unused[unused] = least, machines
        found.cost[unused] = float(problem.session.price[name] / unit)


def _changes(
    model: pulp.LpProblem, problem: JointProblem, rows: list[AllocationRows], changes: Changes, unit: Fraction
) -> CoupledCosts:
    left = Counter(changes.running)
    total: dict[Any, float] = {}
    cost: dict[Any, float] = {}
    changed: dict[tuple[Any, Any], tuple[int, list[Any]]] = {}
    for r, module in zip(rows, problem.modules, strict=True):
        price = float(changes.price_of(module.name) / unit)
        types = list(dict.fromkeys(c.configuration.hardware for c in module.configurations))
        for i, name in enumerate(types):
            label = f"{r.name}_{i}"
            places = [k for k, c in enumerate(module.configurations) if c.configuration.hardware == name]
            machines = [r.n[k] for k in places] + [r.z[k] for k in places]
            runs = left.pop((module.name, name), 0)
            if not runs:
                total |= dict.fromkeys(machines, 1.0)
                cost |= dict.fromkeys(machines, price)
                continue
            most = sum(v.upBound for v in machines)
            added = model.add_variable(f"added_{label}", 0.0, max(0.0, most - runs))
            removed = model.add_variable(f"removed_{label}", 0.0, float(runs))
            x = dict.fromkeys(machines, 1.0)
            model += pulp.LpAffineExpression({**x, added: -1.0}) <= float(runs), f"added_{label}"
            model += pulp.LpAffineExpression({**x, removed: 1.0}) >= float(runs), f"removed_{label}"
            total |= {added: 1.0, removed: 1.0}
            cost |= {added: price, removed: price}
            changed[added, removed] = runs, machines
    gone = changes.gone + left.total()
    one = None
    if gone:
        paid = changes.gone_cost + sum((n * changes.price_of(name) for (name, _), n in left.items()), Fraction(0))
        one = model.add_variable("gone", 1.0, 1.0)
        total[one], cost[one] = float(gone), float(paid / unit)
    if changes.most is not None:
        model += pulp.LpAffineExpression(total) <= changes.most * (1.0 + ROOM) + ROOM, "changes"
    return CoupledCosts(cost if any(changes.prices) else {}, changed, {}, one)


def _types(model: pulp.LpProblem, rows: list[AllocationRows], found: CoupledCosts, prices: Mapping[str, float]) -> None:
    for (name, price), label in zip(prices.items(), readable(list(prices)), strict=True):
        used = model.add_variable(f"type_{label}", 0.0, 1.0)
        machines = [
            v
            for r in rows
            for k, c in enumerate(r.module.configurations)
            if c.configuration.hardware == name
            for v in (r.u[k], r.z[k])
        ]
        for i, v in enumerate(machines):
            model.addConstraint(v - used <= 0.0, f"type_{label}_{i}")
        for m, r in enumerate(rows):
            of_type = [k for k, c in enumerate(r.module.configurations) if c.configuration.hardware == name]
            for kind, places in (("first", r.lead), ("last", r.last)) if of_type else ():
                ends = pulp.LpAffineExpression({**dict.fromkeys([places[k] for k in of_type], 1.0), used: -1.0})
                model += ends <= 0.0, f"type_{label}_{m}_{kind}"
        found.cost[used], found.spare[name] = price, used
        if machines:
            found.types[used] = machines
