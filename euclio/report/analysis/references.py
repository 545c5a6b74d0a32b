"""Best known values and bounds of every instance, and each run's gap to them (ours)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from euclio.core.errors import InputError
from euclio.core.families import find_family
from euclio.core.tolerances import OPTIMALITY_TOLERANCE, PROOF_TOLERANCE
from euclio.files.plan_files import RunOptions

PROBLEM = ["family", "objective", "instance_hash"]
"""Columns that identify a problem; values of two runs are compared if these agree."""

OPTION = "option."
"""The prefix of columns with fields of the plan space."""

ACCEPTED = ("optimal", "feasible")
"""Statuses of a run with a plan that the checker accepted."""


FULL = "full"
"""The plan space that all solvers of a family are measured against."""

_NOT_OF_THE_SPACE = frozenset({"objective", *RunOptions.model_fields})


def with_references(frame: pd.DataFrame) -> pd.DataFrame:
    """Add best known values, bounds and gaps to results; a frame that has them is returned as it is.

    Call it before you pick rows, so that the references are those of all runs.

    Args:
        frame: results (`euclio.experiments.results.load`).

    Returns:
        The frame with plain texts in place of categories, and with further columns. Gaps are shares of the best value:
        0.05 is 5 % more cost or 5 % less throughput. NaN means no accepted plan.

        - ``space``: plan space in words (`space_text`), "full" for the family's full one
        - ``best``: best value of any run on the instance with the same objective
        - ``best_bound``: tightest bound of the runs in the full space; NaN if a plan of another space beats it
        - ``best_proven``, ``gap``: whether that bound proves the best value; distance from the best value
        - ``space_best``, ``space_bound``, ``space_proven``, ``space_gap``: the same for runs in the run's own plan
          space
        - ``has_plan``: an accepted plan
        - ``proven``: the run itself proved its plan optimal in its space
        - ``time_s``: `wall_s`, and the hard limit where the run never answered
    """
    if "gap" in frame:
        return frame
    table = frame.astype(dict.fromkeys([*PROBLEM, "instance", "label", "status"], object))
    table["space"] = plan_spaces(frame)
    status = table.status
    table["has_plan"] = status.isin(ACCEPTED) & frame.value.notna()
    table["proven"] = (status == "optimal") & table.has_plan
    table["time_s"] = frame.wall_s.astype(float).fillna(frame.hard_time_limit_s.astype(float))
    sign = np.where(frame.maximised.astype(bool), -1.0, 1.0)
    least: pd.Series[float] = (frame.value.astype(float) * sign).where(table.has_plan)
    bound = frame.bound.astype(float) * sign
    bound = bound.where(np.isfinite(bound) & (status != "error"))
    full = bound.where(table.space == FULL)
    room = _tolerance(frame)
    best, tightest, proven, gap = _reference(least, full, room, _numbers(table, PROBLEM), bound_may_be_beaten=True)
    table["best"], table["best_bound"], table["best_proven"], table["gap"] = best * sign, tightest * sign, proven, gap
    own = _numbers(table, [*PROBLEM, "space"])
    best, tightest, proven, gap = _reference(least, bound, room, own, bound_may_be_beaten=False)
    table["space_best"], table["space_bound"] = best * sign, tightest * sign
    table["space_proven"], table["space_gap"] = proven, gap
    return table


def _tolerance(frame: pd.DataFrame) -> pd.Series[float]:
    """Relative distance of bound and value within which a run's bound is a proof, or may be beaten by a plan."""
    fields = [str(column) for column in frame if str(column).startswith(OPTION)]
    rows = list(frame[["family", *fields]].astype(object).itertuples(index=False, name=None))
    known = {row: _tolerance_of(row[0], dict(zip(fields, row[1:], strict=True))) for row in dict.fromkeys(rows)}
    return pd.Series([known[row] for row in rows], index=frame.index, dtype=float)


def _tolerance_of(family: str, options: Mapping[str, Any]) -> float:
    """The tolerance of each plan space; that of exact proofs if its family is not installed."""
    try:
        return find_family(family).tolerance({name.removeprefix(OPTION): value for name, value in options.items()})
    except InputError:
        return PROOF_TOLERANCE


def _reference(
    least: pd.Series[float],
    bound: pd.Series[float],
    room: pd.Series[float],
    group: pd.Series[int],
    *,
    bound_may_be_beaten: bool,
) -> tuple[pd.Series[float], pd.Series[float], pd.Series[bool], pd.Series[float]]:
    """Best value, tightest bound, whether it proves the value, and gap of each run; signs make the least the best.

    Args:
        least: values of the accepted plans.
        bound: bounds on them.
        room: relative distance within which a bound proves a value.
        group: number of each run's group.
        bound_may_be_beaten: whether the values may be of plan spaces for which the bounds need not hold.
    """
    best = least.groupby(group).transform("min")
    tightest = bound.groupby(group).transform("max")
    scale = best.abs().where(best != 0, 1.0)
    if bound_may_be_beaten:
        tightest = tightest.where(~(tightest - best > room * scale))
    return best, tightest, (best - tightest).abs() <= room * scale, (least - best) / scale


def _numbers(table: pd.DataFrame, columns: Sequence[str]) -> pd.Series[int]:
    return table.groupby(list(columns), observed=True, sort=False).ngroup()


def references(frame: pd.DataFrame) -> pd.DataFrame:
    """Best known values, one row per family, objective and instance.

    Returns:
        Columns: family, objective, instance, best, best_bound, open, best_proven, found_by, solvers. `open` is the
        distance of the bound as a share of the best value; NaN means no bound. `found_by` has the labels of the
        solvers that reached the best value, `solvers` the number of all that ran.
    """
    table = with_references(frame)
    first = table.drop_duplicates(PROBLEM).set_index(PROBLEM)
    found = table[table.has_plan & (table.gap <= OPTIMALITY_TOLERANCE)]
    found_by = found.groupby(PROBLEM, observed=True).label.agg(lambda labels: ", ".join(sorted(set(labels))))
    solvers = table.groupby(PROBLEM, observed=True).label.nunique()
    rows = first[["instance", "best", "best_bound", "best_proven"]].assign(
        open=(first.best - first.best_bound).abs() / first.best.abs().where(first.best != 0, 1.0),
        found_by=found_by.reindex(first.index).fillna(""),
        solvers=solvers.reindex(first.index),
    )
    columns = ["family", "objective", "instance", "best", "best_bound", "open", "best_proven", "found_by", "solvers"]
    ordered = rows.reset_index()[columns].sort_values(["family", "objective", "instance"])
    return ordered.reset_index(drop=True)


def contradictions(frame: pd.DataFrame) -> pd.DataFrame:
    """Bounds that a plan of the same plan space beats; the two methods disagree, so one of them is wrong.

    Returns:
        One row per run with such a bound: family, objective, instance, space, label, bound, best (value of the better
        plan) and found_by (labels that found it).
    """
    table = with_references(frame)
    sign = np.where(table.maximised.astype(bool), -1.0, 1.0)
    beyond = (table.bound.astype(float) - table.space_best) * sign
    wrong = table[(beyond > _tolerance(table) * table.space_best.abs()) & (table.status != "error")]
    columns = ["family", "objective", "instance", "space", "label", "bound"]
    rows = wrong[columns].assign(best=wrong.space_best, found_by=_finders(table, wrong))
    return rows.sort_values(columns[:5]).reset_index(drop=True)


def _finders(table: pd.DataFrame, wrong: pd.DataFrame) -> list[str]:
    """Labels of the runs that found the best plan of a run's plan space, one text per run."""
    concerned = table[table.instance_hash.isin(wrong.instance_hash)]
    good = concerned[concerned.has_plan & (concerned.space_gap <= OPTIMALITY_TOLERANCE)]
    keys = [*PROBLEM, "space"]
    labels = good.groupby(keys, observed=True).label.agg(lambda found: ", ".join(sorted(set(found)))).to_dict()
    return [labels[key] for key in wrong[keys].itertuples(index=False, name=None)]


def plan_spaces(frame: pd.DataFrame) -> pd.Series[str]:
    """The plan space of each run: the fields that differ from the family's full space, or `FULL`."""
    texts = frame[["family", "options"]].astype(str)
    known = {
        (family, options): space_text(family, json.loads(options))
        for family, options in texts.drop_duplicates().itertuples(index=False)
    }
    named = [known[pair] for pair in zip(texts.family, texts.options, strict=True)]
    return pd.Series(named, index=frame.index, dtype=object)


def space_text(family: str, options: dict[str, Any]) -> str:
    """A plan space in words, such as "policy=rr, max_allocations=1".

    Args:
        family: problem family; one that is not installed has no full space, so all its fields are named.
        options: options of the run, plain data.
    """
    try:
        full = find_family(family).full_space.describe()
    except InputError:
        full = {name: None for name in sorted(options) if name not in _NOT_OF_THE_SPACE}
    changed = [
        f"{name}={_text(options[name])}"
        for name, usual in full.items()
        if name != "objective" and name in options and options[name] != usual
    ]
    return ", ".join(changed) or FULL


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "+".join(str(part) for part in value)
    return "any" if value is None else str(value)


Measure = Literal["value", "proof_time", "plan_time"]
"""A measure of solvers: value of the plan, seconds until it was proven optimal, or seconds to any plan."""

LEAST_TIME_S = 1e-6
"""The clock's resolution; shorter times count as this, so that ratios of times exist."""


def by_instance(frame: pd.DataFrame, values: pd.Series[float]) -> pd.DataFrame:
    """The median over seeds and repeats.

    Args:
        frame: results.
        values: a number per run, infinity for a failure.

    Returns:
        One row per problem (family, objective, instance_hash), one column per label in alphabetical order. Infinity
        means that at least half of the runs failed, NaN that the solver was not run on the instance.
    """
    keys = [frame[name] for name in [*PROBLEM, "label"]]
    medians = values.groupby(keys, sort=True).median()
    table: pd.DataFrame = medians.unstack()
    return table


def measured(frame: pd.DataFrame, by: Measure) -> pd.DataFrame:
    """The values of a measure on the instances with a known plan, in the shape of `by_instance`.

    The least is the best. A value is given as its ratio to the best known one (best over value if throughput is
    maximised), a time in seconds. Failures are infinite.
    """
    table = with_references(frame)
    table = table[table.best.notna()]
    if by == "value":
        lost = table.gap.where(table.has_plan, np.inf)
        lower = 1.0 / (1.0 - lost.clip(upper=1.0)).replace(0.0, np.nan)
        values = (1.0 + lost).where(~table.maximised.astype(bool), lower.fillna(np.inf))
    else:
        done = table.proven if by == "proof_time" else table.has_plan
        values = table.time_s.clip(lower=LEAST_TIME_S).where(done, np.inf)
    return by_instance(table, values)


def performance_ratios(frame: pd.DataFrame, by: Measure = "value") -> pd.DataFrame:
    """Ratios to the best solver of each instance (Dolan and Moré 2002, section 2), in the shape of `by_instance`.

    Infinite where the solver failed; instances on which all failed are left out.
    """
    table = measured(frame, by)
    best = table.min(axis=1)
    kept = np.isfinite(best)
    ratios: pd.DataFrame = table[kept].div(best[kept], axis=0)
    return ratios
