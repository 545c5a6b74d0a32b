"""Settings of the stored draws for other studies: some that were accepted, and numbers of random ones of the prior."""

from __future__ import annotations

import numpy as np
import pandas as pd

from euclio.core.errors import InputError
from euclio.posterior.prior import Setting
from euclio.posterior.reference import ENOUGH, with_defaults
from euclio.posterior.store import FACT, Stored, settings_of, stored_draw
from euclio.posterior.targets import full, of_paper, targets


def accepted_settings(
    paper: str, count: int, *, default_readings: bool = False, stored: Stored | None = None
) -> tuple[Setting, ...]:
    """Some of a paper's accepted settings, evenly spaced from the nearest to the farthest; the same ones each time.

    Those of which fewer than every fourth candidate counts are left out, since a study draws many workloads from each.

    Args:
        paper: "harpagon" or "piccolo".
        count: how many.
        default_readings: whether they are given with the readings of the solvers' own rows, which sessions of them are
            solved by, from the nearest to the farthest under these; else each with the readings that it was accepted
            with.
        stored: the draw; None: the one that is kept with the code.

    Raises:
        InputError: fewer have been accepted.
    """
    accepted = (stored or stored_draw(paper)).accepted
    share, by = (
        ("accepted_default", "distance_default") if default_readings else (FACT + full(paper, "accepted"), "distance")
    )
    enough = accepted[(accepted[share] >= ENOUGH) & np.isfinite(accepted[by])].sort_values(by, kind="stable")
    settings = settings_of(enough)
    found = list(dict.fromkeys(with_defaults(paper, one) if default_readings else one for one in settings))
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
