"""Longest paths through a session's DAG as provers find them, exact or in floats as the lengths are (ours).

A path has the delays of its edges. An objective of a module leaves paths that end with it less time than the longest
objective leaves others: the difference is the module's *end*, and paths count it as if it were the length of a last
module. So a plan keeps all objectives where the longest path takes at most the longest objective.

Solvers and the checker have theirs in `euclio.problems.session.latency.paths`, with ends of
`euclio.problems.session.objectives`; an error there is not confirmed here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeVar

from euclio.core.numbers import LARGEST
from euclio.problems.session.instance import Session

Length = TypeVar("Length", int, float, Fraction)
ZERO = Fraction(0)


def ends(session: Session) -> list[Fraction | None]:
    """For each module its end in seconds; None means that no objective is about the paths that end with it."""
    if not session.objectives:
        inner = {p for own in session.parents() for p in own}
        return [None if m in inner else ZERO for m in range(len(session.modules))]
    return [
        max((session.slo_s - one.slo_s for one in session.objectives if one.to == module.name), default=None)
        for module in session.modules
    ]


def path_before(session: Session, lengths: Sequence[Length]) -> list[Length]:
    """For each module the longest path that ends just before it, with the delay until it begins."""
    found, parents = [_like(length, ZERO) for length in lengths], session.parents()
    for m in session.order:
        for p in parents[m]:
            found[m] = max(found[m], _delayed(session, p, m, found[p] + lengths[p]))
    return found


def path_after(session: Session, lengths: Sequence[Length]) -> list[Length]:
    """For each module the longest path that begins just after it, with the delay until then and the last one's end.

    A module that leads to no objective may take any latency that the checker can price. So its path is far below 0; in
    floats it is minus infinity, since so large a number would round what it is added to.
    """
    found, parents = _last(session, lengths), session.parents()
    for m in reversed(session.order):
        for p in parents[m]:
            found[p] = max(found[p], _delayed(session, p, m, found[m] + lengths[m]))
    return found


def around(session: Session, lengths: Sequence[Length]) -> list[Length]:
    """For each module the longest path through it, without its own length."""
    return [b + a for b, a in zip(path_before(session, lengths), path_after(session, lengths), strict=True)]


def through(session: Session, lengths: Sequence[Length]) -> list[Length]:
    """For each module the longest path through it."""
    return [rest + own for rest, own in zip(around(session, lengths), lengths, strict=True)]


def leads(session: Session) -> list[bool]:
    """For each module whether a path from it, or it alone, has an objective."""
    return [rest >= 0 for rest in path_after(session, [0.0] * len(session.modules))]


def _last(session: Session, lengths: Sequence[Length]) -> list[Length]:
    """The ends of the modules; of those without one, a number that no path falls below."""
    if not session.objectives:
        return [_like(length, ZERO) for length in lengths]
    free = session.slo_s - LARGEST
    return [_like(length, free if end is None else end) for length, end in zip(lengths, ends(session), strict=True)]


def _delayed(session: Session, parent: int, child: int, length: Length) -> Length:
    return length + _like(length, session.delay_between(parent, child)) if session.delay_s else length


def _like(length: Length, seconds: Fraction) -> Length:
    """Seconds as a number like a length; of floats, one that is far below 0 is minus infinity.

    Whole numbers, in units of their own, are for sessions without delays and with one objective.
    """
    if isinstance(length, float) and seconds < 0:
        return type(length)(-math.inf)
    found = type(length)(seconds)
    assert isinstance(found, float) or found == seconds
    return found
