"""Longest paths through a session's DAG, exact or in floats as the latencies are; whole nanoseconds do as well.

Two other routines stay apart. Compiled searches walk arrays (`euclio.problems.session.latency.dispatch.path_times`), as
they cannot hold fractions. The independent provers (`euclio.proving.paths`) have their own, so that an error here would
not be confirmed by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeVar

from euclio.problems.session.instance import Session

Seconds = TypeVar("Seconds", int, Fraction, float, Fraction | float)


def times_until(session: Session, latency_s: Sequence[Seconds]) -> list[Seconds]:
    """For each module the seconds of the longest path that ends with it, its own latency included.

    Args:
        session: the DAG.
        latency_s: latency of each module in seconds.
    """
    return _until(session.order, session.parents(), latency_s)


def times_from(session: Session, latency_s: Sequence[Seconds]) -> list[Seconds]:
    """For each module the seconds of the longest path that begins with it; arguments as of `times_until`."""
    rest, parents = list(latency_s), session.parents()
    for i in reversed(session.order):
        for p in parents[i]:
            rest[p] = max(rest[p], latency_s[p] + rest[i])
    return rest


def longest_path(session: Session, latency_s: Sequence[Fraction]) -> tuple[Fraction, list[str]]:
    """Length of the longest path through the DAG and the names of the modules on it; of several, one of them."""
    parents = session.parents()
    until = _until(session.order, parents, latency_s)
    node: int | None = max(session.order, key=lambda i: until[i])
    assert node is not None
    length, names = until[node], []
    while node is not None:
        names.append(session.modules[node].name)
        node = max(parents[node], key=lambda p: until[p], default=None)
    return length, names[::-1]


def _until(order: Sequence[int], parents: Sequence[Sequence[int]], latency_s: Sequence[Seconds]) -> list[Seconds]:
    until = list(latency_s)
    for i in order:
        if parents[i]:
            until[i] += max(until[p] for p in parents[i])
    return until
