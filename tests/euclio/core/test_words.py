"""Numbers, shares, durations and lists as text."""

import math
import re
from fractions import Fraction

import pytest

from euclio.core.words import (
    amount,
    decimals,
    duration,
    figures,
    full,
    joined,
    long_duration,
    milliseconds,
    number,
    percent,
    plain,
    span,
    time_left,
    told_apart,
    with_unit,
)


def test_full_has_nine_figures_a_unit_and_a_text_for_nothing():
    texts = full(Fraction(1, 3)), full(1.5, " s"), full(None, " s"), full(2 / 3, digits=12), full(None, none="null")
    assert texts == ("0.333333333", "1.5 s", "-", "0.666666666667", "null")


def test_numbers_that_differ_late_are_told_apart():
    """A bound that is above a cost by a share of 1e-9 was once printed as the same number."""
    assert told_apart(808.7449054800062, 808.744904655784) == ("808.7449055", "808.7449047")
    assert told_apart(2, 3) == ("2", "3")
    assert told_apart(0.1, 0.1) == ("0.10000000000000001",) * 2


@pytest.mark.parametrize("share", [None, math.nan, math.inf])
def test_percent_of_nothing_is_the_text_for_it(share):
    assert (percent(share), percent(share, none="none")) == ("-", "none")


def test_percent_has_decimals_and_a_sign():
    assert (percent(0.125), percent(0.125, 0, sign=""), percent(1.0, 1)) == ("12.50 %", "12", "100.0 %")


def test_milliseconds_of_nothing_are_a_dash():
    assert (milliseconds(Fraction(1, 4)), milliseconds(0.0005), milliseconds(None)) == ("250.000", "0.5", "-")


def test_plain_numbers_have_no_exponent():
    assert [plain(v, d) for v, d in ((123456.0, 4), (0.00012345, 3), (2.0, 4))] == ["123500", "0.000123", "2"]


def test_decimals_divide_thousands_where_asked():
    texts = decimals(12345, 1), decimals(12345, 1, separator=""), decimals(math.nan, none="–"), decimals(7)
    assert texts == ("12,345.0", "12345.0", "–", "7")


def test_a_span_without_an_end_is_empty():
    assert (span(1, 2.25, unit=" %"), span(1, 2.25, 2), span(None, 2)) == ("1.0 to 2.2 %", "1.00 to 2.25", "")


def test_measured_numbers_have_the_unit_of_the_measure():
    texts = [with_unit(v, u) for v, u in ((0.05, "s"), (1234, "count"), (1.234, "ratio"), (12.34, "%"), (0.5, "%"))]
    assert texts == ["50 ms", "1,234", "1.23×", "12.3 %", "0.50 %"]


@pytest.mark.parametrize(
    ("seconds", "total", "left"),
    [(59.4, "59.4 s", "59 s"), (200, "3.3 min", "3 min 20 s"), (9000, "2.5 h", "2 h 30 min")],
)
def test_long_durations_are_minutes_and_hours(seconds, total, left):
    assert (long_duration(seconds), time_left(seconds)) == (total, left)


def test_joined_names_the_last_after_and():
    assert (joined(["a"]), joined(["a", "b"]), joined("abc")) == ("a", "a and b", "a, b and c")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1453 * 730.0, "1,060,690"),
        (1061712.4, "1,061,712"),
        (80802.4, "80,802"),
        (8.0802, "8.08"),
        (0.0000123456, "0.0000123"),
        (0, "0"),
        (-1234.5, "-1,234"),
        (None, "-"),
    ],
)
def test_an_amount_keeps_what_stands_before_the_point(value, text):
    """Money per month of a large session was printed as 1.06171e+06."""
    assert amount(value, digits=3) == text


@pytest.mark.parametrize("exponent", range(-12, 22))
@pytest.mark.parametrize("mantissa", [1.0, 1.23456789, 9.9999])
def test_no_number_of_a_table_has_an_exponent(exponent, mantissa):
    """Inputs lie between 1e-12 and 1e12, and a price times a rate times the hours of a month is larger."""
    value = mantissa * 10.0**exponent
    for show in (amount, figures, full, number, duration, plain):
        assert not re.search("e[+-]", show(value)), show
        near = float(show(value).split(" ")[0].replace(",", ""))
        assert show is duration or near == pytest.approx(value, rel=1e-3)


def test_a_long_duration_is_minutes_or_hours():
    texts = [duration(s) for s in (7e-7, 0.0123, 0.99999, 12.34, 1234, 123456)]
    assert texts == ["1 µs", "12.3 ms", "1 s", "12.3 s", "20.6 min", "34.3 h"]
