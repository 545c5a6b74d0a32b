"""Multi-tuple allocation of one module for a given budget as a MILP, straight from profile and rate (Harpagon §III-C).

The rows of `allocation_model.py` alone: with the budget given, the needs are constants and nothing has to be
approximated. The plan found is priced exactly; one that only a tolerance allowed is cut off by its counts of machines.
The bound is the engine's, lowered by its tolerance.
"""

from __future__ import annotations

import math
import time
from fractions import Fraction

from euclio.core.numbers import Number
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.session import Hardware, Module, PlanSpace, Session, evaluate
from formulations.engines.interface import engine_limits
from formulations.engines.milp import chosen_engine, export_lp, run_twice
from formulations.session.joint.candidates import refused
from formulations.session.joint.problem import joint_problem
from formulations.session.milp.allocation_model import add_allocation
from formulations.session.milp.coupled_costs import CoupledCosts
from formulations.session.milp.joint_model import JointModel
from formulations.session.milp.points import forbid, read_plan, states_at
from formulations.tolerances import ROOM


def allocate_module(
    module: Module,
    hardware: tuple[Hardware, ...],
    budget_s: Number,
    space: PlanSpace,
    limits: Limits,
) -> Answer:
    """The cheapest plan of one module within a latency budget, with proof.

    Args:
        module: the module.
        hardware: machine types and their prices.
        budget_s: largest worst-case latency in seconds.
        space: plan space without `single_hardware`.
        limits: time limit, seed and engine options.

    Returns:
        An answer whose plan is that of a session of this module alone.
    """
    import pulp

    deadline = math.inf if limits.time_limit_s is None else time.perf_counter() + limits.time_limit_s
    session = Session(module.name, budget_s, hardware, [module])
    problem = joint_problem(session, space)
    if problem.infeasible:
        return Answer(None, "infeasible", infeasible=True, reason="no configuration meets the budget")
    model = pulp.LpProblem("allocation", pulp.LpMinimize)
    unit = problem.modules[0].configurations[0].lead_cost_per_h or Fraction(1)
    rows = add_allocation(model, problem, 0, "module", unit)
    model += pulp.LpAffineExpression(rows.cost)
    joint = JointModel(problem, model, [rows], [], [], rows.cost, CoupledCosts(), unit)
    if limits.options.export_lp is not None:
        export_lp(model, limits.options.export_lp)
    engine, bound = chosen_engine(limits.options), None
    while (left := deadline - time.perf_counter()) > 0:
        run = run_twice(model, engine, engine_limits(limits, left))
        if run.infeasible:
            return Answer(None, run.raw_status, infeasible=True, reason="no plan meets the budget (proven)")
        bound = None if run.bound is None else max(0.0, float(joint.cost_per_h(run.bound * (1.0 - ROOM) - ROOM)))
        if run.values is None:
            break
        plan = read_plan(joint, run.values)
        checked = evaluate(session, plan, space)
        if checked.feasible and checked.cost_per_h is not None:
            cost = float(checked.cost_per_h)
            return Answer(plan, run.raw_status, cost, None if bound is None else min(bound, cost))
        for exclusion in refused(problem, states_at(joint, run.values), plan, checked):
            forbid(joint, exclusion)
    return Answer(None, "limit", bound=bound, reason="the time limit was hit")
