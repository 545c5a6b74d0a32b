"""Settings of the stored searches for other studies: some that were accepted, and numbers of random ones."""

from __future__ import annotations

import numpy as np
import pandas as pd

from euclio.core.errors import InputError
from euclio.posterior.prior import Setting
from euclio.posterior.store import Stored, stored_draw
from euclio.posterior.targets import of_paper, targets


def accepted_settings(paper: str, count: int, *, stored: Stored | None = None) -> tuple[Setting, ...]:
    """Some of a paper's accepted settings, evenly spaced from the nearest to the farthest; the same ones each time.

    Args:
        paper: "harpagon" or "piccolo".
        count: how many.
        stored: the search; None: the one that is kept with the code.

    Raises:
        InputError: fewer have been accepted.
    """
    found = list(dict.fromkeys((stored or stored_draw(paper)).settings))
    if len(found) < count:
        raise InputError(f"{count} settings are asked for, {len(found)} are accepted; ask for fewer", field="count")
    return tuple(found[n] for n in np.linspace(0, len(found) - 1, count).round().astype(int))


def prior_figures(paper: str) -> pd.DataFrame:
    """Numbers of random settings of the prior, one row each, by the keys of `data/published/PAPER.json`.

    Settings that have too few workloads are left out. NaN: no workload shows the number, or it needs the best split,
    which some of the settings alone were asked for.

    Args:
        paper: "harpagon" or "piccolo".
    """
    prior = stored_draw(paper).prior
    names = {key: key.partition(":")[2] for key in of_paper(targets(), paper) if key in prior}
    return prior[list(names)].rename(columns=names).reset_index(drop=True).astype(np.float64)
