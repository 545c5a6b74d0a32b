"""Is any plan within limits cheaper than a cutoff? It lists the plans of modules, then combines them (ours).

All limits depend only on the number of machines of each type that a module has and is charged for, partial ones
included: stock and resources, machines added to and removed from the running ones, spare machines. So of a module's
plans with the same machines the fastest one is enough; a largest share is a rule on each module alone. The search lists
each module's plans once, in fractions, and combines them depth first. The checker prices each combination. The idle
machines of a module follow from its machines too. Machines that are paid for and not used follow from the sums.

Once the number of machines of each configuration is given, a plan has only one choice left: whether all are full. If
so, dummies fill the excess of their throughputs over the rate, where there are dummies; by share that is less than the
last machine's throughput. If not, one machine of the last configuration takes the rest of the rate, so the throughputs
exceed the rate by less than that machine's own. Where machines are charged whole and dummies of any rate may fill it,
it is as near to full as one likes (`euclio.proving.session.curves` says when). By share, dummies of any rate leave more
plans than can be listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lcm
from operator import add, mul
from typing import NamedTuple

import numpy as np

from euclio.core.certificate import Search
from euclio.problems.session.evaluate import evaluate
from euclio.problems.session.instance import Configuration, Session
from euclio.problems.session.plan import Allocation, ModulePlan, Plan
from euclio.problems.session.policies import Form
from euclio.problems.session.resources import machine_limits, usable_stock
from euclio.problems.session.space import PlanSpace
from euclio.proving.effort import Effort, GivenUpError, refuse_late
from euclio.proving.paths import path_after, through
from euclio.proving.session.curves import ModuleProver, counted, least_latency_bound, nearly_full, nearly_full_at
from euclio.proving.session.modules import ZERO, Offer, Ranked, fixed_latency, offer

TOO_MANY = "limits on machines leave too many plans to list"
MOST_LISTED = 300_000
"""Numbers of machines that the search looks at in one module."""
MOST_COMBINED = 3_000_000
"""Nodes of the search over combinations."""
LATE = 1 + 1e-9
"""A combination is late if floats exceed the SLO by more than their rounding; the checker decides the rest."""
Number = int | Fraction


class Kind(NamedTuple):
    """A module's fastest plan with some machines.

    Attributes:
        cost: money per hour of its machines, idle ones included, and of what is changed for them.
        changes: machines added and removed.
        latency: worst-case latency in seconds.
        counts: machines by type of hardware, as they are charged, idle ones included.
        plan: the plan.
    """

    cost: Fraction
    changes: int
    latency: Fraction
    counts: tuple[Number, ...]
    plan: ModulePlan


@dataclass(frozen=True, slots=True)
class Question:
    """The question to the search.

    Attributes:
        session: the instance.
        space: the plan space.
        modules: its modules within a part of the space.
        cutoff: cost per hour that a plan has to stay below; None means that any will do.
        charge: what spare machines cost per hour at least.
        deadline: `time.perf_counter` value at which to stop.
    """

    session: Session
    space: PlanSpace
    modules: Sequence[Ranked]
    cutoff: Fraction | None
    charge: Fraction
    deadline: float


def find_limited(question: Question) -> Search:
    """Search for a plan within the limits of the session."""
    session = question.session
    floors = [least_latency_bound(m) or ZERO for m in question.modules]
    paths = through(session, floors)
    kinds: list[list[Kind]] = []
    try:
        budgets = [session.slo_s - path + fastest for path, fastest in zip(paths, floors, strict=True)]
        least_costs = _least_costs(question, budgets)
        for m, budget in enumerate(budgets):
            below = None
            if question.cutoff is not None:
                below = question.cutoff - question.charge - sum(least_costs, ZERO) + least_costs[m]
            listed = list(kinds_of(question, m, budget, below))
            kinds.append(undominated(listed))
        return _combined(question, kinds)
    except GivenUpError as error:
        return Search(None, False, 0, str(error))


def _least_costs(question: Question, budgets: Sequence[Fraction]) -> list[Fraction]:
    """Least cost of each module per hour, without limits; 0 if costs do not matter or none is known.

    A module that leads to no objective may take longer than the SLO.
    """
    if question.cutoff is None:
        return [ZERO] * len(question.modules)
    provers = [ModuleProver(m, question.cutoff, ZERO, Effort(question.deadline)) for m in question.modules]
    slo, cutoff = question.session.slo_s, question.cutoff
    offers = [
        prover.cheapest(max(slo, budget), False, cutoff, ZERO) for prover, budget in zip(provers, budgets, strict=True)
    ]
    return [ZERO if offer is None else offer.cost for offer in offers]


def kinds_of(question: Question, m: int, budget: Fraction, below: Fraction | None) -> Iterator[Kind]:
    """The fastest plan of a module for each number of machines by type that may be of use."""
    session, own = question.session, question.modules[m]
    name = session.modules[m].name
    types = [h.name for h in session.hardware]
    running = session.running.counts if session.running else {}
    was = {h: running.get((name, h), 0) for h in types}
    price = session.change_price(name) if session.running else ZERO
    best: dict[tuple[int, tuple[Number, ...]], Kind] = {}
    for machines in _counts(question, own, name, was, budget, below):
        counts = _by_type(types, zip(own.configurations, machines, strict=True))
        changes = sum(abs(int(now) - then) for now, then in zip(counts, was.values(), strict=True))
        for found in _offers(session, own, machines):
            used = counts if own.whole else _by_type(types, map(_charged, found.plan.allocations))
            # A plan's cost follows from these.
            known = best.get((changes, used))
            if found.latency > budget or (known is not None and known.latency <= found.latency):
                continue
            idle = _idle(session, name, counts)
            cost = found.cost + price * changes
            cost += sum((n * h.price_per_h for n, h in zip(idle, session.hardware, strict=True)), ZERO)
            if below is None or cost < below:
                best[changes, used] = Kind(cost, changes, found.latency, tuple(map(add, used, idle)), found.plan)
    yield from best.values()


def _idle(session: Session, name: str, counts: Sequence[Number]) -> list[int]:
    """Idle machines of a module by type: what it lacks to its least number, of the cheapest type that it uses."""
    lacking = session.least_machines.get(name, 0) - int(sum(counts))
    found = [0] * len(counts)
    if lacking > 0:
        found[min((h.price_per_h, i) for i, h in enumerate(session.hardware) if counts[i])[1]] = lacking
    return found


def _by_type(types: Sequence[str], machines: Iterable[tuple[Configuration, Number]]) -> tuple[Number, ...]:
    """Machines by type of hardware, added up over configurations."""
    found: dict[str, Number] = dict.fromkeys(types, 0)
    for c, n in machines:
        found[c.hardware] += n
    return tuple(found.values())


def _charged(a: Allocation) -> tuple[Configuration, Fraction]:
    """A configuration and how many machines of it are charged, by share."""
    return a.configuration, a.machines + a.partial_rps / a.configuration.throughput_rps


def _offers(session: Session, m: Ranked, machines: Sequence[int]) -> Iterator[Offer]:
    """The plans that have so many machines by configuration, each of which leaves every group its largest share."""
    last = max(k for k, n in enumerate(machines) if n)
    fewer = [n - (k == last) for k, n in enumerate(machines)]
    for own in counted(m):
        full = offer(own, machines, -1, None)
        # Next to no dummies the last machine takes what the others leave; if that is nothing, there is no such machine.
        partial = None if own.filled else offer(own, fewer, last, None)
        if partial is not None and not partial.plan.allocations[-1].partial_rps:
            partial = None
        yield from (o for o in (full, partial) if o is not None and _shares_kept(session, m, o.plan))
    if last in nearly_full_at(m):
        others = tuple(Allocation(c, n) for c, n in zip(m.configurations, fewer, strict=True) if n)
        found = nearly_full(m, ModulePlan(others), last, _missing(session, m, last, others))
        if found is not None and _shares_kept(session, m, found.plan):
            yield found


def _most(session: Session, was: Mapping[str, int], whole: bool) -> dict[str, int]:
    """The most machines of each limited type that a module may have: what is there, and what changes add to its own."""
    most = usable_stock(session, whole=whole)
    changes = session.running.most_changes if session.running else None
    if changes is not None:
        for hardware in session.hardware:
            own = was.get(hardware.name, 0) + changes
            most[hardware.name] = min(own, most.get(hardware.name, own))
    return most


def _counts(
    question: Question, m: Ranked, name: str, was: Mapping[str, int], budget: Fraction, below: Fraction | None
) -> Iterator[list[int]]:
    """Numbers of machines by configuration that serve the rate and may keep the budget; the last in rank first.

    Where dummies fill no more than the last machine, all but that one stay below the rate together. Where dummies fill
    any number for nothing and latencies are fixed, the search skips needless machines of one configuration: those that
    serve the whole rate even without two of them, and outnumber those running and the module's least number. One less
    serves the rate and the shares, is in time, and takes no more of anything.

    Args:
        question: the question.
        m: the module.
        name: its name.
        was: machines of the module that run already, by type of hardware.
        budget: seconds that it may take.
        below: cost per hour that it has to stay below. None means that costs do not matter.
    """
    machines, looked, usable = [0] * len(m.configurations), 0, _most(question.session, was, m.whole)
    least = question.session.least_machines.get(name, 0)

    def walk(k: int, rate: Fraction, spent: Fraction, used: int, last: int) -> Iterator[list[int]]:
        nonlocal looked
        looked += 1
        if looked > MOST_LISTED:
            raise GivenUpError(TOO_MANY)
        if looked % 1000 == 0:
            refuse_late(question.deadline)
        if k < 0:
            if rate >= m.rate:
                yield list(machines)
            return
        yield from walk(k - 1, rate, spent, used, last)
        if used == m.most:
            return
        t, price, c = m.throughput[k], m.price[k], m.configurations[k]
        taken = sum(n for n, other in zip(machines, m.configurations, strict=True) if other.hardware == c.hardware)
        most = usable[c.hardware] - taken if c.hardware in usable else None
        n = _fewest(m, k, rate, budget)
        if n is None:
            return
        if m.filled and m.policy.form.by_configuration:
            enough = max(ceil(m.rate / t) + 1, was[c.hardware], least)
            most = enough if most is None else min(most, enough)
        # Nothing ends the list of machines that are neither limited nor cost anything, where dummies fill them.
        if most is None and (below is None or price == 0) and m.filled:
            raise GivenUpError(TOO_MANY)
        # No machines come after these.
        if k == 0 or used + 1 == m.most:
            n = max(n, ceil((m.rate - rate) / t))
        last = k if last < 0 else last
        # By share the last machine costs more than 0 and at most its price.
        spent -= price if last == k and not m.whole else 0
        # The rest of the rate costs at least its price at the best ratio; more machines here never lower it.
        while most is None or n <= most:
            left = max(ZERO, m.rate - rate - n * t) * m.unit_cost[0]
            if below is not None and spent + n * price + left >= below:
                break
            if not m.filled and rate + n * t >= m.rate + m.throughput[last]:
                break
            machines[k] = n
            yield from walk(k - 1, rate + n * t, spent + n * price, used + 1, last)
            n += 1
        machines[k] = 0

    yield from walk(len(machines) - 1, ZERO, ZERO, 0, -1)


def _fewest(m: Ranked, k: int, after: Fraction, budget: Fraction) -> int | None:
    """Fewest machines of a configuration that may keep a budget before machines of a rate; None if no number does."""
    c = m.configurations[k]
    if m.policy.form.by_configuration:
        latency = fixed_latency(m, k)
        # A single machine, which is not full, may be faster.
        if m.policy.form is Form.FIXED:
            latency = min(latency, c.duration_s + c.batch / m.throughput[k])
        return 1 if latency <= budget else None
    if c.duration_s >= budget:
        return None
    # In form `TIED` they may collect from machines of the same ratio before them as well.
    if m.policy.form is Form.TIED and m.group[k] != k:
        return 1
    return max(1, ceil((c.batch / (budget - c.duration_s) - after) / m.throughput[k]))


def _shares_kept(session: Session, m: Ranked, plan: ModulePlan) -> bool:
    """Whether without each group of types that may be taken away the other machines take enough of the requests."""
    return all(_taken(plan.allocations, group.hardware) >= (1 - group.share) * m.rate for group in session.share_groups)


def _taken(allocations: Sequence[Allocation], but: Sequence[str]) -> Fraction:
    """Requests per second that machines of all types but some take."""
    rates = (
        a.machines * a.configuration.throughput_rps + a.partial_rps
        for a in allocations
        if a.configuration.hardware not in but
    )
    return sum(rates, ZERO)


def _missing(session: Session, m: Ranked, k: int, full: Sequence[Allocation]) -> Fraction:
    """Requests per second that a machine of configuration k has to take for each group to keep to its largest share."""
    own = m.configurations[k].hardware
    groups = (group for group in session.share_groups if own not in group.hardware)
    needs = ((1 - group.share) * m.rate - _taken(full, group.hardware) for group in groups)
    return max(needs, default=ZERO)


def undominated(kinds: Sequence[Kind]) -> list[Kind]:
    """The kinds, cheapest first, without those that another one is no worse than in anything.

    Limits are on sums of cost, changes, latency and machines by type. So a kind that takes no more of any fits
    wherever the other does.
    """
    return [kinds[i] for i in undominated_rows([(k.cost, k.latency, k.changes, *k.counts) for k in kinds])]


def undominated_rows(numbers: Sequence[tuple[Number, ...]]) -> list[int]:
    """The rows that no other row is at most as large as in every column, in lexicographic order; of equal ones one."""
    if not numbers:
        return []
    rows = np.array([_places(column) for column in zip(*numbers, strict=True)], dtype=np.int64).T
    kept: list[int] = []
    for i in sorted(range(len(rows)), key=lambda i: tuple(rows[i])):
        if not kept or not (rows[kept] <= rows[i]).all(axis=1).any():
            kept.append(i)
    return kept


def _places(column: Sequence[Number]) -> list[int]:
    """For each number of a column, how many smaller ones there are in it."""
    place = {number: i for i, number in enumerate(sorted(set(column)))}
    return [place[number] for number in column]


def _combined(question: Question, kinds: Sequence[Sequence[Kind]]) -> Search:
    """One kind per module, depth first in the order of the DAG; sums that can only grow cut what exceeds a limit."""
    session, order = question.session, question.session.order
    if not all(kinds):
        return Search(None, True, 0)
    scale = lcm(*(k.cost.denominator for row in kinds for k in row))
    cost = [[int(k.cost * scale) for k in row] for row in kinds]
    late = [[float(k.latency) for k in row] for row in kinds]
    room = None if question.cutoff is None else ceil((question.cutoff - question.charge) * scale)
    takes: list[list[tuple[Number, ...]]] = [
        [(c, k.changes, *k.counts) for c, k in zip(*rows, strict=True)] for rows in zip(cost, kinds, strict=True)
    ]
    rest = _least_after(order, takes)
    fits, paid = fitting(session), _paid(session)
    tails = path_after(session, [min(row) for row in late])
    waits = [[(p, float(session.delay_between(p, m))) for p in own] for m, own in enumerate(session.parents())]
    slo, nodes = float(session.slo_s) * LATE, 0
    chosen, finish = [0] * len(kinds), [0.0] * len(kinds)

    def walk(depth: int, before: tuple[Number, ...]) -> Iterator[Plan]:
        nonlocal nodes
        if depth == len(order):
            yield Plan(tuple(row[i].plan for row, i in zip(kinds, chosen, strict=True)))
            return
        m = order[depth]
        start = max((finish[p] + delay for p, delay in waits[m]), default=0.0)
        for i, own in enumerate(takes[m]):
            nodes += 1
            if nodes > MOST_COMBINED:
                raise GivenUpError(TOO_MANY)
            if nodes % 10_000 == 0:
                refuse_late(question.deadline)
            now = tuple(map(add, before, own))
            least = tuple(map(add, now, rest[depth + 1]))
            # Kinds come by cost: none after this one is cheaper.
            if room is not None and least[0] >= room:
                break
            if question.cutoff is not None and paid(least[2:]) >= question.cutoff:
                continue
            finish[m], chosen[m] = start + late[m][i], i
            if finish[m] + tails[m] <= slo and fits(least[1], least[2:]):
                yield from walk(depth + 1, now)

    for plan in walk(0, (0,) * (2 + len(session.hardware))):
        refuse_late(question.deadline)
        value = evaluate(session, plan, question.space)
        cheaper = value.cost_per_h is not None and (question.cutoff is None or value.cost_per_h < question.cutoff)
        if value.feasible and cheaper:
            return Search(plan, False, nodes)
    return Search(None, True, nodes)


def fitting(session: Session) -> Callable[[Number, Sequence[Number]], bool]:
    """Whether changes and machines by type may be within the limits; spare machines are left to the checker."""
    most = session.running.most_changes if session.running else None
    limits = [
        (limit.capacity, [limit.takes.get(h.name, ZERO) for h in session.hardware]) for limit in machine_limits(session)
    ]

    def fits(changes: Number, counts: Sequence[Number]) -> bool:
        if most is not None and changes > most:
            return False
        return all(sum(map(mul, takes, counts), ZERO) <= capacity for capacity, takes in limits)

    return fits


def _paid(session: Session) -> Callable[[Sequence[Number]], Number]:
    """The least cost per hour of so many machines by type and more, of which some are paid for, used or not."""
    each = [(h.at_least or 0, h.price_per_h) for h in session.hardware]
    if not session.at_least:
        return lambda counts: 0
    return lambda counts: sum((max(k, n) * price for (k, price), n in zip(each, counts, strict=True)), ZERO)


def _least_after(order: Sequence[int], rows: Sequence[Sequence[tuple[Number, ...]]]) -> list[tuple[Number, ...]]:
    """Least totals of the modules from each place of an order on, column by column."""
    width = len(rows[0][0])
    least: list[tuple[Number, ...]] = [(0,) * width]
    for m in reversed(order):
        own = tuple(min(column) for column in zip(*rows[m], strict=True))
        least.append(tuple(map(add, own, least[-1])))
    return least[::-1]
