"""Figures next to a session's plan: the cost of whole machines, and the effect of random arrivals."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

from euclio.core.family import Companion
from euclio.core.numbers import exact
from euclio.core.result import Result
from euclio.problems.session.bought_whole import (
    BEST,
    SHARED_FREE,
    SHARED_IN_TIME,
    cheaper_shared,
    prepare,
    shared_stats,
    with_whole_costs,
)
from euclio.problems.session.evaluate import evaluate
from euclio.problems.session.instance import Session
from euclio.problems.session.machine_limits import limited_apart, needed_together
from euclio.problems.session.plan import Plan
from euclio.problems.session.rules import Charging
from euclio.problems.session.space import PlanSpace
from euclio.questions.at_random import poisson_attainment, with_random_arrivals
from euclio.serving.attainment import rough_cost as rough_cost  # imported before a limit counts, as `prepare` is made
from euclio.serving.attainment.margins import alike, spare_space, stricter, with_spare
from euclio.serving.session import glance as glance

HIGHER = (Fraction(3), Fraction(9))
"""Margins on all rates for which shared machines are planned if they do not pay otherwise."""
SHARING_S = 0.3
"""Seconds that must be left for that."""
NEEDED = "needed_together"
"""Entry of a result's `stats`: the largest share of a module's requests that limited types have together."""


def with_both(session: Session, result: Result, limit_s: float | None) -> Result:
    """The result with both in `stats`, as far as they are found in `limit_s`; None means their own limits."""
    began = time.monotonic()
    found = with_random_arrivals(session, result, limit_s)
    left_s = None if limit_s is None else limit_s - (time.monotonic() - began)
    found = with_whole_costs(session, _with_needed(session, found), left_s)
    return _with_shared(session, found, None if limit_s is None else limit_s - (time.monotonic() - began))


def _with_shared(session: Session, result: Result, limit_s: float | None) -> Result:
    """The result with the cost of shared machines if that is less, and their attainment if that is quick to find."""
    enough = limit_s is None or limit_s > SHARING_S
    sure = result.space.charging is Charging.WHOLE or BEST in result.stats
    if result.value is None or result.plan is None or result.space.charging is Charging.PACKED or not (sure and enough):
        return result
    least, space = exact(result.stats.get(BEST, result.value)), replace(result.space, charging=Charging.PACKED)
    plan, stats = cheaper_shared(session, space, [result.plan], least), dict(result.stats)
    if plan is None:
        # At low rates, batches fill in time only if capacity is kept free.
        space, stats[SHARED_FREE] = spare_space(space), 1.0
        plan = _planned_higher(session, result.space, least)
    if plan is None:
        return result
    stats |= shared_stats(session, plan, space)
    kept = poisson_attainment(session, replace(result, plan=plan, space=space))
    return replace(result, stats=stats if kept is None else {**stats, SHARED_IN_TIME: kept})


def _planned_higher(session: Session, space: PlanSpace, least: Fraction) -> Plan | None:
    """A cheaper plan on shared machines for higher rates; its machines have time for more requests."""
    packed = replace(space, charging=Charging.PACKED)
    for margins in (alike(session, rate) for rate in HIGHER):
        raised = stricter(session, margins)
        found = cheaper_shared(raised, packed, (), least)
        if found is not None:
            return with_spare(session, found, evaluate(raised, found, packed), margins)
    return None


def _with_needed(session: Session, result: Result) -> Result:
    """The result with the largest share of a module's requests that limited types have together, if several are."""
    known = result.evaluation
    if not limited_apart(session) or result.value is None or result.plan is None or known is None:
        return result
    shares = needed_together(session, result.plan, [module.partial_rps for module in known.modules])
    return replace(result, stats={**result.stats, NEEDED: float(max(shares.values(), default=0))})


COMPANION = Companion(prepare, with_both)
