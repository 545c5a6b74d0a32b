from dataclasses import fields, replace
from fractions import Fraction

import pandas as pd
import pytest

from euclio.serving.dynamics.run import run
from euclio.serving.dynamics.world import draw_world
from euclio.workloads.session.scrooge_sessions import COMPARED, MOST_CLIENTS, draw_scrooge
from studies.readings import with_tried
from studies.scrooge.changing import WorldCase, named_session
from studies.scrooge.measures import GREEDY, MILP
from studies.scrooge.varied import (
    FACTORS,
    MADE,
    NO_ITEMS_PRINTED,
    NO_TIMES_PRINTED,
    OWN,
    PAIRS,
    VARIED,
    Inputs,
    draw_varied,
    in_words,
    inputs_of,
    made_rows,
    ratios,
    said,
    settings,
    varied_rows,
)
from studies.scrooge.varied_measures import (
    decision_movements,
    decision_readings,
    holding,
    outcomes,
)
from studies.scrooge.varied_text import varied_blocks

SEED = 20240917
BATCHED = {"traffic": "vehicle", "face": "detector", "tracker": "reid"}
"""A module of each application of which no time is printed."""


def module(session, name):
    return session.modules[session.index[name]]


def durations(session, name):
    return {(c.hardware, c.batch, c.concurrency): c.duration_s for c in module(session, name).profile}


def table(shares, decisions=70):
    """Decisions under settings, of which a share costs the same as the optimum; the others cost 2 % more."""
    rows = []
    for setting, (milp, greedy) in shares.items():
        for k in range(decisions):
            over = {s: 1.0 if k < round(x * decisions) else 1.02 for s, x in ((MILP, milp), (GREEDY, greedy))}
            rows.append({"setting": setting, "application": COMPARED[k % 3], "number": k, **over})
    return pd.DataFrame(rows)


@pytest.mark.parametrize("application", COMPARED)
def test_with_nothing_otherwise_it_is_the_very_decision_of_the_study(application):
    for number in (1, 2):
        assert draw_varied(application, SEED, number, OWN) == draw_scrooge(application, SEED, number).session


@pytest.mark.parametrize("application", COMPARED)
def test_inputs_that_change_no_profile_leave_all_profiles_as_they_are(application):
    """Profiles are made anew wherever any input is otherwise, which must not change a digit of them."""
    own = draw_varied(application, SEED, 1, OWN)
    found = draw_varied(application, SEED, 1, replace(OWN, rate=2.0, objective_ms=800))
    assert [m.profile for m in found.modules] == [m.profile for m in own.modules]
    assert [m.rate_rps for m in found.modules] == [2 * m.rate_rps for m in own.modules]
    assert found.slo_s == Fraction(4, 5)


@pytest.mark.parametrize(("application", "name"), NO_ITEMS_PRINTED)
def test_items_per_frame_are_those_of_the_module_that_no_number_is_printed_of(application, name):
    own, found = (draw_varied(application, SEED, 1, replace(OWN, items=x)) for x in (1.0, 4.0))
    factors = {m.name: m.rate_rps / module(own, m.name).rate_rps for m in found.modules}
    assert factors.pop(name) == 4
    assert set(factors.values()) == {1}


@pytest.mark.parametrize(("application", "name"), BATCHED.items())
def test_a_fixed_share_keeps_the_time_of_batch_one_and_splits_it(application, name):
    """With share 0 a batch of 8 takes 8 times as long alone; with share 1/2 (1 + 8) / 2 times."""
    own = durations(draw_varied(application, SEED, 1, OWN), name)
    for share, times in ((0.0, 8.0), (0.5, 4.5)):
        found = durations(draw_varied(application, SEED, 1, replace(OWN, fixed=share)), name)
        assert found["P100", 1, 1] == own["P100", 1, 1]
        assert float(found["P100", 8, 1] / own["P100", 1, 1]) == pytest.approx(times, rel=1e-4)


def test_modules_of_which_times_are_printed_are_left_alone():
    inputs = Inputs(duration=2.0, fixed=0.0, gain=0.0, fall=1.0)
    own, found = (draw_varied("traffic", SEED, 1, x) for x in (OWN, inputs))
    assert durations(found, "detector") == durations(own, "detector")
    assert "ssd_inception" not in NO_TIMES_PRINTED


def test_without_gain_concurrency_only_makes_batches_wait_for_each_other():
    found = durations(draw_varied("tracker", SEED, 1, Inputs(gain=0.0)), "reid")
    assert float(found["V100", 4, 3] / found["V100", 4, 1]) == pytest.approx(3, rel=1e-4)


def test_speeds_levels_clients_and_cpu_modules_are_set():
    session = draw_varied("tracker", SEED, 1, Inputs(faster=1.48, levels=0, clients=12, alone=0.5))
    own = draw_varied("tracker", SEED, 1, OWN)
    found = durations(session, "detector")
    assert float(found["P100", 2, 1] / found["V100", 2, 1]) == pytest.approx(1.48, rel=1e-4)
    assert {level for _, _, level in found} == {1, 2, 4}
    assert 12 * 15 <= module(session, "detector").rate_rps <= 12 * 40
    assert module(session, "crop").profile[0].duration_s * 2 == module(own, "crop").profile[0].duration_s


def test_worker_types_are_drawn_anew_for_every_decision_and_keep_the_one_without_a_gpu():
    first, second = (draw_varied("face", SEED, k, Inputs(types=5)) for k in (1, 2))
    assert len(first.hardware) == 6
    assert first.price["CPU"] == Fraction("0.83")
    assert first.price != second.price


def test_settings_differ_and_name_inputs():
    names = [in_words(setting) for setting in settings()]
    assert len(set(names)) == len(names) == 1 + sum(len(f.levels) for f in FACTORS) + sum(map(len, PAIRS))
    assert {factor.name for factor in FACTORS} == {field.name for field in fields(Inputs)}
    assert all(list(factor.levels) == sorted(factor.levels) and factor.own not in factor.levels for factor in FACTORS)
    assert inputs_of({}) == OWN
    assert len({inputs_of(setting) for setting in settings()}) == len(names)
    assert in_words({"fixed": 0.95, "gain": 4}) == "fixed=0.95, gain=4"
    assert "×0.25" in said({"rate": 0.25})


def test_an_input_that_is_not_printed_moves_a_share_across_the_printed_one():
    """Fixed shares 0 and 0.95: 98 and 43 % of 70 decisions; 85 lies in between, and the intervals are far apart."""
    found = table({"": (0.59, 0.33), "fixed=0": (0.98, 0.33), "fixed=0.5": (0.5, 0.33), "fixed=0.95": (0.43, 0.33)})
    moved = decision_movements(found)
    assert set(moved) == {"milp_same_share"}
    (one,) = moved["milp_same_share"]
    assert one.across(85.0)
    assert not one.across(40.0)


def test_an_input_that_is_printed_explains_nothing():
    found = table(
        {"": (0.59, 0.33), "objective_ms=1000": (1.0, 1.0), "clients=1": (1.0, 1.0), "clients=12": (0.1, 0.1)}
    )
    assert decision_movements(found) == {}


def test_shares_whose_intervals_meet_have_not_moved():
    """60 and 75 % of 70 decisions: intervals 48.3 to 70.7 and 63.5 to 83.7 meet."""
    assert decision_movements(table({"": (0.6, 0.3), "gain=0": (0.6, 0.3), "gain=4": (0.75, 0.3)})) == {}


def test_a_share_that_returns_is_across_nothing_in_between():
    """From 10 over 90 back to 40 %: the ends lie apart, but 85 lies between none of them."""
    found = table({"fixed=0": (0.1, 0.3), "fixed=0.5": (0.9, 0.3), "fixed=0.95": (0.4, 0.3)})
    (one,) = decision_movements(found)["milp_same_share"]
    assert not one.across(85.0)


def test_decisions_that_were_made_often_count_often():
    made = pd.DataFrame({"times": [3, 1], MILP: [1.0, 1.05], GREEDY: [1.0, float("nan")]})
    found = decision_readings(made)
    (milp,), (greedy,) = found["milp_same_share"], found["greedy_same_share"]
    assert (milp.measured.value, milp.measured.n) == (75, 4)
    # Where a method finds no plan, it does not cost the same.
    assert greedy.measured.value == 75
    assert found["milp_extra_max"][0].measured.value == pytest.approx(5)
    assert decision_readings(made[:0]) == {}


def test_settings_that_hold_both_printed_shares_are_named():
    found = outcomes(table({"": (0.59, 0.33), "fixed=0": (0.85, 0.8), "fall=1": (0.85, 0.3)}))
    assert holding(found, {MILP: 85.0, GREEDY: 80.0}) == ["fixed=0"]


def test_what_moves_a_share_says_from_where_to_where():
    shares = {"": (0.59, 0.33), "fixed=0": (0.98, 0.5), "fixed=0.95": (0.43, 0.4)}
    tables = {
        VARIED: table(shares),
        MADE: pd.DataFrame({"application": ["face"], "times": [1], MILP: [1.0], GREEDY: [1.0]}),
    }
    moved = decision_movements(tables[VARIED])
    assert any(one.across(85.0) for one in moved["milp_same_share"])
    assert not any(one.across(35.0) for one in moved["milp_same_share"])
    said = with_tried("scrooge", {}, {}, moved)["milp_same_share"]
    assert "(0 to 0.95; 2 values): 98.6 % to 42.9 %." in said
    assert len(varied_blocks(tables)) >= 4


def test_a_decision_costs_the_same_as_the_optimum_or_more():
    found = ratios(draw_varied("traffic", SEED, 1, OWN))
    assert all(value >= 1 - 1e-9 for value in found.values())
    assert ratios(draw_varied("traffic", SEED, 1, Inputs(duration=50.0))) is None


def test_decisions_of_a_changing_workload_are_those_that_its_coordinator_asks_for():
    record = run(draw_world("face", SEED, MOST_CLIENTS, 60), WorldCase("face").rules)
    rows = made_rows(named_session("face"), SEED, 60)
    # Few requests per second may have no plan, until the coordinator plans for more.
    assert 0 < sum(row["times"] for row in rows) <= len(record.questions) <= record.allocations
    assert 0 < len(rows) <= len(set(record.questions))
    assert all(row[MILP] >= 1 - 1e-9 for row in rows)


def test_many_worker_types_are_run_on_every_other_decision_alone(monkeypatch):
    monkeypatch.setattr("studies.scrooge.varied.settings", lambda: iter([{}, {"types": 2}]))
    sessions = [draw_scrooge("traffic", SEED, number).session for number in (1, 2)]
    found = [[row["setting"] for row in varied_rows(session, SEED, 2)] for session in sessions]
    assert found == [[""], ["", "types=2"]]
