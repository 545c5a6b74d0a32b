"""Numbers, counts and names as text in the report's tables and sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from euclio.core.family import find_family

MANY = 6
"""Names beyond which a list of them is cut short."""


def number(value: float | None, digits: int = 4) -> str:
    """A number in `digits` figures; empty where there is none, ∞ where it is infinite."""
    if value is None or math.isnan(value):
        return ""
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value == 0 or 1e-4 <= abs(value) < 10**digits:
        return f"{value:.{digits}g}"
    return f"{value:,.0f}" if 1e-4 <= abs(value) < 1e9 else f"{value:.{digits - 1}e}"


def percent(share: float | None, digits: int = 2) -> str:
    """A share in per cent, without the sign; empty where there is none."""
    return "" if share is None or not math.isfinite(share) else f"{100 * share:.{digits}f}"


def counted(count: int, singular: str, plural: str | None = None) -> str:
    """A count with its noun."""
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def instances_of(family: str, count: int) -> str:
    """A count of instances of a problem family, such as "2 clusters"."""
    plural = find_family(family).instances
    return counted(count, plural.removesuffix("s"), plural)


def listed(names: Iterable[object], most: int = MANY) -> str:
    """Names with commas; of many, the first and how many more."""
    texts: Sequence[str] = [str(name) for name in names]
    shown = ", ".join(texts[:most])
    return shown if len(texts) <= most else f"{shown} and {len(texts) - most:,} more"
