"""Texts in Markdown are shown as they are."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from euclio.report import Code, Paragraph, Preformatted, Table, markdown_page
from euclio.report.markdown import inline, paragraph

ORDINARY = (
    "rate_rps of 2 * 3",
    "X<4,2> at < 1 ms",
    "a -> b",
    "[1.2, 3.4]",
    "cost in $ per hour",
    "5 - 3",
    "R&D",
    "1.5 s",
)


def shown(block):
    return MarkdownIt("commonmark").enable("table").render(markdown_page("t", [block]))


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_texts_stay_as_they_are(text):
    assert inline(text) == paragraph(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "<script>",
        "<img src=x onerror=alert(2)>",
        "</title>",
        "<!-- x",
        "<http://x>",
        "<a",
        "<?x",
        "<svg/onload=1>",
        "<~@0>",
    ],
)
def test_no_tag_is_left(text):
    assert "<" not in inline(text)
    assert inline(text) in inline(f"solver {text} is best")


@pytest.mark.parametrize("text", ["a|b", "a\\|b", "\\", "a\\\\|", "`|`"])
def test_a_bar_ends_no_cell(text):
    page = shown(Table("", ("x", "y"), ((text, "last"),)))
    assert page.count("<td>") == 2
    assert "<td>last</td>" in page


def test_a_fence_in_a_text_ends_no_block():
    page = shown(Preformatted("a\n```\n<script>"))
    assert page.count("<pre>") == 1
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize("text", ["# a", "> a", "- a", "1. a", "---", "=", "+ a", "12) a", " * a", "a\n * b"])
def test_a_paragraph_is_no_other_block(text):
    """Spaces before a sign, and line breaks of names, are where a list could begin all the same."""
    said = "\n".join(line.strip() for line in text.replace(">", "&gt;").splitlines())
    assert shown(Paragraph(text)).endswith(f"<p>{said}</p>\n")


def test_a_command_is_set_as_code():
    assert "<td><code>a `b` | c</code></td>" in shown(Table("", ("x",), ((Code("a `b` | c"),),)))
