"""Coverage: every registered solver of sessions on every demand, and the generated table.

A solver that covers a demand has to plan for it; any other solver has to refuse. If a solver ignores a demand, the
checker refuses its plan, or its bound lies above the optimum.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from euclio.core.coverage import covered, demand_words, remedy
from euclio.core.families import families, find_family
from euclio.core.registry import AnySolver, solvers, solvers_of
from euclio.core.result import Result, Status
from euclio.core.solving import solve
from euclio.core.space_fields import variants_of
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session
from euclio.problems.session.objectives import Objective
from euclio.problems.session.running import Running, RunningMachines

DEMANDS = find_family("session").demands
NAMES = [demand.name for demand in DEMANDS]
PAGE = Path(__file__).parents[3] / "docs" / "model" / "plan-spaces.md"
OWN = """
from fractions import Fraction
from euclio.problems.session.policies import Policy

def _latency(place):
    return place.duration_s + place.batch / place.left_rps

HOLD = Policy(name="hold", help="as tc", whole=_latency, partial=_latency)
"""
RELATIVE = 1e-9


def session(
    count: int | None = None,
    share: str | None = None,
    running: Running | None = None,
    spare: int = 0,
    power: int | None = None,
) -> Session:
    """Two modules one after the other on two types; concurrency 2 makes full machines under `rr` the slower ones."""
    hardware = [Hardware("A", 3, count, largest_share=share, takes={"power": 2}), Hardware("B", 2)]
    profile = [Configuration("A", 2, 2, "0.2"), Configuration("B", 2, 1, "0.3"), Configuration("B", 1, 1, "0.2")]
    modules = [Module(name, rate, profile) for name, rate in (("m0", 25), ("m1", 9))]
    return Session(
        "demanding",
        "2.4",
        hardware,
        modules,
        [("m0", "m1")],
        None,
        running,
        spare,
        {} if power is None else {"power": power},
    )


def floors(spare: int = 0) -> Session:
    """The same, where five machines of A are paid for, used or not."""
    own = session(spare=spare)
    return replace(own, hardware=(replace(own.hardware[0], at_least=5), *own.hardware[1:]))


RUNNING = Running((RunningMachines("m0", "A", 1),), 4, Fraction(1, 10))
WHOLE, PACKED = PlanSpace(charging="whole"), PlanSpace(charging="packed")
CONTINUOUS = PlanSpace(dummy="continuous")
QUICK = PlanSpace("rr", "continuous", charging="whole")
ASKED = {
    "packed": (session(), PACKED),
    "whole": (session(), WHOLE),
    "stock": (session(count=1), WHOLE),
    "shares": (session(count=1), PlanSpace()),
    "resources": (session(power=3), WHOLE),
    "changes": (session(running=RUNNING), WHOLE),
    "spare": (session(spare=1), WHOLE),
    "largest_share": (session(share="0.5"), WHOLE),
    "at_least": (floors(), WHOLE),
    "least_machines": (replace(session(), least_machines={"m1": 3}), WHOLE),
    "least_machines_share": (replace(session(), least_machines={"m1": 3}), PlanSpace()),
    "objectives": (replace(session(), delay_s={("m0", "m1"): "0.01"}), PlanSpace()),
    "no_objective": (replace(session(), slo_s=None, objectives=(Objective("first", "m0", "2.4"),)), PlanSpace()),
    "share": (session(), PlanSpace()),
    "one_hardware": (session(), PlanSpace(single_hardware=True)),
    "one_allocation": (session(), PlanSpace("machine-rate", "none", 1)),
    "other_policies": (session(), PlanSpace("rr", "none")),
    "shared_last": (session(), PlanSpace("rr-even", "none")),
    "countable": (session(), PlanSpace("machine-rate", "none")),
    "dummies": (session(), PlanSpace("machine-rate", "machine")),
    "continuous": (session(), CONTINUOUS),
    "continuous_whole": (session(), QUICK),
    "shares_continuous": (session(count=1), CONTINUOUS),
    "resources_continuous": (session(power=3), CONTINUOUS),
    "resources_spare": (session(power=5, spare=1), WHOLE),
    "changes_continuous": (session(running=RUNNING), CONTINUOUS),
    "changes_continuous_whole": (session(running=RUNNING), QUICK),
    "at_least_coupled": (floors(spare=1), WHOLE),
    "at_least_continuous": (floors(), CONTINUOUS),
    "least_machines_unfilled": (
        replace(session(), least_machines={"m1": 3}),
        PlanSpace(dummy="none", charging="whole"),
    ),
    "least_coupled": (replace(session(running=RUNNING), least_machines={"m1": 3}), WHOLE),
    "share_continuous": (session(share="0.5"), CONTINUOUS),
    "packed_limits": (session(spare=1), PACKED),
}
"""An instance and a plan space that make a demand; those of policies of one's own need a file."""
OF_OWN_POLICIES = {"own_policies": PlanSpace(), "own_policies_filled": WHOLE}


@cache
def answer(name: str, demand: str) -> Result:
    """A solver's answer to a demand."""
    asking, space = ASKED[demand]
    return solve(asking, name, space=space, time_limit_s=20)


def test_each_demand_is_made_by_some_instance_and_plan_space():
    """A demand that nothing makes would never be refused."""
    assert {*ASKED, *OF_OWN_POLICIES} == set(NAMES)
    assert [name for name, (asking, space) in ASKED.items() if not by_name(name).asked(asking, space)] == []


def by_name(name: str):
    return next(demand for demand in DEMANDS if demand.name == name)


@pytest.mark.fifth("demand")
@pytest.mark.parametrize("demand", ASKED)
def test_who_covers_a_demand_plans_for_it_and_others_refuse(demand):
    """The matrix: refused exactly where the table says so, and no plan or bound contradicts another solver's."""
    asking, space = ASKED[demand]
    values, bounds = [], []
    for solver in solvers_of("session"):
        found = answer(solver.name, demand)
        assert (found.status is Status.INAPPLICABLE) == bool(solver.uncovered(asking, space)), (
            solver.name,
            found.reason,
        )
        assert found.status is not Status.ERROR, (solver.name, found.reason)
        if found.value is not None:
            values.append(float(found.value))
        if found.bound is not None:
            bounds.append(found.bound)
        if solver.kind == "exact" and found.status is not Status.INAPPLICABLE:
            assert found.status is Status.OPTIMAL, (solver.name, found.reason)
    assert not values or not bounds or max(bounds) <= min(values) * (1 + RELATIVE), (values, bounds)


@pytest.mark.parametrize("demand", OF_OWN_POLICIES)
def test_policies_of_ones_own_are_planned_for_or_refused(demand, tmp_path):
    """They come from a file, so the matrix has them apart; exact methods rest on the forms of policies."""
    (tmp_path / "own.py").write_text(OWN)
    space = replace(OF_OWN_POLICIES[demand], policy=f"{tmp_path / 'own.py'}:HOLD")
    asking = session()
    assert by_name(demand).asked(asking, space)
    for solver in solvers_of("session"):
        if ":" in solver.name:
            continue
        found = solve(asking, solver.name, space=space, time_limit_s=20)
        assert (found.status is Status.INAPPLICABLE) == bool(solver.uncovered(asking, space)), (
            solver.name,
            found.reason,
        )
        assert found.status is not Status.ERROR, (solver.name, found.reason)


@pytest.mark.parametrize("family", families(), ids=lambda family: family.name)
def test_solvers_name_only_demands_that_there_are(family):
    """A misspelt word in `covers` or `lacks` would be one that nothing asks for."""
    assumed = {demand.name for demand in family.demands if demand.assumed}
    others = {demand.name for demand in family.demands} - assumed
    # Solvers of other packages may cover more than this version asks for.
    assert {s.name: s.lacks - assumed for s in solvers_of(family.name) if s.lacks - assumed} == {}
    assert {s.name: s.covers - others for s in solvers_of(family.name) if s.covers - others} == {}


def test_a_meeting_of_two_demands_is_covered_only_where_both_are():
    """`milp` says nothing of a stock of shares under rule `continuous`: it has no such rule."""
    row = next(row for names, row in covered(find_family("session")).items() if "milp" in names)
    assert row[NAMES.index("shares")]
    assert not row[NAMES.index("shares_continuous")]


def test_a_refusal_names_who_covers_it():
    """The remedy follows from the table."""
    found = solve(ASKED["resources_spare"][0], "exact", space=ASKED["resources_spare"][1])
    assert found.reason == (
        "exact does not cover a capacity of a resource with spare machines; use cpsat or milp or plan-bruteforce"
    )


def test_a_refusal_names_first_who_is_made_for_it():
    """After the exact solver comes `whole-greedy`, whose record says that it is made for packed machines."""
    assert answer("milp", "packed").reason.endswith("; use exact or whole-greedy or harpagon")


@pytest.mark.fifth("demand")
@pytest.mark.parametrize("demand", ASKED)
def test_what_a_refusal_proposes_first_has_a_plan(demand):
    """For every refusal of every solver, the solver named first solves the instance under the named options."""
    asking, space = ASKED[demand]
    for solver in solvers_of("session"):
        found = answer(solver.name, demand)
        if found.status is Status.INAPPLICABLE:
            used = proposed(found.reason, space)
            assert (used and solve(asking, used[0], space=used[1], time_limit_s=20).value) is not None, found.reason


def proposed(reason: str, space: PlanSpace) -> tuple[str, PlanSpace] | None:
    """The solver and the plan space that a refusal names first; None if it names none."""
    said = re.search(r"; use (?:--(machines|dummy) (\w+) with )?(\S+)", reason)
    if said is None:
        return None
    option, value, name = said.groups()
    changes = {"charging" if option == "machines" else option: value} if option else {}
    return name, replace(space, **changes)


@pytest.mark.parametrize("family", families(), ids=lambda family: family.name)
def test_a_refusal_of_any_family_names_who_plans_or_that_nobody_does(family):
    """Own plan spaces count: the tiny instance under the full space and its variants, every solver that refuses it."""
    tiny, full = family.tiny(family.full_space)
    for space in (full, *(space for _, space in variants_of(tiny, full))):
        for solver in solvers_of(family.name):
            if solver.uncovered(tiny, space):
                said = remedy(tiny, lambda other, space=space: other.space_on(tiny, space))
                assert said.startswith("use "), (solver.name, space)
                name = said.split()[1]
                assert not solvers()[name].uncovered(tiny, solvers()[name].space_on(tiny, space))


def test_where_no_solver_and_no_option_does_a_refusal_says_so():
    """No option gives days spare machines."""
    tiny, _ = find_family("day").tiny(find_family("day").full_space)
    spare = replace(tiny, session=replace(tiny.session, spare_machines=1))
    assert solve(spare, "day-exact").reason == "day-exact does not cover spare machines; no solver does"


def test_the_page_has_the_table_as_it_is():
    """`make docs` writes it; without it the pages would miss a solver's new coverage."""
    before = PAGE.read_text(encoding="utf-8")
    subprocess.run([sys.executable, PAGE.parents[1] / "tools" / "who_covers_what.py"], check=True, capture_output=True)
    after = PAGE.read_text(encoding="utf-8")
    assert after == before
    assert all(demand_words(demand) in after for demand in DEMANDS)


def test_a_solver_covers_what_is_assumed_unless_it_lacks_it():
    """So a solver of a user's own need not know the words of this tree."""
    plain: AnySolver = replace(solvers()["harpagon"], covers=frozenset(), lacks=frozenset())
    assert [demand.name for demand in DEMANDS if not plain.takes_on(demand)] == [
        demand.name for demand in DEMANDS if not demand.assumed
    ]
