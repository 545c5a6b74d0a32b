"""Modules one after the other: which few of them take longest together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from euclio.problems.session import Session
from euclio.problems.session.latency.paths import times_until

Seconds = Fraction | float


def shortest_chain_above(session: Session, latency_s: Sequence[Fraction | None], limit_s: Fraction) -> tuple[int, ...]:
    """The fewest modules on one path whose latencies add up to more than a limit.

    Fewest, hence minimal: without any of them the rest stays within the limit. By dynamic programming over the DAG:
    most seconds with k modules on a path that ends in a module.

    Args:
        session: the DAG.
        latency_s: latency of each module in seconds; None: beyond any limit.
        limit_s: the limit in seconds.

    Returns:
        Indices of the modules in the order of the path; empty: no path exceeds the limit.
    """
    latency: list[Seconds] = [math.inf if value is None else value for value in latency_s]
    parents = session.parents()
    nothing: tuple[Seconds, tuple[int, ...]] = (Fraction(0), ())
    fewer = [nothing] * len(latency)
    if max(times_until(session, latency)) <= limit_s:
        return ()
    for _ in latency:
        best: list[tuple[Seconds, tuple[int, ...]]] = [nothing] * len(latency)
        for i in session.order:
            before = max((fewer[p] for p in parents[i]), key=lambda entry: entry[0], default=nothing)
            without = max((best[p] for p in parents[i]), key=lambda entry: entry[0], default=nothing)
            with_it = (before[0] + latency[i], (*before[1], i))
            best[i] = with_it if with_it[0] >= without[0] else without
        length, chain = max(best, key=lambda entry: entry[0])
        if length > limit_s:
            return chain
        fewer = best
    return ()
