"""Complete enumeration of the plans of a session: the oracle for small cases (ours; rules: docs/model/sessions.md).

The solver visits every vector of whole-machine counts of every module, and closes it in every way that the dummy rule
allows. A module keeps its frontier: the plans that are strictly faster than every cheaper one. Then the solver
enumerates all combinations of frontier plans (`combination.py`). Its only bound is a sum of least costs.

If machines are charged whole, or plans have constraints beyond latency and cost, `bought_enumeration.py` lists the
plans. The code below packs shared partial machines.

Arithmetic is exact: rates and costs are integers on a common scale, made from the decimal text of the input.
"""

from __future__ import annotations

import functools
import time
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor, inf
from typing import NamedTuple

from bruteforce.session.bought_choices import Choice, Listing, all_choices, choices_within, no_more
from bruteforce.session.bought_enumeration import cheapest_bought
from bruteforce.session.combination import ModuleChoice, TimeUpError, cheapest_plan
from bruteforce.session.demands import asked_of
from bruteforce.session.module_plans import (
    MOST_VECTORS,
    Counts,
    ScaledModule,
    all_counts,
    collection_rates,
    most_vectors,
    scale_module,
    worst_latency,
)
from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.core.words import plain
from euclio.problems.session import Allocation, Charging, DummyRule, Module, ModulePlan, Plan, PlanSpace, Session
from euclio.problems.session.latency.paths import most_latencies, path_length
from euclio.problems.session.policies import Form

# Complete enumeration of plans whose partial machines may be shared, for tiny sessions (ours).
#
# If every module gets its own machines, a packed plan becomes a plan of whole machines that costs more and is no
# slower. So the cheapest plan of whole machines is found first, and then only cheaper packed ones are searched. Each
# module then has a plan of one of two kinds:
#
# - on machines of its own, as in plans of whole machines (`bought_choices.py`), up to that cost;
# - with a partial machine that serves the rest of its whole machines' rate, without dummies: finitely many plans.
#
# Within a stock or resources there may be no plan of whole machines. Then each type needs a limit, which makes the
# plans finitely many.
#
# A plan of the second kind is dropped if another one on the same hardware equals or beats it in all of these: cost,
# latency and limited resources of its whole machines; latency, duration, busy time and memory of the partial one.
# Partial machines are placed on machines in all ways (docs/model/whole-machines.md#packed), pruned only by cost, path,
# time, memory and limits. Arithmetic is exact. The rules are written here a second time on purpose; the checker's are
# not used.

MOST_COMBINATIONS = 10**9
"""Combinations of the modules' plans, before any is cut, beyond which the enumeration refuses to begin."""


class _Part(NamedTuple):
    """A plan of one module.

    Attributes:
        cost_per_h: money per hour for its machines except the shareable partial one.
        whole_s: latency of these machines in seconds, 0 if there are none.
        hardware: type of the partial machine; empty if it has no shareable one.
        own_s: latency of that machine in seconds without waits.
        duration_s: seconds that one of its batches takes.
        busy: share of the time that it works.
        memory_mb: memory of its model; None if unknown.
        used: what these machines take of each limited resource, in the order of `Asked.limits`.
        plan: the plan.
    """

    cost_per_h: Fraction
    whole_s: Fraction
    hardware: str
    own_s: Fraction
    duration_s: Fraction
    busy: Fraction
    memory_mb: Fraction | None
    used: tuple[Fraction, ...]
    plan: ModulePlan

    def replaces(self, other: _Part) -> bool:
        """Whether it does at least as well in every place of the other one."""
        numbers = zip(self[1:2] + self[3:6], other[1:2] + other[3:6], strict=True)
        fits = self.memory_mb == other.memory_mb or (
            self.memory_mb is not None and other.memory_mb is not None and self.memory_mb < other.memory_mb
        )
        same = self.hardware == other.hardware and self.cost_per_h <= other.cost_per_h
        return same and fits and all(own <= its for own, its in numbers) and no_more(self.used, other.used)


def cheapest_packed(session: Session, space: PlanSpace, deadline: float) -> tuple[Fraction, Plan] | str:
    """Cost and plan of the cheapest packed plan, or a message why there is none.

    Args:
        session: the instance, without other limits than a stock and resources, and without machines that cost nothing.
        space: plan space without `single_hardware` and rule `continuous`, in which machines are packed.
        deadline: `time.perf_counter` value at which to give up.

    Raises:
        InapplicableError: there are too many plans.
        TimeUpError: the deadline has passed.
    """
    whole = replace(space, charging=Charging.WHOLE)
    best = cheapest_bought(session, whole, deadline)
    if space.policy.form not in (Form.LEFT, Form.FIXED):
        return best
    cutoff, asked = (None if isinstance(best, str) else best[0]), asked_of(session)
    if cutoff is None:
        # Without a limit on machines, plans of whole machines are no slower than others.
        if not asked.rows:
            return best
        endless = any(h.name not in asked.stock for h in space.hardware_of(session))
        if endless and whole.fills and space.policy.form.in_sequence:
            raise InapplicableError("without a limit on a type there is no end of packed plans; use exact")
    listing = Listing(session, whole, asked, frozenset(), deadline)
    parts = [_parts(listing, module, cutoff) for module in session.modules]
    combinations = 1
    for own in parts:
        combinations *= max(1, len(own))
    if combinations > MOST_COMBINATIONS:
        raise InapplicableError(f"there are {combinations:.2g} combinations of packed plans; use whole-greedy")
    search = _PackedSearch(listing, parts, None if isinstance(best, str) else best)
    return search.run() or best


def _parts(listing: Listing, module: Module, cutoff: Fraction | None) -> list[_Part]:
    """The module's plans that cost less than a cutoff and are of use, by rising cost; None disables the cutoff."""
    in_sequence = listing.space.fills and listing.space.policy.form.in_sequence
    choices = choices_within(listing, module, cutoff) if in_sequence else all_choices(listing, module)
    found = [_alone(choice) for choice in choices]
    scaled = listing.scaled(module)
    if most_vectors(scaled, listing.space.max_allocations) > MOST_VECTORS:
        raise InapplicableError(f"module {module.name} has too many plans; use whole-greedy")
    closed = all_counts(scaled, replace(listing.space, dummy=DummyRule.NONE), listing.deadline)
    shared: list[_Part] = []
    for part in sorted((_partial(listing, scaled, counts) for counts in closed if counts.partial), key=_order):
        slow = max(part.whole_s, part.own_s) > listing.most_s
        dear = cutoff is not None and part.cost_per_h >= cutoff
        if not slow and not dear and not any(other.replaces(part) for other in shared):
            shared.append(part)
    return sorted((*found, *shared), key=_order)


def _order(part: _Part) -> tuple[Fraction, Fraction, Fraction]:
    return part.cost_per_h, part.busy, part.own_s


def _alone(choice: Choice) -> _Part:
    """A plan on machines that the module has alone."""
    nothing = Fraction(0)
    assert not choice.latency.above
    plan, cost = choice.plan(nothing), choice.cost_per_h
    return _Part(cost, choice.latency.seconds, "", nothing, nothing, nothing, nothing, choice.used, plan)


def _partial(listing: Listing, scaled: ScaledModule, counts: Counts) -> _Part:
    """A plan whose partial machine may be shared."""
    latencies = [
        scaled.configurations[i].duration_s + Fraction(scaled.configurations[i].batch * scaled.scale, rate)
        for i, rate in collection_rates(scaled, counts)
    ]
    allocations = [Allocation(scaled.configurations[i], n) for i, n in counts.machines]
    rate = Fraction(counts.partial, scaled.scale)
    last = replace(allocations[-1], partial_rps=rate)
    c, price, used = last.configuration, listing.session.price, dict[str, Fraction]()
    for a in allocations:
        used[a.configuration.hardware] = used.get(a.configuration.hardware, Fraction(0)) + a.machines
    cost = sum((n * price[name] for name, n in used.items()), Fraction(0))
    return _Part(
        cost,
        max(latencies[:-1], default=Fraction(0)),
        c.hardware,
        latencies[-1],
        c.duration_s,
        rate / c.batch * c.duration_s,
        c.memory_mb,
        tuple(row.taken(used) for row in listing.asked.rows),
        ModulePlan((*allocations[:-1], last)),
    )


class _PackedSearch:
    """One depth-first search over the modules, and over the machines that each partial machine may be on."""

    def __init__(self, listing: Listing, parts: list[list[_Part]], best: tuple[Fraction, Plan] | None) -> None:
        self.session, self.asked, self.deadline = listing.session, listing.asked, listing.deadline
        self.parts, self.best = parts, best
        self.memory = {h.name: h.memory_mb for h in self.session.hardware}
        self.fastest = [min((max(p.whole_s, p.own_s) for p in own), default=self.session.slo_s) for own in parts]
        least = [min((p.cost_per_h for p in own), default=Fraction(0)) for own in parts]
        self.after = [sum(least[m:], Fraction(0)) for m in range(len(parts) + 1)]

    def run(self) -> tuple[Fraction, Plan] | None:
        """Cost and plan of the cheapest packed plan, None without one; ties keep the one without shared machines."""
        self._extend([], [], Fraction(0))
        return self.best

    def _costs_less(self, cost: Fraction) -> bool:
        return self.best is None or cost < self.best[0]

    def _extend(self, chosen: list[_Part], groups: list[list[int]], cost: Fraction) -> None:
        """Complete a plan whose first modules are chosen; `groups` are those on each machine that may be shared."""
        if time.perf_counter() > self.deadline:
            raise TimeUpError
        m = len(chosen)
        if m == len(self.parts):
            shared = tuple(tuple(group) for group in groups if len(group) > 1)
            self.best = cost, Plan(tuple(part.plan for part in chosen), shared)
            return
        for part in self.parts[m]:
            # Plans come by rising cost: every later one is beaten as well.
            if not self._costs_less(cost + part.cost_per_h + self.after[m + 1]):
                break
            for more, joined in self._machines(part, [*chosen, part], groups):
                total, now = cost + part.cost_per_h + more, [*chosen, part]
                cheaper = self._costs_less(total + self.after[m + 1])
                if cheaper and self._is_there(now, joined) and self._in_time(now, joined):
                    self._extend(now, joined, total)

    def _is_there(self, chosen: list[_Part], groups: list[list[int]]) -> bool:
        """Whether stock and resources have what the machines of modules and those that may be shared take."""
        machines = Counter(chosen[group[0]].hardware for group in groups)
        used = [row.taken({name: Fraction(n) for name, n in machines.items()}) for row in self.asked.rows]
        used = [sum((part.used[i] for part in chosen), own) for i, own in enumerate(used)]
        return no_more(tuple(used), self.asked.limits())

    def _machines(
        self, part: _Part, chosen: list[_Part], groups: list[list[int]]
    ) -> list[tuple[Fraction, list[list[int]]]]:
        """Added cost of each machine that may be the last module's partial machine, and the modules then on it."""
        if not part.hardware:
            return [(Fraction(0), groups)]
        m = len(chosen) - 1
        # A new machine costs money; a place on an existing one does not.
        found = [(self.session.price[part.hardware], [*groups, [m]])]
        for place, group in enumerate(groups):
            members = [chosen[i] for i in (*group, m)]
            if chosen[group[0]].hardware == part.hardware and self._holds(members):
                found.append((Fraction(0), [*groups[:place], [*group, m], *groups[place + 1 :]]))
        return found

    def _holds(self, members: list[_Part]) -> bool:
        """Whether one machine has the time and the memory for partial machines of its type."""
        if sum((part.busy for part in members), Fraction(0)) > 1:
            return False
        there = self.memory[members[0].hardware]
        if there is None:
            return True
        # A model of unknown memory shares no machine of known memory.
        needed = [part.memory_mb for part in members if part.memory_mb is not None]
        return len(needed) == len(members) and sum(needed, Fraction(0)) <= there

    def _in_time(self, chosen: list[_Part], groups: list[list[int]]) -> bool:
        """Whether all paths keep the SLO, if the modules to come are as fast as they can be."""
        latency = [part.whole_s for part in chosen] + self.fastest[len(chosen) :]
        for group in groups:
            batches = sum((chosen[m].duration_s for m in group), Fraction(0))
            for m in group:
                # Its batch waits for one batch of every other module on the machine.
                latency[m] = max(latency[m], chosen[m].own_s + batches - chosen[m].duration_s)
        return path_length(self.session, latency) <= self.session.slo_s


def solve_by_plan_enumeration(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """The cheapest plan of a session in a plan space, by enumerating all plans.

    Args:
        session: the instance.
        space: plan space with dummy rule `none` or `machine`; also `continuous` where machines are charged whole, under
            the policies of this package.
        limits: time limit.

    Raises:
        InapplicableError: more count vectors than `MOST_VECTORS`.
    """
    deadline = limits.deadline()
    names = [h.name for h in session.hardware if space.hardware is None or h.name in space.hardware]
    spaces = [space.on(name) for name in names] if space.single_hardware else [space]
    best: tuple[Fraction, Plan] | None = None
    reason = "no hardware is allowed"
    try:
        for narrowed in spaces:
            found = _cheapest_in(session, narrowed, deadline)
            if isinstance(found, str):
                reason = found
            elif best is None or found[0] < best[0]:
                # Strictly cheaper: ties keep the hardware that is listed first.
                best = found
    except TimeUpError:
        return Answer(None, "time limit", reason="the time limit was reached before every plan was seen")
    if best is None:
        return Answer(None, "exhausted", infeasible=True, reason=reason)
    cost = float(best[0])
    return Answer(best[1], "exhausted", claimed=cost, bound=cost)


def _cheapest_in(session: Session, space: PlanSpace, deadline: float) -> tuple[Fraction, Plan] | str:
    """Cost and plan of the cheapest plan of a plan space without `single_hardware`, or in words why there is none."""
    if space.charging.packs:
        return cheapest_packed(session, space, deadline)
    if space.charging.whole or asked_of(session).anything:
        return cheapest_bought(session, space, deadline)
    return cheapest_plan(session, functools.partial(_frontier, session, space, deadline), deadline)


def _frontier(session: Session, space: PlanSpace, deadline: float, module: Module) -> list[ModuleChoice]:
    """The frontier of a module of the session within what the others may leave it."""
    most_s = most_latencies(session)[session.index[module.name]]
    return module_frontier(module, session.price, space, most_s, deadline)


def module_frontier(
    module: Module, price: dict[str, Fraction], space: PlanSpace, budget_s: Fraction, deadline: float = inf
) -> list[ModuleChoice]:
    """The module's plans within a latency budget that are strictly faster than every cheaper one, cheapest first.

    Args:
        module: the module.
        price: price per hour by hardware name.
        space: plan space, in which `single_hardware` is left out of account.
        budget_s: largest worst-case latency in seconds.
        deadline: `time.perf_counter` value at which to give up.

    Raises:
        InapplicableError: there may be more count vectors than `MOST_VECTORS`.
    """
    scaled = scale_module(module, price, space)
    vectors = most_vectors(scaled, space.max_allocations)
    if vectors > MOST_VECTORS:
        raise InapplicableError(
            f"module {module.name} may have {plain(vectors, 2, ',')} vectors of machine counts; "
            f"enumeration stops at {MOST_VECTORS:,}, use exact"
        )
    frontier: list[ModuleChoice] = []
    needs = [_need(scaled, i, budget_s, strictly=False) for i in range(len(scaled.configurations))]
    # By rising cost, so that a plan is kept exactly if it is faster than every cheaper one.
    for counts in sorted(all_counts(scaled, space, deadline)):
        # If machines share a rate, or under a user's policy, there are no least rates, only latencies of plans.
        if scaled.even or scaled.general is not None:
            latency = worst_latency(scaled, counts)
            kept = latency < frontier[-1].latency_s if frontier else latency <= budget_s
        else:
            kept = all(rate >= needs[i] for i, rate in collection_rates(scaled, counts))
            if kept:
                latency = worst_latency(scaled, counts)
        if kept:
            # As cheap as the last one and faster: the last one goes.
            if frontier and frontier[-1].cost_per_h * scaled.cost_scale == counts.cost:
                frontier.pop()
            frontier.append(_choice(scaled, counts, latency))
            # From here on only strictly faster plans are kept.
            needs = [_need(scaled, i, latency, strictly=True) for i in range(len(scaled.configurations))]
    return frontier


def _need(scaled: ScaledModule, i: int, latency_s: Fraction, *, strictly: bool) -> float:
    """The least scaled rate at which configuration i stays within (strictly: below) a latency; inf: none."""
    configuration = scaled.configurations[i]
    collecting_s = latency_s - configuration.duration_s
    if collecting_s <= 0:
        return inf
    rate = configuration.batch * scaled.scale / collecting_s
    return floor(rate) + 1 if strictly else ceil(rate)


def _choice(scaled: ScaledModule, counts: Counts, latency_s: Fraction) -> ModuleChoice:
    """A closed plan with its latency in seconds, back on the scale of the input."""
    allocations = [Allocation(scaled.configurations[i], n) for i, n in counts.machines]
    allocations[-1] = replace(allocations[-1], partial_rps=Fraction(counts.partial, scaled.scale))
    plan = ModulePlan(tuple(allocations), Fraction(counts.dummy, scaled.scale))
    return ModuleChoice(latency_s, Fraction(counts.cost, scaled.cost_scale), plan)
