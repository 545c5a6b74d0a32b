"""Every number that a paper prints has a line with a row or a reason, and every published number has a line."""

import re
from collections import Counter
from dataclasses import replace

import pytest
from number_lines import (
    COLUMNS,
    DRAWN_ONLY,
    NOT_SCORED,
    PrintedNumber,
    addressed,
    printed_numbers,
    problems,
    states,
)
from numerals import claims_of
from paper_text import lines_of
from places import PAPERS, ROOT

from studies.papers.published import published_figures

NAMES = ("harpagon", "piccolo", "scrooge", "ppipe", "graft")
NAMED_FILE = re.compile(r"(?:tests|euclio|heuristics|formulations|data|reports)/[\w./-]*\w")
LINE = PrintedNumber("§1", "3", "5", "%", "cost saved", "result", "saved", "")


def text_of(paper):
    """The text of a paper; the test is skipped where it is not."""
    path = PAPERS / f"{paper}.txt"
    if not path.exists():
        pytest.skip(f"the texts of the papers are not in the tree, and there is no {path}")
    return path.read_text(encoding="utf-8")


def found_in_text(paper):
    """Numbers of the text by section, place, number and unit, as often as each is found."""
    return Counter(addressed(claims_of(text_of(paper))))


@pytest.mark.fifth("paper")
@pytest.mark.parametrize("paper", NAMES)
def test_every_number_of_the_text_has_a_line(paper):
    """Place by place, so that a number that is printed twice in a section needs two lines."""
    lines = Counter(line.address for line in printed_numbers(paper) if line.in_text)
    assert found_in_text(paper) - lines == Counter()


@pytest.mark.fifth("paper")
@pytest.mark.parametrize("paper", NAMES)
def test_every_line_is_a_number_of_the_text(paper):
    lines = Counter(line.address for line in printed_numbers(paper) if line.in_text)
    assert lines - found_in_text(paper) == Counter()


@pytest.mark.parametrize("paper", NAMES)
def test_no_line_of_the_text_is_lost_but_headings(paper):
    """What the reader never sees it cannot miss: all lines with a digit are kept, headings of sections apart."""
    text = text_of(paper).replace("\u00a0", " ")
    kept = Counter(line.text for line in lines_of(text))
    lost = [line for line in text.splitlines() if re.search("[0-9]", line) and not kept[line]]
    assert [line for line in lost if not re.match(r"[# ]*(?:A\.)?[0-9]{1,2}(?:\.[0-9]{1,2})? [A-Z]", line)] == []


@pytest.mark.parametrize("paper", NAMES)
def test_every_figure_of_the_text_has_a_line(paper):
    """Also those that are drawings alone: of each the lines say what it shows and what of it is printed."""
    captions = {line.place for line in lines_of(text_of(paper)) if line.place.startswith("Figure")}
    listed = {re.sub(r"(?:\([a-z]\))?, drawn$", "", line.place) for line in printed_numbers(paper)}
    assert len(captions) > 9
    assert captions - listed == set()


@pytest.mark.parametrize("paper", NAMES)
def test_every_file_that_a_reason_names_exists(paper):
    named = {path for line in printed_numbers(paper) for path in NAMED_FILE.findall(line.why)}
    assert {path for path in named if not (ROOT / path).exists()} == set()


@pytest.mark.parametrize("paper", NAMES)
def test_every_published_number_has_a_line(paper):
    assert {figure.key for figure in published_figures(paper)} - {line.row for line in printed_numbers(paper)} == set()


@pytest.mark.parametrize("paper", NAMES)
def test_every_line_has_a_row_or_a_reason(paper):
    keys = frozenset(figure.key for figure in published_figures(paper))
    wrong = {line: problems(line, keys) for line in printed_numbers(paper)}
    assert {line: texts for line, texts in wrong.items() if texts} == {}


@pytest.mark.parametrize("paper", NAMES)
def test_a_line_prints_the_value_of_its_row_or_restates_it(paper):
    published = {figure.key: figure for figure in published_figures(paper)}
    assert [line for line in printed_numbers(paper) if not states(line, published)] == []


@pytest.mark.parametrize("paper", NAMES)
def test_places_of_running_text_count_up_within_their_section(paper):
    """Without the texts too, so that a line that is lost in the middle is seen."""
    found: dict[str, list[int]] = {}
    for line in printed_numbers(paper):
        if line.place.isdigit():
            found.setdefault(line.section, []).append(int(line.place))
    assert found
    assert {section: places for section, places in found.items() if places != list(range(1, len(places) + 1))} == {}


@pytest.mark.parametrize("paper", NAMES)
def test_no_sentence_is_copied(paper):
    """What a number is stands in a few words of ours: no cell is as long as a sentence of the papers."""
    assert max(len(line.what.split()) for line in printed_numbers(paper)) <= 16


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"kind": "claim"}, "is of no kind that there is"),
        ({"row": "other"}, "names a row that is not published"),
        ({"row": ""}, "has neither a row nor a reason"),
        ({"row": "", "why": "omitted"}, "is a result without a row or one of the reasons for that"),
        ({"why": f"{NOT_SCORED}: needs a run"}, "has a row and is not scored"),
        ({"number": ""}, "has a number where nothing is printed, or none"),
        ({"place": "Figure 5(b), drawn"}, "has a number where nothing is printed, or none"),
        ({"what": ""}, "has an empty cell"),
    ],
)
def test_a_line_that_is_wrong_is_told_so(change, text):
    assert problems(LINE, frozenset({"saved"})) == []
    assert text in problems(replace(LINE, **change), frozenset({"saved"}))


def test_a_drawing_needs_its_reason():
    drawn = replace(LINE, place="Figure 5(b), drawn", number="", row="", why=f"{DRAWN_ONLY}: no image")
    assert problems(drawn, frozenset()) == []
    assert not drawn.in_text


def test_a_repeated_number_is_counted_in_its_section():
    text = "Abstract—5 %.\nI. INTRODUCTION\nFirst 5 %, then 5 %.\n"
    assert [address[:3] for address in addressed(claims_of(text))] == [
        ("abstract", "1", "5"),
        ("§I", "1", "5"),
        ("§I", "2", "5"),
    ]


def test_a_file_with_other_columns_is_refused(tmp_path, monkeypatch):
    folder = tmp_path / "published" / "numbers"
    folder.mkdir(parents=True)
    (folder / "tiny.csv").write_text(",".join(COLUMNS[:-1]) + "\n", encoding="utf-8")
    monkeypatch.setattr("number_lines.data_dir", lambda: tmp_path)
    with pytest.raises(ValueError, match=r"columns have to be section, place"):
        printed_numbers("tiny")
