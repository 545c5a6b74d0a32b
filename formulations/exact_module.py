"""The cheapest plan of one module within a latency budget, in exact arithmetic, for what floats cannot decide (ours).

The same depth-first search as the compiled one (`formulations/module_search.py`), without its bounds on whole machines,
in whole numbers on common scales. It is slow, and asked only where the last digits of a latency or a rate matter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

from euclio.session import Allocation, Configuration, DummyRule, Module, ModulePlan, PlanSpace, Policy, Session
from euclio.session.arrays import session_arrays

MOST_NODES = 200_000
"""Nodes, of some microseconds each, after which the search gives up."""


class TooManyNodesError(Exception):
    """The search gave up."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """One configuration: rates in units of the search, its ratio's number, costs in units of the search."""

    configuration: Configuration
    throughput: int
    price: int
    unit_cost: int
    group: int
    whole_need: int | None
    partial_need: int | None


@dataclass(slots=True)
class _Search:
    """Choices in rank order, what may be left over, and the cheapest plan so far.

    Attributes:
        choices: the configurations.
        rate: the module's rate in units.
        dummies: whether dummies may fill the last machine.
        shared: whether configurations of one ratio share their remaining rate.
        most: most allocations.
        below: only plans that cost less, in units of money, are of interest; None: all are.
        nodes: nodes left.
        best: whole machines by choice, and the place of the partial machine.
    """

    choices: list[_Choice]
    rate: int
    dummies: bool
    shared: bool
    most: int
    below: int | None
    nodes: int
    best: tuple[tuple[tuple[int, int], ...], int | None] | None = None
    largest: list[int] = field(default_factory=list)

    def close(self, used: tuple[tuple[int, int], ...], partial_at: int | None, cost: int) -> None:
        """Take a plan whose needs are met, if it is cheaper."""
        if self.below is None or cost < self.below:
            self.below, self.best = cost, (used, partial_at)

    def extend(
        self, first: int, left: int, cost: int, deficit: int, used: tuple[tuple[int, int], ...], shared_left: int
    ) -> None:
        """Go through what may follow some whole machines.

        Args:
            first: place of the first choice that may follow.
            left: rate that is left, in units.
            cost: cost so far.
            deficit: dummies that the machines so far need at least.
            used: places and whole machines so far.
            shared_left: rate that was left where the ratio of the last machines began.
        """
        for k in range(first, len(self.choices)):
            c = self.choices[k]
            self.nodes -= 1
            if self.nodes < 0:
                raise TooManyNodesError
            if self.below is not None and cost + c.unit_cost * (left + deficit) >= self.below:
                return  # what ranks lower costs no less
            tied = self.shared and bool(used) and self.choices[used[-1][0]].group == c.group
            w = shared_left if tied else left
            whole, rest = divmod(left, c.throughput)
            needed = None if c.whole_need is None else max(deficit, c.whole_need - w)
            if deficit == 0 and (whole == 0 or needed == 0):
                collecting = w if self.shared else rest
                if rest == 0 and whole:
                    self.close((*used, (k, whole)), None, cost + whole * c.price)
                elif rest and c.partial_need is not None and collecting >= c.partial_need:
                    self.close((*used, (k, whole)), k, cost + whole * c.price + rest * c.unit_cost)
            if needed is None or (needed > 0 and not self.dummies):
                continue
            if self.dummies and rest and c.throughput - rest >= needed:
                self.close((*used, (k, whole + 1)), None, cost + (whole + 1) * c.price)
            if len(used) + 1 >= self.most or (needed and needed >= self.largest[k + 1]):
                continue
            for n in range(whole if rest else whole - 1, 0, -1):
                self.extend(k + 1, left - n * c.throughput, cost + n * c.price, needed, (*used, (k, n)), w)


def cheapest_plan(
    single: Session, space: PlanSpace, budget_s: Fraction, *, strict: bool = False, nodes: int = MOST_NODES
) -> ModulePlan | None:
    """The cheapest plan of a session's only module within a latency budget; None: there is none.

    Args:
        single: a session of one module.
        space: plan space with dummy rule none or machine.
        budget_s: largest worst-case latency in seconds.
        strict: the latency has to be smaller than that.
        nodes: most nodes of the search.

    Raises:
        TooManyNodesError: they were not enough.
    """
    module = single.modules[0]
    arrays = session_arrays(single, space)
    ranked = [module.profile[int(k)] for k in arrays.profile_index]
    groups: list[int] = []
    for same in arrays.same_ratio:
        groups.append(groups[-1] + (not same) if groups else 0)
    useful = [(c, g) for c, g in zip(ranked, groups, strict=True) if c.duration_s < budget_s]
    scale = lcm(module.rate_rps.denominator, *(c.throughput_rps.denominator for c, _ in useful))
    unit_costs = [single.price[c.hardware] / c.throughput_rps / scale for c, _ in useful]
    money = lcm(*(x.denominator for x in unit_costs))
    choices = [
        _choice(c, g, int(x * money), scale, space.policy, budget_s, strict)
        for (c, g), x in zip(useful, unit_costs, strict=True)
    ]
    search = _Search(
        choices,
        int(module.rate_rps * scale),
        space.dummy is DummyRule.MACHINE,
        space.policy is Policy.TC_SHARED,
        len(choices) if space.max_allocations is None else space.max_allocations,
        None,
        nodes,
    )
    search.largest = [max((c.throughput for c in choices[k:]), default=0) for k in range(len(choices) + 1)]
    search.extend(0, search.rate, 0, 0, (), search.rate)
    return None if search.best is None else _plan(module, choices, *search.best)


def _choice(
    c: Configuration, group: int, unit_cost: int, scale: int, policy: Policy, budget: Fraction, strict: bool
) -> _Choice:
    throughput = int(c.throughput_rps * scale)
    need = c.batch * scale / (budget - c.duration_s)
    least = need.__floor__() + 1 if strict else need.__ceil__()
    whole: int | None = least
    if policy in (Policy.RR, Policy.MACHINE_RATE):
        own = 2 * c.duration_s if policy is Policy.RR else c.duration_s + c.batch / c.throughput_rps
        whole = 0 if own < budget or (own == budget and not strict) else None
    return _Choice(c, throughput, unit_cost * throughput, unit_cost, group, whole, least)


def _plan(
    module: Module, choices: list[_Choice], used: tuple[tuple[int, int], ...], partial_at: int | None
) -> ModulePlan:
    whole = sum((n * choices[k].configuration.throughput_rps for k, n in used), Fraction(0))
    partial = max(Fraction(0), module.rate_rps - whole)
    rows = [Allocation(choices[k].configuration, n) for k, n in used]
    last = Allocation(rows[-1].configuration, rows[-1].machines, partial if partial_at is not None else Fraction(0))
    return ModulePlan((*rows[:-1], last), max(Fraction(0), whole - module.rate_rps))
