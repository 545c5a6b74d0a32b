"""Sessions on ties: rates of whole machines to the last digit, an SLO on a plan's latency or one unit next to it.

The plan is drawn first and priced by the checker with all the time there is; its latency is what the SLO is made of.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import NamedTuple

from euclio.problems.session import (
    Allocation,
    Configuration,
    DummyRule,
    Hardware,
    Module,
    ModulePlan,
    Plan,
    PlanSpace,
    Session,
    evaluate,
)
from euclio.problems.session.policies import POLICIES
from tests.drawn.numbers import (
    LARGEST,
    SMALLEST,
    cut,
    digits,
    next_float,
    prices,
    printed,
    spread,
    supported,
    terminating,
)

EDGES: tuple[tuple[int, tuple[tuple[int, int], ...]], ...] = (
    *[(1, ())] * 12,
    (2, ((0, 1),)),
    (2, ()),
    (3, ((0, 1), (1, 2))),
    (3, ((0, 1), (0, 2))),
)
"""Modules and edges; most sessions are one module, where a tie is decided without help."""

DIGITS = (15, 16, 17, 17, 18, 18, 20, 24, 30)
"""Digits that an SLO or a rate is cut to: what a float prints, a little more, and much more."""

FIRST = 1_000_000
"""A rate counts as whole machines up to this many of one configuration."""

Parts = list[tuple[Configuration, int]]
"""Configurations in rank order, and their whole machines."""


class Tie(NamedTuple):
    """A session, a plan space, and the plans whose latency the SLO was made of; some are late by a unit."""

    session: Session
    space: PlanSpace
    plans: tuple[Plan, ...]


def tie(rng: Random) -> Tie:
    """A session on a tie, under a policy and a dummy rule that are drawn evenly."""
    count, edges = rng.choice(EDGES)
    hardware = [Hardware(f"h{i}", price) for i, price in enumerate(prices(rng, rng.choice((1, 1, 2, 2, 3))))]
    space = _space(rng, hardware)
    drawn = [_module(rng, i, hardware, space) for i in range(count)]
    modules = [module for module, _ in drawn]
    named = [(f"m{a}", f"m{b}") for a, b in edges]
    endless = Session("tie", LARGEST, hardware, modules, named)
    plans = [Plan(tuple(own[k] for _, own in drawn)) for k in range(2)]
    latencies = [found.latency_s for plan in plans if (found := evaluate(endless, plan, space)).latency_s is not None]
    slo = next_to(rng, rng.choice(latencies)) if latencies else digits(rng, spread(rng, 0.1, 10))
    return Tie(Session("tie", slo, hardware, modules, named), space, tuple(dict.fromkeys(plans)))


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


def _space(rng: Random, hardware: list[Hardware]) -> PlanSpace:
    space = PlanSpace(rng.choice(POLICIES), rng.choice(tuple(DummyRule)))
    if rng.randrange(3):
        return space
    names = [h.name for h in hardware]
    return PlanSpace(
        space.policy,
        space.dummy,
        rng.choice((None, 1, 2)),
        tuple(rng.sample(names, rng.randint(1, len(names)))) if rng.randrange(3) == 0 else None,
        single_hardware=rng.randrange(3) == 0,
        batching=rng.randrange(6) > 0,
        concurrency=rng.randrange(6) > 0,
    )


def _module(rng: Random, number: int, hardware: list[Hardware], space: PlanSpace) -> tuple[Module, list[ModulePlan]]:
    """A module whose rate is that of whole machines, or next to it, and two plans of it."""
    profile = _profile(rng, hardware)
    allowed = [c for c in profile if space.allows(c.hardware, c.batch, c.concurrency)] or list(profile)
    price = {h.name: h.price_per_h for h in hardware}
    allowed.sort(key=lambda c: (price[c.hardware] / c.throughput_rps, c.duration_s, c.batch, c.hardware, c.concurrency))
    most = min(len(allowed), space.max_allocations or len(allowed))
    used = sorted(rng.sample(range(len(allowed)), rng.randint(1, most)))
    machines = [(allowed[k], rng.choice((1, 1, 1, 2, 3))) for k in used]
    rate = _rate(rng, sum((n * c.throughput_rps for c, n in machines), Fraction(0)), allowed)
    plans = [_filled(rng, machines, Fraction(rate), space), _plan(rng, allowed, Fraction(rate), space)]
    return Module(f"m{number}", rate, profile), plans


def _rate(rng: Random, whole: Fraction, allowed: list[Configuration]) -> Decimal:
    """The rate of whole machines or next to it; now and then of a part of one machine or of very many."""
    kind, slowest = rng.randrange(16), min(c.throughput_rps for c in allowed)
    if kind == 0:
        whole = slowest * Fraction(digits(rng, spread(rng, 1e-9, 1)))
    elif kind == 1 and len(allowed) == 1:
        whole = slowest * rng.randint(1, FIRST)
    rate = next_to(rng, whole or slowest)
    most = min(LARGEST, 10**9 * slowest)
    return rate if Fraction(rate) <= most else printed(slowest)


def _profile(rng: Random, hardware: list[Hardware]) -> tuple[Configuration, ...]:
    """One to three configurations; some are one another's double, of the same throughput and often the same ratio."""
    scale = Fraction(10) ** rng.choice((0, 0, 0, 0, 0, 0, 3, -3, 6, -6))
    found: dict[tuple[str, int, int], Configuration] = {}
    for _ in range(rng.choice((1, 1, 1, 1, 2, 2, 3))):
        name, batch, concurrency = (
            rng.choice(hardware).name,
            rng.choice((1, 2, 3, 4, 7, 8, 32)),
            rng.choice((1, 1, 2, 3)),
        )
        duration = Fraction(_duration(rng)) * scale
        if found and rng.randrange(3) == 0:
            other = rng.choice(list(found.values()))
            times = rng.choice((1, 2))
            batch, concurrency, duration = other.batch * times, other.concurrency, other.duration_s * times
        found[name, batch, concurrency] = Configuration(name, batch, concurrency, duration)
    return tuple(found.values())


def _duration(rng: Random) -> Decimal:
    kind = rng.randrange(4)
    if kind == 0:
        return Decimal(rng.randint(1, 9)) / 10
    if kind == 1:
        return Decimal(rng.randint(1, 99)) / 100
    if kind == 2:
        return Decimal(f"{rng.uniform(0.001, 1):.4f}")
    return Decimal(repr(rng.uniform(0.001, 1)))


def _plan(rng: Random, allowed: list[Configuration], rate: Fraction, space: PlanSpace) -> ModulePlan:
    """A plan of the module, most often one of the plan space but for its latency."""
    chosen = sorted(rng.sample(range(len(allowed)), rng.randint(1, min(len(allowed), space.max_allocations or 3))))
    counts = [rng.randint(0, min(4, int(rate / allowed[k].throughput_rps))) for k in chosen]
    return _filled(rng, [(allowed[k], n) for k, n in zip(chosen, counts, strict=True)], rate, space)


def _filled(rng: Random, machines: Parts, rate: Fraction, space: PlanSpace) -> ModulePlan:
    """The plan with these whole machines before the last configuration, which takes all that they leave."""
    left, allocations = rate, []
    for c, n in machines[:-1]:
        # One that takes everything leaves no last allocation.
        if n and left > n * c.throughput_rps:
            allocations.append(Allocation(c, n, 0))
            left -= n * c.throughput_rps
    last = machines[-1][0]
    whole, partial = divmod(left, last.throughput_rps)
    dummy = Fraction(0)
    if partial and space.dummy.adds and rng.randrange(2):
        dummy = last.throughput_rps - partial
        # Under rule continuous a partial machine may also be filled to less than full.
        if space.dummy is DummyRule.CONTINUOUS and rng.randrange(2):
            dummy = dummy * rng.randint(1, 9) / 10
    partial += dummy
    if partial == last.throughput_rps:
        whole, partial = whole + 1, Fraction(0)
    return ModulePlan((*allocations, Allocation(last, int(whole), partial)), dummy)
