"""What a stored draw says of the parameters: posterior ranges, how much they narrow, shares of every choice."""

from __future__ import annotations

import numpy as np
import pandas as pd

from euclio.posterior.evidence import ENDS
from euclio.posterior.prior import NAMES, PRIORS, Choice, Range
from euclio.posterior.store import PLACE, Stored


def narrowed(stored: Stored) -> pd.Series[float]:
    """How much the posterior narrows each parameter: its interquartile range over the prior's, 1: not at all."""
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

    Those of the prior are the draws that have workloads, so that a value which leaves few of them has a smaller share.
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
