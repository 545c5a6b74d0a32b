"""What is found out next to a session's plan: what whole machines cost, and what random arrivals do to it."""

from __future__ import annotations

import time
from dataclasses import replace

from euclio.core.family import Companion
from euclio.core.result import Result
from euclio.problems.session.bought_whole import (
    SHARED_IN_TIME,
    cheaper_shared,
    prepare,
    shared_stats,
    with_whole_costs,
)
from euclio.problems.session.checking.machine_limits import limited_apart, needed_together
from euclio.problems.session.instance import Session
from euclio.problems.session.rules import Charging
from euclio.questions.at_random import poisson_attainment, with_random_arrivals
from euclio.serving.attainment import rough_cost as rough_cost  # imported before a limit counts, as `prepare` is made
from euclio.serving.session import glance as glance

NEEDED = "needed_together"
"""Entry of a result's `stats`: the largest share of a module's requests that limited types have together."""


def with_both(session: Session, result: Result, limit_s: float | None) -> Result:
    """The result with both in `stats`, as far as they are found within the limit in seconds (None: their own)."""
    began = time.monotonic()
    found = with_random_arrivals(session, result, limit_s)
    left_s = None if limit_s is None else limit_s - (time.monotonic() - began)
    found = with_whole_costs(session, _with_needed(session, found), left_s)
    return _with_shared(session, found, None if limit_s is None else limit_s - (time.monotonic() - began))


def _with_shared(session: Session, result: Result, limit_s: float | None) -> Result:
    """The result with the cost of shared machines where that is less, and their attainment where that is quick."""
    if result.value is None or result.space.charging is Charging.PACKED:
        return result
    shared = cheaper_shared(session, result, limit_s)
    if shared is None:
        return result
    plan, space = shared
    stats = {**result.stats, **shared_stats(session, plan, space)}
    kept = poisson_attainment(session, replace(result, plan=plan, space=space))
    return replace(result, stats=stats if kept is None else {**stats, SHARED_IN_TIME: kept})


def _with_needed(session: Session, result: Result) -> Result:
    """The result with the largest share of a module's requests that limited types have together, if several are."""
    known = result.evaluation
    if not limited_apart(session) or result.value is None or result.plan is None or known is None:
        return result
    shares = needed_together(session, result.plan, [module.partial_rps for module in known.modules])
    return replace(result, stats={**result.stats, NEEDED: float(max(shares.values(), default=0))})


COMPANION = Companion(prepare, with_both)
