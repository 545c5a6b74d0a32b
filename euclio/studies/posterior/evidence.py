"""What a stored draw says: predictive intervals, coverage, widths, rank correlations, cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import norm

from euclio.studies.posterior.distance import LEAST
from euclio.studies.posterior.drawing import halves_of
from euclio.studies.posterior.prior import NAMES
from euclio.studies.posterior.store import PLACE, Stored
from euclio.studies.posterior.targets import checked, fitted, targets

ENDS = (2.5, 50.0, 97.5)
NORMAL = 41
"""Quantiles that stand for a normal distribution."""
UNPRINTED = ("harpagon:plan_optimal_share", "harpagon:shared_optimal_share")
"""Shares that no paper prints: Harpagon against the best plan, under both readings of Theorem 1."""


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


def interval(frame: pd.DataFrame, key: str, error: float = 0.0) -> Interval:
    """The predictive interval of a figure over a frame's settings.

    Args:
        frame: one row per setting.
        key: the figure.
        error: standard deviation of what the model is off by, on the scale of the distance; 0: the settings' own.
    """
    values = frame[key].to_numpy(dtype=np.float64) if key in frame else np.array([])
    known = values[np.isfinite(values)]
    if not known.size:
        return Interval(float("nan"), float("nan"), float("nan"))
    if error > 0:
        # Normal quantiles instead of draws: the same table gives the same interval.
        off = error * norm.ppf((np.arange(NORMAL) + 0.5) / NORMAL)
        known = (np.exp(np.log(np.maximum(known, LEAST) + 1)[:, None] + off) - 1).ravel()
        if key.endswith("_share"):
            known = np.minimum(known, 100.0)
    return Interval(*(float(v) for v in np.percentile(known, ENDS)))


def model_error(frame: pd.DataFrame) -> float:
    """What the model is off by at the figures that a frame's settings were chosen by: their median distance.

    It is that on the workloads they were not chosen by, where there are such.

    To accept settings within a tolerance is to take the model for off by that much (Wilkinson 2013); a prediction of
    what was printed has to say so, while a prediction of what the generator gives has not.
    """
    return float((frame.distance_again if "distance_again" in frame else frame.distance).median())


def coverage(frame: pd.DataFrame, keys: Sequence[str], error: float = 0.0) -> float:
    """Share of published figures that lie within the frame's 95 % intervals."""
    return float(np.mean([interval(frame, key, error).covers(targets()[key].value) for key in keys]))


def widths(frame: pd.DataFrame, prior: pd.DataFrame, keys: Sequence[str], error: float = 0.0) -> pd.Series[float]:
    """Width of a frame's interval over the prior's, by key; NaN where the prior's has none."""
    ratio = {}
    for key in keys:
        own, wide = interval(frame, key, error).width, interval(prior, key).width
        ratio[key] = own / wide if wide > 0 else float("nan")
    return pd.Series(ratio, dtype=np.float64)


def compared(stored: Stored) -> pd.DataFrame:
    """One row per published figure: value, role, interval of posterior and prior, whether they cover it, widths."""
    prior, error = stored.prior, model_error(stored.accepted)
    rows = []
    for key, target in targets().items():
        own, wide = interval(stored.accepted, key), interval(prior, key)
        off = interval(stored.accepted, key, error)
        rows.append(
            {
                "key": key,
                "role": target.role,
                "published": target.value,
                "unit": target.unit,
                "low": own.low,
                "middle": own.middle,
                "high": own.high,
                "covered": own.covers(target.value),
                "error_low": off.low,
                "error_high": off.high,
                "error_covered": off.covers(target.value),
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
    """One row per half: coverage of the other half's figures, median width over the prior's.

    Both are given for the settings' own intervals and for those widened by the model's error on the fitted half.

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
                "coverage_with_error": coverage(own, others, model_error(own)),
                "prior_coverage": coverage(prior, others),
                "width": float(widths(own, prior, others).median()),
                "width_with_error": float(widths(own, prior, others, model_error(own)).median()),
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
    within = f"within {best.max():.3f} (nearest {best.min():.3f}), {different(stored)} of them different"
    lines = [
        f"{len(stored.draws)} settings, {len(stored.accepted)} accepted {within}",
        "",
        f"{'figure':32}{'role':>6}{'published':>10}{'median':>9}{'95 % interval':>20}{'prior':>20}",
    ]
    for row in table.itertuples():
        # Two stars: not even with the model's error.
        mark = "" if row.covered else "*" if row.error_covered else "**"
        own, wide = f"{row.low:.1f} to {row.high:.1f}", f"{row.prior_low:.1f} to {row.prior_high:.1f}"
        lines.append(f"{row.key:32}{row.role:>6}{row.published:10.1f}{row.middle:9.1f}{own:>20}{wide:>20} {mark}")
    for key in UNPRINTED:
        found = interval(stored.accepted, key)
        lines.append(f"{key:32}{'':>6}{'':>10}{found.middle:9.1f}{f'{found.low:.1f} to {found.high:.1f}':>20}")
    for role, keys in (("fit", fitted()), ("check", checked())):
        covered, off = (coverage(stored.accepted, keys, e) for e in (0.0, model_error(stored.accepted)))
        shares = f"{100 * covered:.0f} %, with the model's error {100 * off:.0f} %"
        lines.append(f"covered of {role}: {shares} (prior {100 * coverage(stored.prior, keys):.0f} %)")
    lines.append(f"median width over prior: {table.width_over_prior.median():.2f}")
    if len(stored.halves):
        halves = cross_validated(stored)
        means = halves.drop(columns="half").mean().round(2).to_dict()
        lines += ["", halves.round(2).to_string(index=False), ", ".join(f"{k} {v:g}" for k, v in means.items())]
    return "\n".join(lines)
