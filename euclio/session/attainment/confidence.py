"""How sure an attainment is that was measured: one-sided bounds from independent replications."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy import special

from euclio.simulation.units import Ints


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured attainment.

    Attributes:
        share: requests answered within the SLO, of all.
        lower: the true share is at least this, with the confidence.
        confidence: probability that such a bound holds.
        replications: independent simulations.
        requests: requests in all of them.
    """

    share: float
    lower: float
    confidence: float
    replications: int
    requests: int


def estimate(arrived: Ints, attained: Ints, confidence: float) -> Estimate:
    """The attainment of independent replications of about equal length.

    The bound is the lower of two: Student's, of the replications' shares, which are independent though requests within
    one are not; and Clopper and Pearson's, of all requests, for shares that are all 1 have no spread.

    Args:
        arrived: requests of each replication, at least two replications with at least a request each.
        attained: of these, those answered within the SLO.
        confidence: of the bound, one-sided.
    """
    shares = attained / arrived
    replications, requests = int(shares.size), int(arrived.sum())
    spread = float(shares.std(ddof=1)) / math.sqrt(replications)
    student = float(shares.mean()) - float(special.stdtrit(replications - 1, confidence)) * spread
    kept = int(attained.sum())
    counted = float(special.betaincinv(kept, requests - kept + 1, 1 - confidence)) if kept else 0.0
    return Estimate(kept / requests, max(0.0, min(student, counted)), confidence, replications, requests)
