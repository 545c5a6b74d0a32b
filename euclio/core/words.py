"""Numbers, shares, durations and lists as text, for all tables, messages, reports and figures.

No text has an exponent: 1,061,712, not 1.06171e+06. Files and `--json` keep numbers in full.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

Value = Fraction | float

DASH = "-"
MANY = 6
"""Names beyond which a list of them is shortened."""
UNITS = {"%": " %", "s": " s", "ratio": "×", "count": ""}
"""Text after a measured number, by the unit of the measure."""


def full(value: Value | None, unit: str = "", *, digits: int = 9, none: str = DASH) -> str:
    """A value in full, for comparison with others or as an option.

    Args:
        value: the value. None gives `none`.
        unit: text after the number, such as " s".
        digits: significant digits.
        none: the text of None.
    """
    return none if value is None else plain(float(value), digits) + unit


def told_apart(a: Value, b: Value) -> tuple[str, str]:
    """Two values in full, with as many more digits as show that they differ; all 17 if they are equal."""
    for digits in range(9, 18):
        texts = full(a, digits=digits), full(b, digits=digits)
        if texts[0] != texts[1]:
            break
    return texts


def amount(value: Value | None, unit: str = "", *, digits: int = 9) -> str:
    """An amount of money, a count or a rate, with commas between thousands.

    Args:
        value: the amount. None gives a dash.
        unit: text after the number, such as " EUR".
        digits: significant digits; all digits before the decimal point are kept.
    """
    if value is None:
        return DASH
    number = float(value)
    if not math.isfinite(number):
        return plain(number) + unit
    before = math.floor(math.log10(abs(number))) + 1 if number else 1
    return plain(number, max(digits, before), ",") + unit


def figures(value: Value | None) -> str:
    """A number in about four figures, for columns of numbers."""
    if value is None:
        return DASH
    number = float(value)
    if number >= 1:
        return f"{number:,.1f}" if number >= 1000 else f"{number:.3f}"
    return plain(number)


def milliseconds(seconds: Value | None) -> str:
    """A time in milliseconds, without the unit."""
    return figures(None if seconds is None else seconds * 1000)


def number(value: float | None, digits: int = 4) -> str:
    """A number of any size in `digits` figures, for reports; empty if there is none, ∞ if it is infinite."""
    if value is None or math.isnan(value):
        return ""
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return plain(value, digits) if abs(value) < 10**digits else f"{value:,.0f}"


def plain(value: float, digits: int = 4, separator: str = "") -> str:
    """A number in `digits` figures without an exponent.

    Args:
        value: the number.
        digits: significant digits.
        separator: separator of thousands, "," or none.
    """
    text = f"{value:.{digits}g}"
    return format(Decimal(text), f"{separator}f") if math.isfinite(value) else text


def decimals(value: float | None, digits: int = 0, *, separator: str = ",", none: str = "") -> str:
    """A number with so many decimals.

    Args:
        value: the number. None or NaN gives `none`.
        digits: decimals.
        separator: separator of thousands, "," or none.
        none: the text if there is no number.
    """
    return none if value is None or math.isnan(value) else f"{value:{separator}.{digits}f}"


def rounded_down(share: float) -> float:
    """A share that is no larger once it is printed with two decimals of a per cent."""
    return math.floor(share * 10_000) / 10_000


def percent(share: float | None, digits: int = 2, *, sign: str = " %", none: str = DASH) -> str:
    """A share as a percentage.

    Args:
        share: the share, 1 for all. None or a number that is not finite gives `none`.
        digits: decimals.
        sign: text after the number; empty in columns with a heading in percent.
        none: the text if there is no share.
    """
    return none if share is None or not math.isfinite(share) else f"{100 * share:.{digits}f}{sign}"


def span(low: float | None, high: float | None, digits: int = 1, unit: str = "") -> str:
    """An interval with so many decimals, such as "3.1 to 4.0 %"; empty if an end is unknown."""
    return "" if low is None or high is None else f"{low:.{digits}f} to {high:.{digits}f}{unit}"


def with_unit(value: float, unit: str) -> str:
    """A measured number in about three digits with its unit, one of `UNITS`."""
    if math.isnan(value):
        return "none"
    if unit == "s" and abs(value) < 0.1:
        return f"{plain(value * 1000, 3)} ms"
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2f}" if abs(value) < 1 else f"{value:.1f}"
    if unit == "ratio" and 1 <= abs(value) < 100:
        text = f"{value:.2f}"
    return text + UNITS[unit]


def duration(seconds: float) -> str:
    """A measured duration with a unit that fits its size, up to hours."""
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 0.9995:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 999.5 else long_duration(seconds)


def took(wall_s: float, provenance: Mapping[str, Any]) -> str:
    """The time of a result's solver, and whether its kernels were interpreted, which is slower than compiled code."""
    how = {"interpreted": ", interpreted", "both": ", partly interpreted"}.get(str(provenance.get("kernels")), "")
    return duration(wall_s) + how


def long_duration(seconds: float) -> str:
    """A total of durations in seconds, minutes or hours."""
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def time_left(seconds: float) -> str:
    """A rough time, such as "3 min 20 s"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def counted(count: int, singular: str, plural: str | None = None) -> str:
    """A count with its noun."""
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def listed(names: Iterable[object], most: int = MANY) -> str:
    """Names with commas; of many, the first ones and the number of the others."""
    texts: Sequence[str] = [str(name) for name in names]
    shown = ", ".join(texts[:most])
    return shown if len(texts) <= most else f"{shown} and {len(texts) - most:,} more"


def joined(texts: Iterable[str], before_last: str = "and") -> str:
    """Texts as an enumeration, such as "a, b and c"; `before_last` replaces "and"."""
    *first, last = texts
    return f"{', '.join(first)} {before_last} {last}" if first else last


OTHERWISE = {"count": "stock", "stock": "count"}
"""The option's name of a file's field, if it differs, and the other way round."""


def near_names(word: str, known: Collection[str], most: int = 2, cutoff: float = 0.6) -> list[str]:
    """The known names that a word may stand for: its synonyms, or else the most similar names."""
    other = OTHERWISE.get(word, "")
    return [other] if other in known else difflib.get_close_matches(word, known, n=most, cutoff=cutoff)


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint on an unknown word: the nearest one or two known words, else all of them."""
    words = list(known)
    near = difflib.get_close_matches(word, words, n=2)
    return f"did you mean {' or '.join(near)}?" if near else f"choose from {', '.join(words)}"
