"""Tiny sessions that are asked for an attainment, the bound on what it costs, and all plans below a cost."""

import math
from itertools import product
from random import Random

from euclio.core.solving import asked
from euclio.problems.session import Configuration, Hardware, Module, Session, evaluate
from euclio.problems.session.evaluate import rank_key
from euclio.problems.session.plan import Allocation, ModulePlan, Plan
from euclio.problems.session.space import PlanSpace
from euclio.serving.attainment import Demand
from euclio.serving.attainment.lower_bound import bound_on
from euclio.serving.attainment.margins import spare_space
from euclio.serving.session import Setup

WHOLE = PlanSpace(charging="whole")
SPARE = spare_space(WHOLE)
SHAPES = ((1, ()), (1, ()), (2, (("a", "b"),)), (2, (("a", "b"),)), (3, (("a", "b"), ("a", "c"))))


def tiny(seed):
    """A session on one to about five machines, and a target; some with factors below 1 and SLOs barely long enough."""
    rng = Random(seed)
    count, edges = rng.choice(SHAPES)
    rate = 10 ** rng.uniform(0.5, 2)
    hardware = [Hardware("g", round(rng.uniform(0.5, 3), 2)), Hardware("h", round(rng.uniform(0.5, 3), 2))]
    modules = []
    for name in "abc"[:count]:
        factor = 1 if name == "a" else rng.choice((0.37, 0.5, 1, 2, 3.5))
        per_request = 10 ** rng.uniform(-0.7, 0.3) / (rate * factor)
        profile = [
            Configuration(h.name, size, 1, f"{per_request * speed * (0.6 + 0.4 * size):.4g}")
            for h in hardware[: rng.randint(1, 2)]
            for speed in [rng.uniform(0.7, 1.4)]
            for size in (1, 2, 4)[: rng.randint(1, 3)]
        ]
        modules.append(Module(name, f"{rate * factor:.5g}", profile))
    least = sum(min(c.duration_s for c in m.profile) for m in modules)
    slo = f"{float(least) * rng.choice((1.3, 1.6, 2, 3, 6)):.4g}"
    return Session(f"tiny {seed}", slo, hardware, modules, edges), rng.choice((0.5, 0.9, 0.99, 0.99, 0.999, 0.9999))


def machines_below(session, module, cost):
    """All full whole machines of a module that cost less and take its rate, the most expensive first."""
    price = session.price
    ranked = sorted(module.profile, key=lambda c: rank_key(c, price))

    def counts(place, left):
        if place == len(ranked):
            yield ()
            return
        own = float(price[ranked[place].hardware])
        for n in range(math.ceil(left / own) if left > 0 else 1):
            for rest in counts(place + 1, left - n * own):
                yield (n, *rest)

    found = []
    for own in counts(0, cost):
        rows = [(c, n) for c, n in zip(ranked, own, strict=True) if n]
        rate, paid = sum(c.throughput_rps * n for c, n in rows), sum(float(price[c.hardware]) * n for c, n in rows)
        if rate >= module.rate_rps and paid < cost:
            found.append((paid, ModulePlan(tuple(Allocation(c, n) for c, n in rows), rate - module.rate_rps)))
    return sorted(found, key=lambda option: -option[0])


def plans_below(session, cost, some=3000, seed=0, *, in_space=True):
    """Plans of full whole machines that cost less: all, or so many of them, drawn; in the plan space, or any."""
    least = [min(float(session.price[c.hardware]) for c in m.profile) for m in session.modules]
    choices = [
        machines_below(session, m, cost - sum(least) + own) for m, own in zip(session.modules, least, strict=True)
    ]
    together = math.prod(map(len, choices))
    rng = Random(seed)
    drawn = product(*choices)
    if together > some:
        drawn = ([rng.choice(own) for own in choices] for _ in range(some))
    for options in drawn:
        if sum(paid for paid, _ in options) >= cost * (1 - 1e-9):
            continue
        plan = Plan(tuple(own for _, own in options))
        if not in_space or evaluate(session, plan, SPARE).feasible:
            yield plan


def bounded(session, target, setup=None, space=WHOLE):
    return bound_on(asked(session, "exact", space=space), Demand(target, setup or Setup()), None)


def machines_of(session, plan):
    """What the whole machines of a plan cost."""
    price = session.price
    return float(sum(price[a.configuration.hardware] * a.machines for m in plan.modules for a in m.allocations))
