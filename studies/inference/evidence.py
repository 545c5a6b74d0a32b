"""Evidence of a stored draw on the numbers: predictive intervals, coverage, widths, rank correlations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import norm

from studies.inference.prior import NAMES, PRIORS, Choice, Range
from studies.inference.store import PLACE, Stored
from studies.inference.targets import full, of_paper, scaled, targets, unscaled

ENDS = (2.5, 50.0, 97.5)
NORMAL = 41
"""Quantiles that stand for a normal distribution."""
UNPRINTED = ("harpagon:plan_optimal_share", "harpagon:shared_optimal_share")
"""Shares that no paper prints: Harpagon against the best plan, under both readings of Theorem 1."""


@dataclass(frozen=True, slots=True)
class PosteriorInterval:
    """A 95 % interval of a number over settings, with the median; NaN where no setting has a value."""

    low: float
    middle: float
    high: float

    def covers(self, value: float) -> bool:
        """Whether a value lies within."""
        return self.low <= value <= self.high


def width(key: str, own: PosteriorInterval) -> float:
    """Width of a number's interval on the scale of the distance."""
    low, high = scaled(key, own.low), scaled(key, own.high)
    return float(high - low)


def interval(frame: pd.DataFrame, key: str, error: float = 0.0) -> PosteriorInterval:
    """The predictive interval of a number over a frame's settings.

    Args:
        frame: one row per setting.
        key: the number.
        error: standard deviation of the model's error on the scale of the distance; 0 means none.
    """
    values = frame[key].to_numpy(dtype=np.float64) if key in frame else np.array([])
    known = values[np.isfinite(values)]
    if not known.size:
        return PosteriorInterval(float("nan"), float("nan"), float("nan"))
    if error > 0:
        # Normal quantiles instead of draws: the same table gives the same interval.
        off = error * norm.ppf((np.arange(NORMAL) + 0.5) / NORMAL)
        known = unscaled(key, scaled(key, known)[:, None] + off).ravel()
    return PosteriorInterval(*(float(v) for v in np.percentile(known, ENDS)))


def model_error(frame: pd.DataFrame) -> float:
    """The model's error at the numbers that chose a frame's settings: their median distance.

    It comes from workloads that did not choose them, if there are any. Settings with too few workloads there have no
    distance, and are left out.

    Accepting settings within a tolerance assumes a model error of that size (Wilkinson 2013). A prediction of printed
    numbers must include it; a prediction of the generator's results need not.
    """
    distances = frame.distance_again if "distance_again" in frame else frame.distance
    return float(distances[np.isfinite(distances)].median())


def judged(stored: Stored, frame: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Intervals of published numbers over a frame's settings and over those of the prior.

    Args:
        stored: the search.
        frame: one row per setting.
        keys: the numbers.

    Returns:
        One row per number: value and role, the settings' interval without and with the model's error, the prior's
        interval, which of them cover the number, and the width over the prior's. NaN means that the prior has no
        interval.
    """
    prior, error = stored.prior, model_error(frame)
    rows = []
    for key in keys:
        own, off, wide = interval(frame, key), interval(frame, key, error), interval(prior, key)
        value = targets()[key].value
        rows.append(
            {
                "key": key,
                "role": targets()[key].role,
                "published": value,
                "low": own.low,
                "middle": own.middle,
                "high": own.high,
                "covered": own.covers(value),
                "error_low": off.low,
                "error_high": off.high,
                "covered_with_error": off.covers(value),
                "prior_low": wide.low,
                "prior_high": wide.high,
                "prior_covered": wide.covers(value),
                "width": width(key, own) / width(key, wide) if width(key, wide) > 0 else float("nan"),
            }
        )
    return pd.DataFrame.from_records(rows)


def compared(stored: Stored) -> pd.DataFrame:
    """`judged` of the accepted settings and all numbers of the paper."""
    return judged(stored, stored.accepted, of_paper(targets(), stored.paper))


def coverages(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """Counts of numbers within each interval, and the median width over the prior's, by a column.

    Args:
        table: the table of `judged`.
        by: the column.
    """
    found = table.groupby(by, sort=False).agg(
        figures=("key", "size"),
        covered=("covered", "sum"),
        covered_with_error=("covered_with_error", "sum"),
        prior_covered=("prior_covered", "sum"),
        width=("width", "median"),
    )
    return found.reset_index()


def by_role(table: pd.DataFrame) -> pd.DataFrame:
    """`coverages` of fitted numbers, then of checked ones."""
    return coverages(table, "role").sort_values("role", ascending=False)


def correlations(frame: pd.DataFrame) -> pd.DataFrame:
    """Spearman's rank correlation of every parameter (rows) with every number (columns); 0 where one is constant."""
    keys = [key for key in targets() if key in frame]
    ranks = frame[[PLACE + name for name in NAMES] + keys].rank()
    found = ranks.corr().loc[[PLACE + name for name in NAMES], keys].fillna(0.0)
    found.index = pd.Index(NAMES)
    return found


@dataclass(frozen=True, slots=True)
class Optimal:
    """The share of workloads on which the paper's own system costs no more than the best split, over some settings.

    Attributes:
        settings: how many.
        low: the 2.5th percentile, in per cent, like the next two.
        middle: the median.
        high: the 97.5th percentile.
        agreeing: per cent of the settings that agree with the printed share: the complement is within a factor of 1.5
            of the printed complement.
    """

    settings: int
    low: float
    middle: float
    high: float
    agreeing: float


AGREES = 1.5
"""Factor within which a share of failures agrees with the printed one."""


def optimal(paper: str, frame: pd.DataFrame) -> Optimal:
    """The share of optimal splits over a frame's settings."""
    key = full(paper, "optimal_share")
    shares = frame[key].dropna() if key in frame else pd.Series(dtype=np.float64)
    own = interval(frame, key)
    ratio = (100 - shares) / (100 - targets()[key].value)
    agreeing = ratio.between(1 / AGREES, AGREES).mean() if len(shares) else float("nan")
    return Optimal(len(shares), own.low, own.middle, own.high, 100 * float(agreeing))


def convergence(stored: Stored) -> float:
    """Gelman and Rubin's R-hat of the share of optimal splits between the runs; it is 1 if they agree."""
    groups = [own[full(stored.paper, "optimal_share")].dropna() for _, own in stored.accepted.groupby("run")]
    if len(groups) < 2 or min(map(len, groups)) < 2:
        return float("nan")
    size = float(np.mean([len(own) for own in groups]))
    within = float(np.mean([own.var(ddof=1) for own in groups]))
    between = size * float(np.var([own.mean() for own in groups], ddof=1))
    return float(np.sqrt(((size - 1) / size * within + between / size) / within)) if within > 0 else float("nan")


def narrowed(stored: Stored) -> pd.Series[float]:
    """Posterior over prior interquartile range of each parameter; 1 means that the posterior does not narrow it."""
    middle = stored.accepted[[PLACE + name for name in NAMES]].quantile([0.25, 0.75])
    ratio = (middle.loc[0.75] - middle.loc[0.25]).to_numpy(dtype=np.float64) / 0.5
    return pd.Series(ratio, pd.Index(NAMES))


def ranges(stored: Stored) -> pd.DataFrame:
    """One row per parameter that is a number: median, ends of its 95 % posterior range, prior's range, narrowing."""
    tight = narrowed(stored)
    rows = []
    for name in NAMES:
        prior = PRIORS[stored.paper][name]
        if isinstance(prior, Range):
            low, middle, high = (prior.value(float(p)) for p in np.percentile(stored.accepted[PLACE + name], ENDS))
            rows.append(
                {
                    "parameter": name,
                    "low": low,
                    "middle": middle,
                    "high": high,
                    "prior_low": prior.low,
                    "prior_high": prior.high,
                    "narrowed": float(tight[name]),
                }
            )
    return pd.DataFrame.from_records(rows)


def choices(stored: Stored) -> pd.DataFrame:
    """One row per value of every choice: its share of the draws from the prior and of the accepted settings.

    The prior's draws are those with workloads, so a value that rarely has workloads has a smaller share.
    """
    rows = []
    for name, prior in PRIORS[stored.paper].items():
        if isinstance(prior, Choice):
            before, after = (
                [prior.value(float(place)) for place in frame[PLACE + name]]
                for frame in (stored.prior, stored.accepted)
            )
            rows += [
                {
                    "parameter": name,
                    "value": str(value),
                    "prior": before.count(value) / len(before),
                    "posterior": after.count(value) / len(after),
                }
                for value in prior.values
            ]
    return pd.DataFrame.from_records(rows)
