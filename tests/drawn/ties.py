"""Sessions whose objective is a plan's latency as the checker prices it, just above it or just below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import NamedTuple

from euclio.problems.session import DummyRule, Plan, PlanSpace, Session, evaluate
from euclio.problems.session.policies import POLICIES

from .numbers import LARGEST, SMALLEST, cut, next_float, printed, supported, terminating
from .plans import random_plan
from .sessions import session_case

DIGITS = (15, 16, 17, 17, 18, 18, 20, 24, 30)
"""Digits that an objective is cut to: what a float prints, a little more, and much more."""

DRAWS = 20
"""How often a plan is drawn; many draws are none, or none of the plan space."""


class Tie(NamedTuple):
    """A session, a plan space, and the plans whose latency the SLO was made of; some are late by a unit."""

    session: Session
    space: PlanSpace
    plans: Sequence[Plan]


def tie(rng: Random) -> Tie:
    """A nasty session on a tie, under a policy and a dummy rule that are drawn evenly."""
    while True:
        session, space = session_case(rng, POLICIES, tuple(DummyRule))
        endless = replace(session, slo_s=LARGEST)
        drawn = dict.fromkeys(random_plan(rng, endless, space) for _ in range(DRAWS))
        plans = [plan for plan in drawn if plan is not None][:2]
        latencies = [seconds for plan in plans if (seconds := evaluate(endless, plan, space).latency_s) is not None]
        if latencies:
            return Tie(replace(session, slo_s=Fraction(next_to(rng, rng.choice(latencies)))), space, plans)


def next_to(rng: Random, value: Fraction) -> Decimal:
    """A decimal at a positive value, just above it or just below, as a file can hold it."""
    exact, kind = terminating(value), rng.randrange(10)
    if kind <= 2 and exact is not None:
        found = exact
    elif kind == 3 and exact is not None:
        found = exact + rng.choice((-1, 1)) * Decimal(1).scaleb(int(exact.normalize().as_tuple().exponent))
    elif kind <= 6:
        found = cut(value, rng.choice(DIGITS), rng.choice((0, 1)))
    elif kind == 7:
        found = next_float(value, rng.choice((-2, -1, 1, 2)))
    else:
        found = printed(value)
    return found if supported(found) else printed(min(max(value, SMALLEST), LARGEST))
