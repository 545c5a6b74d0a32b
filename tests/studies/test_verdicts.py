"""Four words of a printed number: which one it has, why, and that nothing else decides it."""

import pytest

from euclio.report.analysis.statistics import Measured
from studies import registered
from studies.agreement import Verdict
from studies.papers.published import Published, published_figures
from studies.readings import Moved, OtherReading, with_tried
from studies.scorecard import Contradiction, Score, contradictions, scorecard

FAR, NEAR = Measured(50.0, 45.0, 55.0, 100), Measured(10.0, 9.5, 10.5, 1000)
NO = Contradiction("cannot both hold", ("“the same” (Piccolo §IV)",), "Both cannot hold.")
TENSE = Contradiction("tension", ("“the same” (Piccolo §IV)",), "Both hardly hold.")


def score(measured=FAR, role="check", reason="By application: all.", kind="", **known):
    return Score(Published("a", 10.0, "%", "Tiny §1", role, "a number", kind), measured, reason, **known)


@pytest.mark.parametrize(
    ("measured", "found"),
    [
        (NEAR, Verdict.AGREES),
        (Measured(10.0, 8.5, 11.5, 1000), Verdict.UNDECIDED),
        (Measured(10.5), Verdict.UNDECIDED),
        (Measured(12.0, 11.5, 12.5, 1000), Verdict.OFF),
        (Measured(float("nan"), 0.0, 100.0), Verdict.UNDECIDED),
    ],
)
@pytest.mark.parametrize("role", ["check", "fit", "doubtful"])
def test_a_compared_number_has_the_word_of_the_test_of_equivalence(measured, found, role):
    assert score(measured, role).verdict == found


def test_what_settings_give_decides_nothing():
    assert score(settings=(5.0, 90.0)).verdict == Verdict.OFF
    assert "90" not in score(settings=(5.0, 90.0)).why


@pytest.mark.parametrize("measured", [NEAR, FAR])
def test_times_inputs_and_what_print_contradicts_are_not_compared(measured):
    for one in (score(measured, "time"), score(measured, "input"), score(measured, printed=(NO,))):
        assert one.verdict == Verdict.NOT_COMPARED
    assert score(measured, printed=(TENSE,)).verdict != Verdict.NOT_COMPARED


def test_why_says_what_takes_a_number_out_of_comparison():
    assert score(role="time", reason="").why == "A run time, of other code on another machine."
    assert score(role="time", reason="Compiled here.").why == "Compiled here."
    assert score(NEAR, "input").why == "An input, which the study was set to."
    assert score(FAR, "input").why.startswith("An input, which the study was set to; it did not come out as that.")
    assert score(printed=(NO,)).why == (
        "Print contradicts it; by itself it is: off. By application: all. In print: “the same” (Piccolo §IV). Both "
        "cannot hold."
    )


def test_the_studys_sentences_stand_where_a_number_does_not_agree_and_quotations_everywhere():
    assert score().why == "By application: all."
    assert score(NEAR).why == ""
    assert score(NEAR, printed=(TENSE,)).why == "In print: “the same” (Piccolo §IV). Both hardly hold."


def test_numbers_under_other_readings_and_over_sweeps_are_sentences_of_the_why():
    key = published_figures("graft")[0].key
    readings = {key: [OtherReading("What is compared", "whole plans", Measured(10.5))]}
    found = with_tried("graft", {key: "As it is."}, readings, {key: [Moved("gain (0.3 to 2)", 5.0, 30.0)]})[key]
    assert found.startswith("As it is. What is compared: whole plans: 10.5")
    assert "With gain (0.3 to 2): 5.0" in found


def test_a_parameter_moves_a_number_across_what_lies_between_its_ends():
    assert Moved("gain", 30.0, 5.0).across(10.0)
    assert not Moved("gain", 11.0, 30.0).across(10.0)


def test_a_scorecard_has_every_number_once_with_what_is_known_of_it():
    figures = published_figures("piccolo")
    measures = {figure.key: Measured(figure.value) for figure in figures}
    last = figures[-1].key
    scores = scorecard(figures, measures, {last: "so"}, {last: (1.0, 2.0)}, {last: (TENSE,)}, {last})
    assert [one.published for one in scores] == list(figures)
    own = scores[-1]
    assert (own.reason, own.settings, own.printed, own.artifact) == ("so", (1.0, 2.0), (TENSE,), True)


@pytest.mark.parametrize("paper", registered())
def test_every_doubtful_figure_is_quoted(paper):
    doubtful = {f.key for f in published_figures(paper) if f.role == "doubtful"}
    assert doubtful <= set(contradictions(paper))


def test_quotations_name_paper_and_section():
    assert "“Harp-nb has the highest serving cost" in contradictions("harpagon")["nb_mean_extra"][0].quotes[2]


@pytest.mark.parametrize(("printed", "of"), [(5.07, 1131), (94.36, 663)])
def test_shares_that_no_number_of_workloads_gives_are_named(printed, of):
    assert printed not in {round(100 * k / of, 2) for k in range(of + 1)}
    paper, key = ("harpagon", "ncd_share") if of == 1131 else ("piccolo", "tb_two_modules_same_share")
    assert any(f"of {of} workloads" in one.why for one in contradictions(paper)[key])
