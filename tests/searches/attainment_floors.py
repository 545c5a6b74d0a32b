"""Lower ends of an attainment, each held against cheaper plans: all of few machines, served by a plain simulator."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from statistics import mean, stdev

from euclio.core.solving import asked
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.plan import Plan
from euclio.problems.session.space import PlanSpace
from euclio.serving.attainment import Demand
from euclio.serving.attainment import lower_bound as bounding
from euclio.serving.attainment.lower_bound import least_cost
from euclio.serving.attainment.margins import spare_space
from euclio.serving.session import Setup
from tests.helpers.session_bounds import machines_of, plans_below

from .plain_serving import IN_ORDER, IN_TIME, LAZY, SLOWEST, served

SHAPES = ((1, ()), (1, ()), (1, ()), (2, ((0, 1),)), (2, ((0, 1),)), (3, ((0, 1), (1, 2))), (3, ((0, 1), (0, 2))))
TARGETS = (0.5, 0.8, 0.9, 0.95, 0.99, 0.99, 0.999, 0.9999)
SHARES = (0.0201, 0.002, 0.05, 0.1, 0.24, 0.33, 0.49, 0.51, 0.7, 0.92, 0.99)
"""Shares of the SLO that the shortest batches take: far apart, next to what fits once, twice or never."""
SERVED = ({}, {"dropping": "hopeless"}, {"dispatch": "pull"}, {"dispatch": "pull"}, {"dispatch": "least-outstanding"})
MOST_COST = 8.0
"""Plans that cost no more are listed; a higher bound is held against these."""
PLANS, BEST = 24, 3
"""Plans that are served a few requests, the most expensive ones; of these, the best ones are served many."""
FEW, MANY = 10_000, 100_000
MILLION, EACH = 1_000_000, 5
"""One bound in so many is held against plans that are served a million requests."""
RUNS, ERRORS = 10, 7
"""Runs of a million requests in which a plan has to keep more than the target, by so many standard errors of their
mean: by chance once in 30,000, and only of plans that are next to it."""


@dataclass(frozen=True, slots=True)
class Floor:
    """A bound, and the best of the cheaper plans.

    Attributes:
        session: the session.
        target: the attainment.
        setup: dispatch and dropping.
        kept: what the best plan below kept; None: there is none.
        wrong: in words, a cheaper plan that keeps the target; nothing: there is none.
        requests: requests that the best plan was served.
    """

    session: Session
    target: float
    setup: Setup
    kept: float | None
    wrong: str
    requests: int


def draw(seed: int) -> tuple[Session, float, Setup]:
    """A session of 1 to 3 modules on few machines that are nearly full, and what is asked."""
    rng = Random(seed)
    count, edges = rng.choice(SHAPES)
    hardware = [Hardware(name, rng.choice(("1", "1", "1.5", "2", "3"))) for name in "ghi"[: rng.randint(1, 3)]]
    slo, target = Fraction(rng.choice(("0.2", "1", "3"))), rng.choice(TARGETS)
    setup = Setup(**rng.choice(SERVED))
    if count == 1 and rng.randrange(3):
        # Types whose batches differ by a factor of 20 to 60 and may follow each other often within a window.
        shares = [rng.uniform(0.015, 0.05), rng.uniform(0.5, 0.99), rng.uniform(0.02, 0.99)]
        types = zip(hardware, shares[: len(hardware)], strict=True)
        profiles = [[Configuration(one.name, 1, 1, f"{share * float(slo):.4g}") for one, share in types]]
        busy = rng.uniform(0.85, 1.0)
    else:
        profiles, busy = [_profile(rng, hardware, slo / count) for _ in range(count)], rng.uniform(0.5, 1.03)
    rate = float(max(c.throughput_rps for c in profiles[0])) * rng.choice((1, 2, 2, 3)) * busy
    modules = [
        Module(f"m{k}", f"{rate * (rng.choice((0.4, 1, 1, 1, 1.5, 2)) if k else 1):.5g}", profile)
        for k, profile in enumerate(profiles)
    ]
    named = [(f"m{a}", f"m{b}") for a, b in edges]
    return Session(f"floor {seed}", slo, hardware, modules, named), target, setup


def _profile(rng: Random, hardware: list[Hardware], slo: Fraction) -> list[Configuration]:
    """Batches of each type; the larger ones may be slower per request."""
    profile, sizes = [], rng.choice(((1,), (1,), (1, 2), (1, 2, 3, 4), (1, 4), (2, 3), (1, 2, 4, 8)))
    for one in rng.sample(hardware, rng.randint(1, len(hardware))):
        first, more = rng.choice(SHARES) * float(slo), rng.choice((0.02, 0.05, 0.3, 0.8, 1.1))
        slots = rng.choice((1, 1, 1, 2))
        profile += [Configuration(one.name, size, slots, f"{first * (1 + more * (size - 1)):.4g}") for size in sizes]
    return profile


def judge(seed: int) -> list[Floor]:
    """Both bounds of a session held against plans below them: those of the plan space, and any machines.

    The seed is that of the session and of all requests. A bound below which there is no plan is not in the list.
    """
    requests = MANY if seed % EACH else MILLION
    session, target, setup = draw(seed)
    demand, space = Demand(target, setup), PlanSpace(charging="whole")
    found = bounding.bound_on(asked(session, "exact", space=space), demand, 20.0)
    # Under `rr` nothing is asked of d + b/w, so that the bound is one on all machines, in the plan space or not.
    anyhow = least_cost(session, spare_space(PlanSpace("rr", charging="whole")), demand)
    cost = float("inf") if found.infeasible else found.cost_per_h or 0.0
    # A bound that does not say of which plans it is, is one of all.
    ordered, even = found.in_order, getattr(bounding, "BOUND_OF", "") == "plans that keep the SLO under even arrivals"
    inside = _held(session, target, setup, seed, cost, requests, in_space=even, ordered=ordered)
    both = [inside, _held(session, target, setup, seed, anyhow or 0.0, requests, in_space=False, ordered=ordered)]
    return [floor for floor in both if floor.kept is not None]


def _held(
    session: Session,
    target: float,
    setup: Setup,
    seed: int,
    cost: float,
    requests: int,
    *,
    in_space: bool,
    ordered: bool,
) -> Floor:
    """The best of the plans that cost less than a bound, served few requests, then many."""
    below = list(plans_below(session, min(cost, MOST_COST), 400, in_space=in_space))
    below = sorted(below, key=lambda plan: machines_of(session, plan), reverse=True)[:PLANS]
    rules = (IN_ORDER,) if ordered else (IN_ORDER, IN_TIME, LAZY, SLOWEST)
    tried = [(served(session, plan, FEW, seed, rule), k, rule) for k, plan in enumerate(below) for rule in rules]
    kept, wrong = None, ""
    for _, k, rule in sorted(tried, reverse=True)[:BEST]:
        found = served(session, below[k], requests, seed + 1, rule)
        kept = max(kept or 0.0, found)
        if found > target and _keeps(session, below[k], target, seed, rule):
            wrong = f"below {cost:g} {in_words(session, below[k])} keeps {found:.5f} of {requests:,}, rule {rule}"
            break
    return Floor(session, target, setup, kept, wrong, requests)


def _keeps(session: Session, plan: Plan, target: float, seed: int, rule: int) -> bool:
    """Whether a plan keeps the target of requests that nothing has seen: late ones are few, and come in clusters."""
    shares = [served(session, plan, MILLION, seed + 2 + run, rule) for run in range(RUNS)]
    return mean(shares) - ERRORS * stdev(shares) / math.sqrt(RUNS) > target


def in_words(session: Session, plan: Plan) -> str:
    """The machines of a plan, and their cost."""
    rows = [
        f"{module.name}: {a.machines} {a.configuration.hardware} batch {a.configuration.batch}"
        for module, own in zip(session.modules, plan.modules, strict=True)
        for a in own.allocations
    ]
    return f"{', '.join(rows)} for {machines_of(session, plan):g}"
