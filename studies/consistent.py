"""Intervals of a paper's numbers over its stored posterior: the settings that fit its fitted numbers.

Draws are in `data/posterior` (`docs/model/posterior.md`), each of one paper or of several. A paper without a draw has
no intervals.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from euclio.core.folders import data_dir
from euclio.report import Block, Heading, Paragraph
from studies.inference.evidence import interval
from studies.inference.figures import all_figures
from studies.inference.store import Stored, load_stored
from studies.inference.targets import full
from studies.inference.validation import validated

ACCEPTED = "-accepted.parquet"
"""End of the name of the file of a draw that holds its accepted settings."""
FEWEST = 10
"""Least number of accepted settings that show a number for it to have an interval."""


def stored_posterior(paper: str, folder: Path | None = None) -> Stored | None:
    """The first stored draw that has numbers of a paper; None if there is none.

    Args:
        paper: name of the study.
        folder: where draws are stored; None means `data/posterior`.
    """
    for accepted in sorted((folder or data_dir() / "posterior").glob(f"*{ACCEPTED}")):
        if any(name.startswith(full(paper, "")) for name in pq.read_schema(accepted).names):
            return load_stored(accepted.with_name(f"{accepted.name.removesuffix(ACCEPTED)}.parquet"))
    return None


def settings_intervals(paper: str, folder: Path | None = None) -> dict[str, tuple[float, float]]:
    """Ends of the 95 % interval of each number over the accepted settings, by key; empty if the paper has no draw.

    Args:
        paper: name of the study.
        folder: where draws are stored; None means `data/posterior`.
    """
    stored, found = stored_posterior(paper, folder), {}
    if stored is not None:
        for name in map(str, stored.accepted):
            if name.startswith(full(paper, "")) and stored.accepted[name].notna().sum() >= FEWEST:
                own = interval(stored.accepted, name)
                found[name.removeprefix(full(paper, ""))] = (own.low, own.high)
    return found


def posterior_blocks(paper: str) -> list[Block]:
    """The section of a page on the paper's posterior; nothing where it has none."""
    stored = stored_posterior(paper)
    if stored is None:
        return []
    found = validated(stored)
    text = (
        f"We simulated {len(stored.draws)} settings of the workload generator and accepted the {len(stored.accepted)} "
        "nearest to the paper's fitted numbers (docs/model/posterior.md). Their results for the other "
        "numbers follow from the rest of the paper, within this generator; a wide interval means that the "
        "paper does not fix the number. As a test, we chose settings without a "
        f"group of numbers (dispatch, dummies, ...). Their intervals hold {100 * found.coverage:.0f} % of the numbers "
        f"of that group, those of the prior {100 * found.prior_coverage:.0f} %. They are {found.width:.2f} times "
        "as wide (median)."
    )
    return [Heading("Results of consistent settings"), Paragraph(text), *all_figures(stored)]
