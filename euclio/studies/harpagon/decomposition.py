"""Gap decomposition: what each system's design gives up and what its heuristic loses, over all workloads (ours)."""

from __future__ import annotations

import pandas as pd

from euclio.comparison.decomposing import aggregate, gap_row
from euclio.comparison.decomposition_figure import CAPTION, draw
from euclio.comparison.gap import Gap
from euclio.report import Block, Figure, Heading, Paragraph, Table, figure_style, svg_text
from euclio.session.workloads.protocol import Draws
from euclio.studies.harpagon.decomposition_findings import Totals, extra, findings
from euclio.studies.harpagon.frames import costs, counters
from euclio.studies.harpagon.tasks import PLAN_OPTIMUM, SYSTEM_TASKS, own_optimum

KEY = "figure-decomposition"
QUESTION = "Gap decomposition. Is the design to blame, or the heuristic?"


def gaps(runs: pd.DataFrame) -> pd.DataFrame:
    """The gap of every system on every workload, as `euclio.decompose` gives it; unproven optima are left out.

    Args:
        runs: one row per workload and run, those of `own_tasks` included.
    """
    cost, proven = costs(runs), counters(runs, "status") == "optimal"
    optima = cost.where(proven)
    rows = []
    for system in (task.label for task in SYSTEM_TASKS):
        columns = (cost[system], optima[own_optimum(system)], optima[PLAN_OPTIMUM])
        for workload, *values in zip(cost.index, *columns, strict=True):
            reached, own, best = (None if pd.isna(v) else float(v) for v in values)
            rows.append(gap_row(str(workload), system, Gap(reached, own, best)))
    return pd.DataFrame.from_records(rows)


def decomposition_blocks(runs: pd.DataFrame, draws: Draws) -> list[Block]:
    """The section of the report."""
    table = gaps(runs)
    totals: Totals = aggregate(table).to_dict("index")  # type: ignore[assignment]
    return [
        Heading("Gap decomposition: is the design to blame, or the heuristic?"),
        Paragraph(
            "Every system chooses from a plan space of its own: its dispatch, how many configurations a module may "
            "have, batching, hardware and dummy rule. The proven optimum of that space splits the system's distance "
            "from the optimum of Harpagon's full plan space in two factors: cost = optimum × design × heuristic. No "
            f"paper reports them. Both optima are proven for {int(table.design.notna().sum())} of {len(table)} pairs "
            "of system and workload."
        ),
        *(Paragraph(text) for text in findings(totals, draws)),
        figure_decomposition(table),
        table_of(totals),
    ]


def figure_decomposition(table: pd.DataFrame) -> Figure:
    """Stacked bars of all systems."""
    with figure_style():
        return Figure(KEY, svg_text(draw(table, QUESTION), KEY, QUESTION), CAPTION)


def table_of(totals: Totals) -> Table:
    """One row per system."""
    rows = []
    for name, row in totals.items():
        rows.append(
            (
                name,
                f"{row['split']:.0f}",
                extra(row["total_mean"]),
                *(extra(row[f"design_{part}"]) for part in ("mean", "median", "max")),
                f"{100 * row['design_free']:.1f} %",
                *(extra(row[f"heuristic_{part}"]) for part in ("mean", "median", "max")),
                f"{100 * row['heuristic_optimal']:.1f} %",
            )
        )
    return Table(
        "Gap decomposition. Mean extra cost: gap, over the optimum; by design, best plan of the own plan space over "
        "the optimum; by heuristic, over that best plan; each with median and largest. Split: workloads on which both "
        "optima are proven; free: share on which the design costs nothing; optimal: share on which the plan is the "
        "best of its own space.",
        (
            *("system", "split", "gap"),
            *("by design", "median", "largest", "free"),
            *("by heuristic", "median", "largest", "optimal"),
        ),
        tuple(rows),
        frozenset(range(1, 11)),
    )
