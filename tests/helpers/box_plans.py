"""Every plan of a module in a small box of machine numbers, for oracles that price each by the checker alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

from euclio.problems.session import Allocation, Module, ModulePlan, PlanSpace, Session
from euclio.problems.session.evaluate import rank_key

BOX = 5
"""Machines of a configuration that the box goes to."""


def module_plans(session: Session, module: Module, space: PlanSpace) -> Iterator[ModulePlan]:
    """Every plan of a module with at most `BOX` whole machines of each configuration, and a partial one."""
    ranked = sorted(
        (c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)),
        key=lambda c: rank_key(c, session.price),
    )
    for counts in product(range(BOX + 1), repeat=len(ranked)):
        used = [Allocation(c, n) for c, n in zip(ranked, counts, strict=True) if n]
        rest = module.rate_rps - sum((a.machines * a.configuration.throughput_rps for a in used), Fraction(0))
        if rest <= 0:
            yield ModulePlan(tuple(used), -rest)
            continue
        last = ranked.index(used[-1].configuration) if used else 0
        for c in ranked[last:]:
            if used and c is ranked[last]:
                yield ModulePlan((*used[:-1], replace(used[-1], partial_rps=rest)))
            else:
                yield ModulePlan((*used, Allocation(c, 0, rest)))
