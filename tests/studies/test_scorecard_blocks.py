"""The scorecard on a page: every number counted once, folded by section, its why behind the word."""

import pytest

from euclio.report import Counts, Fold, html_page, markdown_page
from euclio.report.analysis.statistics import Measured
from studies.agreement import Verdict
from studies.page_blocks import (
    MEANINGS,
    SCORE_COLUMNS,
    TONES,
    counts,
    details,
    place,
    score_frame,
    scorecard_blocks,
    sections,
    standing_number,
    verdict_lines,
)
from studies.papers.published import Published, published_figures
from studies.scorecard import Contradiction, Score, tally

QUOTES = (Contradiction("cannot both hold", ("“the same” (Piccolo §IV)",), "Both cannot hold."),)


def score(key, value, measured, role="check", source="Harpagon §IV-B", **known):
    printed = Published(key, value, "%", source, role, f"figure {key}")
    return Score(printed, Measured(measured, measured - 0.5, measured + 0.5, 100), f"data on {key}", **known)


SCORES = (
    score("a", 10.0, 10.0, "fit"),
    score("b", 10.0, 50.0, settings=(8.0, 20.0)),
    score("c", 30.0, 50.0, source="Harpagon §IV-C, Fig. 6"),
    score("d", 50.0, 50.0),
    score("e", 80.0, 50.0, "time"),
    score("f", 80.0, 50.0, "doubtful", printed=QUOTES),
)


def test_every_word_has_a_tone_and_a_meaning():
    assert set(TONES) == set(MEANINGS) == set(Verdict)


def test_every_score_is_counted_once():
    assert [(c.label, c.n) for c in counts(SCORES)] == [
        ("agree", 2),
        ("not decided", 0),
        ("off", 2),
        ("not compared", 2),
    ]


def test_what_is_seen_first_is_agreement_of_figures_that_nothing_was_fitted_to():
    """Three checks, of which one agrees: the other agreeing figure was fitted; the doubtful one stands apart."""
    number = standing_number(SCORES)
    assert number.value == "1 of 3"
    assert number.note == (
        "agree: the whole 95 % interval lies within the tolerance; 0 not decided; 2 off; 0 not compared; with 1 that "
        "another printed number makes doubtful, 1 agree"
    )


def test_inputs_are_counted_apart_from_checks():
    as_set, agreeing = score("h", 10.0, 10.0, "input"), score("i", 10.0, 10.0)
    assert tally([as_set, agreeing]) == {"fit": (0, 0), "input": (1, 1), "check": (1, 1), "doubtful": (0, 0)}
    assert standing_number([as_set, agreeing]).value == "1 of 1"
    assert [(c.label, c.n) for c in counts([as_set]) if c.n] == [("not compared", 1)]


def test_a_terminal_is_shown_the_counts():
    assert verdict_lines(SCORES) == ["6 printed numbers: 2 agree, 2 off, 2 not compared"]
    assert verdict_lines([]) == []


def test_nothing_to_count_is_said():
    assert standing_number(SCORES[4:5]).value == "none"
    assert scorecard_blocks([]) == []


def test_sections_follow_the_paper_and_carry_their_counts():
    first, second = sections(SCORES)
    assert [first.summary, second.summary] == ["§IV-B · 5 numbers", "§IV-C, Fig. 6 · 1 number"]
    assert [(c.label, c.n) for c in second.counts if c.n] == [("off", 1)]


def test_the_why_stands_behind_the_word():
    assert details(SCORES[1]) == "data on b\nRole check; measured less published +40.0 %; 100 observations."
    assert "data on" not in details(SCORES[0])


def test_contradictions_are_quoted():
    assert "In print: “the same” (Piccolo §IV). Both cannot hold.\nRole doubtful" in details(SCORES[5])


def test_the_interval_over_accepted_settings_stands_next_to_the_word():
    first, second = sections(SCORES)
    assert first.blocks[0].columns[-2:] == ("accepted settings", "verdict")
    assert first.blocks[0].rows[1][-2:] == ("8.0 to 20.0 %", "off")
    assert "accepted settings" not in second.blocks[0].columns
    assert isinstance(scorecard_blocks(SCORES)[0], Counts)


@pytest.mark.parametrize("made", [html_page, markdown_page])
def test_page_and_markdown_hold_every_figure_with_its_word(made):
    text = made("Card", scorecard_blocks(SCORES))
    for one in SCORES:
        assert one.published.what in text
        assert str(one.verdict) in text


def test_the_kept_scorecard_has_a_row_per_figure():
    frame = score_frame(SCORES)
    assert tuple(frame.columns) == SCORE_COLUMNS
    assert list(frame.verdict) == [str(one.verdict) for one in SCORES]
    assert list(frame.settings_low.dropna()) == [8.0]
    assert score_frame(()).empty


@pytest.mark.parametrize("paper", ["harpagon", "piccolo", "scrooge", "ppipe"])
def test_every_published_figure_has_a_section(paper):
    scores = [Score(figure, Measured(figure.value)) for figure in published_figures(paper)]
    folds = sections(scores)
    assert all(isinstance(fold, Fold) for fold in folds)
    assert sum(len(fold.blocks[0].rows) for fold in folds) == len(scores)
    assert all(place(one) for one in scores)
