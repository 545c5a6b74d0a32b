"""Machines added to and removed from those that run for a module, in whole numbers (ours).

docs/model/whole-machines.md. With x_h = Σ_{k on h} n_k + z_k the module's machines on hardware h, and x⁰_h those that
run:

    (8c)  removed_h ≥ x⁰_h − x_h,   0 ≤ removed_h ≤ x⁰_h          where something runs
    (8d)  changes = Σ_h (x_h − x⁰_h + 2 removed_h) + running machines of hardware that the module cannot use

x − x⁰ + 2 (x⁰ − x)⁺ is |x − x⁰|, what is added and removed; more may be removed and added than has to be, at a cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from formulations.session.demands import Changes
from formulations.session.joint.problem import JointModule

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


def most_changes(module: JointModule, changes: Changes) -> int:
    """An upper bound on the changes of a module."""
    machines = sum(c.most_machines + 1 for c in module.configurations) + sum(changes.of(module.name).values())
    return machines if changes.most is None else min(machines, max(0, changes.most - changes.gone))


def add_changes(
    model: cp_model.CpModel,
    module: JointModule,
    changes: Changes,
    n: Sequence[cp_model.IntVar],
    z: Sequence[cp_model.IntVar],
) -> cp_model.IntVar:
    """The changes of a module.

    Args:
        model: the model.
        module: the module.
        changes: the running machines, and how much may be changed.
        n: whole machines of each configuration.
        z: whether the partial machine is of each.
    """
    machines: dict[str, list[cp_model.IntVar]] = {}
    for k, c in enumerate(module.configurations):
        machines.setdefault(c.configuration.hardware, []).extend((n[k], z[k]))
    terms: list[cp_model.LinearExprT] = []
    steady = 0
    for name, runs in changes.of(module.name).items():
        if name not in machines:
            steady += runs
            continue
        removed = model.new_int_var(0, runs, f"removed_{module.name}_{name}")
        model.add(removed + sum(machines[name]) >= runs)
        terms.append(2 * removed)
        steady -= runs
    number = model.new_int_var(0, most_changes(module, changes), f"changes_{module.name}")
    model.add(number == sum([*terms, *(x for own in machines.values() for x in own)]) + steady)
    return number
