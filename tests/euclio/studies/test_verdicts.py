"""Verdicts are given by rules: which one holds first, what it says, and what a study may not state."""

from dataclasses import replace

import pytest

from euclio.analysis.statistics import Measured
from euclio.papers.published import published_figures
from euclio.posterior.moving import Moved
from euclio.studies.evidence import contradictions, gathered
from euclio.studies.verdicts import (
    NOTHING,
    Contradiction,
    Evidence,
    Judged,
    OtherReading,
    Predicted,
    Quotation,
    Stated,
    Verdict,
    judge,
)

FAR = Measured(50.0, 45.0, 55.0, 100)
NEAR = Measured(50.0, 48.0, 52.0, 1000)
SETTINGS = Predicted(8.0, 20.0, 4.0, 40.0, 1.0, 90.0)
OTHER = OtherReading("What is compared", "whole plans", Measured(10.5, 10.2, 10.8, 100))
GAIN = Moved("gain (0.3 to 2)", 0.6, 5.0, 30.0)


def verdict(value: float = 10.0, evidence: Evidence = NOTHING, role: str = "check") -> Judged:
    return judge(role, value, "%", FAR, evidence)


@pytest.mark.parametrize(
    ("measured", "found"),
    [
        (Measured(10.0, 9.5, 10.5, 1000), Verdict.AGREES),
        (Measured(10.0, 8.5, 11.5, 1000), Verdict.UNDECIDED),
        (Measured(10.5), Verdict.UNDECIDED),
        (Measured(12.0, 11.5, 12.5, 1000), Verdict.UNEXPLAINED),
        (Measured(float("nan"), 0.0, 100.0), Verdict.UNDECIDED),
    ],
)
def test_agreement_is_shown_left_open_or_refuted_by_the_interval(measured, found):
    assert judge("check", 10.0, "%", measured).verdict == found


def test_nothing_known_is_unexplained():
    assert verdict() == Judged(Verdict.UNEXPLAINED)


def test_settings_own_interval_comes_before_the_models_error():
    own, rough = (verdict(value, Evidence(predicted=SETTINGS)) for value in (10.0, 30.0))
    assert (own.verdict, own.roughly) == (Verdict.WITHIN, False)
    assert (rough.verdict, rough.roughly) == (Verdict.WITHIN, True)
    assert own.because == "Consistent settings give 8.0 to 20.0 %."
    assert "4.0 to 40.0 % with the model's error, which alone holds it" in rough.because


def test_a_value_outside_both_intervals_is_not_within():
    assert verdict(70.0, Evidence(predicted=SETTINGS)).verdict == Verdict.UNEXPLAINED


def test_another_reading_has_to_meet_the_published_value():
    assert verdict(evidence=Evidence(readings=(OTHER,))).because == "What is compared: whole plans (10.5 %)."
    for measured in (Measured(12.0, 11.9, 12.1, 100), Measured(10.5), Measured(10.5, 8.0, 13.0, 100)):
        missed = replace(OTHER, measured=measured)
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


def test_a_run_time_is_another_machines_even_where_it_is_equal():
    assert judge("time", 50.0, "%", FAR, Evidence(SETTINGS)).verdict == Verdict.OTHER_MACHINE


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("cannot both hold", Verdict.CONTRADICTS), ("odd", Verdict.AGREES), ("tension", Verdict.AGREES)],
)
@pytest.mark.parametrize("role", ["check", "doubtful"])
def test_only_what_cannot_both_hold_contradicts_whatever_its_role(kind, expected, role):
    printed = (Contradiction(kind, (Quotation("Piccolo", "§IV", "the same"),), "Both cannot hold."),)
    assert judge(role, 50.0, "%", NEAR, Evidence(SETTINGS, contradictions=printed)).verdict == expected


def test_an_input_that_came_out_as_set_is_no_check_and_one_that_did_not_is_not_as_set():
    assert judge("input", 50.0, "%", NEAR).verdict == Verdict.INPUT
    assert judge("input", 10.0, "%", NEAR).verdict == Verdict.UNEXPLAINED


def test_to_lie_within_is_not_said_where_it_tells_nothing_nor_of_all():
    withdrawn = replace(SETTINGS, telling=False, error_telling=False)
    assert verdict(evidence=Evidence(withdrawn)).verdict == Verdict.UNEXPLAINED
    rough = replace(SETTINGS, error_telling=False)
    assert verdict(30.0, Evidence(rough)).verdict == Verdict.UNEXPLAINED
    assert judge("check", 10.0, "%", FAR, Evidence(SETTINGS), "all").verdict == Verdict.UNEXPLAINED


def test_chance_stands_next_to_what_lies_within():
    told = verdict(evidence=Evidence(replace(SETTINGS, chance=0.55)))
    assert (
        told.because
        == "Consistent settings give 8.0 to 20.0 %, which would hold the number of 55 % of random settings."
    )


def test_a_study_states_a_verdict_only_where_no_rule_has_one():
    stated = Stated(Verdict.OTHER_READING, "Their figure is of whole machines.")
    assert verdict(evidence=Evidence(stated=stated)) == Judged(Verdict.OTHER_READING, stated.because)
    assert judge("check", 50.0, "%", NEAR, Evidence(stated=stated)).verdict == Verdict.AGREES


@pytest.mark.parametrize("sweep", [None, replace(GAIN, correlation=0.1), replace(GAIN, high=9.0)])
def test_profiles_are_not_stated_without_a_sweep_that_crosses_the_value(sweep):
    with pytest.raises(ValueError, match="no parameter is named that moves the number across 10"):
        verdict(evidence=Evidence(stated=Stated(Verdict.PROFILES, "Unknown profiles.", sweep)))


def test_profiles_are_stated_with_a_measured_sweep():
    found = verdict(evidence=Evidence(stated=Stated(Verdict.PROFILES, "Swept here.", GAIN)))
    assert found.because == "Swept here. gain (0.3 to 2) moves it from 5.0 % to 30.0 % (rank correlation +0.60)."


@pytest.mark.parametrize("paper", ["harpagon", "piccolo", "scrooge"])
def test_every_doubtful_figure_is_quoted(paper):
    found = contradictions(paper)
    doubtful = {f.key for f in published_figures(paper) if f.role == "doubtful"}
    assert doubtful
    assert doubtful <= set(found)


def test_quotations_name_paper_and_section():
    assert "“Harp-nb has the highest serving cost" in str(contradictions("harpagon")["nb_mean_extra"][0].quotes[2])


def test_a_paper_without_posterior_has_evidence_of_its_own_alone(tmp_path):
    figures = published_figures("scrooge")
    key = figures[0].key
    found = gathered("scrooge", figures, {key: [OTHER]}, {}, folder=tmp_path)
    assert list(found) == [figure.key for figure in figures]
    assert found[key] == Evidence(readings=(OTHER,), contradictions=found[key].contradictions)
