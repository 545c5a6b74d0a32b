"""What the bar of a system in a comparison is made of: optimum, design and heuristic, whoever draws it."""

from __future__ import annotations

from enum import StrEnum

from euclio.core.objective import Goal
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.questions.comparison.comparing import Row

LEAST_PART = 1e-9
"""Share of the optimum below which a part of a bar is not drawn."""


class Part(StrEnum):
    """A part of a bar."""

    OPTIMUM = "optimum"
    DESIGN = "design"
    HEURISTIC = "heuristic"
    UNSPLIT = "unsplit"
    """A gap whose causes are not known."""
    UNKNOWN = "unknown"
    """A value whose gap is not known."""


def part_names(goal: Goal) -> dict[Part, str]:
    """Names of the parts in a legend."""
    lost = "lost by " if goal.maximised else ""
    return {
        Part.OPTIMUM: f"{goal.name} reached" if goal.maximised else "optimum of the full plan space",
        Part.DESIGN: f"{lost}design",
        Part.HEURISTIC: f"{lost}heuristic",
        Part.UNSPLIT: "gap, not split",
        Part.UNKNOWN: f"{goal.name}, optimum not proven",
    }


def bar_parts(row: Row) -> list[tuple[Part, float]]:
    """Parts and widths of a bar from left to right: what both value and optimum have, then what lies between."""
    if row.result.value is None:
        return []
    value = float(row.result.value)
    if row.optimum is None:
        return [(Part.UNKNOWN, value)]
    optimum = float(row.optimum)
    lesser, between = min(value, optimum), abs(value - optimum)
    if row.gap is None or row.gap < -OPTIMALITY_TOLERANCE:
        return [(Part.OPTIMUM, value)]
    if row.design_share is None:
        return [(Part.OPTIMUM, lesser), *([(Part.UNSPLIT, between)] if row.gap > OPTIMALITY_TOLERANCE else [])]
    design = row.design_share * between
    causes = [(Part.DESIGN, design), (Part.HEURISTIC, between - design)]
    parts = [(Part.OPTIMUM, lesser), *(causes[::-1] if row.goal.maximised else causes)]
    return [part for part in parts if part[1] > LEAST_PART * optimum]


def bar_note(row: Row) -> str:
    """What stands behind a bar: the gap, or why there is none."""
    if row.result.value is None:
        return f"no plan: {row.result.status.value}"
    if row.gap is None:
        return ""
    if abs(row.gap) <= OPTIMALITY_TOLERANCE:
        return "optimal"
    sign = "+" if (row.gap > 0) is not row.goal.maximised else "-"
    size = 100 * abs(row.gap)
    return f"{sign}{size:.2g} %" if size < 10 else f"{sign}{size:.0f} %"
