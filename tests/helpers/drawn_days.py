"""Small loads over time, and their least cost by plain enumeration."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise, product

from euclio.problems.day import Day, Serving, Staffing, Step
from euclio.problems.day.evaluate import WHOLE, session_plan
from euclio.problems.day.instance import at_rates
from euclio.problems.session import Configuration, Hardware, Module, Session, evaluate


def drawn_day(seed: int, *, steps: int = 3, types: int = 2) -> Day:
    """One module with nasty numbers: ties, thirds, exactly the rates of machines, free machines and changes.

    In half of the days nothing comes in some steps, in a few of them all day.
    """
    draw, quiet = random.Random(seed), random.Random(f"quiet {seed}")
    share = quiet.choice([0, 0, 0, 0.3, 0.6, 1 if quiet.random() < 0.3 else 0.3])
    hardware = [Hardware(f"h{h}", draw.choice([0, 1, 1, Fraction(7, 3), "2.5"])) for h in range(types)]
    if draw.random() < 0.2:
        hardware[0] = Hardware("h0", hardware[0].price_per_h, draw.choice([0, 1, 2]))
    profile = [
        Configuration(one.name, batch, draw.choice([1, 1, 2]), draw.choice(["0.1", "0.2", Fraction(1, 7), "0.3"]))
        for one in hardware
        for batch in draw.sample([1, 2, 4], draw.choice([1, 2]))
    ]
    slo = draw.choice(["0.4", "0.6", Fraction(4, 7), "0.8"])
    session = Session(f"drawn-{seed}", slo, hardware, [Module("m", 10, profile)])
    rates = [
        draw.choice([c.throughput_rps for c in profile]) * draw.choice([1, 1, 2, Fraction(1, 2)]) for _ in range(4)
    ]
    rows = [
        Step(draw.choice([60, 300, Fraction(1000, 3)]), [draw.choice(rates) * (quiet.random() >= share)])
        for _ in range(steps)
    ]
    times = [draw.choice([0, 0, 60, 600]) for _ in range(2)]
    state = quiet.choice([None, None, {"m": "0.05"}, {"m": 0}])
    return Day(f"drawn-{seed}", session, rows, *times, draw.choice([0, 0, "0.01", "0.2"]), state)


def enumerated_cost(day: Day, most: int) -> Fraction | None:
    """The least cost of a day with one module, all plans tried that have at most so many machines of a type."""
    vectors = list(product(range(most + 1), repeat=len(day.session.hardware)))
    serving = [[on for on in vectors if _serves(day, k, on)] for k in range(len(day.steps))]
    costs = [_cost(day, path) for path in product(*serving)]
    return min(costs, default=None)


def _serves(day: Day, k: int, on: tuple[int, ...]) -> bool:
    """Whether some use of the machines serves a step, and the stock has them."""
    if any(h.count is not None and n > h.count for h, n in zip(day.session.hardware, on, strict=True)):
        return False
    session = at_rates(day.session, day.steps[k].rates_rps)
    if session is None:
        return True
    profile = session.modules[0].profile
    limit = {h.name: n for h, n in zip(session.hardware, on, strict=True)}
    for counts in product(*(range(limit[c.hardware] + 1) for c in profile)):
        used = {name: sum(n for n, c in zip(counts, profile, strict=True) if c.hardware == name) for name in limit}
        if any(used[name] > limit[name] for name in limit) or not any(counts):
            continue
        named = zip(counts, profile, strict=True)
        staffing = Staffing(tuple(Serving(c.hardware, c.batch, c.concurrency, n) for n, c in named if n))
        if evaluate(session, session_plan(session, (staffing,)), WHOLE).feasible:
            return True
    return False


def _cost(day: Day, path: tuple[tuple[int, ...], ...]) -> Fraction:
    """The cost as docs/model/load-over-time.md has it."""
    total, change = Fraction(0), day.price_per_change + day.state.get(day.session.modules[0].name, 0)
    for h, hardware in enumerate(day.session.hardware):
        price = hardware.price_per_h / 3600
        for step, on in zip(day.steps, path, strict=True):
            total += step.length_s * price * on[h]
        for before, after in pairwise(path):
            total += (change + price * day.warm_up_s) * max(0, after[h] - before[h])
            total += (change + price * day.keep_alive_s) * max(0, before[h] - after[h])
    return total
