import json
from fractions import Fraction

import pytest
from bad_results import BAD_RESULTS
from tiny_sessions import answering, one_configuration_plan, tiny_session

from euclio import evaluate, solve
from euclio.core.errors import InputError
from euclio.files import load_result, result_to_text, save_result
from euclio.session import Configuration, Hardware, Module, PlanSpace, Session


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


def test_claim_that_is_no_number_is_written_as_null(tmp_path):
    assert json.loads(written(tmp_path, claimed=float("nan")).read_text())["claimed_cost_per_h"] is None


def test_result_without_plan_is_read(tmp_path):
    session = tiny_session()
    result = solve(session, answering(None, infeasible=True))
    save_result(result, session, tmp_path / "r.json")
    assert load_result(tmp_path / "r.json", session).plan is None


@pytest.mark.parametrize("case", BAD_RESULTS)
def test_bad_result_names_file_field_and_remedy(tmp_path, case):
    change, field, words = BAD_RESULTS[case]
    path = written(tmp_path, change)
    with pytest.raises(InputError) as caught:
        load_result(path, tiny_session())
    assert (caught.value.file, caught.value.field) == (str(path), field)
    assert words in caught.value.message
