"""The variation of bursty arrivals, fitted to printed numbers on half of the paper's clusters (ours).

The paper replays a trace of 2021 that is not available, and prints each system's mean load under it and under Poisson
arrivals. Gamma gaps replace the trace. Their coefficient of variation is fitted on a grid. At the fitted value the
reductions (served load over that of Poisson arrivals) are nearest to the printed ones on two of the four clusters. The
fit has its own seeds; the page shows the other two clusters.
"""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from studies.papers.published import printed_values
from studies.ppipe.cases import LARGE
from studies.ppipe.measures import BURSTY, KEYS, POISSON, RESERVATION, mean_loads, of_groups
from studies.ppipe.serving import ServingSetup

FITTED_ON = LARGE[::2]
"""Clusters of the fit."""
CVS = (1.1, 1.25, 1.5, 1.75, 2.0, 2.5)
FIT_SEED = 1000
"""The number that is added to the seed of the study."""


def tried(systems: tuple[str, ...]) -> tuple[ServingSetup, ...]:
    """The arrivals for the fit: Poisson, and gamma gaps of each coefficient of variation."""
    poisson = tuple(ServingSetup(system) for system in systems)
    return (*poisson, *(replace(serving, cv=cv) for serving in poisson for cv in CVS))


def printed_reductions() -> dict[str, float]:
    """By system, the printed mean load under bursts over that of Poisson arrivals."""
    value = printed_values("ppipe")
    return {system: value[f"load_{key}_{BURSTY}"] / value[f"load_{key}_{POISSON}"] for system, key in KEYS.items()}


def fit_table(serving: pd.DataFrame) -> pd.DataFrame:
    """One row per coefficient of variation and system: the reduction, the printed one, the error over all systems.

    Args:
        serving: served plans under the arrivals of `tried`; `cv` is NaN for Poisson arrivals.
    """
    printed = printed_reductions()
    poisson = mean_loads(serving[serving.cv.isna()], POISSON, RESERVATION).mean()
    rows = []
    for cv, own in serving[serving.cv.notna()].groupby("cv"):
        found = mean_loads(own, POISSON, RESERVATION).mean() / poisson
        error = sum((found[system] - printed[system]) ** 2 for system in KEYS)
        rows += [
            {"cv": cv, "system": system, "reduction": found[system], "printed": printed[system], "error": error}
            for system in KEYS
        ]
    return pd.DataFrame(rows)


def fitted_cv(table: pd.DataFrame) -> float:
    """The coefficient of variation with the least error."""
    return float(table.cv[table.error.idxmin()])


def reductions(serving: pd.DataFrame, setups: tuple[str, ...]) -> dict[str, float]:
    """By system, the mean load served under bursts over that of Poisson arrivals, on some clusters."""
    groups = of_groups(serving)
    own = groups[groups.setup.isin(setups)]
    bursty, poisson = (mean_loads(own, arrivals, RESERVATION).mean() for arrivals in (BURSTY, POISSON))
    return {system: float(bursty[system] / poisson[system]) for system in KEYS}
