"""What looks odd about a session without being wrong: an objective in another unit than the durations (ours)."""

from __future__ import annotations

import math
from fractions import Fraction

from euclio.core.words import full
from euclio.problems.session.instance import Configuration, Module, Session
from euclio.problems.session.latency.paths import longest_path

MOST_TIMES = 100
"""An SLO of more times the least latency is likely one in milliseconds; none of the measured sessions has one."""
LEAST_SHARE = 0.1
"""An SLO of less than this share of the least latency likely stands next to durations in milliseconds; where it is only
a little too short, the explanation of why there is no plan says all."""


def slo_hint(session: Session) -> str:
    """One line where the SLO and the durations seem to be in different units; empty: they do not.

    The least latency is that of the longest path of fastest machines, each of which collects at the rate of a module
    that is all theirs.
    """
    least = float(longest_path(session, [Fraction(_least_s(module)) for module in session.modules])[0])
    ratio = float(session.slo_s) / least
    if ratio > MOST_TIMES:
        return (
            f"the SLO is {full(session.slo_s)} s, {ratio:,.0f} times the least latency that plans have, about "
            f"{full(least, digits=3)} s; if it is meant in milliseconds, give {full(session.slo_s / 1000)}"
        )
    if ratio < LEAST_SHARE:
        return (
            f"the SLO is {full(session.slo_s)} s, and plans take at least about {full(least, digits=3)} s; "
            "SLO and durations have to be in seconds, both of them"
        )
    return ""


def _least_s(module: Module) -> float:
    rate = float(module.rate_rps)
    return min(_alone_s(c, rate) for c in module.profile)


def _alone_s(c: Configuration, rate: float) -> float:
    """Seconds on machines of one configuration that are filled up with dummies."""
    throughput = float(c.throughput_rps)
    return float(c.duration_s) + c.batch / (math.ceil(rate / throughput) * throughput)
