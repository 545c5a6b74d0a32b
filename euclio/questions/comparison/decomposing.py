"""Gap decomposition over many instances: the losses of every system's design and of its heuristic (ours).

On each instance, value = optimum x design x heuristic (`euclio.questions.comparison.gap`); the value is a cost or a
throughput. Extra costs are averaged over instances in units of the optimum: own optimum / optimum - 1 and
(cost - own optimum) / optimum. They add up to the mean gap. For throughput the losses are averaged: 1 - own optimum /
optimum and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pandas as pd
from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.errors import InputError
from euclio.core.families import families, family_of
from euclio.core.family import Family
from euclio.core.fitted_table import Column, Label, table_of
from euclio.core.lazy import late_value
from euclio.core.objective import LEAST_COST, Goal
from euclio.core.progress import progress_bar, told
from euclio.core.showing import html_of, line_of, plotted
from euclio.core.solver import AnySolver, Limits, SolverLike
from euclio.core.solving import solve
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.words import percent
from euclio.questions.comparison.comparison import Comparison, Row, Solving, chosen_solvers, compare, kept
from euclio.questions.comparison.gap import Gap, Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_VIEW = late_value("euclio.questions.comparison.views", "DECOMPOSITION")
SCHEMA = "euclio/decomposition/1"
QUANTILES = {"low": 0.25, "median": 0.5, "high": 0.75}


class Decomposition(pd.DataFrame):
    """The rows of `decompose`: a frame that shows itself per system; a part of it is a plain frame."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def __repr__(self) -> str:
        return line_of(self, _VIEW)

    def _repr_html_(self) -> str | None:
        return html_of(self, _VIEW)

    def frame(self) -> pd.DataFrame:
        """The rows as a plain frame."""
        return pd.DataFrame(self)

    def plot(self, ax: Axes | None = None) -> Axes:  # type: ignore[override]
        """Draw each system's mean value, split by cause; arguments as of `euclio.core.showing.Plotted`."""
        return plotted(self, _VIEW, ax)


def decompose(
    instances: Any,
    solvers: SolverLike | Sequence[SolverLike] | None = None,
    time_limit_s: float | None = None,
    advance: Callable[[Comparison], None] | None = None,
    solving: Solving = solve,
    objective: str | None = None,
    demand: str = "",
) -> Decomposition:
    """Run systems on instances, and the exact solver in the full plan space and in each system's own.

    Args:
        instances: one instance or many, all of one family.
        solvers: names, solvers or functions; by default every registered heuristic, ablations included.
        time_limit_s: limit of each run in seconds.
        advance: called after each instance.
        solving: the function that solves, with the arguments of `euclio.solve`.
        objective: name of the objective; None means the family's default.
        demand: the demand under which `solving` plans, in words; empty means no demand.

    Returns:
        One row per instance and system: the fields of `gap_row`, the status of the system's run and of both optima,
        value, `gap` and `reason` by the names of other frames, and sizes of the instance (`Family.features`).
        `aggregate` sums it up per system.

    Raises:
        InputError: an unknown solver name, an unknown objective, or instances of different families.
    """
    given = list(instances) if isinstance(instances, Iterable) else [instances]
    if not given:
        return Decomposition()
    chosen = chosen_solvers(solvers, common_family(given))
    rows: list[dict[str, Any]] = []
    with progress_bar("instances", len(given)) as count:
        for instance in given:
            comparison = compare(instance, chosen, time_limit_s, objective, solving=solving, demand=demand)
            by_name = {row.solver.name: row for row in comparison.rows}
            rows += [_row(comparison, by_name[solver.name]) for solver in chosen]
            count()
            if advance is not None:
                advance(comparison)
    return Decomposition(pd.DataFrame.from_records(rows))


def common_family(instances: Sequence[Any]) -> Family:
    """The family of all these instances; raises an `InputError` if they are of several, whose gaps are not alike."""
    first, *others = (family_of(instance) for instance in instances)
    for instance, other in zip(instances[1:], others, strict=True):
        if other is not first:
            raise InputError(
                f"{instance.name} is one of {other.instances}, {instances[0].name} one of {first.instances}; "
                "decompose them one family at a time"
            )
    return first


def gap_row(instance: str, solver: str, gap: Gap, goal: Goal = LEAST_COST) -> dict[str, Any]:
    """A gap as plain data, floats throughout; unknown values are None.

    Values are in the unit of the goal (`cost_per_h`, `own_optimum_per_h`, `optimum_per_h`). The ratios `design`,
    `heuristic` and `total` follow. The extra costs `design_extra` and `heuristic_extra` are shares of the full optimum
    that add up to `total` - 1. For throughput they are the shares lost, which add up to 1 - `total`.
    """
    design_extra, heuristic_extra = gap.parts or (None, None)
    return {
        "instance": instance,
        "solver": solver,
        goal.value_field: _float(gap.value),
        f"own_optimum_{goal.suffix}": _float(gap.own_optimum),
        f"optimum_{goal.suffix}": _float(gap.optimum),
        "design": gap.design,
        "heuristic": gap.heuristic,
        "total": gap.total,
        "design_extra": design_extra,
        "heuristic_extra": heuristic_extra,
    }


def goal_of(table: pd.DataFrame) -> Goal:
    """The goal whose values a decomposition has."""
    known = [goal for family in families() for goal in family.goals]
    return next((goal for goal in known if goal.value_field in table), LEAST_COST)


def aggregate(table: pd.DataFrame) -> pd.DataFrame:
    """The decomposition per system, in the order of its rows.

    Args:
        table: rows as `gap_row` makes them.

    Returns:
        One row per system, indexed by its name: `instances`; `plans`, those with a plan; `missed`, those without a
        plan although the system's own plan space has one; `split`, those with a plan and both optima proven. All
        other columns are over `split`: mean, quartiles (`_low`, `_median`, `_high`) and worst (`_max`) of `design`,
        `heuristic` and `total`; means of `design_extra` and `heuristic_extra`. `design_free` and `heuristic_optimal`
        are the shares of instances on which the factor is 1.
    """
    goal, groups = goal_of(table), table.groupby("solver", sort=False)
    return pd.DataFrame({str(name): _aggregate(rows, goal) for name, rows in groups}).T.rename_axis("solver")


def _aggregate(rows: pd.DataFrame, goal: Goal) -> pd.Series[float]:
    split = rows.dropna(subset=["design", "heuristic"]).astype({"design": float, "heuristic": float, "total": float})
    planned, possible = rows[goal.value_field].notna(), rows[f"own_optimum_{goal.suffix}"].notna()
    found: dict[str, float] = {"instances": len(rows), "plans": planned.sum(), "missed": (possible & ~planned).sum()}
    found["split"] = len(split)
    for factor in ("design", "heuristic", "total"):
        values = split[factor]
        worst = values.min() if goal.maximised else values.max()
        found[f"{factor}_mean"], found[f"{factor}_max"] = values.mean(), worst
        found |= {f"{factor}_{name}": values.quantile(q) for name, q in QUANTILES.items()}
    found["design_extra"] = split.design_extra.astype(float).mean()
    found["heuristic_extra"] = split.heuristic_extra.astype(float).mean()
    found["design_free"] = (split.design.map(goal.loss_of) <= OPTIMALITY_TOLERANCE).mean()
    found["heuristic_optimal"] = (split.heuristic.map(goal.loss_of) <= OPTIMALITY_TOLERANCE).mean()
    return pd.Series(found, dtype=float)


def describe(table: pd.DataFrame) -> dict[str, Any]:
    """The decomposition as plain data: per system, then every row."""
    return {
        "schema": SCHEMA,
        "systems": _records(
            aggregate(table).reset_index().astype(dict.fromkeys(("instances", "plans", "missed", "split"), int))
        ),
        "rows": _records(table),
    }


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    rows = table.to_dict("records")
    return [{str(key): None if pd.isna(value) else value for key, value in row.items()} for row in rows]


def _row(comparison: Comparison, row: Row) -> dict[str, Any]:
    best = comparison.best
    return gap_row(comparison.instance.name, row.solver.name, row.split, comparison.goal) | {
        "status": row.result.status.value,
        "own_optimum_status": None if row.own is None else row.own.status.value,
        "optimum_status": None if best is None else best.status.value,
        **({"demand": comparison.demand, **kept(row.result)} if comparison.demand else {}),
        comparison.goal.name.replace(" ", "_"): _float(row.result.value),
        "gap": row.gap,
        "reason": row.reason,
        **family_of(comparison.instance).features(comparison.instance),
    }


def _float(value: Value | None) -> float | None:
    return None if value is None else float(value)


STEP_COLUMNS = (Label("system"), Label("step"), *map(Column, ("instances", "mean", "max", "share of gap")))


# A solver that knows its steps says so (`Solver.steps`). Losses of the steps add up to the whole gap: each is the
# difference between two consecutive plans, the last that to the optimum, in units of the optimum.


@told("looking at each step of each system")
def steps_of(
    instances: Sequence[Any], solvers: Sequence[AnySolver], table: pd.DataFrame, time_limit_s: float | None = None
) -> pd.DataFrame:
    """The loss of each step of each system on each instance.

    Args:
        instances: instances of one family.
        solvers: systems; those that do not know their steps are left out.
        table: their decomposition, rows of `euclio.decompose`, which says which optima are proven.
        time_limit_s: limit of a run, which is handed to the steps.

    Returns:
        One row per instance, system and step: `instance`, `solver`, `step`, the values of the plans `from` and `to`
        which the step leads, and `extra`, their difference as a share of the optimum. Instances without a proven
        optimum and systems without a plan have no rows.
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
    """The value of a step's plan, as the checker computes it."""
    checked = family_of(instance).evaluate(instance, plan, space)
    if not checked.feasible or checked.value is None:
        raise RuntimeError(f"a step's plan of {instance.name} is refused: {'; '.join(checked.violations)}")
    return checked.value


def steps_table(steps: pd.DataFrame, goal: Goal) -> RenderableType:
    """One row per system and step, in the order of the steps from the last to the first.

    Args:
        steps: rows of `steps_of`, not empty.
        goal: the objective of the plans.
    """
    rows = []
    for solver, own in steps.groupby("solver", sort=False):
        whole = own.extra.sum()
        for step, lost in own.groupby("step", sort=False).extra:
            share = percent(lost.sum() / whole, 0) if whole > 0 else ""
            cells = (str(solver), str(step), str(len(lost)), _percent(lost.mean()), _percent(lost.max()), share)
            rows.append(list(cells))
    head = (
        f"{goal.loss} by step of the heuristic, in % of the optimum: its plan again with one more\n"
        "step made the best possible at a time, the last step first; instances with a proven optimum"
    )
    return Group(Text(head), Text(""), table_of(rows, STEP_COLUMNS))


def _percent(share: float) -> str:
    return percent(share, 1, sign="")
