"""A session with any number of machines of every type."""

from __future__ import annotations

from dataclasses import replace

from euclio.session.instance import Session


def without_stock(session: Session) -> Session:
    """The session without limits on its machines; itself where it has none."""
    if not session.stock:
        return session
    return replace(session, hardware=tuple(replace(h, count=None) for h in session.hardware))
