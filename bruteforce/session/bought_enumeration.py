"""Complete enumeration of the plans of a session whose machines are charged whole, or are in stock (ours).

docs/model/whole-machines.md says which plans there are. Without dummies, and where machines are charged by share, a
module has finitely many plans, those of `module_plans.py`: all of them are listed. With dummies under `whole` it
has infinitely many, and these are listed:

- Under policies of forms `FIXED` and `EVEN` a full machine takes what its configuration says, however many there are.
  So machines beyond those that take the rate only cost, and need not be listed: again the plans of
  `module_plans.py`. Where a full machine takes longer than one that is nearly full, d + b/t (`rr` with concurrency),
  rule `continuous` may also leave the last one anything below full: it takes d + b/t and an infinitesimal.
- In sequence (forms `LEFT`, `TIED`) latencies fall as machines are added, and a last machine that is not full is filled
  for nothing: a plan is a number of machines of each configuration, Σ n·t ≥ T. Those that cost at most a cutoff are
  finitely many where each machine costs something, or is in stock. Cutoffs rise from what the rate costs at least. The
  cheapest plan below a cutoff is the cheapest of all: any other one costs more than the cutoff.
- Machines that cost nothing, of which there is no stock, are as many as one likes: a module that uses one of them, of
  duration d, may use nothing else, and takes as little more than d as it has to. Its latency is d and an infinitesimal
  (`Latency.above`). With the duration as its floor and the infinitesimal above it, a module that uses any such machine
  is never better off than with the shortest duration alone.
- Cutoffs rise for ever where there is no plan. So it is asked first whether there is one at all, whatever it costs:
  then every machine without a stock is one that costs nothing.

Of a module's plans those are kept that no other one equals or beats in cost, latency and machines of each type in stock
at once. All combinations of these are enumerated, cut only by cost, path and stock. Arithmetic is exact.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import ceil, inf
from typing import NamedTuple

from bruteforce.session.combination import TimeUpError
from bruteforce.session.module_plans import MOST_VECTORS, Counts, all_counts, most_vectors, worst_latency
from bruteforce.session.scaled_module import ScaledModule, scale_module
from euclio.core.errors import InapplicableError
from euclio.session import Allocation, Configuration, DummyRule, Module, ModulePlan, Plan, PlanSpace, Session
from euclio.session.policies import Form

GROWTH = Fraction(4, 3)
"""Factor from one cutoff on the cost to the next."""


class Latency(NamedTuple):
    """A latency; compared and added like a number with an infinitesimal part.

    Attributes:
        seconds: seconds.
        above: infinitesimals on top: modules that take longer than `seconds`, by as little as one likes.
    """

    seconds: Fraction
    above: int = 0

    def plus(self, other: Latency) -> Latency:
        """The sum."""
        return Latency(self.seconds + other.seconds, self.above + other.above)


class Choice(NamedTuple):
    """A plan of one module; sorts by cost, then latency.

    Attributes:
        cost_per_h: money per hour.
        latency: worst-case latency.
        used: machines of each type in stock that it takes, in the order of `_Listing.stock`.
        plan: the plan, given what an infinitesimal is to be in seconds.
    """

    cost_per_h: Fraction
    latency: Latency
    used: tuple[Fraction, ...]
    plan: Callable[[Fraction], ModulePlan]


@dataclass(frozen=True, slots=True)
class _Listing:
    """What is listed.

    Attributes:
        session: the instance.
        space: plan space, with a countable dummy rule and without `single_hardware`.
        stock: machines in stock by type.
        free: types of which a module may use as many machines as it likes for nothing, alone.
        deadline: `time.perf_counter` value at which to give up.
    """

    session: Session
    space: PlanSpace
    stock: dict[str, int]
    free: frozenset[str]
    deadline: float


def cheapest_bought(session: Session, space: PlanSpace, deadline: float) -> tuple[Fraction, Plan] | str:
    """Cost and plan of the cheapest plan, or in words why there is none.

    Args:
        session: the instance.
        space: plan space without `single_hardware`, in which machines are charged whole or the session has a stock.
        deadline: `time.perf_counter` value at which to give up.

    Raises:
        InapplicableError: dummies for nothing under a user's own policy, or more count vectors than `MOST_VECTORS`.
        TimeUpError: the deadline has passed.
    """
    space = _countable(session, space)
    listing = _Listing(session, space, session.stock, frozenset(), deadline)
    none = f"no plan within {float(session.slo_s):.9g} s" + (" and the stock" if session.stock else "")
    if not space.fills or not space.policy.form.in_sequence:
        found = _cheapest(listing, [_all_choices(listing, module) for module in session.modules])
        return found or none
    endless = frozenset(h.name for h in session.hardware if h.count is None)
    anything = replace(listing, free=endless)
    if _cheapest(anything, [_choices_within(anything, module, None) for module in session.modules]) is None:
        return none
    listing = replace(listing, free=frozenset(h for h in endless if session.price[h] == 0))
    least = [_least_cost(session, space, module) for module in session.modules]
    # Any cutoff above 0 will do where the rate may cost nothing.
    cutoff = sum(least, Fraction(0)) or min((p for p in session.price.values() if p), default=Fraction(1))
    while True:
        spare = cutoff - sum(least, Fraction(0))
        choices = [
            _choices_within(listing, module, low + spare) for module, low in zip(session.modules, least, strict=True)
        ]
        found = _cheapest(listing, choices)
        if found is not None and found[0] <= cutoff:
            return found
        cutoff *= GROWTH


def _countable(session: Session, space: PlanSpace) -> PlanSpace:
    """The plan space, with rule `continuous` as `machine` where a machine that is not full is never faster than full.

    Raises:
        InapplicableError: its plans cannot be listed.
    """
    if space.fills and space.policy.form is Form.GENERAL:
        raise InapplicableError(
            f"dummies for nothing have infinitely many plans under policy {space.policy.name}; use dummy rule none"
        )
    if space.dummy.countable or space.policy.form is Form.FIXED:
        return space
    return replace(space, dummy=DummyRule.MACHINE)


def _least_cost(session: Session, space: PlanSpace, module: Module) -> Fraction:
    """What a module's rate costs at least: at the lowest price of a request, and a machine at least."""
    price = session.price
    allowed = [c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)]
    machines = [max(Fraction(1), module.rate_rps / c.throughput_rps) for c in allowed]
    return min((price[c.hardware] * n for c, n in zip(allowed, machines, strict=True)), default=Fraction(0))


def _scaled(listing: _Listing, module: Module) -> ScaledModule:
    return scale_module(module, listing.session.price, listing.space)


def _all_choices(listing: _Listing, module: Module) -> list[Choice]:
    """The module's plans that are of use, where they are finitely many."""
    scaled = _scaled(listing, module)
    vectors = most_vectors(scaled, listing.space.max_allocations)
    if vectors > MOST_VECTORS:
        raise InapplicableError(_too_many(module, f"may have {vectors:.2g}"))
    closed = list(all_counts(scaled, listing.space, listing.deadline))
    choices = [_choice(listing, scaled, counts) for counts in closed]
    if not listing.space.dummy.countable:
        choices += [_nearly_full(listing, scaled, counts) for counts in closed if counts.partial]
    return _undominated(listing, choices)


def _choices_within(listing: _Listing, module: Module, cutoff: Fraction | None) -> list[Choice]:
    """The module's plans of full machines that are of use and cost at most a cutoff, where dummies are for nothing.

    Args:
        listing: what is listed.
        module: the module.
        cutoff: money per hour; None: no limit, where every type is free or in stock.
    """
    scaled = _scaled(listing, module)
    free = [c for c in scaled.configurations if c.hardware in listing.free]
    nothing = (Fraction(0),) * len(listing.stock)
    alone = [Choice(Fraction(0), Latency(c.duration_s, 1), nothing, partial(_many, module, c)) for c in free]
    counts = _fillings(listing, module, scaled, None if cutoff is None else int(cutoff * scaled.cost_scale))
    bought = (_choice(listing, scaled, c) for c in counts)
    return _undominated(listing, (choice for choices in (alone, bought) for choice in choices))


def _fillings(listing: _Listing, module: Module, scaled: ScaledModule, cutoff: int | None) -> Iterator[Counts]:
    """Every number of machines of each configuration that takes the rate, costs at most the cutoff and is in stock.

    Machines of free types, and those that take the whole SLO to execute, are left out.
    """
    slo, most = listing.session.slo_s, listing.space.max_allocations
    prices = [t * unit for t, unit in zip(scaled.throughput, scaled.unit_cost, strict=True)]
    size, seen = len(prices), 0
    pending: list[tuple[int, int, int, tuple[tuple[int, int], ...]]] = [(0, 0, 0, ())]
    while pending:
        if time.perf_counter() > listing.deadline:
            raise TimeUpError
        first, taken, cost, before = pending.pop()
        if taken >= scaled.rate:
            yield Counts(cost, before, 0, taken - scaled.rate)
        if most is not None and len(before) >= most:
            continue
        for i in range(first, size):
            c = scaled.configurations[i]
            if c.hardware in listing.free or c.duration_s >= slo:
                continue
            bounds = [] if cutoff is None or prices[i] == 0 else [(cutoff - cost) // prices[i]]
            bounds += [listing.stock[c.hardware]] if c.hardware in listing.stock else []
            seen += min(bounds)
            if seen > MOST_VECTORS:
                raise InapplicableError(_too_many(module, "has too many"))
            pending += [
                (i + 1, taken + n * scaled.throughput[i], cost + n * prices[i], (*before, (i, n)))
                for n in range(1, min(bounds) + 1)
            ]


def _too_many(module: Module, so_many: str) -> str:
    return (
        f"module {module.name} {so_many} vectors of machine counts; enumeration stops at {MOST_VECTORS:.0e}, use exact"
    )


def _choice(listing: _Listing, scaled: ScaledModule, counts: Counts) -> Choice:
    """A closed plan with its cost, latency and machines, back on the scale of the input."""
    whole, price = listing.space.charging.whole, listing.session.price
    used: dict[str, Fraction] = {}
    cost = Fraction(0)
    allocations = []
    for position, (i, n) in enumerate(counts.machines):
        c = scaled.configurations[i]
        rest = Fraction(counts.partial if position == len(counts.machines) - 1 else 0, scaled.scale)
        machines = n + (Fraction(rest > 0) if whole else rest / c.throughput_rps)
        used[c.hardware] = used.get(c.hardware, Fraction(0)) + machines
        cost += machines * price[c.hardware]
        allocations.append(Allocation(c, n, rest))
    plan = ModulePlan(tuple(allocations), Fraction(counts.dummy, scaled.scale))
    taken = tuple(used.get(name, Fraction(0)) for name in listing.stock)
    return Choice(cost, Latency(worst_latency(scaled, counts)), taken, lambda above: plan)


def _nearly_full(listing: _Listing, scaled: ScaledModule, counts: Counts) -> Choice:
    """A closed plan with dummies that all but fill its partial machine, in form `FIXED`."""
    choice, last = _choice(listing, scaled, counts), scaled.configurations[counts.machines[-1][0]]
    full = counts.machines if counts.machines[-1][1] else counts.machines[:-1]
    latency = Latency(last.duration_s + last.batch / last.throughput_rps, 1)
    if full:
        latency = max(latency, Latency(worst_latency(scaled, Counts(0, full, 0, 0))))

    def plan(above: Fraction) -> ModulePlan:
        closed = choice.plan(above)
        machine = closed.allocations[-1]
        rate = max(machine.partial_rps, last.batch / (last.batch / last.throughput_rps + above))
        filled = replace(machine, partial_rps=rate)
        return ModulePlan((*closed.allocations[:-1], filled), rate - machine.partial_rps)

    return Choice(choice.cost_per_h, latency, choice.used, plan)


def _undominated(listing: _Listing, choices: Iterable[Choice]) -> list[Choice]:
    """The choices within SLO and stock that no other one equals or beats in everything, by rising cost."""
    slo, stock = Latency(listing.session.slo_s), tuple(listing.stock.values())
    possible = [c for c in choices if c.latency <= slo and all(u <= n for u, n in zip(c.used, stock, strict=True))]
    kept: list[Choice] = []
    for choice in sorted(possible, key=lambda c: (c.cost_per_h, c.latency, c.used)):
        if not any(k.latency <= choice.latency and _no_more(k.used, choice.used) for k in kept):
            kept.append(choice)
    return kept


def _no_more(first: tuple[Fraction, ...], second: tuple[Fraction, ...]) -> bool:
    return all(a <= b for a, b in zip(first, second, strict=True))


def _cheapest(listing: _Listing, choices: list[list[Choice]]) -> tuple[Fraction, Plan] | None:
    """Cost and plan of the cheapest combination within SLO and stock; None: there is none."""
    if not all(choices):
        return None
    session, stock = listing.session, tuple(listing.stock.values())
    order, parents = session.order, session.parents()
    slo, nothing = Latency(session.slo_s), Latency(Fraction(0))
    least_after = [sum((choices[i][0].cost_per_h for i in order[k:]), Fraction(0)) for k in range(len(order) + 1)]
    finish, chosen = [nothing] * len(order), [choices[i][0] for i in range(len(order))]
    best_cost: float | Fraction = inf
    best: list[Choice] | None = None

    def extend(position: int, spent: Fraction, used: tuple[Fraction, ...]) -> None:
        nonlocal best_cost, best
        if time.perf_counter() > listing.deadline:
            raise TimeUpError
        # Only strictly cheaper combinations come this far.
        if position == len(order):
            best_cost, best = spent, chosen.copy()
            return
        i = order[position]
        start = max((finish[p] for p in parents[i]), default=nothing)
        for choice in choices[i]:
            # Choices come by rising cost: every later one is beaten as well.
            if spent + choice.cost_per_h + least_after[position + 1] >= best_cost:
                break
            end = start.plus(choice.latency)
            taken = tuple(a + b for a, b in zip(used, choice.used, strict=True))
            if end <= slo and _no_more(taken, tuple(map(Fraction, stock))):
                finish[i], chosen[i] = end, choice
                extend(position + 1, spent + choice.cost_per_h, taken)

    extend(0, Fraction(0), (Fraction(0),) * len(stock))
    if best is None:
        return None
    assert isinstance(best_cost, Fraction)
    return best_cost, _plan(session, best)


def _plan(session: Session, best: list[Choice]) -> Plan:
    """The plan of a combination; machines of free types become so many that the SLO is met."""
    above = session.slo_s
    if any(choice.latency.above for choice in best):
        # Paths with an infinitesimal are shorter than the SLO: some halving fits.
        while _longest(session, [c.latency.seconds + c.latency.above * above for c in best]) > session.slo_s:
            above /= 2
    return Plan(tuple(choice.plan(above) for choice in best))


def _longest(session: Session, latencies: list[Fraction]) -> Fraction:
    finish = [Fraction(0)] * len(latencies)
    parents = session.parents()
    for i in session.order:
        finish[i] = max((finish[p] for p in parents[i]), default=Fraction(0)) + latencies[i]
    return max(finish)


def _many(module: Module, c: Configuration, above: Fraction) -> ModulePlan:
    """As many machines of a configuration as collect a batch within a time, in seconds."""
    machines = ceil(max(module.rate_rps, c.batch / above) / c.throughput_rps)
    return ModulePlan((Allocation(c, machines),), machines * c.throughput_rps - module.rate_rps)
