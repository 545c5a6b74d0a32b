"""Highest load factors: which loads to try, and what the tried ones say (§7.1: 0.05 to 1.0 in steps of 0.05)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from euclio.pipeline.simulation.highest_load import GRID, TARGET

RUN = ["case", "system", "arrivals", "scheduler"]
"""Columns that name a plan served under rising load."""


def search(attained: Callable[[float], Sequence[float]]) -> None:
    """Try loads until the highest one of every model is known, by halving: attainment falls with load.

    Args:
        attained: attainment of each model at a load factor.
    """
    tried: dict[int, Sequence[float]] = {}
    step: int | None = len(GRID)
    while step is not None:
        tried[step] = attained(GRID[step - 1])
        step = _next(tried)


def _next(tried: Mapping[int, Sequence[float]]) -> int | None:
    for model in range(len(next(iter(tried.values())))):
        low = max((step for step, found in tried.items() if found[model] >= TARGET), default=0)
        high = min((step for step in tried if step > low), default=low)
        if high - low > 1:
            return (low + high) // 2
    return None


def highest_loads(serving: pd.DataFrame) -> pd.Series[float]:
    """Highest load factor with 99 % attainment by run and model; 0: none of those tried."""
    reached = serving.load.where(serving.attainment >= TARGET, 0.0)
    found: pd.Series[float] = reached.groupby([serving[name] for name in [*RUN, "model"]]).max()
    return found


def mean_loads(serving: pd.DataFrame, arrivals: str, scheduler: str) -> pd.DataFrame:
    """Highest load factor averaged over the models of a case: one row per case, one column per system."""
    means = highest_loads(serving).groupby(RUN).mean()
    if means.empty:
        return pd.DataFrame()
    return means.xs((arrivals, scheduler), level=("arrivals", "scheduler")).unstack("system")


def at_highest_load(serving: pd.DataFrame) -> pd.DataFrame:
    """The rows of each run at the highest tried load whose attainment, averaged over the models, reaches 99 %."""
    means = serving.groupby([*RUN, "load"]).attainment.transform("mean")
    reached = serving[means >= TARGET]
    return reached[reached.load == reached.groupby(RUN).load.transform("max")]
