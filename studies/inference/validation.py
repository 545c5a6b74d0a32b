"""A test that leaves one group out: do settings that are fitted to the other groups of numbers predict this one?"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from studies.inference.evidence import coverages, judged
from studies.inference.store import Stored
from studies.inference.targets import REFERENCES, groups_of, of_paper, targets, without

LEAST_COVERAGE, MOST_WIDTH = 0.8, 0.5
"""Least coverage and largest median width of posterior over prior; beyond them the model is wrong."""


@dataclass(frozen=True, slots=True)
class Validated:
    """The results of leaving groups out, over all numbers of all groups.

    Attributes:
        figures: number of judged numbers; settings chosen without its group judge each once.
        coverage: share of them in the settings' own 95 % intervals.
        coverage_with_error: the same with the model's error.
        prior_coverage: the same of the prior's intervals.
        width: median width over the prior's.
        wrong: numbers that lie outside even with the model's error.
    """

    figures: int
    coverage: float
    coverage_with_error: float
    prior_coverage: float
    width: float
    wrong: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether the model passes: enough numbers are covered, by intervals that are narrow enough."""
        return self.coverage >= LEAST_COVERAGE and self.width <= MOST_WIDTH


def left_out(stored: Stored) -> pd.DataFrame:
    """One row per published number that few workloads show: its group, intervals of the settings chosen without it.

    Settings are the nearest by the distance without the whole group. Their numbers are of the workloads of their first
    simulation, so the intervals are somewhat too wide.
    """
    keys = [key for key in of_paper(targets(), stored.paper) if key.partition(":")[2] not in REFERENCES]
    parts = (
        judged(stored, stored.nearest(without(stored.keys, name)), own).assign(group=name)
        for name, own in groups_of(keys).items()
    )
    return pd.concat(parts, ignore_index=True)


def by_group(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of `left_out`, counted by group."""
    return coverages(table, "group")


def validated(stored: Stored) -> Validated:
    """The result of leaving each group out, and the numbers at which the model is wrong."""
    table = left_out(stored)
    wrong = table[~table.covered_with_error]
    return Validated(
        len(table),
        float(table.covered.mean()),
        float(table.covered_with_error.mean()),
        float(table.prior_covered.mean()),
        float(table.width.median()),
        tuple(wrong.key),
    )
