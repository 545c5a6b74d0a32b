"""Is any plan with shared machines cheaper than a cutoff? It goes through all ways to share them (ours).

A *pattern* says which modules share a machine, and of which hardware type it is; other modules have machines of their
own. Patterns are built module by module. One is dropped if its machines and the least costs of its modules reach the
cutoff. It is also dropped if the least shares of time fill a machine, or if the least latencies miss the SLO. In each
pattern that is left, every module gets each of its plans in turn. There are finitely many:

- on machines of its own, those that are cheaper than all faster ones (`euclio.proving.session.curves`), or within a
  stock and resources the fastest one for each number of machines (`euclio.proving.session.machine_limits`);
- next to a partial machine on a shared one, all numbers of whole machines that leave it a rate.

A module waits on a shared machine for one batch of each other module there. Floats only drop what misses the SLO or the
time of a machine by more than their rounding. The checker decides every plan that is left. Dropped plans of a module
are no better in any number than one that is kept, compared exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import NamedTuple

from euclio.core.certificate import Search
from euclio.problems.session.evaluate import evaluate
from euclio.problems.session.instance import Session
from euclio.problems.session.plan import Allocation, ModulePlan, Plan
from euclio.problems.session.policies import Form
from euclio.problems.session.resources import machine_limits, usable_stock
from euclio.problems.session.space import PlanSpace
from euclio.proving.effort import Effort, GivenUpError
from euclio.proving.paths import around, through
from euclio.proving.session.curves import ModuleProver
from euclio.proving.session.machine_limits import (
    LATE,
    Number,
    Question,
    fitting,
    kinds_of,
    undominated,
    undominated_rows,
)
from euclio.proving.session.modules import ZERO, Ranked, whole_latency

MOST_ALONE = 2_000
"""Plans on machines of its own that a module may have."""
CLOSE = 1 + 1e-13
"""Costs that exceed the cutoff by less than this share may be below it, since a few floats are added up."""
ALONE = ""
"""The hardware type of a module without a shared machine."""


class Part(NamedTuple):
    """A plan of one module.

    Attributes:
        cost: money per hour for its machines except the shared one.
        whole_s: latency of these in seconds, 0 if there are none.
        own_s: latency of the partial machine without waits; 0 if there is none, like the next three.
        duration_s: seconds that one of its batches takes.
        busy: share of the time that it works.
        memory_mb: memory of its model, 0 if that of the machine is unknown.
        counts: machines by type except the shared one, where a stock or a resource limits them; else none.
        plan: the plan.
    """

    cost: Fraction
    whole_s: Fraction
    own_s: Fraction
    duration_s: Fraction
    busy: Fraction
    memory_mb: Fraction
    counts: tuple[Number, ...]
    plan: ModulePlan


class Row(NamedTuple):
    """The numbers of a `Part` as floats but for `counts`, and the part."""

    cost: float
    whole_s: float
    own_s: float
    duration_s: float
    busy: float
    memory_mb: float
    counts: tuple[Number, ...]
    part: Part

    def latency_s(self, wait_s: float) -> float:
        """Latency in seconds if batches of the partial machine wait so long for others."""
        return max(self.whole_s, self.own_s + wait_s) if self.own_s else self.whole_s


Pattern = tuple[tuple[str, tuple[int, ...]], ...]
"""The hardware type and the modules of each shared machine."""


def shares(space: PlanSpace) -> bool:
    """Whether modules may share machines: their partial machines collect batches from their own rates."""
    return space.charging.packs and space.policy.form in (Form.LEFT, Form.FIXED)


def find_shared(
    session: Session, space: PlanSpace, modules: Sequence[Ranked], cutoff: Fraction | None, deadline: float
) -> Search:
    """Search for a plan with a shared machine that costs less than a cutoff.

    Args:
        session: the instance, without other limits on machines than a stock and resources.
        space: plan space with a countable dummy rule.
        modules: its modules within a part of the plan space.
        cutoff: cost per hour, above 0; None means that any plan is better.
        deadline: `time.perf_counter` value at which to stop.
    """
    effort = Effort(deadline)
    # A part of the plan space may leave a module no machine: it has no plan.
    if any(not module.configurations for module in modules):
        return Search(None, True, 0)
    try:
        below = _more_than_all(session, modules) if cutoff is None else cutoff
        search = _Sharing(session, space, modules, below, effort)
        for plan in search.candidates():
            value = evaluate(session, plan, space)
            if value.feasible and value.cost_per_h is not None and value.cost_per_h < below:
                return Search(plan, False, effort.nodes)
    except GivenUpError as error:
        return Search(None, False, effort.nodes, str(error))
    return Search(None, True, effort.nodes)


@dataclass(slots=True)
class _Sharing:
    """The search of one session.

    Attributes:
        session: the instance.
        space: the plan space.
        modules: its modules within it.
        cutoff: cost per hour that a plan has to stay below.
        effort: deadline and count of nodes.
        rows: plans of each module by type of the shared machine, `ALONE` first, by rising cost.
    """

    session: Session
    space: PlanSpace
    modules: Sequence[Ranked]
    cutoff: Fraction
    effort: Effort
    rows: list[dict[str, list[Row]]] = field(default_factory=list)
    _memory: dict[str, Fraction | None] = field(init=False)
    _limited: bool = field(init=False)
    _fits: Callable[[Number, Sequence[Number]], bool] = field(init=False)

    def __post_init__(self) -> None:
        """List the plans of all modules."""
        self._memory = {h.name: h.memory_mb for h in self.session.hardware}
        self._limited, self._fits = bool(machine_limits(self.session)), fitting(self.session)
        shortest = [self._shortest(m) for m in self.modules]
        floors = [min(own.values(), default=ZERO) for own in shortest]
        budgets = [self.session.slo_s - rest for rest in around(self.session, floors)]
        # No machines serve a module's rate for less than its best ratio.
        least = [m.rate * min(m.unit_cost, default=ZERO) for m in self.modules]
        self.rows = [{} for _ in self.modules]
        # Modules of many machines have the most plans. They come last, when more is known of what the others cost.
        for i in sorted(
            range(len(least)), key=lambda i: self.modules[i].rate / max(self.modules[i].throughput, default=1)
        ):
            m, below = self.modules[i], self.cutoff - sum(least, ZERO) + least[i]
            others = [own for j, own in enumerate(shortest) if j != i]
            alone = self._within_limits if self._limited else self._alone
            found = {ALONE: alone(i, budgets[i], below)}
            for name in self._memory:
                wait = min((own[name] for own in others if name in own), default=None)
                if wait is not None:
                    found[name] = undominated_parts(self._partial(m, name, budgets[i], wait, below))
            price = {ALONE: ZERO, **self.session.price}
            costs = [part.cost + part.busy * price[name] for name, parts in found.items() for part in parts]
            least[i] = max(least[i], min(costs, default=self.cutoff))
            self.rows[i] = {name: sorted(map(_row, parts), key=lambda r: r.cost) for name, parts in found.items()}

    def candidates(self) -> Iterator[Plan]:
        """Plans with a shared machine, at least all that cost less than the cutoff and are not dropped for another."""
        for pattern in self._patterns(0, ()):
            rows = self._left(pattern, len(self.modules))
            if rows is not None:
                groups = tuple(own for _, own in pattern)
                for chosen in self._chosen(pattern, rows, _Least.of(rows), ()):
                    yield Plan(tuple(row.part.plan for row in chosen), groups)

    def _shortest(self, m: Ranked) -> dict[str, Fraction]:
        """The shortest duration of a module on each type."""
        found: dict[str, Fraction] = {}
        for c in m.configurations:
            found[c.hardware] = min(c.duration_s, found.get(c.hardware, c.duration_s))
        return found

    def _within_limits(self, i: int, budget: Fraction, below: Fraction) -> list[Part]:
        """The plans of module i on machines of its own, the fastest one for each number of machines by type."""
        question = Question(self.session, self.space, self.modules, self.cutoff, ZERO, self.effort.deadline)
        kinds = undominated(list(kinds_of(question, i, budget, below)))
        return [Part(k.cost, k.latency, ZERO, ZERO, ZERO, ZERO, k.counts, k.plan) for k in kinds]

    def _alone(self, i: int, budget: Fraction, below: Fraction) -> list[Part]:
        """The plans of module i on machines of its own that are cheaper than all faster ones."""
        prover, parts, strict = ModuleProver(self.modules[i], self.cutoff, ZERO, self.effort), list[Part](), False
        while budget > 0:
            found = prover.cheapest(budget, strict, below, parts[-1].cost if parts else ZERO)
            if found is None:
                break
            if parts and parts[-1].cost >= found.cost:
                parts.pop()
            parts.append(Part(found.cost, found.latency, ZERO, ZERO, ZERO, ZERO, (), found.plan))
            budget, strict = found.latency, True
            if len(parts) > MOST_ALONE:
                raise GivenUpError("a module has too many plans on machines of its own")
        return parts

    def _partial(self, m: Ranked, name: str, budget: Fraction, wait: Fraction, below: Fraction) -> Iterator[Part]:
        """The module's plans with a partial machine of a type, where batches wait for `wait` seconds at least."""
        scale = lcm(m.rate.denominator, *(t.denominator for t in m.throughput))
        taken = [int(t * scale) for t in m.throughput]
        money = lcm(
            below.denominator, *(p.denominator for p in m.price), *((u / scale).denominator for u in m.unit_cost)
        )
        price, per_unit = [int(p * money) for p in m.price], [int(u / scale * money) for u in m.unit_cost]
        limit, chosen = int(below * money), list[tuple[int, int]]()
        full = [_need(m, k, budget, scale, full=True) for k in range(len(taken))]
        partial = [_need(m, k, budget - wait, scale, full=False) for k in range(len(taken))]

        def walk(first: int, left: int, spent: int) -> Iterator[tuple[list[tuple[int, int]], int]]:
            for k in range(first, len(taken)):
                self.effort.step()
                # The rest costs at least its price at this ratio, at later ones no less.
                if spent + per_unit[k] * left >= limit:
                    return
                n, rest = divmod(left, taken[k])
                if rest >= partial[k] and rest and (n == 0 or left >= full[k]):
                    yield [*chosen, (k, n)], rest
                if left < full[k] or len(chosen) + 2 > m.most:
                    continue
                # Machines that take the rate exactly leave nothing for a partial one.
                for count in range(n if rest else n - 1, 0, -1):
                    chosen.append((k, count))
                    yield from walk(k + 1, left - count * taken[k], spent + count * price[k])
                    chosen.pop()

        for machines, rest in walk(0, int(m.rate * scale), 0):
            k = machines[-1][0]
            if m.configurations[k].hardware == name:
                part = self._part(m, machines, Fraction(rest, scale))
                if part is not None and part.cost + part.busy * m.price[k] < below:
                    yield part

    def _part(self, m: Ranked, chosen: list[tuple[int, int]], rate: Fraction) -> Part | None:
        """The plan with a partial machine of the last configuration chosen; None if it cannot share a machine."""
        k = chosen[-1][0]
        c = m.configurations[k]
        busy, memory = c.duration_s * rate / c.batch, ZERO
        if self._memory[c.hardware] is not None:
            if c.memory_mb is None:
                return None
            memory = c.memory_mb
        if busy > 1:
            return None
        cost, slow, left = ZERO, ZERO, m.rate
        for i, n in chosen:
            slow = max(slow, whole_latency(m, i, left)) if n else slow
            cost, left = cost + n * m.price[i], left - n * m.throughput[i]
        allocations = tuple(Allocation(m.configurations[i], n, rate if i == k else ZERO) for i, n in chosen)
        counts = tuple(
            sum(a.machines for a in allocations if a.configuration.hardware == name) for name in self._memory
        )
        counts = counts if self._limited else ()
        own_s, plan = c.duration_s + c.batch / rate, ModulePlan(allocations)
        return Part(cost, slow, own_s, c.duration_s, busy, memory, counts, plan)

    def _patterns(self, m: int, pattern: Pattern) -> Iterator[Pattern]:
        """The patterns whose first m modules are placed as given, and that may cost less than the cutoff."""
        self.effort.step()
        if self._left(pattern, m) is None:
            return
        if m == len(self.modules):
            if pattern and all(len(own) > 1 for _, own in pattern):
                yield pattern
            return
        yield from self._patterns(m + 1, pattern)
        for place, (name, own) in enumerate(pattern):
            if self.rows[m].get(name):
                yield from self._patterns(m + 1, (*pattern[:place], (name, (*own, m)), *pattern[place + 1 :]))
        for name, rows in self.rows[m].items():
            if name != ALONE and rows:
                yield from self._patterns(m + 1, (*pattern, (name, (m,))))

    def _left(self, pattern: Pattern, placed: int) -> list[list[Row]] | None:
        """The rows of each module that a plan of a pattern below the cutoff may have; None if some module has none.

        Args:
            pattern: the shared machines.
            placed: how many modules, from the first on, it places. Others may be anywhere.
        """
        names = {i: name for name, own in pattern for i in own}
        rows = [self.rows[i].get(names.get(i, ALONE), []) for i in range(placed)]
        rows += [[row for own in some.values() for row in own] for some in self.rows[placed:]]
        room = float(self.cutoff) * CLOSE - sum(float(self.session.price[name]) for name, _ in pattern)
        while all(rows):
            least = _Least.of(rows)
            waits, fits = self._waits(pattern, least)
            if not fits:
                return None
            fastest = [min(row.latency_s(wait) for row in own) for own, wait in zip(rows, waits, strict=True)]
            windows = [float(self.session.slo_s) * LATE - rest for rest in around(self.session, fastest)]
            spare = room - sum(least.cost)
            kept = [
                [r for r in own if r.cost < spare + cost and r.latency_s(wait) <= window]
                for own, cost, wait, window in zip(rows, least.cost, waits, windows, strict=True)
            ]
            # Fewer rows may wait longer at least, and leave the others less.
            if sum(map(len, kept)) == sum(map(len, rows)):
                return kept
            rows = kept
        return None

    def _chosen(
        self, pattern: Pattern, rows: Sequence[Sequence[Row]], least: _Least, chosen: tuple[Row, ...]
    ) -> Iterator[tuple[Row, ...]]:
        """Rows of all modules, the first of which are given, that may cost less than the cutoff and keep all limits."""
        self.effort.step()
        m = len(chosen)
        if m == len(rows):
            yield chosen
            return
        room = float(self.cutoff) * CLOSE - sum(float(self.session.price[name]) for name, _ in pattern)
        room -= sum(row.cost for row in chosen) + sum(least.cost[m + 1 :])
        for row in rows[m]:
            # Rows come by rising cost.
            if row.cost >= room:
                return
            now = (*chosen, row)
            waits, fits = self._waits(pattern, least.after(now))
            if fits and self._are_there(pattern, now) and self._in_time(now, waits, rows):
                yield from self._chosen(pattern, rows, least, now)

    def _waits(self, pattern: Pattern, least: _Least) -> tuple[list[float], bool]:
        """Seconds that each module waits for others at least; whether machines may have the time and the memory."""
        waits = [0.0] * len(self.modules)
        for name, own in pattern:
            memory, batches = self._memory[name], sum(least.duration_s[i] for i in own)
            if sum(least.busy[i] for i in own) > LATE:
                return waits, False
            if memory is not None and sum(least.memory_mb[i] for i in own) > float(memory) * LATE:
                return waits, False
            for i in own:
                waits[i] = batches - least.duration_s[i]
        return waits, True

    def _are_there(self, pattern: Pattern, chosen: Sequence[Row]) -> bool:
        """Whether stock and resources have the shared machines and those of the modules that have a row."""
        shared = [name for name, _ in pattern]
        used = (sum(column) for column in zip(*(row.counts for row in chosen), strict=True))
        return self._fits(0, [n + shared.count(name) for name, n in zip(self._memory, used, strict=False)])

    def _in_time(self, chosen: Sequence[Row], waits: Sequence[float], rows: Sequence[Sequence[Row]]) -> bool:
        """Whether no path misses the SLO by more than rounding, if the other modules take their fastest rows."""
        latencies = [row.latency_s(wait) for row, wait in zip(chosen, waits, strict=False)]
        for own, wait in zip(rows[len(chosen) :], waits[len(chosen) :], strict=True):
            latencies.append(min(row.latency_s(wait) for row in own))
        return max(through(self.session, latencies)) <= float(self.session.slo_s) * LATE


@dataclass(frozen=True, slots=True)
class _Least:
    """The least number of each kind that rows of each module have; attributes as of `Row`."""

    cost: tuple[float, ...]
    duration_s: tuple[float, ...]
    busy: tuple[float, ...]
    memory_mb: tuple[float, ...]

    @classmethod
    def of(cls, rows: Sequence[Sequence[Row]]) -> _Least:
        """The least numbers of some rows."""
        columns = ("cost", "duration_s", "busy", "memory_mb")
        return cls(*(tuple(min(getattr(row, name) for row in own) for own in rows) for name in columns))

    def after(self, chosen: Sequence[Row]) -> _Least:
        """The numbers where the first modules have rows that are chosen."""
        m = len(chosen)
        return _Least(
            self.cost,
            (*(row.duration_s for row in chosen), *self.duration_s[m:]),
            (*(row.busy for row in chosen), *self.busy[m:]),
            (*(row.memory_mb for row in chosen), *self.memory_mb[m:]),
        )


def undominated_parts(parts: Iterator[Part]) -> list[Part]:
    """The parts without those that another one of the same type is no worse than in anything."""
    found = list(parts)
    return [found[i] for i in undominated_rows([(*part[:-2], *part.counts) for part in found])]


def _need(m: Ranked, k: int, budget: Fraction, scale: int, *, full: bool) -> float:
    """The least rate that a full or a partial machine needs to be in time, times `scale`; infinite if none will do."""
    c = m.configurations[k]
    if full and m.policy.form.by_configuration:
        return 0 if whole_latency(m, k, m.rate) <= budget else math.inf
    return math.ceil(c.batch * scale / (budget - c.duration_s)) if budget > c.duration_s else math.inf


def _row(part: Part) -> Row:
    cost, whole_s, own_s, duration_s, busy, memory_mb = map(float, part[:-2])
    return Row(cost, whole_s, own_s, duration_s, busy, memory_mb, part.counts, part)


def _more_than_all(session: Session, modules: Sequence[Ranked]) -> Fraction:
    """More than any plan of interest costs per hour: of more machines some are needless.

    Raises:
        GivenUpError: nothing limits the machines of a type that dummies may fill.
    """
    most = usable_stock(session)
    if modules[0].filled and any(c.hardware not in most for m in modules for c in m.configurations):
        raise GivenUpError("nothing limits the number of machines")
    # Without dummies a module has at most as many machines of a configuration as its rate fills, and a partial one.
    needed = sum(math.ceil(m.rate / t) + 1 for m in modules for t in m.throughput)
    return 1 + sum((min(needed, most.get(h.name, needed)) * h.price_per_h for h in session.hardware), ZERO)
