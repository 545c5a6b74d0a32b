"""Longest paths through a session's DAG, exact or in floats like the latencies; whole nanoseconds work as well.

A path has the delays of its edges. Its length, as it is compared with the longest objective, also has the end of the
module that it ends with (`euclio.problems.session.objectives`). Whole nanoseconds work for plain sessions only.

Two other routines stay apart. Compiled searches walk arrays (`euclio.problems.session.latency.dispatch.path_times`), as
they cannot hold fractions. The independent provers (`euclio.proving.paths`) have their own, so that they do not confirm
an error in this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeVar, cast

from euclio.problems.session.instance import Session
from euclio.problems.session.objectives import End

Seconds = TypeVar("Seconds", int, Fraction, float, Fraction | float)


def times_until(session: Session, latency_s: Sequence[Seconds]) -> list[Seconds]:
    """For each module the seconds of the longest path that ends with it, its own latency included.

    Args:
        session: the DAG.
        latency_s: latency of each module in seconds.
    """
    until, parents = list(latency_s), session.parents()
    for i in session.order:
        if parents[i]:
            until[i] += max(_delayed(session, p, i, until[p]) for p in parents[i])
    return until


def times_from(session: Session, latency_s: Sequence[Seconds]) -> list[Seconds]:
    """For each module the seconds of the longest path that begins with it, with its end; arguments as of `times_until`.

    A module that leads to no objective has a path far below 0, so that it may take up to `LARGEST` seconds.
    """
    parents = session.parents()
    rest = [_with(own, end) for own, end in zip(latency_s, session.ends(), strict=True)]
    reached = [end is not None for end in session.ends()]
    for i in reversed(session.order):
        for p in parents[i]:
            on = latency_s[p] + _delayed(session, p, i, rest[i])
            # A module with children and no objective has no path of its own.
            rest[p] = max(rest[p], on) if reached[p] else on
            reached[p] = True
    return rest


def longest_path(session: Session, latency_s: Sequence[Fraction]) -> tuple[Fraction, list[str]]:
    """Length of the longest path through the DAG, with ends, and the names of the modules on it; of several, one.

    The length is compared with the longest objective: it is at most `slo_s` if all objectives are kept.
    """
    until = times_until(session, latency_s)
    whole = {i: _with(until[i], end) for i in session.order if (end := session.ends()[i]) is not None}
    last = max(whole, key=lambda i: whole[i])
    return whole[last], path_to(session, until, last)


def path_to(session: Session, until_s: Sequence[Fraction], last: int) -> list[str]:
    """The names of the modules on the longest path that ends with a module; of several, one.

    Args:
        session: the DAG.
        until_s: for each module the seconds of the longest path that ends with it (`times_until`).
        last: index of the module.
    """
    parents, names = session.parents(), [session.modules[last].name]
    while parents[last]:
        last = max(parents[last], key=lambda p: _delayed(session, p, last, until_s[p]))
        names.append(session.modules[last].name)
    return names[::-1]


def path_length(session: Session, latency_s: Sequence[Seconds]) -> Seconds:
    """Length of the longest path through the DAG, as in `longest_path`."""
    until = times_until(session, latency_s)
    return max(_with(own, end) for own, end in zip(until, session.ends(), strict=True) if end is not None)


def most_latencies(session: Session) -> list[Fraction]:
    """The largest latency of each module within the objectives if no other module takes any time."""
    none = [Fraction(0)] * len(session.modules)
    return [
        session.slo_s - before - after
        for before, after in zip(times_until(session, none), times_from(session, none), strict=True)
    ]


def objective_times(session: Session, latency_s: Sequence[Fraction]) -> dict[str, tuple[Fraction, Fraction]]:
    """By name of an objective, the seconds of the longest path that it bounds, and its own; none in a plain session."""
    if not session.objectives:
        return {}
    until, index = times_until(session, latency_s), session.index
    return {one.name: (until[index[one.to]], one.slo_s) for one in session.objectives}


def _delayed(session: Session, parent: int, child: int, seconds: Seconds) -> Seconds:
    """Seconds with the delay of an edge."""
    return _with(seconds, session.delay_between(parent, child)) if session.delay_s else seconds


def _with(seconds: Seconds, more: End) -> Seconds:
    """Seconds with a delay or an end. Whole numbers stay whole if there are none, as in plain sessions."""
    if not more:
        return seconds
    longer: Any = seconds + more
    return cast(Seconds, longer)
