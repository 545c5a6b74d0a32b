"""Lines of a paper with their places: sections, tables, captions, listings, formulas, and what is not its text."""

import pytest
from paper_text import ABSTRACT, BACK, FORMULA, FRONT, LISTING, TEXT, lines_of

ROMAN = """A title of 2025
Abstract—It saves 5 %.
I. INTRODUCTION
About 90 % is inference.
II. BACKGROUND AND MOTIVATION
A. Terms
A rate of 8.
III. DESIGN
A. Overview
B. Dispatching
Two of 3.
REFERENCES
- [1] Pages 1 to 2, 2015.
"""
ARABIC = """# A title
## Abstract
It saves 5 %.
## 1 Introduction
Text of 6.
### 2 Design
#### 2.1 Overview
Text of 7.
7 Not the next section
## 2.2 Details
## References
[1] Pages 8 to 9.
## Appendix
### A.1 A model
Text of 10.
"""


def sections(text):
    return [(line.section, line.text.lstrip("# ")) for line in lines_of(text)]


def test_roman_sections_are_numbered_by_their_letters():
    assert sections(ROMAN) == [
        (FRONT, "A title of 2025"),
        (ABSTRACT, "Abstract—It saves 5 %."),
        ("§I", "About 90 % is inference."),
        ("§II-A", "A rate of 8."),
        ("§III-B", "Two of 3."),
        (BACK, "REFERENCES"),
        (BACK, "- [1] Pages 1 to 2, 2015."),
    ]


def test_a_heading_counts_only_where_its_number_follows():
    """So a numbered line of an algorithm, or a row of a table, begins no section; an appendix comes last."""
    found = dict.fromkeys(section for section, _ in sections(ARABIC))
    assert list(found) == [FRONT, ABSTRACT, "§1", "§2.1", BACK, "§A.1"]
    assert ("§2.1", "7 Not the next section") in sections(ARABIC)


def places(body):
    return [line.place for line in lines_of(f"Abstract\n## 1 Introduction\n{body}")[1:]]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Fig. 1. A drawing.\nText.", ["Figure 1", TEXT]),
        ("**Figure 12:** (a) A drawing.", ["Figure 12"]),
        ("Figure 3 shows it.", [TEXT]),
        ("```\n1: x = 2\n```\nText.", [LISTING, TEXT]),
        ("10                   c = 3\nText.", [LISTING, TEXT]),
        ("$$x = 1 \\quad (2)$$\nText.", [FORMULA, TEXT]),
        ("$$x\n= 1\n$$\nText.", [FORMULA, FORMULA, FORMULA, TEXT]),
    ],
    ids=["caption", "bold caption", "sentence", "fenced", "numbered line", "formula", "formula of three lines"],
)
def test_what_is_no_running_text_is_told_apart(body, expected):
    assert places(body) == expected


def test_rows_are_of_the_table_whose_caption_is_above():
    body = "TABLE I\nPROFILES.\nb\td\n2\t0.1\nText of some length, which ends the table.\nTABLE II\nCOSTS.\nS\t5\n"
    assert places(body) == [
        "Table I",
        TEXT,
        "Table I, row 1",
        "Table I, row 2",
        TEXT,
        "Table II",
        TEXT,
        "Table II, row 1",
    ]


def test_rows_are_of_the_table_whose_caption_is_below_and_rules_are_no_rows():
    body = "| a | 1 |\n|---|---|\n| b | 2 |\nTable 1: Providers.\nText, at length.\n| c | 3 |\nTable 2: Prices.\n"
    assert places(body) == ["Table 1, row 1", TEXT, "Table 1, row 2", "Table 1", TEXT, "Table 2, row 1", "Table 2"]


def test_rows_without_marks_are_short_lines_below_a_caption():
    body = "TABLE I: Devices.\nDevice GPU\nNano 128-core 472 GFLOPS\nThese stand for others.\n"
    assert places(body) == ["Table I", "Table I, row 1", "Table I, row 2", TEXT]


def test_a_hyphen_at_the_end_of_a_line_is_closed():
    assert [line.text for line in lines_of("Abstract\nthrough-\nput of 5\n")] == ["Abstract", "throughput of 5"]
