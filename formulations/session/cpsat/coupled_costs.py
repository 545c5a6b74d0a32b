"""Changes of what runs and spare machines, which are of no module alone, in the joint CP-SAT model (ours).

docs/model/whole-machines.md. With x_m_h = Σ_{k of m on h} n_k + z_k the machines of module m on hardware h, x⁰_m_h
those that run, P the price of a change, K the most changes, S the units of money:

    (17)  removed_m_h ≥ x⁰_m_h − x_m_h,   0 ≤ removed_m_h ≤ x⁰_m_h                 where something runs
    (18)  changes = Σ_m_h (x_m_h − x⁰_m_h + 2 removed_m_h) + gone ≤ K
    (19)  u_k, z_k ≤ type_h ≤ 1                                                   for every k on h
    (20)  coupled = ⌊P S⌋ changes + Σ_h ⌊N p_h S⌋ type_h,  added to the cost of the modules

x − x⁰ + 2 (x⁰ − x)⁺ is |x − x⁰|. `gone` is what runs for modules, and on hardware for modules, for which the model has
no machines. A price that is more than a plan may cost is taken for a little more than that, so that numbers stay small.
Prices are rounded down: like the block of a module, these rows keep every plan, at no higher a cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

from formulations.session.cpsat.allocation_model import ModuleVariables
from formulations.session.joint.demands import Changes
from formulations.session.joint.problem import JointProblem

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


def coupled_costs(
    model: cp_model.CpModel,
    problem: JointProblem,
    modules: Sequence[ModuleVariables],
    money: Fraction,
    cutoff: Fraction,
) -> list[cp_model.LinearExprT]:
    """Add (17) to (19) to a model; returns the terms of (20).

    Args:
        model: the model.
        problem: the joint problem.
        modules: variables of its modules.
        money: units per money per hour: S.
        cutoff: only plans that cost at most this much per hour are of interest.
    """
    beyond = floor(cutoff * money) + 1
    costs: list[cp_model.LinearExprT] = []
    changes, spare = problem.changes, problem.session.spare_machines
    if changes is not None:
        price = min(floor(changes.price_per_h * money), beyond)
        costs.append(_changes(model, modules, changes, price))
    if spare:
        for name, p in problem.session.price.items():
            costs.append(min(floor(spare * p * money), beyond) * _type(model, modules, name))
    return costs


def _changes(
    model: cp_model.CpModel, modules: Sequence[ModuleVariables], changes: Changes, price: int
) -> cp_model.LinearExprT:
    """(17) and (18); returns what the changes cost."""
    left = Counter(changes.running)
    terms: list[cp_model.LinearExprT] = []
    steady = changes.gone
    for v in modules:
        machines: dict[str, list[cp_model.IntVar]] = {}
        for k, c in enumerate(v.module.configurations):
            machines.setdefault(c.configuration.hardware, []).extend((v.n[k], v.z[k]))
        for name, own in machines.items():
            terms += own
            runs = left.pop((v.module.name, name), 0)
            if runs:
                removed = model.new_int_var(0, runs, f"removed_{v.module.name}_{name}")
                model.add(removed + sum(own) >= runs)
                terms.append(2 * removed)
                steady -= runs
    steady += left.total()
    number = sum(terms) + steady
    if changes.most is not None:
        model.add(number <= changes.most)
    return price * number if price else 0


def _type(model: cp_model.CpModel, modules: Sequence[ModuleVariables], name: str) -> cp_model.IntVar:
    """(19): whether a plan uses a hardware type."""
    used = model.new_bool_var(f"type_{name}")
    for v in modules:
        for k, c in enumerate(v.module.configurations):
            if c.configuration.hardware == name:
                model.add_implication(v.u[k], used)
                model.add_implication(v.z[k], used)
    return used
