"""What a stored draw says: predictive intervals, coverage, widths, rank correlations, cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from euclio.studies.posterior.distance import LEAST
from euclio.studies.posterior.drawing import halves_of
from euclio.studies.posterior.prior import NAMES
from euclio.studies.posterior.store import PLACE, Stored
from euclio.studies.posterior.targets import checked, fitted, targets

ENDS = (2.5, 50.0, 97.5)
UNPRINTED = ("plan_optimal_share", "shared_optimal_share")
"""Shares that the paper does not print: Harpagon against the best plan, under both readings of Theorem 1."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval of a figure over settings, with the median; NaN where no setting shows anything."""

    low: float
    middle: float
    high: float

    def covers(self, value: float) -> bool:
        """Whether a value lies within."""
        return self.low <= value <= self.high

    @property
    def width(self) -> float:
        """Its width on the scale of the distance, ln(x + 1)."""
        return float(np.log((max(self.high, LEAST) + 1) / (max(self.low, LEAST) + 1)))


def interval(frame: pd.DataFrame, key: str) -> Interval:
    """The predictive interval of a figure over a frame's settings."""
    values = frame[key].to_numpy(dtype=np.float64) if key in frame else np.array([])
    known = values[np.isfinite(values)]
    if not known.size:
        return Interval(float("nan"), float("nan"), float("nan"))
    return Interval(*(float(v) for v in np.percentile(known, ENDS)))


def intervals(frame: pd.DataFrame, keys: Sequence[str]) -> dict[str, Interval]:
    """Predictive intervals by key."""
    return {key: interval(frame, key) for key in keys}


def coverage(frame: pd.DataFrame, keys: Sequence[str]) -> float:
    """Share of published figures that lie within the frame's 95 % intervals."""
    found = intervals(frame, keys)
    return float(np.mean([found[key].covers(targets()[key].value) for key in keys]))


def widths(frame: pd.DataFrame, prior: pd.DataFrame, keys: Sequence[str]) -> pd.Series[float]:
    """Width of a frame's interval over the prior's, by key; NaN where the prior's has none."""
    ratio = {}
    for key in keys:
        own, wide = interval(frame, key).width, interval(prior, key).width
        ratio[key] = own / wide if wide > 0 else float("nan")
    return pd.Series(ratio, dtype=np.float64)


def compared(stored: Stored) -> pd.DataFrame:
    """One row per published figure: value, role, interval of posterior and prior, whether they cover it, widths."""
    prior = stored.prior
    rows = []
    for key, target in targets().items():
        own, wide = interval(stored.accepted, key), interval(prior, key)
        rows.append(
            {
                "key": key,
                "role": "fit" if target.fitted else "check",
                "published": target.value,
                "unit": target.unit,
                "low": own.low,
                "middle": own.middle,
                "high": own.high,
                "covered": own.covers(target.value),
                "prior_low": wide.low,
                "prior_middle": wide.middle,
                "prior_high": wide.high,
                "prior_covered": wide.covers(target.value),
                "width_over_prior": own.width / wide.width if wide.width > 0 else float("nan"),
            }
        )
    return pd.DataFrame.from_records(rows)


def correlations(frame: pd.DataFrame) -> pd.DataFrame:
    """Spearman's rank correlation of every parameter (rows) with every figure (columns); 0 where one is constant."""
    keys = [key for key in targets() if key in frame]
    ranks = frame[[PLACE + name for name in NAMES] + keys].rank()
    found = ranks.corr().loc[[PLACE + name for name in NAMES], keys].fillna(0.0)
    found.index = pd.Index(NAMES)
    return found


def narrowed(stored: Stored) -> pd.Series[float]:
    """How much the posterior narrows each parameter: its interquartile range over the prior's, 1: not at all."""
    middle = stored.accepted[[PLACE + name for name in NAMES]].quantile([0.25, 0.75])
    ratio = (middle.loc[0.75] - middle.loc[0.25]).to_numpy(dtype=np.float64) / 0.5
    return pd.Series(ratio, pd.Index(NAMES))


def cross_validated(stored: Stored) -> pd.DataFrame:
    """One row per half: coverage of the other half's figures by posterior and prior, median width over the prior's.

    Intervals are those of as few workloads as settings are drawn with, hence somewhat wider than they need be.
    """
    rows = []
    prior = stored.prior
    for n, keys in enumerate(halves_of(stored.provenance["seed"], int(stored.halves.half.nunique()))):
        own = stored.halves[stored.halves.half == n]
        others = [key for key in fitted() if key not in keys]
        rows.append(
            {
                "half": n + 1,
                "settings": len(own),
                "coverage": coverage(own, others),
                "prior_coverage": coverage(prior, others),
                "width_over_prior": float(widths(own, prior, others).median()),
            }
        )
    return pd.DataFrame.from_records(rows)


def different(stored: Stored) -> int:
    """How many of the accepted settings differ: chains that did not move repeat their start."""
    return len(stored.accepted.drop_duplicates(["round", "chain", "step"]))


def summary(stored: Stored) -> str:
    """What a draw says, for a terminal."""
    table = compared(stored)
    best = stored.accepted.distance
    within = f"within {best.max():.3f} (nearest {best.min():.3f})"
    lines = [
        f"{len(stored.draws)} settings, {len(stored.accepted)} accepted {within}, {different(stored)} of them different",
        "",
        f"{'figure':32}{'role':>6}{'published':>10}{'median':>9}{'95 % interval':>20}{'prior':>20}",
    ]
    for row in table.itertuples():
        mark = " " if row.covered else "*"
        own, wide = f"{row.low:.1f} to {row.high:.1f}", f"{row.prior_low:.1f} to {row.prior_high:.1f}"
        lines.append(f"{row.key:32}{row.role:>6}{row.published:10.1f}{row.middle:9.1f}{own:>20}{wide:>20} {mark}")
    for key in UNPRINTED:
        found = interval(stored.accepted, key)
        lines.append(f"{key:32}{'':>6}{'':>10}{found.middle:9.1f}{f'{found.low:.1f} to {found.high:.1f}':>20}")
    for role, keys in (("fit", fitted()), ("check", checked())):
        covered = coverage(stored.accepted, keys)
        lines.append(f"covered of {role}: {100 * covered:.0f} % (prior {100 * coverage(stored.prior, keys):.0f} %)")
    lines.append(f"median width over prior: {table.width_over_prior.median():.2f}")
    if len(stored.halves):
        halves = cross_validated(stored)
        lines += ["", halves.round(2).to_string(index=False), f"mean coverage {100 * halves.coverage.mean():.0f} %"]
    return "\n".join(lines)
