"""Plan spaces with one hardware type per session: solve for every type, keep the cheapest (ours)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from euclio.core.result import Answer, WarmStart
from euclio.problems.session import PlanSpace, Session


def cheapest_over_hardware(session: Session, space: PlanSpace, run: Callable[[PlanSpace], Answer]) -> Answer:
    """The best answer in a plan space; with `single_hardware`, every hardware type is solved alone.

    Args:
        session: the instance.
        space: the plan space.
        run: solves the session in a plan space without `single_hardware`.

    Returns:
        The cheapest answer, with the least of all bounds and the sums of all counters.
    """
    if not space.single_hardware:
        return run(space)
    return _cheapest([run(space.on(h.name)) for h in space.hardware_of(session)])


def _cheapest(answers: list[Answer]) -> Answer:
    """The best of answers over disjoint plan spaces; its bound is the least of their bounds."""
    possible = [a for a in answers if not a.infeasible]
    if not possible:
        return answers[0]
    best = min(possible, key=lambda a: math.inf if a.claimed is None else a.claimed)
    bounds = [a.bound for a in possible]
    bound = None if None in bounds else min(b for b in bounds if b is not None)
    stats = {key: sum(a.stats.get(key, 0.0) for a in answers) for key in sorted({k for a in answers for k in a.stats})}
    status = next((a.raw_status for a in possible if a.raw_status.lower() != "optimal"), best.raw_status)
    used = any(a.warm_start is WarmStart.USED for a in answers)
    warm_start = WarmStart.USED if used else best.warm_start
    return replace(best, raw_status=status, bound=bound, stats=stats, warm_start=warm_start)
