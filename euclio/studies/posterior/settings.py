"""Settings of the stored draws for other studies: some that were accepted, and figures of random ones of the prior."""

from __future__ import annotations

import numpy as np
import pandas as pd

from euclio.core.errors import InputError
from euclio.studies.posterior.prior import Setting
from euclio.studies.posterior.reference import with_defaults
from euclio.studies.posterior.store import load_stored, settings_of, stored_path
from euclio.studies.posterior.targets import full, of_paper, targets


def accepted_settings(paper: str, count: int, *, default_readings: bool = False) -> tuple[Setting, ...]:
    """Some of a paper's accepted settings, evenly spaced from the nearest to the farthest; the same ones each time.

    Those of which fewer than every fourth candidate counts are left out, since a study draws many workloads from each.

    Args:
        paper: "harpagon" or "piccolo".
        count: how many.
        default_readings: whether they are given with the readings of the solvers' own rows, which sessions of them are
            solved by; else each with the readings that it was accepted with.

    Raises:
        InputError: fewer have been accepted.
    """
    accepted = load_stored(stored_path()).accepted
    enough = accepted[accepted[f"fact.{full(paper, 'accepted')}"] >= 0.25].sort_values("distance", kind="stable")
    found = list(dict.fromkeys(settings_of(enough)))
    if len(found) < count:
        raise InputError(
            f"{count} settings are asked for, {len(found)} have been accepted; ask for fewer", field="count"
        )
    places = np.linspace(0, len(found) - 1, count).round().astype(int)
    return tuple(with_defaults(found[n]) if default_readings else found[n] for n in places)


def prior_figures(paper: str) -> pd.DataFrame:
    """Figures of random settings of the prior, one row each, by the keys of `data/published/PAPER.json`.

    Settings that have too few workloads are left out; NaN: no workload shows the figure.

    Args:
        paper: "harpagon" or "piccolo".
    """
    prior = load_stored(stored_path()).prior
    names = {key: key.partition(":")[2] for key in of_paper(targets(), paper) if key in prior}
    return prior[list(names)].rename(columns=names).reset_index(drop=True).astype(np.float64)
