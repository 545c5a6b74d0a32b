"""Nasty legal sessions and plan spaces, drawn from a `random.Random`.

A campaign draws with one seed per instance; hypothesis can drive the same code with `st.randoms` and shrink the draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from random import Random

from euclio.problems.session import Configuration, DummyRule, Hardware, Module, PlanSpace, Policy, Session

from .numbers import LARGEST, digits, nearly, next_float, prices, printed, spread, supported, terminating

Shape = tuple[int, tuple[tuple[int, int], ...]]
"""Modules, and edges between their numbers."""
SHAPES: dict[str, Shape] = {
    "single": (1, ()),
    "chain of 2": (2, ((0, 1),)),
    "two apart": (2, ()),
    "chain of 3": (3, ((0, 1), (1, 2))),
    "fork": (3, ((0, 1), (0, 2))),
    "join": (3, ((0, 2), (1, 2))),
    "chain and one apart": (3, ((0, 2),)),
    "shortcut": (3, ((0, 1), (1, 2), (0, 2))),
    "chain of 4": (4, ((0, 1), (1, 2), (2, 3))),
    "diamond": (4, ((0, 1), (0, 2), (1, 3), (2, 3))),
    "N": (4, ((0, 2), (0, 3), (1, 3))),
    "two chains": (4, ((0, 1), (2, 3))),
    "fork of 3": (4, ((0, 1), (0, 2), (0, 3))),
}
POLICIES = (Policy.TC, Policy.TC, Policy.TC, Policy.TC_SHARED, Policy.RR, Policy.MACHINE_RATE)
EVEN_POLICIES = (Policy.RR_EVEN, Policy.MACHINE_RATE_EVEN)
BALANCED_POLICIES = (Policy.SHARED_QUEUE, Policy.LOAD_BALANCER)
"""They are drawn from by themselves, so that seeds keep the cases that they stood for before these policies."""
ALONE = {Policy.TC_SHARED: Policy.IN_TURN, Policy.MACHINE_RATE_EVEN: Policy.LOAD_BALANCER}
"""What policies are with one allocation per module."""

COUNTABLE = (DummyRule.MACHINE, DummyRule.NONE)
"""The rules under which an enumeration lists all plans."""
RULES = (DummyRule.MACHINE, DummyRule.MACHINE, DummyRule.NONE, DummyRule.NONE, DummyRule.CONTINUOUS)

SINGLES = 5
"""How many times as often as another shape a single module is drawn: it decides most of what can go wrong."""

BATCHES = (1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 10, 16, 32)
CONCURRENCIES = (1, 1, 1, 2, 3, 4)

MOST_RATIO = 10**9
"""A module's rate is at most this many times the throughput of its slowest configuration."""

MOST_PLANS = {1: 3000, 2: 800, 3: 300, 4: 150}
"""Plans of one module, roughly, by the number of modules: what a plain reference lists in a moment."""


def session_case(
    rng: Random, policies: Sequence[Policy] = POLICIES, rules: Sequence[DummyRule] = RULES
) -> tuple[Session, PlanSpace]:
    """A nasty session of at most 4 modules and 5 configurations each, and a plan space under one of these policies."""
    shape, hardware = _shape(rng)
    space = plan_space(rng, hardware, policies, rules)
    return _session(rng, shape, hardware, space), space


def session_in(rng: Random, space: PlanSpace) -> Session:
    """A nasty session for a plan space: its objective is mostly at or next to the latency of a plan of that space."""
    return _session(rng, *_shape(rng), space)


def _shape(rng: Random) -> tuple[Shape, list[Hardware]]:
    shape = SHAPES[rng.choice((*SHAPES, *["single"] * SINGLES))]
    return shape, [Hardware(f"h{i}", p) for i, p in enumerate(prices(rng, rng.choice((1, 1, 2, 2, 3))))]


def _session(rng: Random, shape: Shape, hardware: list[Hardware], space: PlanSpace) -> Session:
    count, edges = shape
    scale = Fraction(10) ** rng.choice((0, 0, 0, 0, 0, 0, 0, 0, 3, -3, rng.randint(-6, 6)))
    modules = _modules(rng, count, hardware, scale)
    named = [(f"m{a}", f"m{b}") for a, b in edges]
    slo = _slo(rng, modules, edges, {h.name: h.price_per_h for h in hardware}, space)
    return Session("adversary", slo, hardware, modules, named)


def plan_space(
    rng: Random, hardware: Sequence[Hardware], policies: Sequence[Policy], rules: Sequence[DummyRule]
) -> PlanSpace:
    """Policy and dummy rule drawn; half of the time with limits on allocations, hardware, batch or concurrency."""
    policy = rng.choice(policies)
    rule = rng.choice(rules)
    if rng.randrange(2):
        return PlanSpace(policy, rule)
    names = [h.name for h in hardware]
    allowed = tuple(rng.sample(names, rng.randint(1, len(names)))) if rng.randrange(4) == 0 else None
    most = rng.choice((None, 1, 2))
    return PlanSpace(
        # The same plans at the same latencies, so that seeds keep their cases.
        ALONE.get(policy, policy) if most == 1 else policy,
        rule,
        most,
        allowed,
        single_hardware=rng.randrange(4) == 0,
        batching=rng.randrange(5) > 0,
        concurrency=rng.randrange(5) > 0,
    )


def _modules(rng: Random, count: int, hardware: list[Hardware], scale: Fraction) -> list[Module]:
    """Modules of which some repeat another's profile, and some its rate as well."""
    modules: list[Module] = []
    for i in range(count):
        if modules and rng.randrange(4) == 0:
            twin = rng.choice(modules)
            rate = twin.rate_rps if rng.randrange(2) else _rate(rng, twin.profile, MOST_PLANS[count])
            modules.append(Module(f"m{i}", rate, twin.profile))
            continue
        profile = _profile(rng, hardware, scale)
        rate = _rate(rng, profile, MOST_PLANS[count])
        while not _small(rate, profile, MOST_PLANS[count]):
            slowest = min(profile, key=lambda c: c.throughput_rps)
            profile = tuple(c for c in profile if c is not slowest)
        modules.append(Module(f"m{i}", rate, profile))
    return modules


def _profile(rng: Random, hardware: list[Hardware], scale: Fraction) -> tuple[Configuration, ...]:
    """One to five configurations; coarse durations make equal throughputs and equal ratios common."""
    size = rng.choice((1, 1, 2, 2, 3, 3, 4, 5))
    style = rng.choice(("coarse", "coarse", "throughput", "measured", "fine", "anything"))
    base = spread(rng, 0.02, 1)
    found: dict[tuple[str, int, int], Configuration] = {}
    for _ in range(size):
        key = (rng.choice(hardware).name, rng.choice(BATCHES), rng.choice(CONCURRENCIES))
        duration = Fraction(_duration(rng, style, base, key[1] * key[2])) * scale
        found[key] = Configuration(*key, min(max(duration, Fraction(1, 10**11)), Fraction(10**11)))
    profile = list(found.values())
    rng.shuffle(profile)
    return tuple(profile)


def _duration(rng: Random, style: str, base: float, work: int) -> Decimal:
    """Seconds of a batch of b at concurrency e, work = b·e."""
    if style == "coarse":
        return Decimal(rng.randint(1, 9)) / 10
    if style == "throughput":  # 10, 20 or 25 requests per second exactly
        return Decimal(work) / rng.choice((10, 20, 25))
    if style == "measured":
        return Decimal(f"{base * (1 + 0.4 * work) * rng.uniform(0.8, 1.2):.4f}")
    if style == "fine":
        return Decimal(repr(base * (1 + 0.4 * work) * rng.uniform(0.8, 1.2)))
    return digits(rng, base * spread(rng, 0.05, 20))


def _rate(rng: Random, profile: tuple[Configuration, ...], most_plans: int) -> Decimal:
    """A rate: multiples of throughputs as floats print them, their neighbours, exact multiples, little, or much."""
    throughputs = sorted(c.throughput_rps for c in profile)
    kind = rng.randrange(12)
    if kind == 0:  # far less than a machine
        rate = digits(rng, float(throughputs[0]) * spread(rng, 1e-12, 1))
    elif kind == 1 and rng.randrange(3) == 0:  # very many machines of the slowest kind
        rate = digits(rng, float(throughputs[0]) * spread(rng, 1e3, 9.9e8))
    elif kind <= 8:
        rate = _whole_machines(rng, throughputs)
    elif kind == 9:  # one and the same round number for everything
        rate = Decimal(rng.choice((1, 5, 10, 20, 50, 100)))
    else:
        rate = digits(rng, float(rng.choice(throughputs)) * rng.uniform(0.1, 5))
    most = min(LARGEST, MOST_RATIO * throughputs[0])
    return rate if supported(rate) and rate <= most else printed(min(throughputs[0], LARGEST))


def _whole_machines(rng: Random, throughputs: list[Fraction]) -> Decimal:
    """The rate of whole machines of one or two configurations: exact if that is a decimal, as printed, or near it."""
    first, second = rng.choice(throughputs), rng.choice(throughputs)
    value = rng.randint(1, 4) * first + rng.choice((0, 0, 1, 2)) * second
    exact = terminating(value)
    kind = rng.randrange(6)
    if kind <= 1 and exact is not None:
        return exact
    if kind == 2:
        return next_float(value, rng.choice((-2, -1, 1, 2)))
    if kind == 3:  # as a person computes it: printed throughputs added up
        return printed(rng.randint(1, 4) * float(first) + rng.choice((0, 1)) * float(second))
    if kind == 4:
        return nearly(rng, value)
    return printed(value)


def _small(rate: Decimal, profile: tuple[Configuration, ...], most_plans: int) -> bool:
    """Whether a plain enumeration lists the plans of a module in a moment."""
    if len(profile) == 1:
        return True
    plans = 1.0
    for k, t in enumerate(sorted((c.throughput_rps for c in profile), reverse=True)):
        plans *= float(Fraction(rate) / t + 1) / (k or 1)
    return plans <= most_plans


def _slo(
    rng: Random,
    modules: list[Module],
    edges: tuple[tuple[int, int], ...],
    price: dict[str, Fraction],
    space: PlanSpace,
) -> Decimal:
    """The latency of a plan drawn at random, to the last digit or next to it; or some other number near by."""
    latency = [plan_latency(rng, module, price, space) for module in modules]
    finish: list[Fraction] = []
    for i, own in enumerate(latency):
        finish.append(own + max((finish[a] for a, b in edges if b == i), default=Fraction(0)))
    path = max(finish)
    kind = rng.randrange(10)
    if kind <= 6:
        slo = nearly(rng, path)
    elif kind == 7:
        slo = digits(rng, float(path) * rng.uniform(0.8, 1.5))
    else:
        slo = digits(rng, float(path) * spread(rng, 0.4, 5))
    return slo if supported(slo) else printed(min(max(path, 1 / LARGEST), LARGEST))


def plan_latency(rng: Random, module: Module, price: dict[str, Fraction], space: PlanSpace) -> Fraction:
    """The worst-case latency of a plan of the module made at random, mostly one of the plan space."""
    allowed = [c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)] or list(module.profile)
    most = min(len(allowed), space.max_allocations or len(allowed))
    chosen = rng.sample(allowed, rng.randint(1, most))
    chosen.sort(key=lambda c: price[c.hardware] / c.throughput_rps)
    dummy, left = Fraction(0), module.rate_rps
    machines: list[tuple[Configuration, int]] = []
    for last, c in ((c is chosen[-1], c) for c in chosen):
        whole = int(left // c.throughput_rps)
        n = whole if last else rng.randint(0, min(whole, 6))
        left -= n * c.throughput_rps
        if last and left and space.dummy is not DummyRule.NONE and rng.randrange(2):
            n, dummy, left = n + 1, c.throughput_rps - left, Fraction(0)
        machines.append((c, n))
    w, worst = module.rate_rps + dummy, Fraction(0)
    for c, n in machines:
        if n:
            worst = max(worst, _whole_latency(c, w, space.policy))
        w -= n * c.throughput_rps
    # A partial machine with next to nothing waits for ages; an SLO that lets it is rarely of interest.
    waits = w > module.rate_rps / 10**6 or (w > 0 and rng.randrange(10) == 0)
    return max(worst, _partial_latency(*machines[-1], w, space.policy)) if waits or not worst else worst


def _whole_latency(c: Configuration, w: Fraction, policy: Policy) -> Fraction:
    if policy in (Policy.RR, Policy.RR_EVEN, Policy.SHARED_QUEUE):
        return 2 * c.duration_s
    own = policy in (Policy.MACHINE_RATE, Policy.MACHINE_RATE_EVEN, Policy.LOAD_BALANCER)
    return c.duration_s + c.batch / (c.throughput_rps if own else w)


def _partial_latency(c: Configuration, whole: int, f: Fraction, policy: Policy) -> Fraction:
    """Of a machine at rate f next to whole ones, or of all of them at equal rates."""
    each = (whole * c.throughput_rps + f) / (whole + 1)
    if policy in (Policy.RR_EVEN, Policy.SHARED_QUEUE):
        return c.duration_s * (1 + c.throughput_rps / each)
    return c.duration_s + c.batch / (each if policy in (Policy.MACHINE_RATE_EVEN, Policy.LOAD_BALANCER) else f)
