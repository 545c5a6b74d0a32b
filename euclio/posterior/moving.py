"""Which parameters of the generator move a number, over the range that a stored posterior leaves them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from euclio.posterior.prior import NAMES, PRIORS
from euclio.posterior.store import PLACE, Stored
from euclio.posterior.targets import full

LEAST = -0.9
"""Numbers below it are drawn, and lines through them laid, as if they were it: their logarithm is ln(x + 1)."""
POSTERIOR_RANGE = (2.5, 97.5)
"""Percentiles of a parameter among the accepted settings that are its posterior range."""
ERRORS = 3.5
"""Standard errors, 1/sqrt(n - 1), below which a rank correlation may be chance, as some thirty parameters are asked."""
FEWEST = 10
"""Settings that show a number, below which nothing is said of it."""
LEAST_CORRELATION = 0.3
"""Rank correlation from which a parameter is said to move a number."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A parameter that moves a number.

    Attributes:
        parameter: its name and, where it has one, its range.
        correlation: rank correlation of the number with it.
        low: the number at the parameter's low end.
        high: the number at its high end.
        least: the least number that any setting within the parameter's range gives.
        most: the largest.
    """

    parameter: str
    correlation: float
    low: float
    high: float
    least: float = -math.inf
    most: float = math.inf

    def across(self, value: float) -> bool:
        """Whether it moves the number across a value, with settings on both sides, for more than a few of them."""
        low, high = sorted((self.low, self.high))
        seen = self.least <= value <= self.most
        return seen and low <= value <= high and abs(self.correlation) >= LEAST_CORRELATION


def movers(stored: Stored, paper: str, key: str) -> tuple[Moved, ...]:
    """Parameters that move a number within their posterior range, the strongest first.

    Each is asked over the draws from the prior that lie in its posterior range (over the accepted settings where the
    number is known of those alone): the rank correlation is at least `LEAST_CORRELATION` and `ERRORS` standard errors.
    Whether it moves the number across a value is for `Moved.across` to say: there are draws on both sides of the value,
    and the least-squares line of ln(number + 1) on the parameter crosses it between the ends of the range. Left out
    is the module that figures call "given", which is no parameter of the workloads.

    Args:
        stored: the draw.
        paper: the paper.
        key: its number.
    """
    figure = full(paper, key)
    frame = stored.prior if shows(stored.prior, figure) else stored.accepted
    found = [_moved(stored, frame, figure, name) for name in NAMES if name != "given"]
    return tuple(sorted(filter(None, found), key=lambda one: -abs(one.correlation)))


def moved(stored: Stored, paper: str, key: str, value: float) -> tuple[Moved, ...]:
    """Those of `movers` that move the number across a value."""
    return tuple(one for one in movers(stored, paper, key) if one.across(value))


def shows(frame: pd.DataFrame, figure: str) -> bool:
    """Whether enough settings show a number for something to be said of it."""
    return figure in frame and int(frame[figure].notna().sum()) >= FEWEST


def _moved(stored: Stored, frame: pd.DataFrame, figure: str, name: str) -> Moved | None:
    """What a parameter does to a number over its posterior range, with the least and the largest number there."""
    if not shows(frame, figure):
        return None
    low, high = np.percentile(stored.accepted[PLACE + name], POSTERIOR_RANGE)
    places, values = frame[PLACE + name], frame[figure]
    kept = places.between(low, high) & np.isfinite(values)
    if kept.sum() < FEWEST or places[kept].nunique() < 2 or values[kept].nunique() < 2:
        return None
    correlation = float(places[kept].rank().corr(values[kept].rank()))
    if abs(correlation) < max(LEAST_CORRELATION, ERRORS / math.sqrt(kept.sum() - 1)):
        return None
    most = 100.0 if figure.endswith("_share") else math.inf
    line = _line(places[kept].to_numpy(np.float64), values[kept].to_numpy(np.float64), (low, high))
    ends = (min(line[0], most), min(line[1], most))
    seen = (float(values[kept].min()), float(values[kept].max()))
    return Moved(_with_range(stored.paper, name, float(low), float(high)), correlation, *ends, *seen)


def _line(places: NDArray[np.float64], values: NDArray[np.float64], at: Sequence[float]) -> tuple[float, float]:
    """The least-squares line of ln(number + 1) on the parameter's place, at two places."""
    slope, height = np.polyfit(places, np.log(np.maximum(values, LEAST) + 1), 1)
    first, last = (float(np.exp(height + slope * place) - 1) for place in at)
    return first, last


def _with_range(paper: str, name: str, low: float, high: float) -> str:
    """A parameter with the values at the ends of its posterior range."""
    ends = (PRIORS[paper][name].value(place) for place in (low, high))
    texts = (f"{value:.3g}" if isinstance(value, float) else str(value) for value in ends)
    return f"{name.rpartition('.')[2].replace('_', ' ')} ({' to '.join(texts)})"
