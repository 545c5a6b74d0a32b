"""Solver `exact` with limits on machines, and the missing machines if these are too few (ours; `search.py`)."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from fractions import Fraction
from math import ceil, gcd, lcm
from typing import NamedTuple

from euclio.core.words import counted, full
from euclio.problems.session import PlanSpace, Session
from euclio.problems.session.resources import MachineLimit, machine_limits
from formulations.effort import NO_PLAN
from formulations.session.demands import limited_shares
from formulations.session.exact.stock.search import WHY_S, StockSearch


def limits_of(session: Session, space: PlanSpace) -> list[MachineLimit]:
    """The limits on the allowed machines."""
    allowed = {h.name for h in space.hardware_of(session)}
    found = [
        limit._replace(takes={name: each for name, each in limit.takes.items() if name in allowed})
        for limit in machine_limits(session)
    ]
    return [limit for limit in found if limit.takes]


def why_too_small(session: Session, space: PlanSpace, limits: Sequence[MachineLimit], deadline: float) -> str:
    """The missing machines of a type, amount of a resource, or number of GPUs, each alone.

    Args:
        session: the instance, whose stock or resources are proven too small or whose SLO is missed.
        space: the plan space.
        limits: the limits on machines.
        deadline: `time.perf_counter` value at which to stop; the sentence leaves out results unknown by then.

    Returns:
        A sentence.
    """
    deadline = min(deadline, time.perf_counter() + WHY_S)
    free = _searched(session, space, [], deadline)
    if free.plan is None and math.isinf(free.bound):
        return "no plan meets the SLO within the largest shares (proven)" if limited_shares(session) else NO_PLAN
    # Another GPU has more of all rows of its slices.
    raised: dict[tuple[bool, str], list[MachineLimit]] = {}
    for limit in limits:
        raised.setdefault((limit.gpus is None, limit.gpus or limit.name), []).append(limit)
    found = [(rows[0], _more(session, space, limits, rows, deadline)) for rows in raised.values()]
    texts = [f"{more.in_words(limit)} would do{more.unless}" for limit, more in found if more is not None]
    why = f"no plan meets the SLO with {limited_by(limits)} (proven)"
    return "; ".join([why, ", or ".join(texts)]) if texts else why


def limited_by(limits: Sequence[MachineLimit]) -> str:
    """The limits on machines, in words."""
    stock = ["the machines in stock"] if any(limit.is_stock for limit in limits) else []
    return " and ".join([*stock, *(["the resources"] if any(not limit.is_stock for limit in limits) else [])])


class _More(NamedTuple):
    """A missing amount, and the caveat of the sentence about it."""

    amount: Fraction
    unless: str

    def in_words(self, limit: MachineLimit) -> str:
        """Text such as "2 more of A", with the number of machines that take this amount."""
        if limit.gpus is not None:
            return f"{counted(int(self.amount / limit.per_gpu), 'more GPU')} of {limit.gpus}"
        words = f"{full(self.amount)} more of {limit.name}"
        if limit.is_stock:
            return words
        name, each = max(limit.takes.items(), key=lambda take: take[1])
        machines = counted(ceil(self.amount / each), "machine")
        return f"{words}, what {machines} of {name} {'takes' if self.amount <= each else 'take'},"


def _more(
    session: Session, space: PlanSpace, limits: Sequence[MachineLimit], raised: Sequence[MachineLimit], deadline: float
) -> _More | None:
    """The least missing amount of a limit next to the others; None means that no amount is known to be enough.

    Args:
        session: the instance.
        space: the plan space.
        limits: the limits on machines.
        raised: one of them, or all rows of the slices of some GPUs. The amount is that of the first.
        deadline: `time.perf_counter` value at which to stop.
    """
    rest = [other for other in limits if all(other is not limit for limit in raised)]
    search = _searched(session, space, rest, deadline, any_plan=True)
    if search.plan is None:
        return None
    steps, first = [_step(limit) for limit in raised], raised[0]

    def taken(search: StockSearch) -> int:
        return max(ceil(search.taken(limit) / step) for limit, step in zip(raised, steps, strict=True))

    low, enough, unless = first.capacity // steps[0], taken(search), ""
    # Halve between a limit that is too small and one that is not; more machines never do harm.
    while enough - low > 1:
        middle = (low + enough) // 2
        larger = [limit._replace(capacity=middle * step) for limit, step in zip(raised, steps, strict=True)]
        search = _searched(session, space, [*rest, *larger], deadline, any_plan=True)
        if search.plan is not None:
            enough = min(middle, taken(search))
        elif math.isinf(search.bound):
            low = middle
        else:
            unless = ", perhaps fewer" if first.is_stock or first.gpus else ", perhaps less"
            break
    return _More(enough * steps[0] - first.capacity, unless)


def _step(limit: MachineLimit) -> Fraction:
    """The unit of which whole machines together take multiples; for a row of slices a GPU's capacity."""
    if limit.gpus is not None:
        return Fraction(limit.per_gpu)
    scale = lcm(*(each.denominator for each in limit.takes.values()))
    return Fraction(gcd(*(int(each * scale) for each in limit.takes.values())), scale)


def _searched(
    session: Session, space: PlanSpace, limits: Sequence[MachineLimit], deadline: float, *, any_plan: bool = False
) -> StockSearch:
    search = StockSearch(session, space, limits, deadline, any_plan)
    search.run()
    return search
