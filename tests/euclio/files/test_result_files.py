import json
from dataclasses import replace
from fractions import Fraction

import pytest
from bad_results import BAD_RESULTS
from tiny_sessions import answering, one_configuration_plan, tiny_session

from euclio import evaluate, solve
from euclio.core.errors import InputError
from euclio.core.numbers import exact_decimal_text
from euclio.core.result import Status
from euclio.files import load_result, result_to_text, save_result
from euclio.files.result_files import reasons_against
from euclio.problems.session import Allocation, Configuration, Hardware, Module, ModulePlan, Plan, PlanSpace, Session
from euclio.problems.session.changes import SessionChanges


def solved(session, **answer):
    return solve(session, answering(one_configuration_plan(session), **answer))


def written(tmp_path, change=lambda data: None, **answer):
    session = tiny_session()
    data = json.loads(result_to_text(solved(session, **answer), session))
    change(data)
    path = tmp_path / "result.json"
    path.write_text(json.dumps(data))
    return path


def test_written_result_gives_the_same_plan_and_space(tmp_path):
    session = tiny_session()
    result = solve(session, answering(one_configuration_plan(session)), policy="rr", max_allocations=2)
    save_result(result, session, tmp_path / "r.json")
    read = load_result(tmp_path / "r.json", session)
    assert (read.plan, read.space, read.value) == (result.plan, result.space, result.value)


def test_rates_that_do_not_end_as_decimals_are_accepted_when_read_again(tmp_path):
    module = Module("m", 100, [Configuration("x", 3, 1, "0.07")])
    session = Session("thirds", 10, [Hardware("x", 1)], [module])
    result = solve(session, answering(one_configuration_plan(session)))
    save_result(result, session, tmp_path / "r.json")
    read = load_result(tmp_path / "r.json", session)
    assert read.plan is not None
    assert evaluate(session, read.plan, read.space).feasible


def test_continuous_dummies_are_never_rounded_down(tmp_path):
    session = Session("thirds", 10, [Hardware("x", 1)], [Module("m", 10, [Configuration("x", 3, 1, "0.07")])])
    plan = one_configuration_plan(session)
    (module,) = plan.modules
    (allocation,) = module.allocations
    dummy = Fraction(1, 3)
    more = type(allocation)(allocation.configuration, allocation.machines, allocation.partial_rps + dummy)
    plan = type(plan)((type(module)((more,), dummy),))
    result = solve(session, answering(plan), space=PlanSpace(dummy="continuous"))
    save_result(result, session, tmp_path / "r.json")
    read = load_result(tmp_path / "r.json", session)
    assert dummy <= read.plan.modules[0].dummy_rps <= dummy * (1 + Fraction(1, 10**12))


def continuous(rate, dummy, duration="0.07"):
    """A result on one partial machine under rule `continuous`, at a dummy rate of one's own."""
    c = Configuration("x", 3, 1, duration)
    session = Session("one", 10, [Hardware("x", 1)], [Module("m", rate, [c])])
    plan = Plan((ModulePlan((Allocation(c, 0, session.modules[0].rate_rps + dummy),), dummy),))
    return session, solve(session, answering(plan), space=PlanSpace(dummy="continuous"))


@pytest.mark.parametrize("rate", ["10", "1e-6", "1e-12"])
@pytest.mark.parametrize(
    "dummy",
    [Fraction(1, 3), Fraction(5, 8), Fraction(10**200 + 1, 3 * 10**200 + 7), Fraction("0.5") + Fraction(7, 10**45)],
)
def test_dummy_rate_is_read_as_it_was_chosen(tmp_path, rate, dummy):
    """Next to a partial machine it is part of the plan; fifteen digits of it were another plan."""
    session, result = continuous(rate, dummy)
    assert result.reason == ""
    save_result(result, session, tmp_path / "r.json")
    read = load_result(tmp_path / "r.json", session)
    assert read.plan == result.plan
    assert reasons_against(session, read, evaluate(session, read.plan, read.space)) == []


def test_dummy_rate_that_no_file_holds_is_refused_by_the_checker():
    """What the checker accepts can be written exactly."""
    _, result = continuous("10", Fraction(10**2001 + 1, 3 * 10**2001))
    assert (result.status, "more than 2000 digits" in result.reason) == (Status.ERROR, True)


@pytest.mark.parametrize("policy", ["tc", "in-turn", "rr-even"])
@pytest.mark.parametrize("rate", ["0.001", "1e-6", "1e-12", "7.3e-9"])
def test_module_that_is_called_rarely_keeps_its_plan(tmp_path, rate, policy):
    """A full machine is nearly all dummies: fifteen digits of these are off by more than a billionth of the rate."""
    c = Configuration("x", 32, 1, "0.013")
    session = Session("rare", 1, [Hardware("x", "3.15")], [Module("m", rate, [c])])
    dummy = c.throughput_rps - session.modules[0].rate_rps
    result = solve(session, answering(Plan((ModulePlan((Allocation(c, 1),), dummy),))), policy=policy)
    save_result(result, session, tmp_path / "r.json")
    read = load_result(tmp_path / "r.json", session)
    assert read.plan == result.plan
    assert reasons_against(session, read, evaluate(session, read.plan, read.space)) == []


def test_result_of_fifteen_digits_is_still_read(tmp_path):
    """As earlier versions wrote it: a dummy rate of 2461.53746153846 for 0.001 requests per second."""
    c = Configuration("x", 32, 1, "0.013")
    session = Session("rare", 1, [Hardware("x", "3.15")], [Module("m", "0.001", [c])])
    dummy = c.throughput_rps - session.modules[0].rate_rps
    result = solve(session, answering(Plan((ModulePlan((Allocation(c, 1),), dummy),))))
    data = json.loads(result_to_text(result, session))
    data["plan"]["modules"][0]["dummy_rps"] = 2461.53746153846
    (tmp_path / "r.json").write_text(json.dumps(data))
    assert load_result(tmp_path / "r.json", session).plan == result.plan


def test_value_of_more_digits_than_are_read_is_rounded(tmp_path):
    """A price of 4 digits, a duration of 17 and a rate of 20 make a cost of 41 characters."""
    c = Configuration("x", 32, 1, "0.0912345678901234567")
    rate = "123.45678901234567890"
    session = Session("measured", 10, [Hardware("x", "0.1578")], [Module("m", rate, [c])])
    result = solved(session)
    assert exact_decimal_text(result.value) is None
    save_result(result, session, tmp_path / "r.json")
    read = load_result(tmp_path / "r.json", session)
    assert reasons_against(session, read, evaluate(session, read.plan, read.space)) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"rate_rps": Fraction(1000, 3)},
        {"slo_s": Fraction(22, 7), "headroom": Fraction(1, 3)},
        {"price_per_h": {"V100": Fraction(1, 7)}, "largest_share": {"P100": Fraction(2, 3)}},
        {"resources": {"r": Fraction(99)}, "takes": {"r": {"P100": Fraction(1, 3)}}, "largest_share": {"P100": 1}},
    ],
)
def test_changes_are_read_as_they_were_made(tmp_path, changes):
    """In Python they may be thirds; rounded, they made another instance, whose plan was refused."""
    made = SessionChanges(**changes)
    session = made.applied_to(tiny_session())
    result = replace(solve(session, "milp" if "largest_share" in changes else "harpagon"), changes=made)
    assert result.value is not None
    save_result(result, session, tmp_path / "r.json")
    read = load_result(tmp_path / "r.json", tiny_session())
    assert (read.changes, read.changed, read.plan) == (made, session, result.plan)


def test_claim_that_is_no_number_is_written_as_null(tmp_path):
    assert json.loads(written(tmp_path, claimed=float("nan")).read_text())["claimed_cost_per_h"] is None


def test_result_without_plan_is_read(tmp_path):
    session = tiny_session()
    result = solve(session, answering(None, infeasible=True))
    save_result(result, session, tmp_path / "r.json")
    assert load_result(tmp_path / "r.json", session).plan is None


@pytest.mark.parametrize("field", ["cost_per_h", "claimed_cost_per_h", "bound_per_h", "wall_s"])
@pytest.mark.parametrize(
    ("number", "words"),
    [("1e400", "ordinary size"), ("-1e-400", "ordinary size"), ("1" * 41, "41 characters"), ("NaN", "finite")],
)
def test_number_that_no_float_holds_is_refused(tmp_path, field, number, words):
    """Values are compared as floats, so that one beyond them ended as an internal error."""
    path = written(tmp_path, lambda data: data.update({field: "here"}))
    path.write_text(path.read_text().replace('"here"', number))
    with pytest.raises(InputError, match=words) as caught:
        load_result(path, tiny_session())
    assert (caught.value.file, caught.value.field) == (str(path), field)


@pytest.mark.parametrize("case", BAD_RESULTS)
def test_bad_result_names_file_field_and_remedy(tmp_path, case):
    change, field, words = BAD_RESULTS[case]
    path = written(tmp_path, change)
    with pytest.raises(InputError) as caught:
        load_result(path, tiny_session())
    assert (caught.value.file, caught.value.field) == (str(path), field)
    assert words in caught.value.message
