"""What changes and spare machines are of all modules together, in the joint CP-SAT model (ours).

docs/model/whole-machines.md. The block of a module counts its changes, and has their price in its cost (`changes.py`).
With K the most changes, `gone` the running machines of modules that the session does not have, N spare machines of each
type, S the units of money:

    (17)  Σ_m changes_m + gone ≤ K
    (18)  u_k, z_k ≤ type_h ≤ 1                                     for every k on h, of all modules
          Σ_{k of m on h} lead_k ≤ type_h,  Σ_{k of m on h} last_k ≤ type_h       (implied)
    (19)  coupled = ⌊S gone_cost⌋ + Σ_h ⌊N p_h S⌋ type_h,  added to the cost of the modules

A price that is more than a plan may cost is taken for a little more than that, so that numbers stay small. Prices are
rounded down: like the block of a module, these rows keep every plan, at no higher a cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

from formulations.session.cpsat.allocation_model import ModuleVariables
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
    """Add (17) and (18) to a model; returns the terms of (19).

    Args:
        model: the model.
        problem: the joint problem.
        modules: variables of its modules.
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
    if spare:
        for name, p in problem.session.price.items():
            costs.append(min(floor(spare * p * money), beyond) * _type(model, modules, name))
    return costs


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
