"""From a plan downhill: cheaper plans nearby, as long as one of them passes, and none below what is proven."""

from fractions import Fraction

import pytest
from session_bounds import tiny

from euclio.problems.session import Configuration, Hardware, Module, Session, evaluate
from euclio.problems.session.plan import Allocation, ModulePlan, Plan
from euclio.problems.session.space import PlanSpace
from euclio.serving.attainment import downhill
from euclio.serving.attainment.downhill import Downhill
from euclio.serving.attainment.margins import spare_space

SPACE = spare_space(PlanSpace(charging="whole"))
ONE = Session("one", "1", [Hardware("g", 1)], [Module("a", 10, [Configuration("g", 1, 1, "0.08")])])


def of_machines(session, *counts):
    """A plan with so many machines of the first configuration of each module, all of them full."""
    modules = []
    for module, count in zip(session.modules, counts, strict=True):
        c = module.profile[0]
        modules.append(ModulePlan((Allocation(c, count),), count * c.throughput_rps - module.rate_rps))
    return Plan(tuple(modules))


def walked(session, plan, share, bound=0):
    """Where a walk ends, and the plans that it had simulated."""
    seen = []

    def noted(asked):
        seen.append(asked)
        return share(asked)

    cost = evaluate(session, plan, SPACE).cost_per_h
    found = Downhill(session, SPACE, noted, lambda: False).lowest(plan, cost, Fraction(bound))
    return found, seen


def test_machines_are_taken_away_as_long_as_a_plan_passes():
    """One machine of 12.5 req/s takes 10 req/s; if that always passes, it is what is left of four."""
    found, _ = walked(ONE, of_machines(ONE, 4), lambda plan: 1.0)
    assert found.plan == of_machines(ONE, 1)
    assert found.evaluation.cost_per_h == 1


def test_what_does_not_pass_is_no_answer():
    found, seen = walked(
        ONE, of_machines(ONE, 4), lambda plan: 1.0 if plan.modules[0].allocations[0].machines > 1 else None
    )
    assert found.plan == of_machines(ONE, 2)
    assert len(seen) == len(set(seen))


def test_nothing_that_passes_is_said():
    assert walked(ONE, of_machines(ONE, 4), lambda plan: None)[0] is None


def test_nothing_below_the_bound_is_tried():
    """No plan of less than two machines can keep it: none is simulated, and at two the walk is over."""
    found, seen = walked(ONE, of_machines(ONE, 4), lambda plan: 1.0, bound=2)
    assert found.evaluation.cost_per_h == 2
    assert min(plan.modules[0].allocations[0].machines for plan in seen) == 2


def test_fewer_of_machines_that_have_failed_are_not_tried():
    """Each try fails, and the largest step comes first: what is tried later has more machines."""
    _, seen = walked(ONE, of_machines(ONE, 9), lambda plan: None)
    counts = [plan.modules[0].allocations[0].machines for plan in seen]
    assert all(later > earlier for place, earlier in enumerate(counts) for later in counts[place + 1 :])


def test_a_machine_of_one_module_is_exchanged_for_one_of_another():
    """One of b costs 3, one of a 2: with one more of a, which makes up for it, b does with less."""
    modules = [
        Module("a", 10, [Configuration("cheap", 1, 1, "0.08")]),
        Module("b", 10, [Configuration("costly", 1, 1, "0.08")]),
    ]
    session = Session("two", "1", [Hardware("cheap", 2), Hardware("costly", 3)], modules, [("a", "b")])

    def passes(plan):
        a, b = (module.allocations[0].machines for module in plan.modules)
        return 1.0 if a + b >= 5 else None

    found, _ = walked(session, of_machines(session, 2, 3), passes)
    assert found.plan == of_machines(session, 4, 1)


@pytest.mark.parametrize("seed", range(20))
def test_all_that_is_simulated_is_a_plan_that_costs_less(seed):
    """A walk may only offer what the checker accepts and prices lower: of drawn sessions, whichever plans pass."""
    session, _ = tiny(seed)
    counts = [-(-module.rate_rps // module.profile[0].throughput_rps) + 2 for module in session.modules]
    plan = of_machines(session, *map(int, counts))
    if not evaluate(session, plan, SPACE).feasible:
        pytest.skip("the first configuration is too slow for this SLO")
    costs = [evaluate(session, plan, SPACE).cost_per_h]

    def every_third(asked):
        checked = evaluate(session, asked, SPACE)
        assert checked.feasible
        assert checked.cost_per_h < costs[-1]
        if checked.cost_per_h.numerator % 3:
            return None
        costs.append(checked.cost_per_h)
        return 1.0

    found, seen = walked(session, plan, every_third)
    assert len(seen) <= downhill.TRIED
    assert (found is None) == (len(costs) == 1)
    assert found is None or found.evaluation.cost_per_h == costs[-1]
    assert found is None or found.steps == len(costs) - 1


def test_machines_charged_by_share_or_shared_by_modules_are_left_alone():
    plan = of_machines(ONE, 1)
    assert downhill.covers(plan, SPACE)
    assert not downhill.covers(plan, spare_space(PlanSpace()))
    assert not downhill.covers(Plan(plan.modules, ((0, 1),)), SPACE)
