"""The setup that shows a stated attainment: of a result as it is returned, and as it is read."""

from dataclasses import replace

import pytest
from worked_examples import M_3, module

from euclio import simulate as run
from euclio import solve
from euclio.core.errors import InputError
from euclio.files import load_result, save_result
from euclio.problems.session import Hardware, Session
from euclio.serving.attainment import planned_setup, setup_of, solve_attaining
from euclio.serving.attainment.demand import Demand, ModuleObjective
from euclio.serving.attainment.served import as_planned, planned_modules, planned_service, planned_words, same_service
from euclio.serving.session import Setup, simulate

SESSION = Session("one", "1.4", [Hardware("gpu", 1)], [module("b", 60, M_3)])
SETUPS = [
    Setup(),
    Setup("gamma", cv=1.5, dispatch="pull"),
    Setup("on-off", on_s=3.0, off_s=0.2, timeout_s=0.3, noise=0.1),
    Setup("poisson", timeout_s=float("inf"), hold=True, dropping="hopeless"),
]


@pytest.mark.slow
@pytest.mark.parametrize("asked", SETUPS)
def test_it_gives_at_least_what_is_stated(asked, tmp_path):
    result = solve_attaining(SESSION, "harpagon", 0.9, asked)
    setup = setup_of(result)
    assert simulate(SESSION, result.plan, setup, result.space).attainment >= result.stats["attainment_at_least"]
    assert (setup.dummies, setup.partial, setup.noise, setup.hold) == (False, "shared", asked.noise, asked.hold)
    save_result(result, SESSION, tmp_path / "result.json")
    assert setup_of(load_result(tmp_path / "result.json", SESSION)) == setup


def test_timestamps_have_to_be_given():
    times = tuple(float(k) for k in range(200))
    result = solve_attaining(SESSION, "harpagon", 0.9, Setup("trace", trace_s=times))
    assert setup_of(result, times).trace_s == times
    with pytest.raises(InputError, match="timestamps: are 200, not 0; give the trace"):
        setup_of(result)


def test_a_plan_that_was_not_asked_for_one_has_none():
    with pytest.raises(InputError, match=r"options\.attainment: is not stated"):
        setup_of(solve(SESSION))


def test_what_is_served_otherwise_is_known():
    result = solve_attaining(SESSION, "harpagon", 0.9)
    setup = setup_of(result)
    assert same_service(result, setup)
    assert same_service(result, replace(setup, seconds=5, seed=1, load=0.5, dispatch=None))
    for other in ({"dummies": True}, {"partial": "alone"}, {"timeout_s": 1.0}, {"dispatch": "pull"}, {"noise": 0.2}):
        assert not same_service(result, replace(setup, **other))
    assert same_service(solve(SESSION), setup)


@pytest.mark.parametrize("stated", [{"arrivals": "never"}, {"noise": [1]}, {"cv": -1}, {"on_s": "x"}, 7, []])
def test_a_file_that_states_no_setup_is_bad_input(stated):
    result = solve(SESSION)
    with pytest.raises(InputError, match=r"options\.attainment"):
        setup_of(replace(result, options={**result.options, "attainment": stated}))


def test_every_result_states_what_it_was_planned_for(tmp_path):
    # A plan that was asked for no attainment is one for evenly spaced requests, dealt out as its policy stands for.
    for policy, dispatch in (("tc", "rounds"), ("rr", "requests")):
        result = solve(SESSION, policy=policy)
        save_result(result, SESSION, tmp_path / "result.json")
        read = load_result(tmp_path / "result.json", SESSION)
        assert read.planned_for == result.planned_for
        assert planned_setup(read) == planned_setup(result)
        assert planned_setup(result) == Setup("uniform", dispatch=dispatch)
        assert result.planned_for["attainment"] == 1


def test_a_plan_for_even_arrivals_is_still_tried_with_random_ones():
    # Whether it holds is the question; all else is as its policy stands for, deployed, and the line says so.
    result = solve(SESSION)
    simulation = run(SESSION, result, seconds=2)
    assert (simulation.setup.arrivals, simulation.setup.dummies) == ("poisson", False)
    assert run(SESSION, result, seconds=2, dummies=True).setup.dummies
    even = "served as planned (even arrivals, rounds, dummies sent, partial machines alone)"
    assert as_planned(result, simulation.setup) == f"{even} but for: Poisson arrivals"
    assert as_planned(result, Setup("uniform")) == even.replace(" (", ": ").removesuffix(")")


@pytest.mark.parametrize("stated", [{"arrivals": "never"}, {"noise": [1]}, {"attainment": "x", "dispatch": 7}])
def test_a_record_that_is_no_setup_is_bad_input(stated):
    result = replace(solve(SESSION), planned_for=stated)
    with pytest.raises(InputError, match="planned_for"):
        run(SESSION, result)


@pytest.mark.slow
def test_a_plan_for_a_trace_wants_it_again():
    # The result does not hold the timestamps: without them random requests come, in what serves as planned.
    times = tuple(float(k) for k in range(200))
    result = solve_attaining(SESSION, "harpagon", 0.9, Setup("trace", trace_s=times))
    assert run(SESSION, result, seconds=2).setup.arrivals == "poisson"
    shown = run(SESSION, result, trace=times, seconds=2).setup
    assert (shown.arrivals, shown.dummies, shown.partial) == ("trace", False, "shared")


@pytest.mark.parametrize("value", ["evil.py", "", 1, 0.5, None, [], {}])
@pytest.mark.parametrize("name", ["hold", "dummies"])
def test_a_switch_is_true_or_false_and_nothing_else(name, value):
    """Python takes any value for true or false, and what came of it was an internal error far from the file."""
    result = solve(SESSION)
    result = replace(result, planned_for={**result.planned_for, name: value})
    with pytest.raises(InputError, match=f"{name} is .*; give true or false"):
        planned_setup(result)


def with_objective(*, stated=True):
    """A result that was asked for 90 % through b within 1.5 s, as current versions state it, or older ones."""
    result, own = solve(SESSION), ModuleObjective("b", 0.9, 1.5)
    demand = Demand(0.95, Setup(), (own,))
    kept = {**own.describe(), "kept": 0.93, "kept_at_least": 0.92}
    asked = demand.describe(result.space.policy) | {"modules": [kept]}
    result = replace(result, options={**result.options, "attainment": asked})
    planned = planned_service(replace(result, planned_for={}))
    assert planned["modules"] == [own.describe()]
    return replace(result, planned_for=planned if stated else {k: v for k, v in planned.items() if k != "modules"})


@pytest.mark.parametrize("stated", [True, False])
def test_a_simulation_says_which_objectives_of_modules_were_planned_for(stated):
    """Results of earlier versions have them among their options alone."""
    result = with_objective(stated=stated)
    assert planned_modules(result) == (ModuleObjective("b", 0.9, 1.5),)
    line = as_planned(result, planned_setup(result))
    assert line.endswith("partial machines shared; planned for 90 % through b within 1,500.0 ms")


def test_what_a_plan_was_made_for_names_the_objectives_of_modules():
    words = planned_words(with_objective().planned_for)
    assert words.startswith("95 % in time, 90 % through b within 1,500.0 ms, under Poisson arrivals, rounds")


def test_objectives_of_modules_that_differ_from_the_options_are_refused():
    result = with_objective()
    other = [{"module": "b", "share": 0.9, "seconds": 1}]
    with pytest.raises(InputError, match=r"planned_for\.modules: are others than those of options\.attainment"):
        as_planned(replace(result, planned_for={**result.planned_for, "modules": other}), planned_setup(result))


@pytest.mark.parametrize("stated", [7, [7], [{"module": "b"}], [{"module": "b", "share": "x", "seconds": 1}]])
def test_a_record_that_is_no_objectives_of_modules_is_bad_input(stated):
    with pytest.raises(InputError, match=r"planned_for\.modules: are no objectives of modules"):
        planned_words({**with_objective().planned_for, "modules": stated})
