"""Numbers, shares, durations and lists as text for people: every table, message, report and figure takes them here.

Nothing here has an exponent: a person reads 1,061,712, not 1.06171e+06. Files and `--json` keep numbers in full.
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
"""Names beyond which a list of them is cut short."""
UNITS = {"%": " %", "s": " s", "ratio": "×", "count": ""}
"""What is written behind a number that was measured, by the unit of the measure."""


def full(value: Value | None, unit: str = "", *, digits: int = 9, none: str = DASH) -> str:
    """A value in full, to be compared with others or given back as an option.

    Args:
        value: the value; None: there is none.
        unit: what is written behind it, such as " s".
        digits: significant digits.
        none: the text of None.
    """
    return none if value is None else plain(float(value), digits) + unit


def told_apart(a: Value, b: Value) -> tuple[str, str]:
    """Two values in full, with as many more digits as it takes to see that they differ; all 17 where they do not."""
    for digits in range(9, 18):
        texts = full(a, digits=digits), full(b, digits=digits)
        if texts[0] != texts[1]:
            break
    return texts


def amount(value: Value | None, unit: str = "", *, digits: int = 9, none: str = DASH) -> str:
    """An amount of money, a count or a rate, with commas between thousands.

    Args:
        value: the amount; None: there is none.
        unit: what is written behind it, such as " EUR".
        digits: significant digits; what stands before the decimal point is kept, however many digits that are.
        none: the text of None.
    """
    if value is None:
        return none
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
    """A number of any size in `digits` figures, for reports; empty where there is none, ∞ where it is infinite."""
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
        separator: what stands between thousands, "," or nothing.
    """
    text = f"{value:.{digits}g}"
    return format(Decimal(text), f"{separator}f") if math.isfinite(value) else text


def decimals(value: float | None, digits: int = 0, *, separator: str = ",", none: str = "") -> str:
    """A number with so many decimals.

    Args:
        value: the number; None or not a number: there is none.
        digits: decimals.
        separator: what stands between thousands, "," or nothing.
        none: the text where there is no number.
    """
    return none if value is None or math.isnan(value) else f"{value:{separator}.{digits}f}"


def percent(share: float | None, digits: int = 2, *, sign: str = " %", none: str = DASH) -> str:
    """A share as a percentage.

    Args:
        share: the share, 1 for all; None or not finite: there is none.
        digits: decimals.
        sign: what is written behind it; empty in columns whose heading says it.
        none: the text where there is no share.
    """
    return none if share is None or not math.isfinite(share) else f"{100 * share:.{digits}f}{sign}"


def span(low: float | None, high: float | None, digits: int = 1, unit: str = "") -> str:
    """An interval with so many decimals, such as "3.1 to 4.0 %"; empty where an end is not known."""
    return "" if low is None or high is None else f"{low:.{digits}f} to {high:.{digits}f}{unit}"


def with_unit(value: float, unit: str) -> str:
    """A measured number as a reader wants it: three digits or so, with its unit, one of `UNITS`."""
    if math.isnan(value):
        return "none"
    if unit == "s" and abs(value) < 0.1:
        return f"{plain(value * 1000, 3)} ms"
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2f}" if abs(value) < 1 else f"{value:.1f}"
    if unit == "ratio" and 1 <= abs(value) < 100:
        text = f"{value:.2f}"
    return text + UNITS[unit]


def duration(seconds: float) -> str:
    """A measured duration with a unit that suits its size, up to hours."""
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 0.9995:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 999.5 else long_duration(seconds)


def took(wall_s: float, provenance: Mapping[str, Any]) -> str:
    """How long a solver took, and whether that was interpreted, which compiled code would not take; of a result."""
    how = {"interpreted": ", interpreted", "both": ", partly interpreted"}.get(str(provenance.get("kernels")), "")
    return duration(wall_s) + how


def long_duration(seconds: float) -> str:
    """A total of durations in seconds, minutes or hours."""
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def time_left(seconds: float) -> str:
    """A time that need not be exact, such as "3 min 20 s"."""
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
    """Names with commas; of many, the first and how many more."""
    texts: Sequence[str] = [str(name) for name in names]
    shown = ", ".join(texts[:most])
    return shown if len(texts) <= most else f"{shown} and {len(texts) - most:,} more"


def joined(texts: Iterable[str], before_last: str = "and") -> str:
    """One text or more as an enumeration, such as "a, b and c"; the word before the last one may be another."""
    *first, last = texts
    return f"{', '.join(first)} {before_last} {last}" if first else last


OTHERWISE = {"count": "stock", "stock": "count"}
"""What a field of a file is called as an option, where that has another name, and the other way round."""


def near_names(word: str, known: Collection[str], most: int = 2, cutoff: float = 0.6) -> list[str]:
    """The known names that a word may stand for: what the same is called elsewhere, or else the most alike."""
    other = OTHERWISE.get(word, "")
    return [other] if other in known else difflib.get_close_matches(word, known, n=most, cutoff=cutoff)


def nearest(word: str, known: Iterable[str]) -> str:
    """What to say of a word that is not known: the nearest known one or two, else all of them."""
    words = list(known)
    near = difflib.get_close_matches(word, words, n=2)
    return f"did you mean {' or '.join(near)}?" if near else f"choose from {', '.join(words)}"
