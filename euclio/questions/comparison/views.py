"""How comparisons and decompositions show themselves: the terminal's tables, a comparison with its bars."""

from __future__ import annotations

from typing import Any

import pandas as pd

from euclio.core.families import shown_goal
from euclio.core.lazy import late
from euclio.core.showing import Head, View
from euclio.core.showing.html import html_text
from euclio.core.words import counted, figures, full, percent
from euclio.questions.comparison.bar_parts import bar_note, bar_parts, part_names
from euclio.questions.comparison.comparing import Comparison
from euclio.questions.comparison.decomposing import aggregate, goal_of
from euclio.questions.comparison.table import comparison_table, decomposition_table

MOST_BARS = 60
"""Systems that have a bar."""


def _comparison_head(found: Comparison) -> Head:
    best, systems = found.best, counted(len(found.rows), "system")
    if best is None:
        return Head(found.instance.name, "", (f"{found.exact} is not installed", systems))
    goal = shown_goal(found.goal, found.instance)
    cost = () if best.value is None else (f"{goal.name} {full(best.value)} {goal.unit}",)
    first = next((row for row in found.rows if row.result.value is not None), None)
    gap = () if first is None else (f"best of {systems}: {first.solver.label}, gap {percent(first.gap)}",)
    return Head(found.instance.name, best.status.value, (*cost, *gap))


def bars(found: Comparison) -> str:
    """A bar per system as HTML, of one length for the largest value, and what its colours mean."""
    rows = found.rows[:MOST_BARS]
    largest = max((sum(width for _, width in bar_parts(row)) for row in rows), default=0.0) or 1.0
    names, drawn, lines = part_names(found.goal), set(), []
    for row in rows:
        parts = bar_parts(row)
        drawn |= {part for part, _ in parts}
        pieces = "".join(f'<i class="{part}" style="width:{100 * width / largest:.2f}%"></i>' for part, width in parts)
        value = "" if row.result.value is None else figures(row.result.value)
        cells = (f"<td>{html_text(row.solver.label)}</td>", f'<td class="number">{value}</td>')
        lines.append(
            f'<tr>{"".join(cells)}<td><div class="bar">{pieces}</div></td><td>{html_text(bar_note(row))}</td></tr>'
        )
    legend = "".join(f'<span><i class="{part}"></i>{html_text(names[part])}</span>' for part in names if part in drawn)
    table = f'<div class="scroll"><table><tbody>{"".join(lines)}</tbody></table></div>'
    return f'<div class="bars">{table}<div class="legend">{legend}</div></div>'


def _comparison_rows(found: Comparison) -> list[dict[str, Any]]:
    """A row per system."""
    return [
        {
            "solver": row.solver.name,
            "kind": row.solver.kind,
            "status": row.result.status,
            found.goal.name.replace(" ", "_"): row.result.value,
            "bound": row.result.bound,
            "gap": row.gap,
            "own_optimum": row.own_optimum,
            "design_share_of_gap": row.design_share,
            "heuristic_share_of_gap": row.heuristic_share,
            "wall_s": row.result.wall_s,
            "reason": row.reason,
        }
        for row in found.rows
    ]


def _decomposition_head(table: pd.DataFrame) -> Head:
    if table.empty:
        return Head("", "", ("no instances",))
    sizes = f"{counted(table.instance.nunique(), 'instance')}, {counted(table.solver.nunique(), 'system')}"
    goal, found = goal_of(table), aggregate(table)
    means = found.total_mean.dropna().astype(float)
    if means.empty:
        return Head("", "", ("no gap is known: no plan, or no proven optimum", sizes))
    name = str(means.idxmax() if goal.maximised else means.idxmin())
    gap = percent(max(0.0, goal.loss_of(float(means[name]))), 1)
    return Head("", "", (f"least mean gap {gap} by {name}", sizes))


COMPARISON = View(
    _comparison_head, comparison_table, bars, _comparison_rows, late("euclio.questions.comparison.figure", "draw_on")
)
DECOMPOSITION = View(
    _decomposition_head,
    lambda table: None if table.empty else decomposition_table(table),
    draw=late("euclio.questions.comparison.decomposition_figure", "draw_bars_on"),
)
