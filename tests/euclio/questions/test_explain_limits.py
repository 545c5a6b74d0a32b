"""Explanations of sessions whose machines are limited: they agree with the solver's answer, or say that it is open."""

from dataclasses import replace

import pytest

import euclio
from euclio.core.families import find_family
from euclio.core.result import Status
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session
from euclio.questions.explain.text import describe, page

WHOLE = PlanSpace(charging="whole")


def chain(**limits):
    """Two modules that need two machines each; a machine takes two of a resource."""
    modules = [
        Module("a", 100, [Configuration("X", 1, 1, "0.02")]),
        Module("b", 50, [Configuration("X", 2, 1, "0.05")]),
    ]
    hardware = [Hardware("X", 1, count=limits.pop("count", None), takes={"gpu": 2})]
    return Session("two", "0.5", hardware, modules, [("a", "b")], **limits)


@pytest.mark.parametrize(
    "limits", [{"count": 3}, {"count": 4}, {"resources": {"gpu": 7}}, {"resources": {"gpu": 8}}, {"spare_machines": 1}]
)
@pytest.mark.parametrize("space", [PlanSpace(), WHOLE])
def test_the_status_is_that_of_the_cheapest_plan(limits, space):
    """It said "feasible" and left with 0 where `solve` proved that no plan keeps the limits."""
    session = chain(**limits)
    solved = euclio.solve(session, "exact", space=space)
    found = euclio.explain(session, space)
    assert (found.status is Status.FEASIBLE) == (solved.plan is not None)
    assert (found.status is Status.INFEASIBLE) == (solved.status is Status.INFEASIBLE)


def test_the_limits_that_exclude_every_plan_are_named():
    """A reader has to know that latencies are not the reason."""
    found = euclio.explain(chain(count=3), WHOLE)
    assert found.status is Status.INFEASIBLE
    assert found.limits == ("a stock of machines",)
    assert "no plan keeps a stock of machines" in page(found)
    assert describe(found)["limits"] == ["a stock of machines"]
    assert describe(found)["remedies"]["least_slo_s"] is None


def test_latencies_are_named_first():
    """Where the objective is too short, the conflict says more than the limits."""
    found = euclio.explain(chain(count=3), WHOLE, slo="0.01")
    assert found.status is Status.INFEASIBLE
    assert found.conflicts
    assert not found.limits


def test_what_no_solver_proves_stays_open():
    """The default solver refuses spare packed machines: neither "feasible" nor "infeasible" would be proven."""
    found = euclio.explain(chain(count=3, spare_machines=1), PlanSpace(charging="packed"))
    assert found.status is Status.UNKNOWN
    assert "open: the default solver" in page(found)


def test_an_explanation_without_limits_says_nothing_of_them():
    """Its data is a contract: the field is left out."""
    found = euclio.explain(chain(), WHOLE)
    assert found.status is Status.FEASIBLE
    assert "limits" not in describe(found)


def test_what_excludes_no_plan_is_not_searched(monkeypatch):
    """Spare machines without a stock can be bought: a search of ten seconds might end without an answer."""
    monkeypatch.setattr("euclio.questions.explain.explaining.solve", None)
    assert euclio.explain(chain(spare_machines=1), WHOLE).status is Status.FEASIBLE


@pytest.mark.parametrize(
    ("limits", "broken"),
    [
        ({"count": 3}, "the plan takes 4 machines of X, and 3 are in stock"),
        ({"resources": {"gpu": 7}}, "the plan takes 8 of gpu, and there is 7"),
    ],
)
def test_the_hint_names_the_machines_of_a_plan_that_there_is(limits, broken):
    """The plan of the least latencies has ever more machines: nobody can loosen a limit by it."""
    found = euclio.explain(chain(**limits), WHOLE)
    assert found.without_limits == ("2 X for a, 2 X for b", broken)
    assert f"the cheapest plan found without them has 2 X for a, 2 X for b: {broken}\n" in page(found)
    assert describe(found)["without_limits"] == [*found.without_limits]


def test_limits_that_exclude_every_plan_come_with_what_would_do():
    """`solve` said it, and `explain`, which asks the same solver, kept it for itself."""
    found = euclio.explain(chain(count=3), WHOLE)
    assert found.reason == euclio.solve(chain(count=3), space=WHOLE).reason
    assert "1 more of X would do" in found.reason
    assert f"\n{found.reason}\n" in page(found)
    assert describe(found)["reason"] == found.reason


def test_a_latency_that_no_plan_attains_is_above_its_limit():
    """Machines without end fill batches in no time: 0.02 + 0.05 s are approached. It said 0.0700000001 s."""
    assert "at just above 0.07 s there is a plan" in page(euclio.explain(chain(), WHOLE))
    longer = replace(
        chain(), modules=tuple(replace(m, profile=(Configuration("X", 1, 1, "0.055"),)) for m in chain().modules)
    )
    assert "at just above 0.11 s there is a plan" in page(euclio.explain(longer, WHOLE))
    assert "at 0.105 s there is a plan" in page(euclio.explain(chain(), PlanSpace()))


def test_a_tie_with_such_a_latency_is_open_without_a_time_limit():
    """It said that a time limit had ended the search, where there was none."""
    found = euclio.explain(chain(), WHOLE, slo="0.07")
    assert found.status is Status.UNKNOWN
    assert "open: the SLO of 0.07 s is the least latency to nine digits, and whether a plan attains it is not" in page(
        found
    )


@pytest.mark.parametrize(("count", "apart"), [(4, ", limits on machines apart"), (None, "")])
def test_least_latencies_and_remedies_claim_no_plan_within_a_stock(count, apart):
    """Only ever more machines come near 0.02 + 0.05 s: with four of them the page promised a plan that there is not."""
    session = chain(count=count)
    found, short = euclio.explain(session, WHOLE), euclio.explain(session, WHOLE, slo="0.05")
    assert f"there is a plan{apart}; below, none" in page(found)
    assert repr(found).endswith(f"tighter{apart}>")
    assert f"remedies{apart}:" in page(short)
    family = find_family("session")
    refused = euclio.solve(session, space=WHOLE, slo="0.05")
    assert family.why_infeasible(refused.of_instance, refused, None).endswith(f"just above 0.07 s{apart}")
    assert (euclio.solve(session, space=WHOLE, slo="0.0701").plan is None) == bool(apart)
