"""How comparisons and decompositions show themselves: the terminal's tables, a comparison with its bars."""

from __future__ import annotations

from typing import Any

import pandas as pd
from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.certificate import Verdict
from euclio.core.families import families, family_of, shown_goal
from euclio.core.fitted_table import Column, Label, table_of
from euclio.core.lazy import late
from euclio.core.objective import Goal
from euclio.core.result import Status
from euclio.core.showing import Head, View, fields_of
from euclio.core.showing.html import html_text
from euclio.core.tables import bound_text
from euclio.core.words import DASH, amount, counted, duration, figures, full, percent
from euclio.proving.certifying import counts
from euclio.questions.comparison.comparison import Comparison, Row, bar_note, bar_parts, part_names
from euclio.questions.comparison.decomposing import aggregate, goal_of

DECOMPOSITION_COLUMNS = (
    Label("system"),
    *map(Column, ("split", "gap", "design")),
    *(median_and_most := (Column("med.", spare=2), Column("max", spare=1))),
    Column("free", spare=3),
    Column("heur."),
    *median_and_most,
    Column("opt.", spare=4),
    Column("miss", spare=5),
)


def in_percent(share: float | None) -> str:
    """A share in whole per cent."""
    return percent(share, 0)


def comparison_table(comparison: Comparison) -> RenderableType:
    """The optimum, then one row per system: value, gap, share of the design in it, time."""
    columns = (
        Label("system", lambda row: row.solver.label),
        Column(shown_goal(comparison.goal, comparison.instance).column, _value),
        *(
            [Column("in time, at least", lambda row: percent(row.result.stats.get("attainment_at_least")))]
            * bool(comparison.demand)
        ),
        Column("gap", form=percent, spare=5),
        Column("best of its design", _own_optimum, spare=1),
        Column("by design", "design_share", in_percent, spare=4),
        Column("by heuristic", "heuristic_share", in_percent, spare=2),
        Column("time", lambda row: duration(row.result.wall_s), spare=3),
    )
    table = table_of(comparison.rows, columns)
    return Group(Text("\n".join(_header(comparison))), *_refuted(comparison), Text(""), table)


def _header(comparison: Comparison) -> list[str]:
    goal = comparison.goal
    lost = f"{goal.name} lost against" if goal.maximised else f"extra {goal.name} over"
    space = family_of(comparison.instance).describe_space(comparison.space)
    # No plan space holds the plans of two dispatch rules, so no optimum covers all plans.
    others = ["plan space: of one dispatch rule; other rules may cost less"]
    if comparison.demand:
        return [
            f"{comparison.instance.name}: {comparison.demand}",
            f"gap: {lost} the cheapest plan that was found, {amount(comparison.least)} {goal.unit}; nothing is proven",
            "by design: the share of the gap that the cheapest plan found in the system's own plan space has already",
            *_how_timed(comparison),
        ]
    return [
        f"{comparison.instance.name}: {_optimum(comparison)}",
        f"gap: {lost} the optimum of plan space {space}",
        *(others if "policy" in comparison.space.describe() else []),
        "by design: the share of the gap that the best plan of the system's own plan space has already",
        f"proofs: {_proofs(comparison)}",
        *_how_timed(comparison),
        *filter(None, [family_of(comparison.instance).caveat(comparison.instance, comparison.space, None, None)]),
    ]


def _how_timed(comparison: Comparison) -> list[str]:
    """A line if times are not of compiled code alone, and so cannot be compared."""
    ran = {str(row.result.provenance.get("kernels")) for row in comparison.rows}
    if not ran & {"interpreted", "both"}:
        return []
    return ["times: interpreted, at least in part; `EUCLIO_KERNELS=compiled` compiles first"]


def _proofs(comparison: Comparison) -> str:
    text = counts(comparison.proofs, (found.verdict for found in comparison.certificates))
    return text if comparison.certificates or not comparison.proofs else f"{text}; --certify S tries them"


def _refuted(comparison: Comparison) -> list[Text]:
    """A red line for each proof that was refuted."""
    return [
        Text(f"REFUTED: {found.solver}: {found.claim}: {found.reason}", style="bold red")
        for found in comparison.certificates
        if found.verdict is Verdict.REFUTED
    ]


def _optimum(comparison: Comparison) -> str:
    best, goal = comparison.best, shown_goal(comparison.goal, comparison.instance)
    if best is None:
        return f"the solver {comparison.exact} is not installed, so no gap is known"
    if best.status is Status.INFEASIBLE:
        return "infeasible, the full plan space has no plan"
    if comparison.optimum is None:
        found = f"{goal.name} {amount(best.value)}, {bound_text(best, goal)}"
        return f"optimum not proven ({best.status.value}; {found})"
    return f"optimum {amount(best.value)} {goal.unit}, proven in {duration(best.wall_s)}"


def _value(row: Row) -> str:
    return row.result.status.value if row.result.value is None else figures(row.result.value)


def _own_optimum(row: Row) -> str:
    if row.own_optimum is not None:
        return figures(row.own_optimum)
    return row.own.status.value if row.own is not None and row.own.status is Status.INFEASIBLE else DASH


def decomposition_table(table: pd.DataFrame) -> RenderableType:
    """One row per system, the best first: its mean gap, then design and heuristic.

    Args:
        table: rows of `euclio.decompose`.
    """
    goal = goal_of(table)
    found = aggregate(table).sort_values("total_mean", ascending=not goal.maximised, kind="stable", na_position="last")
    rows = []
    for name, row in found.iterrows():
        cells = [
            f"{row['split']:.0f}/{row['instances']:.0f}",
            _loss(goal, row["total_mean"]),
            *(_loss(goal, row[f"design_{part}"]) for part in ("mean", "median", "max")),
            percent(row["design_free"], 0, sign=""),
            *(_loss(goal, row[f"heuristic_{part}"]) for part in ("mean", "median", "max")),
            percent(row["heuristic_optimal"], 0, sign=""),
            f"{row['missed']:.0f}",
        ]
        rows.append([str(name), *cells])
    proven = "the optimum" if "demand" not in table else "the cheapest plan found"
    head = (
        f"{found.instances.max():.0f} instances; {goal.loss} in % of {proven} of the full plan space\n"
        f"({_full_space(goal)}); {goal.name} = optimum x design x heuristic\n"
        f"split: instances on which a plan and both optima are known; gap: their mean {goal.loss}\n"
        f"design: mean {goal.loss} of the best plan of the system's own plan space; free: it costs nothing\n"
        f"heur.: mean {goal.loss} of the heuristic over that best plan; opt.: it costs nothing (% of instances)\n"
        "miss: instances without a plan although the system's own plan space has one"
        + ("" if "demand" not in table else f"\nall plans keep {table.demand.iloc[0]}; nothing is proven")
    )
    return Group(Text(head), Text(""), table_of(rows, DECOMPOSITION_COLUMNS))


def _full_space(goal: Goal) -> str:
    """The full plan space of the family that has the goal, in words."""
    family = next(family for family in families() if goal in family.goals)
    return family.describe_space(family.full_space)


def _loss(goal: Goal, ratio: float) -> str:
    # The first argument is not a number if the ratio is unknown, and Python's max then returns it.
    return percent(max(goal.loss_of(ratio), 0.0), 1, sign="")


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
    """A bar per system as HTML, with the largest value at full length, and the meaning of its colours."""
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
            **fields_of(row, "gap", "own_optimum"),
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
    _comparison_head,
    comparison_table,
    bars,
    _comparison_rows,
    late("euclio.questions.comparison.figures", "draw_comparison_on"),
)
DECOMPOSITION = View(
    _decomposition_head,
    lambda table: None if table.empty else decomposition_table(table),
    draw=late("euclio.questions.comparison.figures", "draw_decomposition_on"),
)
