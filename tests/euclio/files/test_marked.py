"""Parts of a page that a command writes: what stands around them stays, and a page without their place is refused."""

from __future__ import annotations

import pytest

from euclio.core.errors import InputError
from euclio.files.marked import put_between

PAGE = "# A\n\n<!-- t -->\nold\n<!-- /t -->\n\n<!-- u -->\nother\n<!-- /u -->\n"


def test_what_stands_between_the_marks_is_written_anew_with_empty_lines_around(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    put_between(page, "t", "| new |\n|---|\n")
    assert page.read_text() == PAGE.replace("old", "\n| new |\n|---|\n")


def test_marks_with_nothing_between_them_are_filled(tmp_path):
    """A new place has two lines, and their one line end is both the end of the first and the begin of the second."""
    page = tmp_path / "page.md"
    page.write_text("# A\n\n<!-- t -->\n<!-- /t -->\nafter\n")
    put_between(page, "t", "new")
    assert page.read_text() == "# A\n\n<!-- t -->\n\nnew\n\n<!-- /t -->\nafter\n"


def test_writing_the_same_again_changes_nothing(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    put_between(page, "t", "a\n\nb")
    once = page.read_bytes()
    put_between(page, "t", "a\n\nb")
    assert page.read_bytes() == once


@pytest.mark.parametrize(
    "text",
    ["", "<!-- t -->\nopen\n", "<!-- /t -->\n<!-- t -->\n\n", PAGE + PAGE],
    ids=["none", "not closed", "in the wrong order", "twice"],
)
def test_a_page_that_has_not_each_mark_once_is_refused_and_stays(tmp_path, text):
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(InputError, match="has no place for t"):
        put_between(page, "t", "new")
    assert page.read_text() == text


def test_a_page_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        put_between(tmp_path / "none.md", "t", "new")
