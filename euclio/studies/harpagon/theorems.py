"""Two findings on Harpagon's theorems: a replay for Theorem 1, a counterexample to Theorem 2."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from euclio.core.solving import solve
from euclio.session import Allocation, Configuration, Evaluation, Hardware, Module, ModulePlan, Plan, Session, evaluate
from euclio.session.evaluate import rank_key

SEARCHED = 2000


def replay(rate_rps: int, machines: int, batch: int, duration_s: Fraction, requests: int) -> tuple[Fraction, Fraction]:
    """Replay batch-wise rotation: each machine in turn receives one batch of consecutive requests.

    Returns:
        Largest latency of a request in seconds, counted from one inter-arrival time before its batch's first
        request, and the machines' worth of work: total rate over the throughput of one machine.
    """
    free = [Fraction(0)] * machines
    worst = Fraction(0)
    for number in range(requests // batch):
        opened, full = Fraction(number * batch, rate_rps), Fraction((number + 1) * batch, rate_rps)
        started = max(full, free[number % machines])
        free[number % machines] = started + duration_s
        worst = max(worst, started + duration_s - opened)
    return worst, Fraction(rate_rps) * duration_s / batch


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A module whose every optimal plan breaks Theorem 2.

    Attributes:
        session: the module as a session.
        plan: an optimal plan.
        checked: the checker's answer on it.
        at: position of the allocation whose leftover is too large.
        leftover_rps: its leftover workload u_i, dummies not counted.
        obeying_cost_per_h: cost of the cheapest plan that obeys Theorem 2; None: no such plan is feasible.
    """

    session: Session
    plan: Plan
    checked: Evaluation
    at: int
    leftover_rps: Fraction
    obeying_cost_per_h: Fraction | None


def find_counterexample(seed: int) -> Counterexample:
    """The first counterexample among seeded random modules without dummies in their optimal plan.

    Raises:
        RuntimeError: none among `SEARCHED` modules.
    """
    stream = random.Random(seed)
    for number in range(SEARCHED):
        session = _random_module(stream, number)
        result = solve(session, "exact")
        if result.plan is None or result.evaluation is None or result.plan.modules[0].dummy_rps:
            continue
        broken = _broken_at(session, result.plan)
        if broken is None:
            continue
        obeying = cheapest_obeying(session)
        if obeying is None or obeying > result.value:  # type: ignore[operator]
            at, leftover = broken
            return Counterexample(session, result.plan, result.evaluation, at, leftover, obeying)
    raise RuntimeError(f"no counterexample to Theorem 2 among {SEARCHED} random modules")


def cheapest_obeying(session: Session) -> Fraction | None:
    """Cost of the cheapest feasible plan of a one-module session with u_i < t_i throughout, by enumeration."""
    module = session.modules[0]
    ranked = tuple(sorted(module.profile, key=lambda c: rank_key(c, session.price)))
    best: Fraction | None = None
    for allocations, dummy in _obeying(ranked, module.rate_rps):
        checked = evaluate(session, Plan((ModulePlan(allocations, dummy),)))
        if checked.feasible and checked.cost_per_h is not None and (best is None or checked.cost_per_h < best):
            best = checked.cost_per_h
    return best


def _obeying(ranked: tuple[Configuration, ...], rest: Fraction) -> Iterator[tuple[tuple[Allocation, ...], Fraction]]:
    """All plans for a rate in which what follows an allocation is less than one of its machines takes."""
    for i, c in enumerate(ranked):
        t = c.throughput_rps
        machines = int(rest // t)
        left = rest - machines * t
        if left:
            yield (Allocation(c, machines, left),), Fraction(0)
            yield (Allocation(c, machines + 1),), t - left
        else:
            yield (Allocation(c, machines),), Fraction(0)
        if machines and left:
            for tail, dummy in _obeying(ranked[i + 1 :], left):
                yield (Allocation(c, machines), *tail), dummy


def _broken_at(session: Session, plan: Plan) -> tuple[int, Fraction] | None:
    """Position and leftover of the first allocation with u_i ≥ t_i."""
    rest = session.modules[0].rate_rps
    for position, allocation in enumerate(plan.modules[0].allocations[:-1]):
        rest -= allocation.machines * allocation.configuration.throughput_rps
        if rest >= allocation.configuration.throughput_rps:
            return position, rest
    return None


def _random_module(stream: random.Random, number: int) -> Session:
    """A module with three batches on one machine type of price 1."""
    duration = Fraction(stream.randint(4, 12), 100)
    profile = []
    for batch in (2, 4, 8):
        profile.append(Configuration("machine", batch, 1, duration))
        duration = round(duration * Fraction(stream.randint(120, 190), 100), 2)
    rate = stream.randint(20, 120)
    slo = Fraction(stream.randint(20, 80), 100)
    return Session(f"module-{number}", slo, [Hardware("machine", 1)], [Module("module", rate, profile)])
