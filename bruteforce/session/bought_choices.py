"""The plans of one module that an enumeration lists if constraints go beyond latency and cost (ours).

docs/model/whole-machines.md defines the plans. Without dummies, or if machines are charged by share, a module has
finitely many plans, and `module_plans.py` lists all of them. With dummies under `whole` it has infinitely many, of
which these are listed:

- Under policies of forms `FIXED` and `EVEN` the latency of a full machine depends on its configuration alone. Machines
  beyond those that serve the rate only add cost, so the plans of `module_plans.py` suffice. The exception is a limit or
  price on changes, or a largest share of a type. Then a configuration has up to as many machines as serve the rate
  alone, or as many as run already, if that is more. `module_plans.py` adds the plans with a partial machine.
  A nearly full machine may be faster than a full one (`rr` with concurrency): it takes d + b/t. Then rule `continuous`
  may leave the last machine just below full, with latency d + b/t and an infinitesimal.
- In sequence (forms `LEFT`, `TIED`) latencies fall as machines are added, and dummies fill the last machine at no cost.
  A plan is then a number of machines of each configuration with Σ n·t ≥ T. Limits on changes, a stock, or a cutoff on
  the cost make the plans finitely many.
- Free types cost nothing, have no stock, and their changes have no price or limit. So their machines are unlimited, and
  one more slows nothing. A module that uses a free type of duration d needs no other type: its latency is d and an
  infinitesimal (`Latency.above`). Only a largest share may demand other machines, of further free types or of types
  that are not free. Those take their duration alone if machines of the free type follow them in rank; otherwise they
  are as fast as by themselves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from math import ceil, floor
from typing import NamedTuple

from bruteforce.session.combination import TimeUpError
from bruteforce.session.demands import Asked
from bruteforce.session.module_plans import (
    MOST_VECTORS,
    Counts,
    ScaledModule,
    all_counts,
    most_vectors,
    scale_module,
    worst_latency,
)
from euclio.core.errors import InapplicableError
from euclio.problems.session import Allocation, Configuration, Module, ModulePlan, PlanSpace, Session
from euclio.problems.session.services import least_end


class Latency(NamedTuple):
    """A latency; compared and added like a number with an infinitesimal part.

    Attributes:
        seconds: seconds.
        above: infinitesimals on top: the number of modules that take longer than `seconds` by an arbitrarily small
            time.
    """

    seconds: Fraction
    above: int = 0

    def plus(self, other: Latency) -> Latency:
        """The sum."""
        return Latency(self.seconds + other.seconds, self.above + other.above)


class Choice(NamedTuple):
    """A plan of one module.

    Attributes:
        cost_per_h: money per hour, with what its changes cost.
        latency: worst-case latency.
        used: its use of each limited resource, in the order of `Asked.limits`.
        types: types that it uses, if the session asks for spare machines of each; otherwise none.
        bought: machines of types that are paid for, used or not, in the order of `Asked.paid`.
        plan: the plan, given the seconds that stand for an infinitesimal.
    """

    cost_per_h: Fraction
    latency: Latency
    used: tuple[Fraction, ...]
    types: frozenset[str]
    bought: tuple[Fraction, ...]
    plan: Callable[[Fraction], ModulePlan]


@dataclass(frozen=True, slots=True)
class Listing:
    """The session whose plans are listed, and the rules of the listing.

    Attributes:
        session: the instance.
        space: plan space, with a countable dummy rule (form `FIXED`: any) and without `single_hardware`.
        asked: the limits that plans have to keep.
        free: types of which a module may use as many machines as it likes for nothing.
        deadline: `time.perf_counter` value at which to give up.
    """

    session: Session
    space: PlanSpace
    asked: Asked
    free: frozenset[str]
    deadline: float

    @property
    def most_s(self) -> Fraction:
        """No module may take longer than this, in seconds."""
        return self.session.slo_s - least_end(self.session)

    def scaled(self, module: Module) -> ScaledModule:
        """A module in integers."""
        return scale_module(module, self.session.price, self.space)


def all_choices(listing: Listing, module: Module) -> list[Choice]:
    """The useful plans of the module, if they are finitely many.

    Raises:
        InapplicableError: they are too many.
        TimeUpError: the deadline has passed.
    """
    if listing.space.fills and listing.space.policy.form.in_sequence:
        return choices_within(listing, module, None)
    scaled = listing.scaled(module)
    vectors = most_vectors(scaled, listing.space.max_allocations)
    if vectors > MOST_VECTORS:
        raise InapplicableError(_too_many(module, f"may have {vectors:.2g}"))
    closed = list(all_counts(scaled, listing.space, listing.deadline))
    if listing.space.fills and (listing.asked.binds or listing.asked.shares or module.name in listing.asked.least):
        filled = list(_fillings(_Vectors(listing, module, scaled)))
        closed = [*filled, *(counts for counts in closed if counts.partial)]
    found = [_choice(listing, module, scaled, counts) for counts in closed]
    if not listing.space.dummy.countable:
        found += [_nearly_full(listing, module, scaled, counts) for counts in closed if counts.partial or counts.dummy]
    return _undominated(listing, (choice for choice in found if choice is not None))


def choices_within(listing: Listing, module: Module, cutoff: Fraction | None) -> list[Choice]:
    """The useful plans of full machines that cost at most a cutoff, if dummies cost nothing.

    Args:
        listing: the session and its rules.
        module: the module.
        cutoff: money per hour. None means no limit; then every type is free or in stock, or changes are limited.

    Raises:
        InapplicableError: they are too many.
        TimeUpError: the deadline has passed.
    """
    scaled = listing.scaled(module)
    most = None if cutoff is None else cutoff * scaled.cost_scale
    counts = _fillings(_Vectors(listing, module, scaled, most))
    bought = (choice for c in counts if (choice := _choice(listing, module, scaled, c)) is not None)
    endless = _endless_choices(listing, module, scaled, most) if listing.free else []
    return _undominated(listing, (choice for choices in (endless, bought) for choice in choices))


def _endless_choices(listing: Listing, module: Module, scaled: ScaledModule, most: Fraction | None) -> Iterator[Choice]:
    """The module's plans with enough machines of a free type."""
    asked, limit = listing.asked, listing.space.max_allocations
    free = [k for k, c in enumerate(scaled.configurations) if c.hardware in listing.free]
    most_types = len(listing.free) if limit is None else min(limit, len(listing.free))
    for places in (places for n in range(1, most_types + 1) for places in combinations(free, n)):
        types = {scaled.configurations[k].hardware for k in places}
        if len(types) < len(places):
            continue
        # Without any other group, machines of one of these types are left, and take the whole rate.
        groups = [group for group in asked.shares if types <= set(group.hardware)]
        if not groups:
            yield _only_endless(listing, module, scaled, places)
            continue
        least = max((1 - group.share) * scaled.rate for group in groups)
        vectors = _Vectors(listing, module, scaled, most, least, None if limit is None else limit - len(places))
        whole = dict.fromkeys(types, module.rate_rps)
        for counts in _fillings(vectors):
            if asked.takes_enough(module.rate_rps, _rates(scaled, counts) | whole):
                yield _with_endless(listing, module, scaled, counts, places)


def _only_endless(listing: Listing, module: Module, scaled: ScaledModule, places: tuple[int, ...]) -> Choice:
    """Enough machines of configurations of free types, and no others."""
    many = tuple(scaled.configurations[k] for k in places)
    nothing, unpaid = (Fraction(0),) * len(listing.asked.limits()), (Fraction(0),) * len(listing.asked.paid)
    machines, least = tuple((c, None) for c in many), listing.asked.least.get(module.name, 1)
    latency = Latency(max(c.duration_s for c in many), 1)
    plan = partial(_many, module, least, machines, many)
    return Choice(Fraction(0), latency, nothing, frozenset(), unpaid, plan)


def _with_endless(
    listing: Listing, module: Module, scaled: ScaledModule, counts: Counts, endless: tuple[int, ...]
) -> Choice:
    """Machines of types that are not free, next to enough machines of configurations of free types."""
    # There are more than enough machines in the module, so that none stands by.
    without = replace(listing, asked=replace(listing.asked, least={}))
    choice, last = _priced(without, module, scaled, counts), endless[-1]
    least = listing.asked.least.get(module.name, 1)
    tied = scaled.shared
    # Machines of the same ratio collect with the last ones under `tc-shared`, wherever they stand in rank.
    before = [i for i, _ in counts.machines if i < last or (tied and scaled.unit_cost[i] == scaled.unit_cost[last])]
    after = tuple(own for own in counts.machines if own[0] not in before)
    latency = max(Latency(scaled.configurations[i].duration_s, 1) for i in [*endless, *before])
    most_above = listing.session.slo_s
    if after:
        taken = sum(n * scaled.throughput[i] for i, n in after)
        others = Latency(worst_latency(scaled, Counts(0, after, 0, taken - scaled.rate)))
        if others > latency:
            # These take longer anyway, so the unlimited machines may take equally long.
            most_above, latency = others.seconds - latency.seconds, others
    collecting = tuple(scaled.configurations[i] for i in [*endless, *before])
    # In rank order; None stands for as many machines as needed.
    ranked = sorted([*((i, n) for i, n in counts.machines), *((k, None) for k in endless)])
    machines = tuple((scaled.configurations[i], n) for i, n in ranked)
    return choice._replace(
        latency=latency,
        plan=lambda above: _many(module, least, machines, collecting, min(above, most_above)),
    )


def _many(
    module: Module,
    least: int,
    machines: tuple[tuple[Configuration, int | None], ...],
    collecting: tuple[Configuration, ...],
    above: Fraction,
) -> ModulePlan:
    """As many machines of configurations as collect batches within a time.

    Args:
        module: the module.
        least: machines of each configuration of a free type at least.
        machines: machines by configuration, in rank order; None stands for as many as needed.
        collecting: configurations whose batches they collect.
        above: the time in seconds.
    """
    needed = max(module.rate_rps, *(c.batch / above for c in collecting))
    many = ((c, max(least, ceil(needed / c.throughput_rps)) if n is None else n) for c, n in machines)
    allocations = tuple(Allocation(c, n) for c, n in many)
    taken = sum((a.machines * a.configuration.throughput_rps for a in allocations), Fraction(0))
    return ModulePlan(allocations, taken - module.rate_rps)


class _Vectors(NamedTuple):
    """The numbers of machines that are listed.

    Attributes:
        listing: the session and its rules.
        module: the module.
        scaled: the module in integers.
        cutoff: largest cost of the machines and their changes, scaled; None means no limit.
        least: least rate that they serve, scaled. None means the module's rate.
        most: most configurations; None means any number.
    """

    listing: Listing
    module: Module
    scaled: ScaledModule
    cutoff: Fraction | None = None
    least: Fraction | None = None
    most: int | None = None

    def most_machines(self, i: int, cost: int, before: tuple[tuple[int, int], ...]) -> int:
        """The most machines of a configuration next to others that are chosen."""
        asked, c, t = self.listing.asked, self.scaled.configurations[i], self.scaled.throughput[i]
        runs = asked.running[self.module.name]
        own, used = runs[c.hardware], self._used(before) if asked.binds or asked.stock else {}
        x = used.get(c.hardware, 0)
        bounds = [] if asked.most_changes is None else [own + asked.most_changes - x]
        if c.hardware in asked.stock:
            bounds.append(asked.stock[c.hardware] - x)
        if not self.listing.space.policy.form.in_sequence:
            bounds.append(max(-(-self.scaled.rate // t), own, asked.least.get(self.module.name, 0)))
        price, change = t * self.scaled.unit_cost[i], asked.change_price[self.module.name]
        if self.cutoff is not None and not change:
            bounds += [floor(self.cutoff - cost) // price] if price else []
        elif self.cutoff is not None:
            each = change * self.scaled.cost_scale
            left = self.cutoff - cost - each * sum(max(0, n - runs[name]) for name, n in used.items())
            there = max(0, own - x)
            # Running machines are no changes; each machine beyond them is one change.
            stays = price and left < there * price
            bounds.append(floor(left / price if stays else (left + each * there) / (price + each)))
        return max(0, min(bounds))

    def _used(self, before: tuple[tuple[int, int], ...]) -> dict[str, int]:
        used: dict[str, int] = {}
        for i, n in before:
            name = self.scaled.configurations[i].hardware
            used[name] = used.get(name, 0) + n
        return used


def _fillings(vectors: _Vectors) -> Iterator[Counts]:
    """Every number of machines of each configuration that takes the rate, costs at most the cutoff and is allowed.

    Machines of free types, and those that take the whole SLO to execute, are left out.
    """
    listing, scaled = vectors.listing, vectors.scaled
    slo, most = listing.most_s, listing.space.max_allocations if vectors.most is None else vectors.most
    least = scaled.rate if vectors.least is None else vectors.least
    prices = [t * unit for t, unit in zip(scaled.throughput, scaled.unit_cost, strict=True)]
    size, seen = len(prices), 0
    pending: list[tuple[int, int, int, tuple[tuple[int, int], ...]]] = [(0, 0, 0, ())]
    while pending:
        if time.perf_counter() > listing.deadline:
            raise TimeUpError
        first, taken, cost, before = pending.pop()
        # The search goes on from here too: more machines may be faster, or fewer changes.
        if taken >= least:
            yield Counts(cost, before, 0, taken - scaled.rate)
        if most is not None and len(before) >= most:
            continue
        for i in range(first, size):
            c = scaled.configurations[i]
            if c.hardware in listing.free or c.duration_s >= slo:
                continue
            bound = vectors.most_machines(i, cost, before)
            seen += bound
            if seen > MOST_VECTORS:
                raise InapplicableError(_too_many(vectors.module, "has too many"))
            pending += [
                (i + 1, taken + n * scaled.throughput[i], cost + n * prices[i], (*before, (i, n)))
                for n in range(1, bound + 1)
            ]


def _too_many(module: Module, so_many: str) -> str:
    return f"module {module.name} {so_many} vectors of machine counts; enumeration stops at {MOST_VECTORS:,}, use exact"


def _choice(listing: Listing, module: Module, scaled: ScaledModule, counts: Counts) -> Choice | None:
    """A closed plan in the input's units; None if it serves too little without some group of types."""
    if not listing.asked.takes_enough(module.rate_rps, _rates(scaled, counts)):
        return None
    return _priced(listing, module, scaled, counts)


def _rates(scaled: ScaledModule, counts: Counts) -> dict[str, Fraction]:
    """The rates that machines take, by type and in the input's units."""
    rates: dict[str, Fraction] = {}
    for position, (i, n) in enumerate(counts.machines):
        rest = counts.partial if position == len(counts.machines) - 1 else 0
        name = scaled.configurations[i].hardware
        rates[name] = rates.get(name, Fraction(0)) + Fraction(n * scaled.throughput[i] + rest, scaled.scale)
    return rates


def _priced(listing: Listing, module: Module, scaled: ScaledModule, counts: Counts) -> Choice:
    """A closed plan with its cost, latency and resource use; rates without some type are not checked."""
    whole, price, asked = listing.space.charging.whole, listing.session.price, listing.asked
    used: dict[str, Fraction] = {}
    machines: dict[str, int] = {}
    cost = Fraction(0)
    allocations = []
    for position, (i, n) in enumerate(counts.machines):
        c = scaled.configurations[i]
        rest = Fraction(counts.partial if position == len(counts.machines) - 1 else 0, scaled.scale)
        charged = n + (Fraction(rest > 0) if whole else rest / c.throughput_rps)
        used[c.hardware] = used.get(c.hardware, Fraction(0)) + charged
        machines[c.hardware] = machines.get(c.hardware, 0) + n + (rest > 0)
        cost += charged * price[c.hardware]
        allocations.append(Allocation(c, n, rest))
    changes = asked.changes(module.name, machines)
    kind, idle = asked.idle(module.name, machines)
    used[kind] += idle
    cost += idle * price[kind]
    taken = [row.taken(used) for row in asked.rows]
    taken += [] if asked.most_changes is None else [Fraction(changes)]
    types = frozenset(machines) if asked.spare else frozenset()
    plan = ModulePlan(tuple(allocations), Fraction(counts.dummy, scaled.scale))
    latency = Latency(worst_latency(scaled, counts))
    bought = tuple(used.get(name, Fraction(0)) for name in asked.paid)
    cost += changes * asked.change_price[module.name]
    return Choice(cost, latency, tuple(taken), types, bought, lambda above: plan)


def _nearly_full(listing: Listing, module: Module, scaled: ScaledModule, counts: Counts) -> Choice | None:
    """A closed plan with dummies that nearly fill its last machine, in form `FIXED`; None if there is none.

    Its last machine is the partial one, or one that was full with dummies; it has to serve the rate that the others
    leave.
    """
    priced, (*first, (i, n)) = _priced(listing, module, scaled, counts), counts.machines
    # If dummies filled the last machine, that machine is now nearly full.
    n -= 0 if counts.partial else 1
    full = (*first, (i, n)) if n else tuple(first)
    last, t = scaled.configurations[i], scaled.configurations[i].throughput_rps
    rates = _rates(scaled, counts._replace(machines=full, partial=0))
    taken = sum(rates.values(), Fraction(0))
    least = module.rate_rps - taken
    for group in listing.asked.shares:
        need = listing.asked.lacking(group, module.rate_rps, rates)
        if last.hardware not in group.hardware:
            least = max(least, need)
        elif need > 0:
            # Without its group the others serve too little, regardless of this machine's rate.
            return None
    if least >= t:
        return None
    latency = Latency(last.duration_s + last.batch / t, 1)
    most_above = None
    if full:
        others = Latency(worst_latency(scaled, Counts(0, full, 0, 0)))
        if others > latency:
            most_above, latency = others.seconds - latency.seconds, others
    allocations = tuple(Allocation(scaled.configurations[k], machines) for k, machines in full)

    def plan(above: Fraction) -> ModulePlan:
        above = above if most_above is None else min(above, most_above)
        rate = max(least, last.batch / (last.batch / t + above))
        if n:
            closed = (*allocations[:-1], replace(allocations[-1], partial_rps=rate))
        else:
            closed = (*allocations, Allocation(last, 0, rate))
        return ModulePlan(closed, taken + rate - module.rate_rps)

    return priced._replace(latency=latency, plan=plan)


def _undominated(listing: Listing, choices: Iterable[Choice]) -> list[Choice]:
    """The choices within SLO and limits that no other one equals or beats in everything, by rising cost.

    Raises:
        TimeUpError: the deadline has passed.
    """
    slo, limits = Latency(listing.most_s), listing.asked.limits()
    possible = [c for c in _in_time(listing, choices) if c.latency <= slo and no_more(c.used, limits)]
    kept: list[Choice] = []
    # In order of rising cost, then latency and use, every choice that beats another one comes before it.
    for choice in _in_time(listing, sorted(possible, key=lambda c: (c.cost_per_h, c.latency, c.used))):
        if not any(
            k.latency <= choice.latency
            and no_more(k.used, choice.used)
            and k.types <= choice.types
            and k.cost_per_h + _lost(listing, k, choice) <= choice.cost_per_h
            for k in kept
        ):
            kept.append(choice)
    return kept


def _lost(listing: Listing, choice: Choice, other: Choice) -> Fraction:
    """The most that a choice in place of another one adds to the cost of machines that are paid for and not used."""
    prices = (listing.session.price[name] for name in listing.asked.paid)
    fewer = (max(Fraction(0), b - a) for a, b in zip(choice.bought, other.bought, strict=True))
    return sum((price * n for price, n in zip(prices, fewer, strict=True)), Fraction(0))


def _in_time(listing: Listing, choices: Iterable[Choice]) -> Iterator[Choice]:
    """The choices one by one, up to the deadline: each is compared with all choices kept, possibly thousands.

    Raises:
        TimeUpError: the deadline has passed.
    """
    for choice in choices:
        if time.perf_counter() > listing.deadline:
            raise TimeUpError
        yield choice


def no_more(first: tuple[Fraction, ...], second: tuple[Fraction, ...]) -> bool:
    """Whether no entry of the first is more than that of the second."""
    return all(a <= b for a, b in zip(first, second, strict=True))
