"""What a paper's stored posterior says of its figures: intervals of consistent settings, parameters that move a figure.

Draws stand in `data/posterior` (`docs/model/posterior.md`), each of one paper or of several; a paper that is in none
has no such evidence.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from numpy.typing import NDArray

from euclio.core.data_files import data_dir
from euclio.report import Block, Heading, Paragraph
from euclio.studies.posterior.distance import LEAST
from euclio.studies.posterior.evidence import Interval, interval, model_error
from euclio.studies.posterior.figures import all_figures
from euclio.studies.posterior.prior import NAMES, PRIORS, READINGS
from euclio.studies.posterior.store import PLACE, Stored, load_stored
from euclio.studies.posterior.validation import validated
from euclio.studies.verdicts import LEAST_CORRELATION, Moved, Predicted

ACCEPTED = "-accepted.parquet"
"""End of the name of the file of a draw that holds its accepted settings."""
POSTERIOR_RANGE = (2.5, 97.5)
"""Percentiles of a parameter among the accepted settings that are its posterior range."""
ERRORS = 3.5
"""Standard errors, 1/sqrt(n - 1), below which a rank correlation may be chance, as some thirty parameters are asked."""
FEWEST = 10
"""Settings that show a figure, below which nothing is said of it."""


def stored_posterior(paper: str, folder: Path | None = None) -> Stored | None:
    """The first stored draw that has figures of a paper; None: there is none.

    Args:
        paper: name of the study.
        folder: where draws are stored; None: `data/posterior`.
    """
    for accepted in sorted((folder or data_dir() / "posterior").glob(f"*{ACCEPTED}")):
        if any(name.startswith(named(paper, "")) for name in pq.read_schema(accepted).names):
            return load_stored(accepted.with_name(f"{accepted.name.removesuffix(ACCEPTED)}.parquet"))
    return None


def posterior_blocks(paper: str) -> list[Block]:
    """The section of a page on the paper's posterior; nothing where it has none."""
    stored = stored_posterior(paper)
    if stored is None:
        return []
    text = (
        f"{len(stored.draws)} settings of the workload generator were simulated, and the {len(stored.accepted)} "
        "nearest to the paper's fitted figures accepted (docs/model/posterior.md). What they give for the other "
        "figures follows from the rest of the paper, as far as this generator can say; a wide interval says that the "
        "paper does not fix the figure."
    )
    shown = Paragraph(text + _tried(stored))
    return [Heading("What consistent settings give"), shown, *all_figures(stored)]


def _tried(stored: Stored) -> str:
    """How much settings that are fitted to all groups of figures but one say about that one, as a sentence."""
    found = validated(stored)
    return (
        " How far that is to be trusted was tried: settings that are chosen without a group of figures (dispatch, "
        f"dummies, ...) hold {100 * found.coverage:.0f} % of the figures of that group in their intervals, those of "
        f"the prior {100 * found.prior_coverage:.0f} %, in intervals {found.width:.2f} times as wide (median)."
    )


def named(paper: str, key: str) -> str:
    """The name of a paper's figure in a draw, which may be one of several papers."""
    return f"{paper}:{key}"


def predicted(stored: Stored, paper: str, key: str) -> Predicted | None:
    """What the accepted settings give for a paper's figure; None: too few of them show it for an interval.

    Whether it tells something that a figure lies within is not said here (`power.weighed`).
    """
    name = named(paper, key)
    if not _known(stored.accepted, name):
        return None
    own = interval(stored.accepted, name)
    wide = interval(stored.accepted, name, model_error(stored.accepted))
    prior = interval(stored.prior, name)
    random = random_figures(stored, paper, key)
    chances = (_share_within(random, own), _share_within(random, wide))
    return Predicted(own.low, own.high, wide.low, wide.high, prior.low, prior.high, *chances)


def random_figures(stored: Stored, paper: str, key: str) -> NDArray[np.float64]:
    """A paper's figure under every setting drawn from the prior, one number per setting that shows it.

    The draws were made before any figure was looked at: they are what the generator gives at random.
    """
    name = named(paper, key)
    if name not in stored.prior:
        return np.zeros(0)
    values: NDArray[np.float64] = stored.prior[name].to_numpy(np.float64)
    return values[np.isfinite(values)]


def _share_within(values: NDArray[np.float64], ends: Interval) -> float:
    """The share of numbers that lie in an interval; NaN of fewer than `FEWEST`."""
    if values.size < FEWEST:
        return math.nan
    return float(np.mean((values >= ends.low) & (values <= ends.high)))


def movers(stored: Stored, paper: str, key: str) -> tuple[Moved, ...]:
    """Parameters that move a figure within their posterior range, the strongest first.

    Each is asked over the draws from the prior that lie in its posterior range (over the accepted settings where the
    figure is known of those alone): the rank correlation is at least `LEAST_CORRELATION` and `ERRORS` standard errors.
    Whether it moves the figure across a value is for `Moved.across` to say: there are draws on both sides of the value,
    and the least-squares line of ln(figure + 1) on the parameter crosses it between the ends of the range. Left out
    are readings, which are no parameters of the workloads,
    and parameters of another paper's workloads alone.

    Args:
        stored: the draw.
        paper: the paper.
        key: its figure.
    """
    figure = named(paper, key)
    frame = stored.prior if _known(stored.prior, figure) else stored.accepted
    found = [_moved(stored, frame, figure, name) for name in parameters(paper)]
    return tuple(sorted(filter(None, found), key=lambda one: -abs(one.correlation)))


def moved(stored: Stored, paper: str, key: str, value: float) -> tuple[Moved, ...]:
    """Those of `movers` that move the figure across a value."""
    return tuple(one for one in movers(stored, paper, key) if one.across(value))


def parameters(paper: str) -> tuple[str, ...]:
    """Parameters of a paper's workloads: those that all papers share, and those named PAPER.NAME."""
    return tuple(n for n in NAMES if n not in READINGS and n.rpartition(".")[0] in ("", paper))


def _known(frame: pd.DataFrame, figure: str) -> bool:
    return figure in frame and int(frame[figure].notna().sum()) >= FEWEST


def _moved(stored: Stored, frame: pd.DataFrame, figure: str, name: str) -> Moved | None:
    """What a parameter does to a figure over its posterior range, with the least and the largest figure there."""
    if not _known(frame, figure):
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
    return Moved(_with_range(name, float(low), float(high)), correlation, *ends, *seen)


def _line(places: NDArray[np.float64], values: NDArray[np.float64], at: Sequence[float]) -> tuple[float, float]:
    """The least-squares line of ln(figure + 1) on the parameter's place, at two places."""
    slope, height = np.polyfit(places, np.log(np.maximum(values, LEAST) + 1), 1)
    first, last = (float(np.exp(height + slope * place) - 1) for place in at)
    return first, last


def _with_range(name: str, low: float, high: float) -> str:
    """A parameter with the values at the ends of its posterior range."""
    ends = (PRIORS[name].value(place) for place in (low, high))
    texts = (f"{value:.3g}" if isinstance(value, float) else str(value) for value in ends)
    return f"{name.rpartition('.')[2].replace('_', ' ')} ({' to '.join(texts)})"
