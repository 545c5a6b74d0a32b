"""The prover on whole machines that are not full: rule none, and policy rr with several batches at a time.

Of each session the truth is an enumeration's. At the optimum nothing may be left to find, and a hair above it no proof
may end without a plan; what is open is counted by its reason.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import NamedTuple

from euclio import solve
from euclio.core.errors import InputError
from euclio.core.result import Status
from euclio.problems.session import Charging, DummyRule, PlanSpace, Policy, Session, evaluate, longest_path
from euclio.problems.session.policies import POLICIES
from euclio.proving.session.certifying import find_better
from tests.drawn.limits import REFERENCE, REFERENCE_S, limited, sum_of_durations
from tests.drawn.numbers import supported
from tests.drawn.sessions import session_case

from .search import Found, Search

PROVER_S = 5.0
CASES = 5
"""Cases of a seed."""
LEAST = Fraction(1, 10**20)
"""Share of the optimum by which a cutoff lies above it."""
ASKED = ("nothing", "nothing", "nothing", "stock", "changes", "spare", "all")
"""Demands of sessions beyond their SLO."""
HONEST_REASONS = (
    "the time limit was reached",
    "its numbers lie too far apart",
    "costs closer to the cutoff than latencies can be distinguished",
    "limits on machines leave too many plans to list",
)


class Answer(NamedTuple):
    """The prover's answer to a cutoff.

    Attributes:
        what: at the optimum, or a hair above it.
        space: the plan space.
        asked: what the session asks for beyond its SLO.
        decided: whether it was certified, or a plan was found.
        reason: why it is open.
        fault: the mistake; empty if there is none.
    """

    what: str
    space: PlanSpace
    asked: str
    decided: bool
    reason: str
    fault: str


def case(rng: Random) -> tuple[Session, PlanSpace, str]:
    """A session of whole machines some of which may be best if they are not full, and what it asks for."""
    session, space = session_case(rng, (*POLICIES, Policy.RR, Policy.RR, Policy.RR))
    rule = rng.choice(tuple(DummyRule)) if space.policy is Policy.RR else DummyRule.NONE
    space = replace(space, charging=Charging.WHOLE, dummy=rule)
    kind = rng.randrange(8)
    if kind == 0:
        session = replace(session, slo_s=sum_of_durations(rng, session, space))
    elif kind <= 2 and space.policy is Policy.RR:
        session = replace(session, slo_s=_unattained(rng, session, space))
    asked = rng.choice(ASKED)
    if asked != "nothing":
        session = limited(rng, session, space, asked)
    if rng.randrange(6) == 0:
        asked += " and shares"
        shares = [rng.choice((None, Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))) for _ in session.hardware]
        own = [replace(h, largest_share=s) for h, s in zip(session.hardware, shares, strict=True)]
        session = replace(session, hardware=tuple(own))
    return session, space, asked


def _unattained(rng: Random, session: Session, space: PlanSpace) -> Fraction:
    """Latencies d + d/e and 2d along a path: no plan attains the first, which some come as near to as one likes."""
    chosen = []
    for module in session.modules:
        allowed = [c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)] or module.profile
        c = rng.choice(allowed)
        chosen.append(c.duration_s + c.duration_s / (c.concurrency if rng.randrange(4) else 1))
    slo = longest_path(session, chosen)[0]
    slo += rng.choice((0, 0, 1, -1)) * slo / 10**15
    return slo if supported(slo) else session.slo_s


def answers(seed: int) -> Iterator[Answer]:
    """The prover's answers to the cases of a seed that the enumeration decides."""
    for place in range(CASES):
        try:
            session, space, asked = case(Random(f"machines that are not full {seed} {place}"))
        except InputError:
            continue
        truth = solve(session, REFERENCE, space=space, time_limit_s=REFERENCE_S)
        if truth.status in (Status.OPTIMAL, Status.INFEASIBLE):
            yield from _asked(session, space, asked, truth.value)


def _asked(session: Session, space: PlanSpace, asked: str, optimum: Fraction | None) -> Iterator[Answer]:
    below = find_better(session, space, optimum, time.perf_counter() + PROVER_S)
    fault = "" if below.plan is None else f"found a plan below {optimum}"
    yield Answer("at the optimum", space, asked, below.exhausted, below.reason, fault or _odd(below.reason))
    if optimum is None:
        return
    cutoff = optimum + max(optimum, Fraction(1)) * LEAST
    above = find_better(session, space, cutoff, time.perf_counter() + PROVER_S)
    fault = f"found none at {optimum}" if above.exhausted else ""
    if above.plan is not None:
        value = evaluate(session, above.plan, space)
        # A plan below the cutoff need not be the optimum where prices lie far apart.
        right = value.feasible and value.cost_per_h is not None and optimum <= value.cost_per_h < cutoff
        fault = "" if right else f"its plan costs {value.cost_per_h}, and not from {optimum} on"
    yield Answer("a hair above", space, asked, above.plan is not None, above.reason, fault or _odd(above.reason))


def _odd(reason: str) -> str:
    """The reason why a claim must not be left open so; empty if it may, or if it is not open."""
    return f"open: {reason}" if reason and not reason.startswith(HONEST_REASONS) else ""


def look(seed: int) -> Found:
    """Compare the prover's answers with the enumeration."""
    found = list(answers(seed))
    faults = tuple(f"{one.space}, {one.asked}, {one.what}: {one.fault}" for one in found if one.fault)
    return Found(len(found), faults, sum(not one.decided for one in found))


SEARCH = Search(
    "not-full",
    "the prover is right about whole machines that are not full, under every policy, and within limits",
    "cutoffs",
    look,
    range(12),
)
