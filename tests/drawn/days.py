"""Small nasty loads over time of one to three modules, drawn from a seed."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

from euclio.core.numbers import Number
from euclio.problems.day import Day, Step
from euclio.problems.session import Configuration, Hardware, Module, Session

from .numbers import LARGEST, SMALLEST, digits, nearly, price, printed, spread, supported

SHAPES = ((), ((0, 1),), ((0, 1), (1, 2)), ((0, 1), (0, 2)), ((0, 2), (1, 2)), ((0, 1), (1, 2), (0, 2)))
PRICES = (1, 1, 1, "0.6018", "2.089", "0.35", "3.67")
TIMES = (0, 0, 60, 120, 600, 3600, "1e-6", "1e6")
CHANGES = (0, 0, "0.01", "0.2", 1, 100, "1e6", "1e-9")
LENGTHS = (60, 300, 300, 3600, 3600, "333.3333333333333", "0.001", "1e6")


def nasty_day(seed: int, modules: int | None = None, steps: int | None = None) -> Day:
    """A load of one to six steps: rates at, just above and just below whole machines, SLOs that plans keep exactly.

    In half of the days nothing comes to some modules in some steps, or to any.

    Args:
        seed: seed.
        modules: how many; drawn if not given.
        steps: how many; drawn if not given.
    """
    rng = Random(f"day {seed}")
    count = modules or rng.choice((1, 2, 2, 2, 3, 3))
    edges = [edge for edge in rng.choice(SHAPES) if max(edge) < count]
    hardware = [Hardware(f"h{h}", _price(rng), _stock(rng)) for h in range(rng.choice((1, 2, 2, 2, 3)))]
    scale = Fraction(10) ** rng.choice((0, 0, 0, 0, 0, 3, -3))
    profiles = [_profile(rng, hardware, scale) for _ in range(count)]
    machines = {1: (1, 1, 2, 3, 4, 8), 2: (1, 1, 2, 3, 5), 3: (1, 1, 1, 2)}[count]
    base = [_rate(rng, own, machines) for own in profiles]
    rows = _steps(rng, profiles, base, machines, steps)
    made = [Module(f"m{m}", rate, own) for m, (rate, own) in enumerate(zip(base, profiles, strict=True))]
    largest = [max(step.rates_rps[m] for step in rows) for m in range(count)]
    slo = _slo(rng, profiles, largest, edges)
    session = Session(f"nasty-{seed}", slo, hardware, made, [(f"m{a}", f"m{b}") for a, b in edges])
    rows = _with_quiet(Random(f"quiet {seed}"), rows)
    state = _state(Random(f"state {seed}"), count)
    return Day(f"nasty-{seed}", session, rows, rng.choice(TIMES), rng.choice(TIMES), rng.choice(CHANGES), state)


def tied_day(seed: int, steps: int = 3) -> Day:
    """One module on two types of machines whose ties are exact: no cost is next to another, so proofs reach all digits.

    Numbers are thirds, exactly the rates of machines, free machines and changes. In half of the days nothing comes in
    some steps, in a few of them all day.
    """
    draw, quiet = Random(seed), Random(f"quiet {seed}")
    share = quiet.choice([0, 0, 0, 0.3, 0.6, 1 if quiet.random() < 0.3 else 0.3])
    hardware = [Hardware(f"h{h}", draw.choice([0, 1, 1, Fraction(7, 3), "2.5"])) for h in range(2)]
    if draw.random() < 0.2:
        hardware[0] = Hardware("h0", hardware[0].price_per_h, draw.choice([0, 1, 2]))
    profile = [
        Configuration(one.name, batch, draw.choice([1, 1, 2]), draw.choice(["0.1", "0.2", Fraction(1, 7), "0.3"]))
        for one in hardware
        for batch in draw.sample([1, 2, 4], draw.choice([1, 2]))
    ]
    slo = draw.choice(["0.4", "0.6", Fraction(4, 7), "0.8"])
    session = Session(f"tied-{seed}", slo, hardware, [Module("m", 10, profile)])
    rates = [
        draw.choice([c.throughput_rps for c in profile]) * draw.choice([1, 1, 2, Fraction(1, 2)]) for _ in range(4)
    ]
    rows = [
        Step(draw.choice([60, 300, Fraction(1000, 3)]), [draw.choice(rates) * (quiet.random() >= share)])
        for _ in range(steps)
    ]
    times = [draw.choice([0, 0, 60, 600]) for _ in range(2)]
    state = quiet.choice([None, None, {"m": "0.05"}, {"m": 0}])
    return Day(f"tied-{seed}", session, rows, *times, draw.choice([0, 0, "0.01", "0.2"]), state)


def _state(rng: Random, modules: int) -> dict[str, Number]:
    """What moving state costs, of half of the days, and of some modules only."""
    if rng.random() < 0.5:
        return {}
    return {f"m{m}": rng.choice(CHANGES) for m in range(modules) if rng.random() < 0.6}


def _price(rng: Random) -> Fraction:
    return Fraction(price(rng) if rng.randrange(6) == 0 else rng.choice(PRICES))


def _stock(rng: Random) -> int | None:
    return rng.choice((0, 1, 2, 3, 4, 6)) if rng.randrange(5) == 0 else None


def _profile(rng: Random, hardware: Sequence[Hardware], scale: Fraction) -> tuple[Configuration, ...]:
    found: dict[tuple[str, int, int], Configuration] = {}
    coarse, base = rng.randrange(3) > 0, spread(rng, 0.02, 0.5)
    for _ in range(rng.choice((1, 1, 2, 3))):
        key = (rng.choice(hardware).name, rng.choice((1, 1, 2, 3, 4)), rng.choice((1, 1, 1, 2)))
        duration = Fraction(rng.randint(1, 9), 100) if coarse else Fraction(digits(rng, base * (1 + 0.3 * key[1])))
        found[key] = Configuration(*key, duration * scale)
    return tuple(found.values())


def _rate(rng: Random, profile: Sequence[Configuration], machines: Sequence[int]) -> Fraction:
    """Whole machines exactly, as printed or next to it; part of one; very little."""
    own = rng.choice(profile).throughput_rps
    kind = rng.randrange(10)
    if kind == 0:
        rate = Fraction(digits(rng, float(own) * spread(rng, 1e-6, 1)))
    elif kind <= 2:
        rate = Fraction(digits(rng, float(own) * rng.uniform(0.1, max(machines))))
    else:
        rate = Fraction(nearly(rng, rng.choice(machines) * own))
    return min(max(rate, SMALLEST), LARGEST)


def _steps(
    rng: Random,
    profiles: Sequence[Sequence[Configuration]],
    base: Sequence[Fraction],
    machines: Sequence[int],
    count: int | None,
) -> list[Step]:
    """All modules by one factor, as a float product prints it, or each by itself."""
    by_factor, found = rng.randrange(3) == 0, []
    for _ in range(count or rng.choice((1, 2, 3, 3, 4, 6))):
        factor = rng.choice((0.1, 1 / 3, 0.5, 0.7, 0.9, 1.0, 1.0))
        rates = (
            [Fraction(printed(float(rate) * factor)) for rate in base]
            if by_factor
            else [_rate(rng, own, machines) for own in profiles]
        )
        found.append(Step(rng.choice(LENGTHS), [max(rate, SMALLEST) for rate in rates]))
    return found


def _with_quiet(rng: Random, steps: Sequence[Step]) -> list[Step]:
    """Steps in which nothing comes, to all modules or to each by itself: some, the first, the last or all."""
    share = rng.choice((0, 0, 0, 0, 0.3, 0.3, 0.6, 0.95))
    together, found = rng.randrange(3) == 0, []
    for step in steps:
        all_quiet = rng.random() < share
        quiet = [all_quiet if together else rng.random() < share for _ in step.rates_rps]
        rates = [Fraction(0) if none else rate for none, rate in zip(quiet, step.rates_rps, strict=True)]
        found.append(Step(step.length_s, rates))
    return found


def _slo(
    rng: Random,
    profiles: Sequence[Sequence[Configuration]],
    rates: Sequence[Fraction],
    edges: Sequence[tuple[int, int]],
) -> Fraction:
    """The latency of some plan to the last digit or next to it, a sum of durations, or some more."""
    chosen = [rng.choice(own) for own in profiles]
    kind = rng.randrange(10)
    waits = [
        Fraction(0) if kind == 0 else c.batch / (c.throughput_rps * -(-rate // c.throughput_rps))
        for c, rate in zip(chosen, rates, strict=True)
    ]
    finish: list[Fraction] = []
    for m, (c, wait) in enumerate(zip(chosen, waits, strict=True)):
        finish.append(c.duration_s + wait + max((finish[a] for a, b in edges if b == m), default=Fraction(0)))
    slo = max(finish) if kind == 0 else Fraction(nearly(rng, max(finish)))
    if kind >= 5:
        slo = Fraction(digits(rng, float(slo) * rng.uniform(0.9, 4)))
    return slo if supported(slo) else Fraction(1)
