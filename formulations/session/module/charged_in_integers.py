"""The cheapest whole machines of one module if changes are charged or limited, in integers: decides ties (ours).

The search is that of `charged_states`, on the exact numbers of `RationalModule`: up the ranking, of all uses of the
same machines of each type it keeps the one with the most rate.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from math import ceil, inf

from euclio.problems.session import DummyRule, ModulePlan
from euclio.problems.session.policies import Form
from formulations.effort import Effort
from formulations.session.module.in_integers import Needs, RationalModule, cheapest_plan, plan_of

Held = tuple[int, ...]
"""Machines by hardware type, and last the allocations if those are limited."""
Machines = tuple[tuple[int, int], ...]
"""Configuration and machines of each allocation, in rank order."""
States = dict[Held, tuple[int, Machines]]
"""By machines held, the most rate that they can have, in units, and its machines."""


def cheapest_charged(m: RationalModule, needs: Needs, cutoff: Fraction | None, effort: Effort) -> ModulePlan | None:
    """The cheapest plan of a module whose changes count and whose machines dummies fill; None if none beats the cutoff.

    Args:
        m: the module, in a plan space that fills, with limits on changes.
        needs: needs of its configurations within the budget; full machines are no slower than nearly full ones.
        cutoff: cost per hour, with changes, that the plan has to stay below; None means any.
        effort: counts nodes.

    Raises:
        UndecidedError: the effort's limits are reached.
    """
    search = _ChargedSearch(m, needs, effort, inf if cutoff is None else ceil(cutoff * m.cost_scale))
    search.run()
    full = None if search.best is None else plan_of(m, search.best, 0)
    if m.space.policy.form is not Form.FIXED or inf not in needs.whole or not m.space.dummy.countable:
        return full
    # Full machines of a configuration are too slow, a partial one may not be (`rr` with concurrency).
    below = cutoff if full is None else Fraction(int(search.below), m.cost_scale)
    partly = replace(m, space=replace(m.space, dummy=DummyRule.NONE))
    return cheapest_plan(partly, needs, below, effort) or full


class _ChargedSearch:
    """One search in integers; `below` is the cost in units that a plan has to stay below."""

    def __init__(self, m: RationalModule, needs: Needs, effort: Effort, below: float) -> None:
        self.m, self.needs, self.effort, self.below = m, needs, effort, below
        self.best: Machines | None = None
        self.limited = m.most < len(m.configurations)
        self.types = sorted({c.hardware for c in m.configurations})
        self.kind = [self.types.index(c.hardware) for c in m.configurations]
        self.cap = [self._most(h) for h in range(len(self.types))]

    def run(self) -> None:
        """Go up the ranking; configurations of one ratio are one step if they collect from the same rate."""
        shared = self.m.space.policy.form is Form.TIED
        numbers = range(len(self.m.configurations))[::-1]
        steps = [list(own) for _, own in groupby(numbers, lambda j: self.m.group[j] if shared else j)]
        kept: States = {(0,) * (len(self.types) + self.limited): (0, ())}
        for step in steps:
            # Open states may still receive more of their ratio; only closed ones have what they need and go on.
            opened, closed = dict(kept), dict(kept)
            # By rising need: within one ratio the need of the one taken last decides.
            members = sorted((j for j in step if self.needs.whole[j] < inf), key=lambda j: self.needs.whole[j])
            for j in members:
                made = self._with(opened, j, last=step is steps[-1] and j == members[-1])
                _merge(opened, made)
                _merge(closed, {held: one for held, one in made.items() if one[0] >= self.needs.whole[j]})
            kept = closed
        for held, (rate, machines) in kept.items():
            cost = self.m.change_cost(dict(zip(self.types, held, strict=False)))
            if rate < self.m.rate or cost is None:
                continue
            cost += sum(self._price(j) * n for j, n in machines)
            if cost < self.below:
                self.below, self.best = cost, tuple(sorted(machines))

    def _with(self, states: States, j: int, *, last: bool) -> States:
        """The states with one or more machines of configuration j, without those that cost or change too much.

        If no others follow, there are as many as the rates require at once, and no more than those or the running
        machines.
        """
        made: States = {}
        h, t = self.kind[j], self.m.throughput[j]
        for held, (rate, machines) in states.items():
            if self.limited and held[-1] >= self.m.most:
                continue
            first, most = 1, self.cap[h] - held[h]
            if last:
                first = max(1, -(-(max(self.m.rate, int(self.needs.whole[j])) - rate) // t))
                most = min(most, max(first, self.m.limits.running.get(self.types[h], 0) - held[h]))
            for n in range(first, most + 1):
                self.effort.count()
                more = list(held)
                more[h] += n
                if self.limited:
                    more[-1] += 1
                if not self._is_promising(more):
                    if more[h] > self.m.limits.running.get(self.types[h], 0):
                        break  # beyond the running machines, each further machine costs more and is a change
                    continue
                key, found = tuple(more), (rate + n * t, (*machines, (j, n)))
                if key not in made or made[key][0] < found[0]:
                    made[key] = found
        return made

    def _is_promising(self, held: list[int]) -> bool:
        """Whether plans with these machines, and perhaps more, may cost less than `below` and change little enough."""
        least, changes = 0, 0
        limits, change = self.m.limits, self.m.change
        for h, name in enumerate(self.types):
            x, own, price = held[h], limits.running.get(name, 0), self._type_price(h)
            # Machines that run are kept or removed at the lesser cost; the others can no longer be given up.
            kept = x if price >= change else max(x, min(own, self.cap[h]))
            least += price * kept + change * abs(kept - own)
            changes += max(0, x - own, own - self.cap[h])
        return least < self.below and (limits.most_changes is None or changes <= limits.most_changes)

    def _most(self, h: int) -> int:
        """Machines of a type beyond which further ones are useless: the running ones, or enough for all possible rates.

        With so many on any configurations, those of the last one do without the others.
        """
        m, name = self.m, self.types[h]
        enough = max([m.rate, *(int(need) for need in self.needs.whole if need != inf)])
        own, limit = m.limits.running.get(name, 0), m.limits.most.get(name)
        most = max([own, *(-(-enough // m.throughput[j]) + 1 for j, kind in enumerate(self.kind) if kind == h)])
        if m.limits.most_changes is not None:
            most = min(most, own + m.limits.most_changes)
        return most if limit is None else min(most, int(limit))

    def _price(self, j: int) -> int:
        return self.m.unit_cost[j] * self.m.throughput[j]

    def _type_price(self, h: int) -> int:
        return self._price(self.kind.index(h))


def _merge(states: States, more: States) -> None:
    """Keep for each set of machines the entry with the most rate, of the same rate the existing one."""
    for held, one in more.items():
        if held not in states or states[held][0] < one[0]:
            states[held] = one
