"""Figures of each solver on each instance, seeds and repeats merged, so that solvers can be compared pairwise."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from euclio.report.analysis.references import PROBLEM, with_references

Measure = Literal["value", "proof_time", "plan_time"]
"""What solvers are compared by: value of the plan, seconds until it was proven optimal, seconds to a plan at all."""

LEAST_TIME_S = 1e-6
"""Times are taken to be at least this, the clock's resolution, so that ratios of them exist."""


def by_instance(frame: pd.DataFrame, values: pd.Series[float]) -> pd.DataFrame:
    """The median over seeds and repeats.

    Args:
        frame: results.
        values: a number per run, infinity for a failure.

    Returns:
        One row per problem (family, objective, instance_hash), one column per label in alphabetical order; infinity:
        half of the runs or more failed, NaN: the solver was not run on the instance.
    """
    keys = [frame[name] for name in [*PROBLEM, "label"]]
    medians = values.groupby(keys, sort=True).median()
    table: pd.DataFrame = medians.unstack()
    return table


def measured(frame: pd.DataFrame, by: Measure) -> pd.DataFrame:
    """What solvers are compared by, on the instances of which a plan is known, in the shape of `by_instance`.

    Least is best: of values it is the ratio to the best known one, 1 for equal, also where throughput is maximised
    (best over value); of times it is seconds. Failures are infinite.
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
