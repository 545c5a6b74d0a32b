"""Resources with a capacity: what the checker counts, how they stand in files, what is said where they are too few."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from euclio.cli import main
from euclio.core.errors import InputError
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session import (
    Allocation,
    Configuration,
    Hardware,
    Module,
    ModulePlan,
    Plan,
    PlanSpace,
    Session,
    evaluate,
)
from euclio.problems.session.files.instances import session_from_text, session_to_text
from euclio.problems.session.resources import machine_limits, usable_stock
from euclio.proving.session.certifying import find_better

WHOLE, SHARE = PlanSpace(charging="whole"), PlanSpace()
LARGE, SMALL = Configuration("large", 2, 1, "0.1"), Configuration("small", 1, 1, "0.1")


def session(rate: str = "50", spare: int = 0, **resources: object) -> Session:
    """One module; a large machine takes 20 req/s and 400 W, a small one 10 req/s and 100 W."""
    hardware = [Hardware("large", 3, takes={"power": 400}), Hardware("small", 2, takes={"power": 100, "seats": "0.5"})]
    return Session(
        "capped", 1, hardware, [Module("m", rate, [LARGE, SMALL])], spare_machines=spare, resources=resources
    )


def plan_of(large: int, small: int, partial: str = "0") -> Plan:
    """Machines of either type, the last of the small ones with a partial machine."""
    return Plan((ModulePlan((Allocation(LARGE, large), Allocation(SMALL, small, Fraction(partial))), Fraction(0)),))


@pytest.mark.parametrize(
    ("space", "rate", "capacity", "partial", "fits"),
    [
        (WHOLE, "50", 900, "0", True),  # 2 large and 1 small: 2·400 + 100
        (WHOLE, "50", "899.9", "0", False),
        (WHOLE, "55", 1000, "5", True),  # a partial machine takes all that a whole one does
        (WHOLE, "55", 999, "5", False),
        (SHARE, "55", 950, "5", True),  # by share, half of it
        (SHARE, "55", "949.9", "5", False),
    ],
)
def test_the_checker_adds_up_what_machines_take(space, rate, capacity, partial, fits):
    """As many machines as the plan is charged for, each with what it takes."""
    checked = evaluate(session(rate, power=capacity), plan_of(2, 1, partial), space)
    assert checked.feasible == fits, checked.violations
    assert fits or "of power, and there is" in checked.violations[0]


def test_spare_machines_take_of_it_too():
    """One more of each type that is used: 900 W and 500 W on top."""
    assert evaluate(session(spare=1, power=1400), plan_of(2, 1), WHOLE).feasible
    assert evaluate(session(spare=1, power=1399), plan_of(2, 1), WHOLE).violations == (
        "the plan takes 1400 of power, and there is 1399",
    )


def test_a_stock_is_a_resource_of_which_each_machine_takes_one():
    """So all methods need rows of one kind only; what a type may have at most follows from all of them."""
    one = session(power=1000)
    stocked = replace(one, hardware=(replace(one.hardware[0], count=2), one.hardware[1]))
    assert [(limit.name, limit.takes) for limit in machine_limits(stocked)] == [
        ("large", {"large": 1}),
        ("power", {"large": 400, "small": 100}),
    ]
    assert usable_stock(stocked) == {"large": 2, "small": 10}
    assert usable_stock(session(power=950)) == {"large": 2, "small": 9}
    assert usable_stock(session(power=950), whole=False) == {"large": 3, "small": 10}


def test_files_hold_them_and_sessions_without_them_stay_as_they_were():
    """The fields are additive: what is not said is not written."""
    one = session(power="1000.5", seats=3)
    again = session_from_text(session_to_text(one))
    assert again == one
    assert json.loads(session_to_text(one))["resources"] == {"power": 1000.5, "seats": 3}
    bare = replace(one, resources={}, hardware=tuple(replace(h, takes={}) for h in one.hardware))
    assert "resources" not in session_to_text(bare)
    assert "takes" not in session_to_text(bare)


def test_a_resource_that_no_machine_takes_is_refused():
    """It would limit nothing, and is most likely misspelt."""
    with pytest.raises(InputError, match=r"resources\.powr: is taken by no hardware.*known: power, seats"):
        session(powr=3)


def test_where_there_is_too_little_it_is_said_how_much_would_do():
    """50 req/s on small machines alone take 500 W; 300 W are 200 W too few, which two small ones take."""
    found = solve(session(power=300), "exact", space=WHOLE)
    assert found.status is Status.INFEASIBLE
    assert found.reason == (
        "no plan meets the SLO with the resources (proven); 200 more of power, what 1 machine of large takes, would do"
    )


def test_the_cheapest_plan_takes_less_power_where_that_is_capped():
    """Without a cap 2 large and 1 small for 8 an hour; 700 W leave 1 large and 3 small for 9."""
    assert solve(session(), "exact", space=WHOLE).value == 8
    capped = solve(session(power=700), "exact", space=WHOLE)
    assert (capped.value, capped.status) == (9, Status.OPTIMAL)


@pytest.mark.parametrize("space", [WHOLE, SHARE])
def test_the_prover_keeps_them(space):
    """Without the cap there are plans that cost less, which it must not show as better."""
    forever, capped = float("inf"), session(power=700)
    least = solve(capped, "exact", space=space).value
    assert least > solve(session(), "exact", space=space).value
    assert find_better(capped, space, least, forever).exhausted
    assert find_better(capped, space, least + Fraction(1, 10**18), forever).plan is not None


def test_the_prover_leaves_them_out_by_share_under_rule_continuous():
    """Dummies of any rate leave more plans than can be listed, and what it found without the cap is refused."""
    found = find_better(session(power=700), PlanSpace(dummy="continuous"), Fraction(9), float("inf"))
    assert (found.plan, found.exhausted) == (None, False)
    assert "leaves out limits on machines" in found.reason


def test_the_option_changes_a_capacity_and_results_say_it(tmp_path, capsys):
    """`--resource`; `verify` applies it again."""
    file, result = tmp_path / "s.json", tmp_path / "r.json"
    file.write_text(session_to_text(session(power=2000)))
    options = [str(file), "--machines", "whole", "--resource", "power=700", "--out", str(result)]
    assert main(["solve", *options]) == 0
    assert "with 700 of power in all" in capsys.readouterr().out
    assert json.loads(result.read_text())["changes"] == {"resources": {"power": 700}}
    assert main(["verify", str(file), str(result)]) == 0


def test_a_resource_of_no_machine_is_refused_with_the_option(tmp_path, capsys):
    """Exit code 2 and one line that names the option and what there is."""
    file = tmp_path / "s.json"
    file.write_text(session_to_text(session()))
    assert main(["solve", str(file), "--resource", "watts=3"]) == 2
    assert "--resource: is taken by no hardware" in capsys.readouterr().err
