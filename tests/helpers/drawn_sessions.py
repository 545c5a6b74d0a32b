"""Tiny sessions with nasty numbers, and their optimum by plain enumeration with the checker."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.evaluate import evaluate
from euclio.problems.session.plan import Allocation, ModulePlan, Plan
from euclio.problems.session.policies import POLICIES
from euclio.problems.session.space import DummyRule, PlanSpace

Point = tuple[Fraction, Fraction, ModulePlan]
"""Worst-case latency, cost and plan of a module."""

LONG = 10**9


def module_points(module: Module, hardware: tuple[Hardware, ...], space: PlanSpace) -> list[Point]:
    """Every plan of one module that the checker accepts (rules none and machine) and no other is as good as."""
    session = Session("one", LONG, hardware, [module])
    price = session.price
    allowed = sorted(
        (c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)),
        key=lambda c: (price[c.hardware] / c.throughput_rps, c.duration_s, c.batch, c.hardware, c.concurrency),
    )
    found: list[Point] = []
    ranges = [range(math.ceil(module.rate_rps / c.throughput_rps) + 1) for c in allowed]
    for counts in itertools.product(*ranges):
        whole = sum((n * c.throughput_rps for n, c in zip(counts, allowed, strict=True)), Fraction(0))
        partial, dummy = max(Fraction(0), module.rate_rps - whole), max(Fraction(0), whole - module.rate_rps)
        used = [k for k, n in enumerate(counts) if n]
        last = used[-1] if used else 0
        for k in range(last, len(allowed)) if partial else [last]:
            rows = [(allowed[i], counts[i]) for i in used if i < k] + [(allowed[k], counts[k])]
            allocations = [Allocation(c, n) for c, n in rows[:-1]] + [Allocation(*rows[-1], partial)]
            plan = ModulePlan(tuple(allocations), dummy)
            checked = evaluate(session, Plan((plan,)), space)
            if checked.feasible and checked.latency_s is not None and checked.cost_per_h is not None:
                found.append((checked.latency_s, checked.cost_per_h, plan))
    best: list[Point] = []
    for point in sorted(found, key=lambda p: p[:2]):
        if not best or point[1] < best[-1][1]:
            best.append(point)
    return best


def optimum(session: Session, space: PlanSpace) -> Fraction | None:
    """Least cost of a session by enumeration; None: it is infeasible."""
    if space.single_hardware:
        found = [optimum(session, space.on(h.name)) for h in space.hardware_of(session)]
        return min((value for value in found if value is not None), default=None)
    points = [module_points(m, session.hardware, space) for m in session.modules]
    parents = session.parents()
    best: Fraction | None = None
    for chosen in itertools.product(*points):
        finish: dict[int, Fraction] = {}
        for m in session.order:
            finish[m] = chosen[m][0] + max((finish[p] for p in parents[m]), default=Fraction(0))
        cost = sum((point[1] for point in chosen), Fraction(0))
        if max(finish.values()) <= session.slo_s and (best is None or cost < best):
            best = cost
    return best


def tiny_session(seed: int, space: PlanSpace) -> Session:
    """A session of up to three modules whose rate is often a multiple of a throughput and whose SLO often a tie."""
    draw = random.Random(seed)
    names = ["a", "b", "c"][: draw.choice([1, 1, 1, 2, 2, 3])]
    hardware = [
        Hardware(name, draw.choice(["0", "0.1", "0.3", "1", "1", "2", "2.5", "1e6", "1e-9"]))
        for name in ("x", "y")[: draw.choice([1, 2])]
    ]
    modules = [_module(draw, name, hardware, len(names)) for name in names]
    edges = [e for e in itertools.combinations(names, 2) if draw.random() < 0.7]
    points = [module_points(m, tuple(hardware), space) for m in modules]
    slo = _slo(draw, points)
    return Session(f"tiny-{seed}", slo, hardware, modules, edges)


def _module(draw: random.Random, name: str, hardware: list[Hardware], modules: int) -> Module:
    profile: dict[tuple[str, int, int], Configuration] = {}
    unit = draw.choice(["0.1", "0.3", "0.07", "1"])
    for _ in range(draw.randint(1, 4 if modules < 3 else 2)):
        key = (draw.choice(hardware).name, draw.choice([1, 2, 3, 4, 8]), draw.choice([1, 1, 1, 2]))
        profile[key] = Configuration(*key, Fraction(unit) * draw.randint(1, 9))
    configurations = list(profile.values())
    slowest = min(c.throughput_rps for c in configurations)
    some = draw.choice(configurations).throughput_rps
    most = 5 if len(configurations) < 4 else 3
    rate = draw.choice([some, slowest]) * draw.choice([Fraction(1, 3), 1, 2, Fraction(5, 2), most])
    rate += draw.choice([Fraction(0), Fraction(0), some / 2, slowest])
    rate = min(rate, most * slowest)
    kind = draw.random()
    if kind < 0.4:
        written: Fraction | float | str = float(rate)  # as floats print it
    elif kind < 0.7:
        written = rate
    else:
        written = f"{float(rate):.3g}"
    return Module(name, written, configurations)


def _slo(draw: random.Random, points: list[list[Point]]) -> Fraction | float:
    if not all(points):
        return 1.0
    slo = sum((draw.choice(row)[0] for row in points[: draw.choice([1, len(points)])]), Fraction(0))
    kind = draw.random()
    if kind < 0.4:
        return slo
    if kind < 0.6:
        return float(slo)
    if kind < 0.8:
        return slo + draw.choice([-1, 1]) * Fraction(1, 10 ** draw.choice([9, 15, 18]))
    return float(slo) * draw.uniform(0.7, 2.0)


def any_space(seed: int) -> PlanSpace:
    """A plan space without rule `continuous`, the full one most often."""
    draw = random.Random(f"space {seed}")
    if draw.random() < 0.4:
        return PlanSpace()
    return PlanSpace(
        policy=draw.choice(POLICIES),
        dummy=draw.choice([DummyRule.NONE, DummyRule.MACHINE]),
        max_allocations=draw.choice([None, None, 1, 2]),
        hardware=draw.choice([None, None, ("x",)]),
        single_hardware=draw.random() < 0.2,
        batching=draw.random() < 0.9,
        concurrency=draw.random() < 0.8,
    )


def continuous_optimum(session: Session, space: PlanSpace) -> Fraction | None:
    """Least cost of a session of one module under rule `continuous`; None: nothing found.

    At the optimum the partial machine is absent, or some rule holds it at its least: the rate, its own need, or what
    an earlier machine's need leaves.
    """
    (module,) = session.modules
    price, slo = session.price, session.slo_s
    allowed = sorted(
        (c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency) and c.duration_s < slo),
        key=lambda c: (price[c.hardware] / c.throughput_rps, c.duration_s, c.batch, c.hardware, c.concurrency),
    )
    if not allowed:
        return None
    needs = [c.batch / (slo - c.duration_s) for c in allowed]
    most = max(module.rate_rps, *needs)
    best: Fraction | None = None
    for counts in itertools.product(*(range(math.ceil(most / c.throughput_rps) + 1) for c in allowed)):
        whole = sum((n * c.throughput_rps for n, c in zip(counts, allowed, strict=True)), Fraction(0))
        used = [k for k, n in enumerate(counts) if n]
        rests = [
            sum((counts[i] * allowed[i].throughput_rps for i in used if i >= k), Fraction(0))
            for k in range(len(allowed))
        ]
        rates = {Fraction(0), module.rate_rps - whole, *needs}
        rates |= {need - rest for need in needs for rest in rests}
        for k in range(used[-1] if used else 0, len(allowed)):
            for partial in rates:
                if not 0 <= partial < allowed[k].throughput_rps:
                    continue
                rows = [(allowed[i], counts[i]) for i in used if i < k] + [(allowed[k], counts[k])]
                allocations = [Allocation(c, n) for c, n in rows[:-1]] + [Allocation(*rows[-1], partial)]
                plan = Plan((ModulePlan(tuple(allocations), max(whole + partial - module.rate_rps, Fraction(0))),))
                checked = evaluate(session, plan, space)
                if checked.feasible and (best is None or checked.cost_per_h < best):
                    best = checked.cost_per_h
    return best
