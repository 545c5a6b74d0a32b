"""Multi-tuple allocation of one module for a given budget in CP-SAT, straight from its profile and rate (ours).

The model is the block of `allocation_model.py` with its cost as objective: with a fixed budget the rates that
machines need to be left are constants. Its optimum is a lower bound on the module's cost within the budget, off by no
more than the block's rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from formulations.engines.cpsat import CP_SAT_FEW_CUTS
from formulations.engines.interface import EngineLimits
from formulations.session.cpsat.allocation_model import add_module, add_stock, money_scale
from formulations.session.demands import coupled_prices
from formulations.session.joint.problem import JointProblem


@dataclass(frozen=True, slots=True)
class ModuleAllocation:
    """Answer of the one-module model.

    Attributes:
        infeasible: proven: no plan of the module meets its largest budget and the most that it may cost.
        bound_per_h: proven lower bound on the cost of those plans, with what their changes cost.
        machines: whole machines of each configuration, shape (configurations,); None: nothing found.
        partial_at: place of the partial machine's configuration; None: no partial machine.
        conflicts: conflicts of the search.
    """

    infeasible: bool
    bound_per_h: Fraction
    machines: tuple[int, ...] | None = None
    partial_at: int | None = None
    conflicts: int = 0


def allocate_module(problem: JointProblem, m: int, most_cost: Fraction, limits: EngineLimits) -> ModuleAllocation:
    """The cheapest allocation of one module within its largest budget, straight from its profile and rate.

    Args:
        problem: the joint problem; the module's largest budget is the budget, its needs are constants.
        m: index of the module, which has a useful configuration.
        most_cost: only plans of the module that cost at most this much per hour are of interest; above 0.
        limits: how to run the model.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    money = money_scale(problem.modules[m : m + 1], most_cost, coupled_prices(problem.session))
    v = add_module(model, problem, m, money, (Fraction(0), most_cost))
    add_stock(model, problem, [v])
    model.minimize(v.cost)
    found = CP_SAT_FEW_CUTS.run(model, limits)
    bound = Fraction(found.bound or 0) / money
    if found.values is None:
        return ModuleAllocation(found.infeasible, bound, conflicts=found.nodes)
    machines, partial_at = v.counts(found.values)
    return ModuleAllocation(False, bound, machines, partial_at, found.nodes)
