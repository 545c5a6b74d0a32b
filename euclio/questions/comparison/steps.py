"""Where a heuristic's loss comes from: its plan again with one step after the other made the best possible (ours).

A solver that knows its steps says so (`Solver.steps`). Losses of the steps add up to the whole gap: each is the
difference from one plan to the next, the last that to the optimum, in units of the optimum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import pandas as pd
from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.families import family_of
from euclio.core.objective import Goal
from euclio.core.progress import told
from euclio.core.solver import AnySolver, Limits
from euclio.core.tables import new_table
from euclio.core.words import percent
from euclio.questions.comparison.decomposing import goal_of

NUMBERS = ("instances", "mean", "max", "share of gap")


@told("looking at each step of each system")
def steps_of(
    instances: Sequence[Any], solvers: Sequence[AnySolver], table: pd.DataFrame, time_limit_s: float | None = None
) -> pd.DataFrame:
    """What each step of each system loses on each instance.

    Args:
        instances: instances of one family.
        solvers: systems; those that do not know their steps are left out.
        table: their decomposition, rows of `euclio.decompose`, which says which optima are proven.
        time_limit_s: limit of a run, as steps are given it.

    Returns:
        One row per instance, system and step: `instance`, `solver`, `step`, the value of the plan `from` which and `to`
        which it leads, and `extra`, their difference as a share of the optimum. Instances without a proven optimum and
        systems without a plan have none.
    """
    goal, rows = goal_of(table), []
    for instance in instances:
        for solver in solvers:
            known = table[(table.instance == instance.name) & (table.solver == solver.name)]
            optimum = known[f"optimum_{goal.suffix}"].iloc[0] if len(known) else None
            if solver.steps is not None and not pd.isna(optimum):
                rows += list(_rows(instance, solver, Limits(time_limit_s), goal, float(optimum)))
    return pd.DataFrame.from_records(rows)


def _rows(
    instance: Any, solver: AnySolver, limits: Limits[Any], goal: Goal, optimum: float
) -> Iterator[dict[str, Any]]:
    assert solver.steps is not None
    space = solver.space_on(instance)
    found = [(step, _value(instance, space, plan)) for step, plan in solver.steps(instance, space, limits)]
    ends = [*(float(value) for _, value in found[1:]), optimum]
    for (step, value), end in zip(found, ends, strict=False):
        extra = (end - float(value) if goal.maximised else float(value) - end) / optimum
        yield {
            "instance": instance.name,
            "solver": solver.name,
            "step": step,
            "from": float(value),
            "to": end,
            "extra": extra,
        }


def _value(instance: Any, space: Any, plan: Any) -> Fraction:
    """The value of a plan of a step, as the checker has it."""
    checked = family_of(instance).evaluate(instance, plan, space)
    if not checked.feasible or checked.value is None:
        raise RuntimeError(f"a step's plan of {instance.name} is refused: {'; '.join(checked.violations)}")
    return checked.value


def steps_table(steps: pd.DataFrame, goal: Goal) -> RenderableType:
    """One row per system and step, in the order of the steps from the last to the first.

    Args:
        steps: rows of `steps_of`, not empty.
        goal: what plans are to be best at.
    """
    rows = new_table("system", "step", *NUMBERS, numbers=NUMBERS)
    for solver, own in steps.groupby("solver", sort=False):
        whole = own.extra.sum()
        for step, lost in own.groupby("step", sort=False).extra:
            share = percent(lost.sum() / whole, 0) if whole > 0 else ""
            cells = (str(solver), str(step), str(len(lost)), _percent(lost.mean()), _percent(lost.max()), share)
            rows.add_row(*(Text(cell) for cell in cells))
    head = (
        f"{goal.loss} by step of the heuristic, in % of the optimum: its plan again with one more\n"
        "step made the best possible at a time, the last step first; instances with a proven optimum"
    )
    return Group(Text(head), Text(""), rows)


def _percent(share: float) -> str:
    return percent(share, 1, sign="")
