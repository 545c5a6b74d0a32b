"""What is found out next to a session's plan: what whole machines cost, and what random arrivals do to it."""

from __future__ import annotations

import time

from euclio.core.family import Companion
from euclio.core.result import Result
from euclio.session.attainment import rough_cost as rough_cost  # imported before a limit counts, as `prepare` is made
from euclio.session.instance import Session
from euclio.session.questions.at_random import with_random_arrivals
from euclio.session.questions.bought_whole import prepare, with_whole_costs
from euclio.session.simulation import glance as glance


def with_both(session: Session, result: Result, limit_s: float | None) -> Result:
    """The result with both in `stats`, as far as they are found within the limit in seconds (None: their own)."""
    began = time.monotonic()
    found = with_random_arrivals(session, result, limit_s)
    left_s = None if limit_s is None else limit_s - (time.monotonic() - began)
    return with_whole_costs(session, found, left_s)


COMPANION = Companion(prepare, with_both)
