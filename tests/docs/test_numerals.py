"""Numerals of a line: which are no claim and why, their units, and those of lists and ranges."""

import pytest
from numerals import NO_CLAIM, claims_of, numerals_in
from paper_text import FORMULA, LISTING, Line


def found(text, place="text"):
    return list(numerals_in(Line(text, "§1", place)))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("  214 ", "page"),
        ("as in [12]", "citation"),
        ("as in [2]–[6] and [8, 9, 10]", "citation"),
        ("see §4.2 and § 4.3 and §A.1", "reference"),
        ("in Fig. 5(a) and Figures 7b, 8 and 9", "reference"),
        ("Table 3, Algorithm 2, Theorem 1, Line 14-15, lines 9–12, Section 5.2", "reference"),
        ("Equations (2)–(6), Step 1, nodes 2 and 3, pipeline 2 partition 1 (Figure 11)", "reference"),
        ("in **2c** as", "reference"),
        ("ms<sup>12</sup>", "footnote"),
        ("$M_1$, $w_{13-16}$, $\\sum_{j=1}^{10} x$, req_4 and 3.7^1"[:-8], "index"),
        ("against: (1) the first, and (2) the second", "marker"),
        ("since 2016, the 2021 trace", "year"),
        ("P100, V100s, Harp-q0.01, Picc-1bpc, HC1-L, ResNet-101, EfficientNet-B8, TX2, v1.9.0, 5G, 2D", "name"),
        ("n1-standard-64 and g2-standard-16", "name"),
        ("<https://doi.org/10.1145/3472883>", "link"),
        ("ACM ISBN 978-1-4503-8638-8/21/11.", "imprint"),
        ("a set 𝐅𝐺subscript𝐅1 here", "formula"),
    ],
)
def test_a_numeral_that_says_nothing_is_named_by_its_rule(text, kind):
    numerals = found(text)
    assert numerals
    assert {one.kind for one in numerals} == {kind}
    assert kind in {name for name, _ in NO_CLAIM}


@pytest.mark.parametrize("place", [LISTING, FORMULA])
def test_nothing_in_listings_and_display_formulas_is_a_claim(place):
    assert [one.kind for one in found("12: k = 0, n >= 1", place)] == [place] * 3


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("an average of 49.3% – 137.2% and 220.0%", [("49.3", "%"), ("137.2", "%"), ("220.0", "%")]),
        ("68.0%, 31.2% and 7.2% lower", [("68.0", "%"), ("31.2", "%"), ("7.2", "%")]),
        ("1.49 to 2.37 times", [("1.49", "×"), ("2.37", "×")]),
        ("0.8–13.2 ms", [("0.8", "ms"), ("13.2", "ms")]),
        ('a range "0.8 to 13.2 ms"', [("0.8", "ms"), ("13.2", "ms")]),
        (
            "of 2, 4 and 8 will be 0.32, 0.4 and 0.64 sec",
            [("2", ""), ("4", ""), ("8", "")] + [(n, "sec") for n in ("0.32", "0.4", "0.64")],
        ),
        ("\\$7.55 an hour, over \\$21K", [("7.55", "$"), ("21", "$")]),
        ("$n = 100/25 = 4$ machines", [("100", ""), ("25", ""), ("4", "machines")]),
        ("leading to $L = 2d$", [("2", "d")]),
        ("14,930 lines of code and 23k lines", [("14,930", "lines"), ("23", "k lines")]),
        ("2.9×\\times× lower, $10 \\times$ faster, 7.9x longer", [("2.9", "×"), ("10", "×"), ("7.9", "x")]),
        ("up to 1.69×1.69\\times1.69 × [28]", [("1.69", "×")]),
        ("on 100-GPU clusters for 1000-sec windows", [("100", "GPU"), ("1000", "sec")]),
        ("588KB at 30RPS", [("588", "KB"), ("30", "RPS")]),
        ("47/663 workload", [("47", "workload"), ("663", "workload")]),
        ("25× L4, 75× P4", [("25", "×"), ("75", "×")]),
        ("200 req/sec, which is 100 of Figure 4", [("200", "req/sec"), ("100", "")]),
    ],
)
def test_claims_have_the_units_of_their_lists_and_ranges(text, numbers):
    assert [(one.number, one.unit) for one in found(text) if not one.kind] == numbers


def test_a_bracketed_number_in_a_row_is_a_claim():
    """Piccolo's Table II has batch sizes in brackets; in running text they would mark a list."""
    assert [one.kind for one in found("1\t0.25 (2)", "Table II, row 2")] == ["", "", ""]


def test_what_stands_around_a_paper_is_left_out():
    text = "Grant 62202328\nAbstract—Saves 5 %.\nI. INTRODUCTION\nUp to 7 %.\nREFERENCES\n[1] pp. 436–444, 2015.\n"
    assert [(one.section, one.number) for one in claims_of(text)] == [("abstract", "5"), ("§I", "7")]
