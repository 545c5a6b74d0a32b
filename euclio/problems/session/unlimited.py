"""A session with any number of machines of every type, or without any limit but its latency objective."""

from __future__ import annotations

from dataclasses import replace

from euclio.problems.session.instance import Session


def without_stock(session: Session) -> Session:
    """The session without limits on its machines; itself where it has none."""
    if not session.stock and not session.resources:
        return session
    return replace(session, hardware=tuple(replace(h, count=None) for h in session.hardware), resources={})


def without_limits(session: Session) -> Session:
    """The session without a stock, resources, shares of hardware, spare machines, and machines that run already.

    It has a plan exactly if the session's latencies and rates allow for one.
    """
    hardware = tuple(replace(h, count=None, largest_share=None) for h in session.hardware)
    return replace(session, hardware=hardware, running=None, spare_machines=0, resources={})
