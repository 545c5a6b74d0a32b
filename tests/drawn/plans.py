"""Plans of sessions drawn at random, whatever their latency."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from euclio.problems.session import Allocation, DummyRule, Module, ModulePlan, Plan, PlanSpace, Session
from euclio.problems.session.evaluate import evaluate, rank_key


def random_plan(stream: Random, session: Session, space: PlanSpace) -> Plan | None:
    """A random plan of a session that can be priced; None: the draw is none."""
    plan = Plan(tuple(_module_plan(stream, session, module, space) for module in session.modules))
    return plan if evaluate(session, plan, space).modules else None


def _module_plan(stream: Random, session: Session, module: Module, space: PlanSpace) -> ModulePlan:
    chosen = stream.sample(module.profile, stream.randint(1, min(3, len(module.profile))))
    chosen.sort(key=lambda c: rank_key(c, session.price))
    dummy = Fraction(0)
    if space.dummy is DummyRule.CONTINUOUS:
        dummy = module.rate_rps * Fraction(stream.choice(("0", "0", "0.1", "0.37")))
    left, found = module.rate_rps + dummy, []
    for c in chosen:
        t = c.throughput_rps
        most = int(left / t)
        if most > 30:
            continue
        last = c is chosen[-1]
        n = most if last else stream.randint(0, most)
        left -= n * t
        full = last and left and space.dummy is DummyRule.MACHINE and stream.random() < 0.5
        f = left if last and not full else Fraction(0)
        if n or f or full:
            found.append(Allocation(c, n + bool(full), f))
        if last and full:
            dummy, left = t - left, Fraction(0)
    return ModulePlan(tuple(found), dummy)
