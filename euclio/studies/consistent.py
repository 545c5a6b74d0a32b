"""What a paper's stored posterior says of its numbers: what consistent settings give.

Draws stand in `data/posterior` (`docs/model/posterior.md`), each of one paper or of several; a paper that is in none
has no such evidence.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from euclio.core.data_files import data_dir
from euclio.posterior.evidence import Interval, interval, model_error
from euclio.posterior.figures import all_figures
from euclio.posterior.moving import FEWEST, shows
from euclio.posterior.store import Stored, load_stored
from euclio.posterior.targets import full
from euclio.posterior.validation import validated
from euclio.report import Block, Heading, Paragraph
from euclio.studies.verdicts import Predicted

ACCEPTED = "-accepted.parquet"
"""End of the name of the file of a draw that holds its accepted settings."""


def stored_posterior(paper: str, folder: Path | None = None) -> Stored | None:
    """The first stored draw that has numbers of a paper; None: there is none.

    Args:
        paper: name of the study.
        folder: where draws are stored; None: `data/posterior`.
    """
    for accepted in sorted((folder or data_dir() / "posterior").glob(f"*{ACCEPTED}")):
        if any(name.startswith(full(paper, "")) for name in pq.read_schema(accepted).names):
            return load_stored(accepted.with_name(f"{accepted.name.removesuffix(ACCEPTED)}.parquet"))
    return None


def posterior_blocks(paper: str) -> list[Block]:
    """The section of a page on the paper's posterior; nothing where it has none."""
    stored = stored_posterior(paper)
    if stored is None:
        return []
    text = (
        f"{len(stored.draws)} settings of the workload generator were simulated, and the {len(stored.accepted)} "
        "nearest to the paper's fitted numbers accepted (docs/model/posterior.md). What they give for the other "
        "numbers follows from the rest of the paper, as far as this generator can say; a wide interval says that the "
        "paper does not fix the number."
    )
    shown = Paragraph(text + _tried(stored))
    return [Heading("What consistent settings give"), shown, *all_figures(stored)]


def _tried(stored: Stored) -> str:
    """How much settings that are fitted to all groups of numbers but one say about that one, as a sentence."""
    found = validated(stored)
    return (
        " How far that is to be trusted was tried: settings that are chosen without a group of numbers (dispatch, "
        f"dummies, ...) hold {100 * found.coverage:.0f} % of the numbers of that group in their intervals, those of "
        f"the prior {100 * found.prior_coverage:.0f} %, in intervals {found.width:.2f} times as wide (median)."
    )


def predicted(stored: Stored, paper: str, key: str) -> Predicted | None:
    """What the accepted settings give for a paper's number; None: too few of them show it for an interval.

    Whether it tells something that a number lies within is not said here (`power.weighed`).
    """
    name = full(paper, key)
    if not shows(stored.accepted, name):
        return None
    own = interval(stored.accepted, name)
    wide = interval(stored.accepted, name, model_error(stored.accepted))
    prior = interval(stored.prior, name)
    random = random_figures(stored, paper, key)
    chances = (_share_within(random, own), _share_within(random, wide))
    return Predicted(own.low, own.high, wide.low, wide.high, prior.low, prior.high, *chances)


def random_figures(stored: Stored, paper: str, key: str) -> NDArray[np.float64]:
    """A paper's number under every setting drawn from the prior, one number per setting that shows it.

    The draws were made before any number was looked at: they are what the generator gives at random.
    """
    name = full(paper, key)
    if name not in stored.prior:
        return np.zeros(0)
    values: NDArray[np.float64] = stored.prior[name].to_numpy(np.float64)
    return values[np.isfinite(values)]


def _share_within(values: NDArray[np.float64], ends: Interval) -> float:
    """The share of numbers that lie in an interval; NaN of fewer than `FEWEST`."""
    if values.size < FEWEST:
        return math.nan
    return float(np.mean((values >= ends.low) & (values <= ends.high)))
