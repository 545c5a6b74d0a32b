"""Longest paths through a session's DAG as provers find them, exact or in floats as the lengths are (ours).

Solvers and the checker have theirs in `euclio.problems.session.latency.paths`; an error there is not confirmed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeVar

from euclio.problems.session.instance import Session

Length = TypeVar("Length", int, float, Fraction)


def path_before(session: Session, lengths: Sequence[Length]) -> list[Length]:
    """For each module the longest path that ends just before it."""
    found, parents = [0 * length for length in lengths], session.parents()
    for m in session.order:
        for p in parents[m]:
            found[m] = max(found[m], found[p] + lengths[p])
    return found


def path_after(session: Session, lengths: Sequence[Length]) -> list[Length]:
    """For each module the longest path that begins just after it."""
    found, parents = [0 * length for length in lengths], session.parents()
    for m in reversed(session.order):
        for p in parents[m]:
            found[p] = max(found[p], found[m] + lengths[m])
    return found


def around(session: Session, lengths: Sequence[Length]) -> list[Length]:
    """For each module the longest path through it, without its own length."""
    return [b + a for b, a in zip(path_before(session, lengths), path_after(session, lengths), strict=True)]


def through(session: Session, lengths: Sequence[Length]) -> list[Length]:
    """For each module the longest path through it."""
    return [rest + own for rest, own in zip(around(session, lengths), lengths, strict=True)]
