"""Readings of what Piccolo's §IV leaves open: which one is taken and why, and its numbers under the other one."""

from __future__ import annotations

import pandas as pd

from euclio.analysis.statistics import Measured, Sample, measured
from euclio.papers.costs import baselines, extras, normalized, same
from euclio.papers.modules import more_than_two
from euclio.papers.piccolo import PICCOLO
from euclio.studies.costs import costs
from euclio.studies.modules import module_figures
from euclio.studies.readings import OWN_SCROOGE, SHARED_RATE, Reading, reread

FEW = ("1bpc", "2bpc")
"""Alternatives with few configurations per module."""


def filled(name: str) -> str:
    """Label of an alternative that adds Piccolo's dummies."""
    return f"piccolo:{name}, with dummies"


FILLED = Reading(
    "Which dummies Picc-1bpc and Picc-2bpc add",
    "none",
    "those of Piccolo",
    "Filled up, two configurations nearly always cost what Piccolo does, where 56.26 % is printed.",
    tuple((f"piccolo:{name}", filled(name)) for name in FEW),
)
MORE_THAN_TWO = Reading(
    "Where more than two configurations are counted",
    "in plans without dummies (Picc-nd)",
    "in Piccolo's plans",
    "43.74 % is all but the 56.26 % on which Picc-2bpc costs the same; dummies leave few plans with more than two.",
)
OF_SYSTEMS = (SHARED_RATE, OWN_SCROOGE, FILLED)
OTHER_ROWS = tuple(other for reading in (SHARED_RATE, OWN_SCROOGE) for _, other in reading.rows)
"""Solvers of the answers that are not taken, but for the alternatives with dummies."""


def other_readings(runs: pd.DataFrame, allocations: pd.DataFrame) -> dict[Reading, dict[str, Measured]]:
    """The numbers that each reading moves under the other answer, by key of the published number.

    Args:
        runs: one row per workload and run.
        allocations: rows of `euclio.studies.modules.allocation_rows`.
    """
    frames = {reading: reread(runs, reading) for reading in OF_SYSTEMS}
    found = {
        # Of few workloads it may be that none has all plans under the other answer.
        **{reading: _of_systems(reading, frame) for reading, frame in frames.items() if len(frame)},
        MORE_THAN_TWO: {"more_than_two_share": more_than_two(module_figures(allocations), PICCOLO)},
    }
    return {reading: measured(figures) for reading, figures in found.items()}


def _of_systems(reading: Reading, runs: pd.DataFrame) -> dict[str, Sample]:
    """The numbers that a reading of whole systems moves, of runs that have been read again."""
    ratio = normalized(costs(runs), PICCOLO)
    if reading is FILLED:
        shares = {f"{name}_same_share": same(ratio[f"piccolo:{name}"]) for name in FEW}
        return {**extras(ratio, PICCOLO, FEW), **shares}
    return baselines(ratio, PICCOLO)
