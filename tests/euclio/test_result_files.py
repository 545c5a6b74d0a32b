import json
from fractions import Fraction

import pytest
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


def edit(*path_and_value):
    *path, last, value = path_and_value

    def change(data):
        for key in path:
            data = data[key]
        data[last] = value

    return change


def drop(*path):
    *path, last = path

    def change(data):
        for key in path:
            data = data[key]
        del data[last]

    return change


ALLOCATION = ("plan", "modules", 0, "allocations", 0)

BAD_RESULTS = {
    "another instance": (edit("instance", "other"), "instance", "give the result of this instance"),
    "a session": (edit("schema", "euclio/session/1"), "schema", "euclio/result/1 is needed"),
    "unknown policy": (edit("options", "policy", "fifo"), "options.policy", "one of tc, tc-shared, rr, machine-rate"),
    "unknown rule": (edit("options", "dummy", "all"), "options.dummy", "one of none, machine, continuous"),
    "unknown option": (edit("options", "polcy", "tc"), "options.polcy", "unknown field"),
    "unknown status": (edit("status", "done"), "status", "one of optimal"),
    "unknown hardware": (edit("options", "hardware", ["T4"]), "options.hardware[0]", "one of V100, P100"),
    "no allocation limit": (edit("options", "max_allocations", 0), "options.max_allocations", "at least 1"),
    "unknown module": (edit("plan", "modules", 0, "name", "track"), "plan.modules[0].name", "not in the instance"),
    "module twice": (edit("plan", "modules", 1, "name", "detect"), "plan.modules[1].name", "listed twice"),
    "module missing": (drop("plan", "modules", 1), "plan.modules", "'classify' is missing"),
    "rate without unit": (edit(*ALLOCATION, "partial", 1), "plan.modules[0].allocations[0].partial", "unknown field"),
    "half a machine": (edit(*ALLOCATION, "machines", 0.5), "plan.modules[0].allocations[0].machines", "whole number"),
    "zero batch": (edit(*ALLOCATION, "batch", 0), "plan.modules[0].allocations[0].batch", "from 1"),
    "missing rate": (drop(*ALLOCATION, "partial_rps"), "plan.modules[0].allocations[0].partial_rps", "is missing"),
    "plan as text": (edit("plan", "none"), "plan", "must be an object"),
}


@pytest.mark.parametrize("case", BAD_RESULTS)
def test_bad_result_names_file_field_and_remedy(tmp_path, case):
    change, field, words = BAD_RESULTS[case]
    path = written(tmp_path, change)
    with pytest.raises(InputError) as caught:
        load_result(path, tiny_session())
    assert (caught.value.file, caught.value.field) == (str(path), field)
    assert words in caught.value.message
