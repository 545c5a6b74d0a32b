"""Exact view of one module within a plan space: configurations by rank, costs and latencies of counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import assert_never

from euclio.problems.session.instance import Configuration, Module, Session
from euclio.problems.session.plan import Allocation, ModulePlan
from euclio.problems.session.policies import Form, Policy
from euclio.problems.session.rules import DummyRule
from euclio.problems.session.space import PlanSpace
from euclio.proving.paths import ends

ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A module's allowed configurations, best throughput-cost ratio first; every number is exact.

    Attributes:
        rate: request rate in requests per second.
        configurations: the allowed configurations.
        throughput: requests per second of a full machine, per configuration.
        price: money per machine-hour, per configuration.
        unit_cost: price over throughput, per configuration.
        group: number of the ratio, equal for equal ratios, per configuration.
        policy: dispatch policy.
        dummy: dummy rule.
        most: most allocations.
        whole: whether machines are charged whole.
        instant: seconds that stand for "as little longer as one likes" (`ranked_modules`); 0 if no plan needs it.
    """

    rate: Fraction
    configurations: tuple[Configuration, ...]
    throughput: tuple[Fraction, ...]
    price: tuple[Fraction, ...]
    unit_cost: tuple[Fraction, ...]
    group: tuple[int, ...]
    policy: Policy
    dummy: DummyRule
    most: int
    whole: bool = False
    instant: Fraction = ZERO

    @property
    def filled(self) -> bool:
        """Whether dummies fill machines for nothing; then plans of full machines are searched by themselves."""
        return self.whole and self.dummy.adds

    @property
    def stepped(self) -> bool:
        """Whether latencies of plans that cost less than a cutoff have steps, so that there is a next slower plan."""
        return self.whole or self.dummy.countable


@dataclass(frozen=True, slots=True)
class Offer:
    """A plan of one module: its cost per hour and its worst-case latency in seconds, both exact."""

    cost: Fraction
    latency: Fraction
    plan: ModulePlan


def ranked(module: Module, space: PlanSpace, price: dict[str, Fraction]) -> Ranked:
    """The configurations of a module that a plan space allows, in rank order."""
    rows = sorted(
        (
            price[c.hardware] * c.duration_s / (c.batch * c.concurrency),
            c.duration_s,
            c.batch,
            c.hardware,
            c.concurrency,
            i,
        )
        for i, c in enumerate(module.profile)
        if space.allows(c.hardware, c.batch, c.concurrency)
    )
    chosen = tuple(module.profile[row[-1]] for row in rows)
    costs = tuple(row[0] for row in rows)
    group: list[int] = []
    for i, cost in enumerate(costs):
        group.append(group[-1] if i and cost == costs[i - 1] else i)
    return Ranked(
        rate=module.rate_rps,
        configurations=chosen,
        throughput=tuple(Fraction(c.batch * c.concurrency) / c.duration_s for c in chosen),
        price=tuple(price[c.hardware] for c in chosen),
        unit_cost=costs,
        group=tuple(group),
        policy=space.policy,
        dummy=space.dummy,
        most=len(chosen) if space.max_allocations is None else min(space.max_allocations, len(chosen)),
        whole=space.charging.whole,
    )


def ranked_modules(session: Session, space: PlanSpace) -> list[Ranked]:
    """The modules of a session within a plan space.

    If dummies of any rate may fill a machine up to nearly its throughput, and it is faster the nearer it comes, no plan
    attains the least latency d + d/e. All other latencies are 2d then. They are multiples of 1/D together with these,
    the SLO, and the delays and ends of paths. Let each such machine take an instant more, 1/(D·(M + 1)) with M modules.
    Then a path's sum with these instants is at most the SLO exactly if plans attain it: if the sum without them is at
    most the SLO, or below it where there is such a machine.
    """
    modules = [ranked(module, space, session.price) for module in session.modules]
    if all(full_machines_suffice(m) or not m.filled or m.dummy.countable for m in modules):
        return modules
    numbers = [session.slo_s, *session.delay_s.values(), *(end for end in ends(session) if end is not None)]
    for m in modules:
        numbers += [d for c in m.configurations for d in (c.duration_s, c.duration_s / c.concurrency)]
    instant = Fraction(1, math.lcm(*(number.denominator for number in numbers)) * (len(modules) + 1))
    return [replace(m, instant=instant) for m in modules]


def full_machines_suffice(m: Ranked) -> bool:
    """Whether some cheapest plan of whole machines has none that is not full, within every budget.

    A machine that is charged whole can be filled with dummies for nothing, where the rule allows them. That slows no
    machine down: those before it collect from more, and it collects faster itself. Only `rr` lets a full machine that
    works on several batches at a time take longer, 2d, than one that collects its own batch while others are at work.
    """
    if m.policy.name == "rr" and any(c.concurrency > 1 for c in m.configurations):
        return False
    return m.filled


def whole_latency(m: Ranked, k: int, collecting: Fraction) -> Fraction:
    """Worst-case latency of a full machine; `collecting` is the rate that its batch is collected at."""
    if m.policy.form.by_configuration:
        return fixed_latency(m, k)
    c = m.configurations[k]
    return c.duration_s + c.batch / collecting


def fixed_latency(m: Ranked, k: int) -> Fraction:
    """Worst-case latency of a full machine where its configuration alone decides it; independent of the checker's."""
    c = m.configurations[k]
    match m.policy.name:
        case "rr" | "rr-even" | "shared-queue":
            return 2 * c.duration_s
        case "machine-rate" | "machine-rate-even" | "load-balancer":
            return c.duration_s + c.batch / m.throughput[k]
        case name:
            raise AssertionError(f"the prover has no formula for policy {name!r}")


def share_need(m: Ranked, k: int, budget: Fraction) -> Fraction:
    """Rate that each machine of the last allocation needs in form `EVEN` within a budget longer than the duration.

    n machines that share the rate R take d·(1 + n·t/R) or d + b·n/R, with d·t = b·e in the first case.
    """
    c = m.configurations[k]
    match m.policy.name:
        case "rr-even" | "shared-queue":
            requests = c.batch * c.concurrency
        case "machine-rate-even" | "load-balancer":
            requests = c.batch
        case name:
            raise AssertionError(f"the prover has no formula for policy {name!r}")
    return requests / (budget - c.duration_s)


def _shared_latency(m: Ranked, k: int, machines: int, rate: Fraction) -> Fraction:
    """Worst-case latency of machines of configuration k that share a rate evenly, in form `EVEN`."""
    c = m.configurations[k]
    full = fixed_latency(m, k)
    return c.duration_s + (full - c.duration_s) * machines * m.throughput[k] / rate


def offer(m: Ranked, machines: Sequence[int], partial_at: int, budget: Fraction | None) -> Offer | None:
    """Price counts of whole machines exactly.

    Args:
        m: the module.
        machines: whole machines per configuration.
        partial_at: configuration of the partial machine (no later one is used); -1 means none.
        budget: latency in seconds for which rule `continuous` may fill the partial machine; otherwise unused.

    Returns:
        The plan, or None where the counts make none under the dummy rule.
    """
    used = [k for k, n in enumerate(machines) if n or k == partial_at]
    # A module has a rate, so it needs some machine.
    if not used:
        return None
    if m.filled:
        return _full_machines(m, machines, used)
    last = used[-1]
    whole = sum((machines[k] * m.throughput[k] for k in used), ZERO)
    if not m.dummy.countable:
        assert budget is not None
        partial = _least_partial(m, machines, used, partial_at, whole, budget)
    else:
        partial = max(ZERO, m.rate - whole)
        partial_at = last if partial else -1
    # A full partial machine is a whole one, and a last configuration needs machines: other counts cover both.
    if partial is None or partial >= m.throughput[last] or (partial == 0 and not machines[last]):
        return None
    dummy = max(ZERO, whole + partial - m.rate)
    # The relaxation lets counts through that serve a little too little.
    if whole + partial < m.rate:
        return None
    match m.dummy:
        case DummyRule.NONE:
            refused = dummy > ZERO
        case DummyRule.MACHINE:
            refused = dummy >= m.throughput[last]
        case DummyRule.CONTINUOUS:
            refused = False
        case _:
            assert_never(m.dummy)
    if refused:
        return None
    cost = sum((machines[k] * m.price[k] for k in used), ZERO)
    if partial:
        cost += m.price[last] if m.whole else partial * m.unit_cost[last]
    allocations = tuple(Allocation(m.configurations[k], machines[k], partial if k == last else ZERO) for k in used)
    return Offer(cost, _latency(m, machines, used, partial, whole), ModulePlan(allocations, dummy))


def _full_machines(m: Ranked, machines: Sequence[int], used: list[int]) -> Offer | None:
    """Price machines that are all full: dummies fill the rest of them."""
    served = sum((machines[k] * m.throughput[k] for k in used), ZERO)
    # The relaxation lets counts through that serve a little too little.
    if served < m.rate:
        return None
    cost = sum((machines[k] * m.price[k] for k in used), ZERO)
    allocations = tuple(Allocation(m.configurations[k], machines[k], ZERO) for k in used)
    return Offer(cost, _latency(m, machines, used, ZERO, served), ModulePlan(allocations, served - m.rate))


def _latency(m: Ranked, machines: Sequence[int], used: list[int], partial: Fraction, whole: Fraction) -> Fraction:
    worst, rest = ZERO, whole + partial
    shared, group = rest, -1
    for k in used:
        # A new ratio: all its machines collect from what is left here.
        if m.group[k] != group:
            shared, group = rest, m.group[k]
        collecting = shared if m.policy.form is Form.TIED else rest
        if machines[k]:
            worst = max(worst, whole_latency(m, k, collecting))
        rest -= machines[k] * m.throughput[k]
    if partial:
        last = used[-1]
        if m.policy.form is Form.EVEN:
            taken = machines[last] * m.throughput[last] + partial
            return max(worst, _shared_latency(m, last, machines[last] + 1, taken))
        c = m.configurations[last]
        worst = max(worst, c.duration_s + c.batch / (shared if m.policy.form is Form.TIED else partial))
    return worst


def _least_partial(
    m: Ranked, machines: Sequence[int], used: list[int], partial_at: int, whole: Fraction, budget: Fraction
) -> Fraction | None:
    """The least rate of the partial machine with which every machine keeps the budget; None if there is none.

    Whole machines alone may take more than the rate; then dummies fill them up.
    """
    # No rate makes a machine faster than its own duration.
    if any(m.configurations[k].duration_s >= budget for k in used):
        return None
    least, rest = max(ZERO, m.rate - whole), whole
    shared, group = rest, -1
    for k in used:
        if m.group[k] != group:
            shared, group = rest, m.group[k]
        c = m.configurations[k]
        need = c.batch / (budget - c.duration_s)
        if m.policy.form is Form.EVEN and k == partial_at:
            need = (machines[k] + 1) * share_need(m, k, budget) - machines[k] * m.throughput[k]
        if m.policy.form is Form.TIED:
            least = max(least, need - shared)
        elif k == partial_at:
            least = max(least, need)
        if m.policy.form is Form.LEFT and machines[k]:
            least = max(least, need - rest)
        rest -= machines[k] * m.throughput[k]
    # Without a partial machine nothing more can be bought.
    if partial_at < 0:
        return ZERO if least == 0 else None
    return least
