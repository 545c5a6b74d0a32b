"""A gap decomposition as a table for people."""

from __future__ import annotations

import math

import pandas as pd
from rich.console import Group, RenderableType
from rich.text import Text

from euclio.comparison.decomposing import aggregate
from euclio.core.tables import DASH, new_table
from euclio.session import FULL_SPACE
from euclio.session.table import describe_space

NUMBERS = ("split", "gap", "design", "med.", "max", "free", "heur.", "med.", "max", "opt.", "miss")


def decomposition_table(table: pd.DataFrame) -> RenderableType:
    """One row per system, cheapest first: its mean gap, then design and heuristic.

    Args:
        table: rows of `euclio.decompose`.
    """
    found = aggregate(table).sort_values("total_mean", kind="stable", na_position="last")
    rows = new_table("system", *NUMBERS, numbers=NUMBERS)
    rows.columns[0].no_wrap = True
    for name, row in found.iterrows():
        cells = [
            f"{row['split']:.0f}/{row['instances']:.0f}",
            _extra(row["total_mean"]),
            *(_extra(row[f"design_{part}"]) for part in ("mean", "median", "max")),
            _share(row["design_free"]),
            *(_extra(row[f"heuristic_{part}"]) for part in ("mean", "median", "max")),
            _share(row["heuristic_optimal"]),
            f"{row['missed']:.0f}",
        ]
        rows.add_row(*(Text(cell) for cell in (str(name), *cells)))
    head = (
        f"{found.instances.max():.0f} instances; extra cost in % over the optimum of the full plan space\n"
        f"({describe_space(FULL_SPACE)}); cost = optimum x design x heuristic\n"
        "split: instances on which a plan and both optima are known; gap: their mean extra cost\n"
        "design: mean extra cost of the best plan of the system's own plan space; free: it costs nothing\n"
        "heur.: mean extra cost of the heuristic over that best plan; opt.: it costs nothing (% of instances)\n"
        "miss: instances without a plan although the system's own plan space has one"
    )
    return Group(Text(head), Text(""), rows)


def _extra(ratio: float) -> str:
    return DASH if math.isnan(ratio) else f"{max(0.0, 100 * (ratio - 1)):.1f}"


def _share(share: float) -> str:
    return DASH if math.isnan(share) else f"{100 * share:.0f}"
