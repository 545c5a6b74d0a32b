"""Verdicts are given by rules: which one holds first, what it says, and what a study may not state."""

from dataclasses import replace

import pytest

from euclio.analysis.statistics import Measured
from euclio.studies.evidence import contradictions, gathered
from euclio.studies.scorecard import COUNTED, published_figures
from euclio.studies.verdicts import (
    NOTHING,
    Evidence,
    Judged,
    Moved,
    OtherReading,
    Predicted,
    Stated,
    Verdict,
    judge,
    met,
)

FAR = Measured(50.0, 45.0, 55.0, 100)
SETTINGS = Predicted(8.0, 20.0, 4.0, 40.0, 1.0, 90.0)
OTHER = OtherReading("What is compared", "whole plans", Measured(10.5))
GAIN = Moved("gain (0.3 to 2)", 0.6, 5.0, 30.0)


def verdict(value: float = 10.0, evidence: Evidence = NOTHING, role: str = "check") -> Judged:
    return judge(role, value, "%", FAR, evidence)


@pytest.mark.parametrize(
    ("measured", "agrees"),
    [
        (Measured(10.9), True),
        (Measured(11.1), False),
        (Measured(20.0, 9.0, 31.0), True),
        (Measured(20.0, 11.0, 31.0), False),
        (Measured(float("nan"), 0.0, 100.0), False),
    ],
)
def test_agreement_is_a_tenth_or_the_interval(measured, agrees):
    assert met(10.0, measured) == agrees
    assert (judge("check", 10.0, "%", measured).verdict == Verdict.AGREES) == agrees


def test_nothing_known_is_unexplained():
    assert verdict() == Judged(Verdict.UNEXPLAINED)


def test_settings_own_interval_comes_before_the_models_error():
    own, rough = (verdict(value, Evidence(predicted=SETTINGS)) for value in (10.0, 30.0))
    assert (own.verdict, own.roughly) == (Verdict.WITHIN, False)
    assert (rough.verdict, rough.roughly) == (Verdict.WITHIN, True)
    assert own.because == "Consistent settings give 8.0 to 20.0 %."
    assert "4.0 to 40.0 % with the model's error, which alone holds it" in rough.because


def test_a_value_outside_both_intervals_is_not_within():
    assert verdict(41.0, Evidence(predicted=SETTINGS)).verdict == Verdict.UNEXPLAINED


def test_another_reading_has_to_meet_the_published_value():
    assert verdict(evidence=Evidence(readings=(OTHER,))).because == "What is compared: whole plans (10.5 %)."
    missed = replace(OTHER, measured=Measured(12.0))
    assert verdict(evidence=Evidence(readings=(missed,))).verdict == Verdict.UNEXPLAINED


@pytest.mark.parametrize(
    ("moved", "explains"),
    [
        (GAIN, True),
        (replace(GAIN, correlation=-0.3), True),
        (replace(GAIN, correlation=0.29), False),
        (replace(GAIN, low=11.0), False),
        (replace(GAIN, low=30.0, high=5.0), True),
    ],
)
def test_profiles_explain_only_what_a_named_parameter_moves_across(moved, explains):
    found = verdict(evidence=Evidence(moved=(moved,)))
    assert (found.verdict == Verdict.PROFILES) == explains
    assert ("gain (0.3 to 2) moves it from" in found.because) == explains


def test_rules_are_tried_in_the_order_of_the_list():
    everything = Evidence(SETTINGS, (GAIN,), (OTHER,), stated=Stated(Verdict.OTHER_MACHINE, "slower"))
    expected = [Verdict.WITHIN, Verdict.OTHER_READING, Verdict.PROFILES, Verdict.OTHER_MACHINE]
    found = []
    for nothing in ({}, {"predicted": None}, {"readings": ()}, {"moved": ()}):
        everything = replace(everything, **nothing)
        found.append(verdict(evidence=everything).verdict)
    assert found == expected


def test_what_names_a_cause_comes_before_the_models_error():
    only_roughly = replace(SETTINGS, low=11.0, high=20.0)
    assert verdict(evidence=Evidence(only_roughly)).roughly
    assert verdict(evidence=Evidence(only_roughly, (GAIN,), (OTHER,))).verdict == Verdict.OTHER_READING
    assert verdict(evidence=Evidence(only_roughly, (GAIN,))).verdict == Verdict.PROFILES


@pytest.mark.parametrize(("role", "expected"), [("time", Verdict.OTHER_MACHINE), ("inconsistent", Verdict.CONTRADICTS)])
def test_roles_decide_on_run_times_and_contradictions_even_where_the_figure_agrees(role, expected):
    assert judge(role, 50.0, "%", FAR, Evidence(SETTINGS)).verdict == expected


def test_a_study_states_a_verdict_only_where_no_rule_has_one():
    stated = Stated(Verdict.OTHER_READING, "Their figure is of whole machines.")
    assert verdict(evidence=Evidence(stated=stated)) == Judged(Verdict.OTHER_READING, stated.because)
    assert judge("check", 50.0, "%", FAR, Evidence(stated=stated)).verdict == Verdict.AGREES


@pytest.mark.parametrize("sweep", [None, replace(GAIN, correlation=0.1), replace(GAIN, high=9.0)])
def test_profiles_are_not_stated_without_a_sweep_that_crosses_the_value(sweep):
    with pytest.raises(ValueError, match="no parameter is named that moves the figure across 10"):
        verdict(evidence=Evidence(stated=Stated(Verdict.PROFILES, "Unknown profiles.", sweep)))


def test_profiles_are_stated_with_a_measured_sweep():
    found = verdict(evidence=Evidence(stated=Stated(Verdict.PROFILES, "Swept here.", GAIN)))
    assert found.because == "Swept here. gain (0.3 to 2) moves it from 5.0 % to 30.0 % (rank correlation +0.60)."


@pytest.mark.parametrize("paper", ["harpagon", "piccolo"])
def test_every_figure_that_contradicts_another_one_is_quoted(paper):
    found = contradictions(paper)
    inconsistent = {f.key for f in published_figures(paper) if f.role not in (*COUNTED, "time")}
    assert inconsistent <= set(found)
    assert "“Harp-nb has the highest serving cost" in str(contradictions("harpagon")["nb_mean_extra"][0].quotes[2])


def test_a_paper_without_posterior_has_evidence_of_its_own_alone(tmp_path):
    figures = published_figures("scrooge")
    key = figures[0].key
    found = gathered("scrooge", figures, {key: [OTHER]}, {}, tmp_path)
    assert list(found) == [figure.key for figure in figures]
    assert found[key] == Evidence(readings=(OTHER,), contradictions=found[key].contradictions)
