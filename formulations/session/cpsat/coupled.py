"""Changes, spare, idle and unused machines of all modules together, in the joint CP-SAT model (ours).

docs/model/whole-machines.md. The block of a module counts its changes, and has their price in its cost
(`allocation_model.py`). With K the most changes, `gone` the running machines of modules that the session does not
have, N spare machines of each type, S the units of money:

    (17)  Σ_m changes_m + gone ≤ K
    (18)  u_k, z_k ≤ type_h ≤ 1                                     for every k on h, of all modules
          Σ_{k of m on h} lead_k ≤ type_h,  Σ_{k of m on h} last_k ≤ type_h       (implied)
    (19)  coupled = ⌊S gone_cost⌋ + Σ_h ⌊N p_h S⌋ type_h,  added to the cost of the modules

A price above the largest cost of a plan is replaced by one a little above that cost, so that numbers stay small. Prices
are rounded down: like the block of a module, these rows keep every plan, at no higher a cost.

Least machines (docs/model/limits.md): in a module with at least L machines, i_m_h machines of type h stand by. Their
type is the first one that the module uses in the order of rising prices, as in the MILP. A plan pays for A machines of
a type h, of which unused_h are not used, in units of 1/U machines; if machines are charged whole, U is 1:

    (20)  Σ_k n_k + z_k + Σ_h i_m_h ≥ L,   i_m_h ≥ 1 only where h is used and no type before it
    (21)  unused_h + Σ U (n_k + i_m_h + N type_h) + part ≥ U A,   z_k: part ≤ ⌈U/(t_k R)⌉ f + 1,   part ≤ U Σ z_k
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor, lcm
from typing import NamedTuple

from ortools.sat.python import cp_model

from euclio.problems.session.machine_limits import least_machines, paid_for
from euclio.problems.session.resources import machine_limits
from formulations.session.cpsat.allocation_model import (
    COEFFICIENT,
    SHARE_UNITS,
    STOCK_UNITS,
    ModuleVariables,
)
from formulations.session.joint.problem import JointProblem


class IdleMachines(NamedTuple):
    """Machines of a module that stand by: their hardware, their number in the model, and the most of them."""

    hardware: str
    number: cp_model.IntVar
    most: int


def coupled_costs(
    model: cp_model.CpModel,
    problem: JointProblem,
    modules: Sequence[ModuleVariables],
    idle: Sequence[IdleMachines],
    money: Fraction,
    cutoff: Fraction,
) -> list[cp_model.LinearExprT]:
    """Add (17), (18) and (21) to a model; returns the terms of (19), idle and unused machines included.

    Args:
        model: the model.
        problem: the joint problem.
        modules: variables of its modules.
        idle: their idle machines.
        money: units per money per hour: S.
        cutoff: only plans that cost at most this much per hour are of interest.
    """
    beyond = ceil(cutoff * money) + 1
    costs: list[cp_model.LinearExprT] = []
    changes, spare = problem.changes, problem.session.spare_machines
    if changes is not None:
        costs.append(min(floor(changes.gone_cost * money), beyond))
        if changes.most is not None:
            model.add(sum(v.changes for v in modules if v.changes is not None) <= changes.most - changes.gone)
    price, types = problem.session.price, dict[str, cp_model.IntVar]()
    if spare:
        for name, p in price.items():
            types[name] = _type(model, modules, name)
            costs.append(min(floor(spare * p * money), beyond) * types[name])
    costs += [min(floor(price[one.hardware] * money), beyond) * one.number for one in idle]
    for name, least in paid_for(problem.session).items():
        spares = spare * types[name] if spare else 0
        costs.append(
            _unused_cost(model, problem, modules, name, least, spares, idle, min(price[name] * money, Fraction(beyond)))
        )
    return costs


def idle_machines(
    model: cp_model.CpModel, problem: JointProblem, modules: Sequence[ModuleVariables]
) -> list[IdleMachines]:
    """(20): the machines that stand by in modules that have a least number."""
    asked, found = least_machines(problem.session), list[IdleMachines]()
    ranked = [h.name for h in sorted(problem.session.hardware, key=lambda h: h.price_per_h)]
    for v in modules:
        least, cs = asked.get(v.module.name, 0), v.module.configurations
        if not least:
            continue
        # An endless configuration may have any number of machines.
        counted = [least * v.u[k] if c.endless else v.n[k] + v.z[k] for k, c in enumerate(cs)]
        own, before = list[IdleMachines](), list[cp_model.IntVar]()
        for name in ranked:
            used = [x for k, c in enumerate(cs) if c.configuration.hardware == name for x in (v.u[k], v.z[k])]
            if not used:
                continue
            number = model.new_int_var(0, least - 1, f"idle_{v.module.name}_{name}")
            model.add(number <= (least - 1) * sum(used))
            for x in before:
                model.add(number == 0).only_enforce_if(x)
            own.append(IdleMachines(name, number, least - 1))
            before += used
        model.add(sum(counted) + sum(one.number for one in own) >= least)
        found += own
    return found


def _unused_cost(
    model: cp_model.CpModel,
    problem: JointProblem,
    modules: Sequence[ModuleVariables],
    name: str,
    least: int,
    spare: cp_model.LinearExpr | int,
    idle: Sequence[IdleMachines],
    price: Fraction,
) -> cp_model.LinearExprT:
    """(21): the cost of a type's machines that are paid for and not used, in units of money."""
    places = [
        (v, [k for k, c in enumerate(v.module.configurations) if c.configuration.hardware == name]) for v in modules
    ]
    standing = sum(one.number for one in idle if one.hardware == name)
    if problem.space.charging.whole:
        unused = model.new_int_var(0, least, f"unused_{name}")
        bought = sum(v.n[k] + v.z[k] for v, ks in places for k in ks)
        model.add(unused + bought + standing + spare >= least)
        return floor(price) * unused
    most = least + sum(v.module.configurations[k].most_machines + 1 for v, ks in places for k in ks)
    units = max(1, min(SHARE_UNITS, STOCK_UNITS // most))
    unused = model.new_int_var(0, units * least, f"unused_{name}")
    parts = sum(_part(model, v, ks, units) for v, ks in places if ks)
    whole = sum(units * v.n[k] for v, ks in places for k in ks)
    model.add(unused + whole + parts + units * spare >= units * least)
    slope = price / units
    factor = max(1, floor(COEFFICIENT / max(slope, Fraction(1))))
    cost = model.new_int_var(0, ceil(price * least), f"unused_cost_{name}")
    model.add(factor * (cost + 1) >= floor(factor * slope) * unused)
    return cost


def _part(model: cp_model.CpModel, v: ModuleVariables, places: list[int], units: int) -> cp_model.IntVar:
    """At most the share that a module uses of a partial machine of some configurations, in units of a machine."""
    part = model.new_int_var(0, units, "")
    model.add(part <= units * sum(v.z[k] for k in places))
    for k in places:
        slope = units / (v.module.configurations[k].throughput_rps * v.units_per_rps)
        factor = max(1, floor(COEFFICIENT / max(slope, Fraction(1))))
        model.add(factor * (part - 1) <= ceil(factor * slope) * v.f).only_enforce_if(v.z[k])
    return part


def _type(model: cp_model.CpModel, modules: Sequence[ModuleVariables], name: str) -> cp_model.IntVar:
    """(18): whether a plan uses a hardware type."""
    used = model.new_bool_var(f"type_{name}")
    for v in modules:
        places = [k for k, c in enumerate(v.module.configurations) if c.configuration.hardware == name]
        for k in places:
            model.add_implication(v.u[k], used)
            model.add_implication(v.z[k], used)
        if places:
            model.add(sum(v.lead[k] for k in places) <= used)
            model.add(sum(v.last[k] for k in places) <= used)
    return used


def add_stock(
    model: cp_model.CpModel,
    problem: JointProblem,
    modules: Sequence[ModuleVariables],
    idle: Sequence[IdleMachines] = (),
) -> None:
    """(8b): at most the stock of machines of a type, and at most the capacity of a resource.

    Args:
        model: the model.
        problem: the joint problem.
        modules: variables of the modules that share the stock.
        idle: their idle machines; none if machines are charged by share.
    """
    for limit in machine_limits(problem.session):
        of_type = [
            (
                v,
                limit.takes[name],
                [k for k, c in enumerate(v.module.configurations) if c.configuration.hardware == name],
            )
            for name in limit.takes
            for v in modules
        ]
        own = (each * (v.module.configurations[k].most_machines + 1) for v, each, ks in of_type for k in ks)
        most = sum(own, Fraction(0))
        standing = [one for one in idle if one.hardware in limit.takes]
        most += sum((limit.takes[one.hardware] * one.most for one in standing), Fraction(0))
        room = limit.left(problem.session.spare_machines)
        if most <= room:
            continue
        # Whole numbers of all that is taken; if these are too large for a row, they are rounded in favour of plans.
        scale = Fraction(lcm(room.denominator, *(each.denominator for each in limit.takes.values())))
        if not limit.is_stock and most * scale > STOCK_UNITS:
            scale = STOCK_UNITS / Fraction(most)
        count, taken = ceil(room * scale), [(v, floor(each * scale), ks) for v, each, ks in of_type]
        if problem.space.charging.whole:
            by_idle = sum(floor(limit.takes[one.hardware] * scale) * one.number for one in standing)
            model.add(sum(each * (v.n[k] + v.z[k]) for v, each, ks in taken for k in ks) + by_idle <= count)
            continue
        units = max(1, min(SHARE_UNITS, STOCK_UNITS // ceil(most * scale)))
        shares = [each * _share(model, v, ks, units) for v, each, ks in taken if ks]
        model.add(sum(each * units * v.n[k] for v, each, ks in taken for k in ks) + sum(shares) <= units * count)


def _share(model: cp_model.CpModel, v: ModuleVariables, places: list[int], units: int) -> cp_model.IntVar:
    """The share that a module uses of a partial machine of some of its configurations, in units of a machine."""
    share = model.new_int_var(0, units, "")
    for k in places:
        slope = units / (v.module.configurations[k].throughput_rps * v.units_per_rps)
        factor = max(1, floor(COEFFICIENT / max(slope, Fraction(1))))
        model.add(factor * (share + 1) >= floor(factor * slope) * (v.f - 1)).only_enforce_if(v.z[k])
    return share
