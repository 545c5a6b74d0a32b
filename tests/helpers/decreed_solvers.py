"""Solvers whose answers are decreed."""

from tiny_sessions import answering, first_configuration, one_configuration_plan, second_configuration

from euclio.core.registry import Solver
from euclio.core.result import Answer
from euclio.problems.session import DummyRule, PlanSpace, Policy, evaluate

NARROW = PlanSpace(Policy.RR, DummyRule.NONE)


def exact_of_two_spaces(session, space, limits):
    """Optimal by decree: 1.5 in the full space, 2.0 in the narrow one (classify has one configuration only)."""
    plan = one_configuration_plan(session, -1 if space.policy is Policy.RR else 0)
    return Answer(plan, "optimal", bound=float(evaluate(session, plan, space).cost_per_h))


EXACT = Solver("exact", "exact", "optimal by decree", exact_of_two_spaces)


FIRST = Solver("first", "heuristic", "best", first_configuration)


SECOND = Solver("second", "heuristic", "more expensive by design", second_configuration, NARROW)


NOTHING = answering(None, name="nothing", infeasible=True)
