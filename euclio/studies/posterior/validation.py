"""Cross-validation: do settings that are fitted to one half of the figures say what the other half is?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from euclio.studies.posterior.drawing import halves_of
from euclio.studies.posterior.evidence import Interval, coverage, interval, model_error, widths
from euclio.studies.posterior.prior import PAPERS
from euclio.studies.posterior.store import Stored
from euclio.studies.posterior.targets import fitted, of_paper, targets

LEAST_COVERAGE, MOST_WIDTH = 0.8, 0.5
"""What the other half's coverage and the median width of posterior over prior have to be; else the model is wrong."""


@dataclass(frozen=True, slots=True)
class Validated:
    """What the cross-validation comes to.

    Attributes:
        coverage: mean share of the other half's figures in the settings' own intervals.
        width: mean of the median widths of posterior over prior.
        wrong: figures that lie outside in more than half of the splits that left them out, most often first.
    """

    coverage: float
    width: float
    wrong: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether the model stands: enough figures are covered, by intervals that know something."""
        return self.coverage >= LEAST_COVERAGE and self.width < MOST_WIDTH


def cross_validated(stored: Stored) -> pd.DataFrame:
    """One row per half: coverage of the other half's figures, median width over the prior's.

    Both are given for the settings' own intervals and for those widened by the model's error on the fitted half.

    Intervals are those of as few workloads as settings are drawn with, hence somewhat wider than they need be.
    """
    rows = [{"half": n, **_compared(stored, own, out)} for n, (own, out) in enumerate(_splits(stored), start=1)]
    return pd.DataFrame.from_records(rows)


def by_paper(stored: Stored) -> pd.DataFrame:
    """The same for the figures of each paper, one row per half and paper; settings are fitted to both papers."""
    rows = [
        {"half": n, "paper": paper, **_compared(stored, own, of_paper(out, paper))}
        for n, (own, out) in enumerate(_splits(stored), start=1)
        for paper in PAPERS
        if of_paper(out, paper)
    ]
    return pd.DataFrame.from_records(rows)


def _compared(stored: Stored, own: pd.DataFrame, others: Sequence[str]) -> dict[str, float]:
    """Coverage and widths of some settings at figures that they were not fitted to."""
    return {
        "settings": len(own),
        "coverage": coverage(own, others),
        "coverage_with_error": coverage(own, others, model_error(own)),
        "prior_coverage": coverage(stored.prior, others),
        "width": float(widths(own, stored.prior, others).median()),
        "width_with_error": float(widths(own, stored.prior, others, model_error(own)).median()),
    }


def held_out(stored: Stored) -> pd.DataFrame:
    """One row per fitted figure that some split left out: how often, how often it was covered, below, above.

    `below` counts splits whose settings stay below the printed value, `above` those that stay above it.
    """
    found: dict[str, list[Interval]] = {}
    for own, others in _splits(stored):
        for key in others:
            found.setdefault(key, []).append(interval(own, key))
    rows = []
    for key in fitted():
        if key in found:
            value, intervals = targets()[key].value, found[key]
            rows.append(
                {
                    "key": key,
                    "splits": len(intervals),
                    "covered": sum(one.covers(value) for one in intervals),
                    "below": sum(one.high < value for one in intervals),
                    "above": sum(one.low > value for one in intervals),
                }
            )
    return pd.DataFrame.from_records(rows)


def validated(stored: Stored) -> Validated:
    """What the cross-validation of a draw comes to, and where the model is wrong."""
    halves, left_out = cross_validated(stored), held_out(stored)
    missed = (left_out.splits - left_out.covered) / left_out.splits
    wrong = left_out.assign(missed=missed)[missed > 0.5].sort_values("missed", ascending=False, kind="stable")
    return Validated(float(halves.coverage.mean()), float(halves.width.mean()), tuple(wrong.key))


def _splits(stored: Stored) -> list[tuple[pd.DataFrame, list[str]]]:
    """Settings accepted by each half of the figures, and the figures of the other half."""
    halves = stored.halves
    splits = int(halves.half.nunique()) if len(halves) else 0
    return [
        (halves[halves.half == n], [key for key in fitted() if key not in keys])
        for n, keys in enumerate(halves_of(stored.provenance["seed"], splits))
    ]
