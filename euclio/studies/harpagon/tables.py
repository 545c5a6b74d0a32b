"""The result tables of a reproduction."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True, slots=True)
class Tables:
    """All results of a reproduction.

    Attributes:
        runs: one row per workload and solver.
        allocations: one row per allocation of every accepted plan.
        timings: one row per run of the single-process timing.
    """

    runs: pd.DataFrame
    allocations: pd.DataFrame
    timings: pd.DataFrame
