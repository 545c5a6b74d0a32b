"""What a paper's stored posterior says of its figures: intervals of consistent settings, parameters that move a figure.

The draw stands in `data/posterior/PAPER.parquet` (`docs/model/posterior.md`); a paper without one has no such evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from euclio.core.data_files import data_dir
from euclio.studies.posterior.distance import LEAST
from euclio.studies.posterior.evidence import interval, model_error
from euclio.studies.posterior.prior import NAMES, PRIORS, READINGS
from euclio.studies.posterior.store import PLACE, Stored, load_stored
from euclio.studies.verdicts import LEAST_CORRELATION, Moved, Predicted

POSTERIOR_RANGE = (2.5, 97.5)
"""Percentiles of a parameter among the accepted settings that are its posterior range."""
FEWEST = 10
"""Draws below which nothing is said of what a parameter moves."""


def stored_posterior(paper: str, folder: Path | None = None) -> Stored | None:
    """A paper's stored draw; None: it has none.

    Args:
        paper: name of the study.
        folder: where draws are stored; None: `data/posterior`.
    """
    path = (folder or data_dir() / "posterior") / f"{paper}.parquet"
    return load_stored(path) if path.exists() else None


def column(stored: Stored, paper: str, key: str) -> str:
    """Name of a figure in a draw: PAPER:KEY where the draw is of several papers, KEY where it is of one."""
    name = f"{paper}:{key}"
    return name if name in stored.accepted else key


def predicted(stored: Stored, key: str) -> Predicted | None:
    """What the accepted settings give for a figure; None: no setting shows it."""
    own = interval(stored.accepted, key)
    if not np.isfinite(own.low):
        return None
    wide = interval(stored.accepted, key, model_error(stored.accepted))
    prior = interval(stored.prior, key)
    return Predicted(own.low, own.high, wide.low, wide.high, prior.low, prior.high)


def moved(stored: Stored, key: str, value: float) -> tuple[Moved, ...]:
    """Parameters that move a figure across a value within their posterior range, the strongest first.

    Each is asked over the draws from the prior that lie in its posterior range (over the accepted settings where the
    figure is known of those alone): there are draws on both sides of the value, the rank correlation is at least
    `LEAST_CORRELATION`, and the least-squares line of ln(figure + 1) on the parameter crosses the value between the
    ends of the range. Readings of the paper are no parameters of its workloads and are left out.

    Args:
        stored: the draw.
        key: the figure.
        value: the published value.
    """
    frame = stored.prior if _known(stored.prior, key) else stored.accepted
    found = [_moved(stored, frame, key, name) for name in NAMES if name not in READINGS]
    across = [one for one, least, most in filter(None, found) if least <= value <= most and one.across(value)]
    return tuple(sorted(across, key=lambda one: -abs(one.correlation)))


def _known(frame: pd.DataFrame, key: str) -> bool:
    return key in frame and int(frame[key].notna().sum()) >= FEWEST


def _moved(stored: Stored, frame: pd.DataFrame, key: str, name: str) -> tuple[Moved, float, float] | None:
    """What a parameter does to a figure over its posterior range, with the least and the largest figure there."""
    if not _known(frame, key):
        return None
    low, high = np.percentile(stored.accepted[PLACE + name], POSTERIOR_RANGE)
    places, values = frame[PLACE + name], frame[key]
    kept = places.between(low, high) & np.isfinite(values)
    if kept.sum() < FEWEST or places[kept].nunique() < 2 or values[kept].nunique() < 2:
        return None
    correlation = float(places[kept].rank().corr(values[kept].rank()))
    if abs(correlation) < LEAST_CORRELATION:
        return None
    ends = _line(places[kept].to_numpy(np.float64), values[kept].to_numpy(np.float64), (low, high))
    one = Moved(_named(name, float(low), float(high)), correlation, *ends)
    return one, float(values[kept].min()), float(values[kept].max())


def _line(places: NDArray[np.float64], values: NDArray[np.float64], at: Sequence[float]) -> tuple[float, float]:
    """The least-squares line of ln(figure + 1) on the parameter's place, at two places."""
    slope, height = np.polyfit(places, np.log(np.maximum(values, LEAST) + 1), 1)
    first, last = (float(np.exp(height + slope * place) - 1) for place in at)
    return first, last


def _named(name: str, low: float, high: float) -> str:
    """A parameter with the values at the ends of its posterior range."""
    ends = (PRIORS[name].value(place) for place in (low, high))
    return f"{name.replace('_', ' ')} ({' to '.join(f'{v:.3g}' if isinstance(v, float) else str(v) for v in ends)})"
