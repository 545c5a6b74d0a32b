"""A gap decomposition as a table for people."""

from __future__ import annotations

import pandas as pd
from rich.console import Group, RenderableType
from rich.text import Text

from euclio.comparison.decomposing import aggregate, goal_of
from euclio.core.family import families
from euclio.core.objective import Goal
from euclio.core.tables import new_table
from euclio.core.words import percent

NUMBERS = ("split", "gap", "design", "med.", "max", "free", "heur.", "med.", "max", "opt.", "miss")


def decomposition_table(table: pd.DataFrame) -> RenderableType:
    """One row per system, the best first: its mean gap, then design and heuristic.

    Args:
        table: rows of `euclio.decompose`.
    """
    goal = goal_of(table)
    found = aggregate(table).sort_values("total_mean", ascending=not goal.maximised, kind="stable", na_position="last")
    rows = new_table("system", *NUMBERS, numbers=NUMBERS, spare=("max", "med.", "free", "opt.", "miss"))
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
        rows.add_row(*(Text(cell) for cell in (str(name), *cells)))
    head = (
        f"{found.instances.max():.0f} instances; {goal.loss} in % of the optimum of the full plan space\n"
        f"({_full_space(goal)}); {goal.name} = optimum x design x heuristic\n"
        f"split: instances on which a plan and both optima are known; gap: their mean {goal.loss}\n"
        f"design: mean {goal.loss} of the best plan of the system's own plan space; free: it costs nothing\n"
        f"heur.: mean {goal.loss} of the heuristic over that best plan; opt.: it costs nothing (% of instances)\n"
        "miss: instances without a plan although the system's own plan space has one"
    )
    return Group(Text(head), Text(""), rows)


def _full_space(goal: Goal) -> str:
    """The full plan space of the family that has the goal, in words."""
    family = next(family for family in families() if goal in family.goals)
    return family.describe_space(family.full_space)


def _loss(goal: Goal, ratio: float) -> str:
    # What is not known stays so: the larger of not a number and 0 is the first of them.
    return percent(max(goal.loss_of(ratio), 0.0), 1, sign="")
