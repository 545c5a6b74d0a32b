"""Which populations a page is about: said once in a table, and at every figure and table."""

from types import SimpleNamespace

import pytest

from euclio.report import Figure, Paragraph, Table
from euclio.workloads.populations import Identity
from studies import registered
from studies.page_blocks import as_data, identified, population_blocks, without_populations
from studies.page_builder import study_of
from studies.study import Found

FIRST = Identity("harpagon", 20240917, 1131, "5" * 64)
FILES = Identity("measured", None, 84, "a" * 64)
FOUND = Found({}, (), None, {}, [FIRST, FILES])


def study(shown):
    """A study that says so of its figures."""
    return SimpleNamespace(shown=shown)


def test_a_figure_is_of_the_first_population_unless_the_study_says_otherwise():
    """76, 63 and 48.9 % of "the workloads" were of three sets; a caption tells them apart."""
    others = {"other": ("measured",), "none": ()}
    blocks = [Figure(key, "", "Seen.") for key in ("usual", "other", "none")]
    captions = [block.caption for block in identified(study(others.get), FOUND, blocks)]
    assert captions == [
        "Seen. On harpagon (1,131 instances, seed 20240917, sha256 555555555555).",
        "Seen. On measured (84 instances, sha256 aaaaaaaaaaaa).",
        "Seen.",
    ]
    assert [without_populations(caption) for caption in captions] == ["Seen", "Seen", "Seen."]


def test_tables_say_it_too_and_texts_stay_as_they_are():
    blocks = [Paragraph("as it is"), Table("Shares", ("a",), ())]
    text, table = identified(study(lambda _: None), FOUND, blocks)
    assert text.text == "as it is"
    assert table.caption == "Shares. On harpagon (1,131 instances, seed 20240917, sha256 555555555555)."


def test_the_section_has_whole_hashes_and_how_to_check_them():
    _, paragraph, table = population_blocks(FOUND)
    assert "sha256sum *.json | sha256sum" in paragraph.text
    assert [(row[0], row[-1]) for row in table.rows] == [("harpagon", "5" * 64), ("measured", "a" * 64)]


def test_a_study_without_populations_has_no_section():
    assert population_blocks(Found({}, (), None, {})) == []


def test_what_is_kept_with_tables_reads_back():
    assert [Identity(**one) for one in as_data(FOUND.populations)] == FOUND.populations


@pytest.mark.parametrize("paper", registered())
def test_every_study_answers_of_every_figure(paper):
    assert study_of(paper).shown("no such figure") in (None, ())
