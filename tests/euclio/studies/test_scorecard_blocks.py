"""The scorecard on a page: every figure counted once, folded by section, its reason behind the verdict."""

from dataclasses import replace

import pytest

from euclio.analysis.statistics import Measured
from euclio.papers.published import Published, published_figures
from euclio.report import Counts, Fold, html_page, markdown_page
from euclio.studies.power import ROUGHLY
from euclio.studies.scorecard import Score, checked, tally
from euclio.studies.scorecard_blocks import (
    SCORE_COLUMNS,
    TONES,
    counts,
    details,
    place,
    score_frame,
    scorecard_blocks,
    sections,
    short_counts,
    standing_number,
    verdict_lines,
)
from euclio.studies.verdicts import Contradiction, Evidence, Predicted, Quotation, Verdict

SETTINGS = Predicted(8.0, 20.0, 4.0, 40.0, 1.0, 90.0)
QUOTES = (Contradiction("cannot both hold", (Quotation("Piccolo", "§IV", "the same"),), "Both cannot hold."),)


def score(key, value, measured, role="check", source="Harpagon §IV-B", **evidence):
    return Score(
        Published(key, value, "%", source, role, f"figure {key}"),
        Measured(measured, measured - 0.5, measured + 0.5, 100),
        f"data on {key}",
        Evidence(**evidence),
    )


SCORES = (
    score("a", 10.0, 10.0, "fit"),
    score("b", 10.0, 50.0, predicted=SETTINGS),
    score("c", 30.0, 50.0, predicted=SETTINGS, source="Harpagon §IV-C, Fig. 6"),
    score("d", 80.0, 50.0, predicted=SETTINGS),
    score("e", 80.0, 50.0, "time"),
    score("f", 80.0, 50.0, "doubtful", contradictions=QUOTES),
)


def test_every_verdict_has_a_tone():
    assert set(TONES) == set(Verdict)


def test_every_score_is_counted_once():
    assert [(c.label, c.n) for c in counts(SCORES) if c.n] == [
        ("agrees", 1),
        ("within what consistent settings give", 1),
        ("the same, only with the model's error", 1),
        ("other machine or implementation", 1),
        ("contradicts another printed number", 1),
        ("unexplained", 1),
    ]
    assert sum(c.n for c in short_counts(SCORES)) == len(SCORES)


def test_what_is_seen_first_is_agreement_of_figures_that_nothing_was_fitted_to():
    """Three checks, none of which agrees: the agreeing figure was fitted; the doubtful one stands apart."""
    found = checked(SCORES)
    assert (found.all, found.agree, found.undecided, found.near, found.doubtful) == (3, 0, 0, 0, 1)
    number = standing_number(SCORES)
    assert number.value == "0 of 3"
    assert number.note == (
        "agree: the whole 95 % interval lies within the tolerance; 0 not decided; 0 lie within it if intervals are "
        "left out; 1 more lie within what settings give that fit the paper's fitted numbers; with 1 that another "
        "printed number makes doubtful 0 agree"
    )


def test_inputs_are_counted_apart_from_checks():
    as_set, agreeing = score("h", 10.0, 10.0, "input"), score("i", 10.0, 10.0)
    assert tally([as_set, agreeing]) == {"fit": (0, 0), "input": (1, 1), "check": (1, 1), "doubtful": (0, 0)}
    assert standing_number([as_set, agreeing]).value == "1 of 1"
    assert [(c.label, c.n) for c in counts([as_set]) if c.n] == [("set to it", 1)]


def test_a_terminal_is_shown_the_counts():
    assert verdict_lines(SCORES) == [
        "6 printed numbers: 1 agree, 1 within, 1 roughly within, 1 other machine, 1 contradict, 1 unexplained"
    ]
    assert verdict_lines([]) == []


def test_nothing_to_count_is_said():
    assert standing_number(SCORES[4:5]).value == "none"
    assert scorecard_blocks([]) == []


def test_sections_follow_the_paper_and_carry_their_counts():
    first, second = sections(SCORES)
    assert [first.summary, second.summary] == ["§IV-B · 5 numbers", "§IV-C, Fig. 6 · 1 number"]
    assert [(c.label, c.n) for c in second.counts if c.n] == [("roughly within", 1)]


def test_the_reason_stands_behind_the_verdict():
    assert details(SCORES[1]) == (
        "Consistent settings give 8.0 to 20.0 %.\ndata on b\nRole check; measured less published +40.0 %; "
        "100 observations; consistent settings with the model's error 4.0 to 40.0 %; all settings of the prior "
        "1.0 to 90.0 %."
    )
    assert "data on" not in details(SCORES[0])


def test_contradictions_are_quoted():
    text = details(SCORES[5])
    assert text.startswith("“the same” (Piccolo §IV). Both cannot hold.\nBy itself it does not agree.\n")
    assert "Role doubtful" in text


def test_a_counted_figure_names_what_is_in_print_next_to_it():
    tense = score("g", 80.0, 50.0, contradictions=(replace(QUOTES[0], kind="tension"),))
    assert "In print next to it: “the same” (Piccolo §IV)" in details(tense)


def test_counts_before_stand_on_the_page():
    counted = scorecard_blocks(SCORES, (1, 9))[0]
    assert isinstance(counted, Counts)
    assert "1 of 9 agreed; now 1 do, without run times and inputs" in counted.caption
    assert "Before" not in scorecard_blocks(SCORES)[0].caption


@pytest.mark.parametrize("made", [html_page, markdown_page])
def test_page_and_markdown_hold_every_figure_with_its_verdict(made):
    text = made("Card", scorecard_blocks(SCORES))
    for one in SCORES:
        assert one.published.what in text
        assert (ROUGHLY if one.judged.roughly else one.judged.verdict.words) in text.replace("&#x27;", "'")


def test_a_page_says_number_and_the_kept_scorecard_keeps_its_word():
    """Pages call a value a number; who filters `scorecard.parquet` by the stored verdict must not lose rows."""
    assert "contradicts another printed figure" in set(score_frame(SCORES).verdict)
    page = markdown_page("Card", scorecard_blocks(SCORES))
    assert "contradicts another printed number" in page
    assert "printed figure" not in page


def test_the_kept_scorecard_has_a_row_per_figure():
    frame = score_frame(SCORES)
    assert tuple(frame.columns) == SCORE_COLUMNS
    assert list(frame.verdict) == [one.judged.verdict for one in SCORES]
    assert list(frame.roughly) == [False, False, True, False, False, False]
    assert score_frame(()).empty


@pytest.mark.parametrize("paper", ["harpagon", "piccolo", "scrooge", "ppipe"])
def test_every_published_figure_has_a_section(paper):
    scores = [Score(figure, Measured(figure.value)) for figure in published_figures(paper)]
    folds = sections(scores)
    assert all(isinstance(fold, Fold) for fold in folds)
    assert sum(len(fold.blocks[0].rows) for fold in folds) == len(scores)
    assert all(place(one) for one in scores)
