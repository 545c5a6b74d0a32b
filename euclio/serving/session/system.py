"""The system that serves a session's plan: numbered machines, targets, modules; times in ticks of its clock."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from euclio.core.errors import InputError
from euclio.core.parameters import verb_text
from euclio.core.words import full
from euclio.problems.session.evaluate import Evaluation, ModuleEvaluation, evaluate, machine_latencies
from euclio.problems.session.instance import Configuration, Module, Session
from euclio.problems.session.latency.of_requests import per_request, unevenness
from euclio.problems.session.packing import broken_groups
from euclio.problems.session.plan import ModulePlan, Plan
from euclio.problems.session.policies import Policy
from euclio.problems.session.services import request_rate, streams
from euclio.problems.session.space import FULL_SPACE, PlanSpace
from euclio.serving.session.clock import alike, fine_clock
from euclio.serving.session.setup import Dispatch, Dropping, Partial, Setup
from euclio.serving.session.targets import (
    DEALINGS,
    Dealing,
    Target,
    Turns,
    Unit,
    can_share,
    joins,
    own_dispatch,
    scaled,
)
from euclio.serving.units import NANOSECONDS, Clock

LONGEST = 1 << 60
"""Longest timeout, period or objective in ticks, 36 years of nanoseconds; longer ones count as this."""
MOST_S = 10**5
"""Longest duration in seconds, so that many executions in a row stay within 64 bits of nanoseconds."""
MOST_MACHINES = 10**6
MOST_BATCH = 10**6
MOST_INVOCATIONS = 10**6
"""Most invocations of a module per request."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine.

    Attributes:
        module: number of its module.
        allocation: place of its allocation in the module's plan.
        partial: whether it is written as the partial machine.
        batch: b, most invocations in a batch.
        slots: e, batches that it executes at a time.
        duration_ticks: how long a batch takes by its size, 0 to b; 0 at 0.
        timeout_ticks: longest wait of a batch, or of a machine that pulls, for more invocations; -1 means until it is
            full.
        spacing_ticks: least time between the starts of two batches.
        rate_rps: its rate.
        busy: the share of its capacity that this rate takes, which is charged if machines are by share.
        host: if modules share a machine, number of the one on which its batches wait and are executed: the first of
            them. None means a machine of its own.
    """

    module: int
    allocation: int
    partial: bool
    batch: int
    slots: int
    duration_ticks: tuple[int, ...]
    timeout_ticks: int
    spacing_ticks: int
    rate_rps: Fraction
    busy: Fraction
    host: int | None = None


@dataclass(frozen=True, slots=True)
class ServedModule:
    """A module.

    Attributes:
        name: its name.
        parents: numbers of the modules before it.
        children: numbers of the modules after it, ascending.
        machines: numbers of its machines, in rank order.
        targets: targets of its invocations, in rank order; empty if machines pull.
        per_request: invocations per request of its stream.
        dummy_period_ticks: time between two dummies, exactly; 0 for no dummies.
        latency_ticks: worst-case latency as checked, rounded up.
        least_after_ticks: the least time of an invocation after this module, plus the difference of the longest
            objective to the one that it misses first. A number far below 0 means no objective.
        delays_ticks: time from the end of this module to the start of each child.
        end_ticks: the difference of the longest objective to its own. None means that it has none. Without objectives
            of modules it is 0 if there are no children.
        stream: number of the stream whose requests pass it.
    """

    name: str
    parents: tuple[int, ...]
    children: tuple[int, ...]
    machines: range
    targets: tuple[Target, ...]
    per_request: Fraction
    dummy_period_ticks: Fraction
    latency_ticks: int
    least_after_ticks: int
    delays_ticks: tuple[int, ...]
    end_ticks: int | None = None
    stream: int = 0


@dataclass(frozen=True, slots=True)
class ServedObjective:
    """An objective of a module.

    Attributes:
        name: its name.
        module: number of the module.
        limit_ticks: most time from the arrival of a request to the end of its last invocation there, rounded up.
    """

    name: str
    module: int
    limit_ticks: int


@dataclass(frozen=True, slots=True)
class System:
    """The system that serves a session's plan.

    Attributes:
        session: the instance.
        plan: the plan.
        evaluation: its evaluation by the checker.
        modules: in the order of the session's modules.
        order: numbers of the modules, parents before children.
        machines: all machines, module by module, in rank order, whole ones before the partial one.
        dealing: how invocations are dealt out; None if machines pull.
        rate_rps: requests per second of all streams at load 1.
        slo_ticks: latency objective, rounded up; with objectives of modules, the longest.
        hold: whether modules hand requests on no earlier than after their worst-case latency.
        drops: whether hopeless requests are dropped.
        clock: the clock of its ticks.
        objectives: the objectives of modules, in the order of the session.
        shares: the share of each stream in the requests.
    """

    session: Session
    plan: Plan
    evaluation: Evaluation
    modules: tuple[ServedModule, ...]
    order: tuple[int, ...]
    machines: tuple[Machine, ...]
    dealing: Dealing | None
    rate_rps: Fraction
    slo_ticks: int
    hold: bool
    drops: bool
    clock: Clock = NANOSECONDS
    objectives: tuple[ServedObjective, ...] = ()
    shares: tuple[Fraction, ...] = (Fraction(1),)

    @property
    def delays(self) -> bool:
        """Whether there is time between modules."""
        return any(delay for module in self.modules for delay in module.delays_ticks)


def build_system(
    session: Session,
    plan: Plan,
    space: PlanSpace | None = None,
    setup: Setup | None = None,
    *,
    fine: bool = False,
) -> System:
    """The machines of a plan, and their invocations.

    Args:
        session: the instance.
        plan: a plan of it; it need not keep the SLO.
        space: plan space of the plan, whose policy dispatches.
        setup: dispatcher, time-outs, holding, dropping, partial machines.
        fine: whether time is counted in ticks that are made for the plan and the setup's arrivals, load and seconds;
            otherwise in nanoseconds.

    Raises:
        InputError: the plan cannot be priced, it has numbers that are too large to be simulated, or modules share
            machines and the dispatcher does not give a partial machine batches of its own. Clients are refused if there
            are several applications, or if some requests invoke no module.
    """
    space, setup = space or FULL_SPACE, setup or Setup()
    found = evaluate(session, plan, space)
    if not found.modules:
        raise InputError(f"{found.violations[0]}; {verb_text('verify')} says more", field="plan")
    dispatch = setup.dispatch or own_dispatch(space.policy)
    rate, ratios = request_rate(session), per_request(session)
    shares = tuple(stream.rate_rps / rate for stream in streams(session))
    if setup.clients and (len(shares) > 1 or max(ratios) < 1):
        # A client repeats its first request, so a request without invocations would be answered at once, without end.
        raise InputError(
            "send requests that invoke a module each, of one application; give such a session, or arrivals",
            field="clients",
        )
    clock = fine_clock(session, plan, found, setup, rate) if fine else NANOSECONDS
    entered = {child for _, child in session.edges}
    built: list[_Built] = []
    machines: list[Machine] = []
    for number, (module, own, checked) in enumerate(zip(session.modules, plan.modules, found.modules, strict=True)):
        ratio = None if module.name in entered else ratios[number]
        built.append(
            _Built(session, module, number, own, checked, space.policy, dispatch, setup, clock, ratio, len(machines))
        )
        machines += built[-1].machines
        if len(machines) > MOST_MACHINES:
            raise InputError(f"has more than {MOST_MACHINES} machines; so many are not simulated", field="plan")
    if plan.shared:
        _refuse_sharing(session, plan, space, found, dispatch)
        _share(plan, built, machines)
    # Modules that hold requests may lengthen a path by rounding up their worst-case latencies.
    rounded = len(session.modules) - 1 if setup.hold and not clock.exact else 0
    slo = min(clock.up(session.slo_s) + rounded, LONGEST)
    index = session.index
    objectives = tuple(
        ServedObjective(one.name, index[one.to], min(clock.up(one.slo_s) + rounded, LONGEST))
        for one in session.objectives
    )
    return System(
        session,
        plan,
        found,
        _modules(session, built, ratios, clock, _ends(session, objectives, slo)),
        session.order,
        tuple(machines),
        DEALINGS.get(dispatch),
        rate,
        slo,
        setup.hold,
        setup.dropping is Dropping.HOPELESS,
        clock,
        objectives,
        shares,
    )


def _refuse_sharing(session: Session, plan: Plan, space: PlanSpace, found: Evaluation, dispatch: Dispatch) -> None:
    """Refuse invalid shared machines, and dispatchers that give a partial machine no batches of its own."""
    problems = broken_groups(session, plan, space.policy, [module.partial_rps for module in found.modules])
    if problems:
        raise InputError(problems[0], field="plan")
    if not can_share(dispatch):
        raise InputError(f"is {dispatch}, which lets no module collect batches for a shared machine", field="dispatch")


def _share(plan: Plan, built: list[_Built], machines: list[Machine]) -> None:
    """Let the partial machines of each group of modules be one, which executes one batch at a time."""
    for group in plan.shared:
        numbers = [built[m].first + len(built[m].machines) - 1 for m in sorted(group)]
        for number in numbers:
            machines[number] = replace(machines[number], slots=1, spacing_ticks=0, host=numbers[0])


class _Built:
    """Machines and targets of one module."""

    def __init__(
        self,
        session: Session,
        module: Module,
        number: int,
        plan: ModulePlan,
        checked: ModuleEvaluation,
        policy: Policy,
        dispatch: Dispatch,
        setup: Setup,
        clock: Clock,
        ratio: Fraction | None,
        first: int,
    ) -> None:
        self.module, self.number, self.checked, self.setup = module, number, checked, setup
        self.clock, self.ratio = clock, ratio
        self.dispatch, self.joins, self.first = dispatch, joins(policy, dispatch), first
        self.total = module.rate_rps + checked.dummy_rps
        self.coming = Fraction(1) if setup.dummies or setup.planned_delays else module.rate_rps / self.total
        """Share of the planned rates that timeouts assume."""
        self.machines: list[Machine] = []
        self.rates: list[Fraction] = []
        """Rate of each target."""
        self.sizes: list[int] = []
        """Machines of each target."""
        price = session.price
        latency = {
            (entry.allocation, entry.partial): entry.latency_s
            for entry in machine_latencies(plan.allocations, checked.partial_rps, self.total, price, policy)
        }
        last = len(plan.allocations) - 1
        whole, partial = sum(a.machines > 0 for a in plan.allocations), checked.partial_rps > 0
        self.several = whole + partial - bool(self.joins and partial and plan.allocations[-1].machines) > 1
        """Whether there is more than one target."""
        for place, allocation in enumerate(plan.allocations):
            f = checked.partial_rps if place == last else Fraction(0)
            c, n = allocation.configuration, allocation.machines
            rates = [(c.throughput_rps, n, False)] if n else []
            rates += [(f, 1, True)] if f else []
            if self.joins and n and f:
                rates = [((n * c.throughput_rps + f) / (n + 1), n + 1, False)]
            for rate, count, partial in rates:
                self._add(place, c, rate, count, partial, n if self.joins else 0, latency[place, partial])

    def _add(
        self, place: int, c: Configuration, rate: Fraction, count: int, partial: bool, whole: int, latency: Fraction
    ) -> None:
        if len(self.machines) + count > MOST_MACHINES or c.batch > MOST_BATCH:
            raise InputError(
                f"module {self.module.name} has {count} machines of batch {c.batch}; up to {MOST_MACHINES} machines "
                f"of batch {MOST_BATCH} are simulated",
                field="plan",
            )
        target = rate * count
        spaced = self.setup.partial is Partial.SHARED and rate < c.throughput_rps
        timeout = self._timeout_ticks(c, rate, target, latency)
        spacing = min(self.clock.down(c.batch / rate), LONGEST) if spaced else 0
        duration_ticks = _durations(self.module, c, self.clock)
        busy = rate / c.throughput_rps
        for k in range(count):
            # If the partial machine takes turns with the whole ones, it is the last of them.
            own = partial or 0 < whole <= k
            self.machines.append(
                Machine(self.number, place, own, c.batch, c.concurrency, duration_ticks, timeout, spacing, rate, busy)
            )
        self.rates.append(target)
        self.sizes.append(count)

    def _timeout_ticks(self, c: Configuration, rate: Fraction, target: Fraction, latency: Fraction) -> int:
        """How long a batch waits to be filled: as the plan counts on, or as it takes the way it is dealt out."""
        if self.setup.timeout_s is not None:
            return -1 if math.isinf(self.setup.timeout_s) else min(self.clock.up(self.setup.timeout_s), LONGEST)
        dealing = DEALINGS.get(self.dispatch)
        if dealing is None or dealing.queued:
            return 0
        collected = target if dealing.unit is Unit.REQUEST else self.total
        collected = rate if dealing.turns is Turns.REQUESTS else collected
        longest = max(latency - c.duration_s, c.batch / (collected * self.coming))
        if dealing.unit is Unit.REQUEST and self.several and collected == target:
            # One machine next to others: what comes unevenly may be dealt out that much later (theorem-1.md, requests).
            longest = max(
                longest, c.batch / (collected * self.coming) + self._unevenness() / (self.total * self.coming)
            )
        return min(self.clock.up(longest), LONGEST)

    def _unevenness(self) -> Fraction:
        """W − 1 of docs/findings/theorem-1.md; 0 for a module behind others, where it is proven for those that hold."""
        if self.ratio is None:
            return Fraction(0)
        dummies = bool(self.checked.dummy_rps and self.setup.dummies)
        return unevenness(self.ratio) + dummies

    def dummy_period_ticks(self) -> Fraction:
        """Time between two dummies, at most `LONGEST`; 0 for no dummies."""
        rate = self.checked.dummy_rps if self.setup.dummies else Fraction(0)
        return min(self.clock.ticks_per_s / rate, Fraction(LONGEST)) if rate else Fraction(0)

    def targets(self) -> Iterator[Target]:
        """The targets, in rank order."""
        if self.dispatch is Dispatch.PULL:
            return
        first = self.first
        for rate, size in zip(scaled(self.rates), self.sizes, strict=True):
            yield Target(range(first, first + size), rate)
            first += size


def _ends(session: Session, objectives: tuple[ServedObjective, ...], slo_ticks: int) -> list[int | None]:
    """The `end_ticks` of all modules."""
    parents = session.parents()
    inner = {p for own in parents for p in own}
    if not objectives:
        return [None if m in inner else 0 for m in range(len(parents))]
    found: list[int | None] = [None] * len(parents)
    for one in objectives:
        found[one.module] = max(slo_ticks - one.limit_ticks, found[one.module] or 0)
    return found


def _delay(session: Session, parent: int, child: int, clock: Clock) -> int:
    """Ticks of the delay of an edge, rounded down as durations are."""
    delay = session.delay_between(parent, child)
    if delay > MOST_S:
        raise InputError(
            f"the delay from {session.modules[parent].name} to {session.modules[child].name} is {full(delay)} s; up to "
            f"{MOST_S} s are simulated",
            field="edges",
        )
    return clock.down(delay) if delay else 0


def _modules(
    session: Session, built: list[_Built], ratios: tuple[Fraction, ...], clock: Clock, ends: list[int | None]
) -> tuple[ServedModule, ...]:
    parents = session.parents()
    children = [tuple(c for c, ps in enumerate(parents) if m in ps) for m in range(len(parents))]
    delays = [tuple(_delay(session, m, c, clock) for c in own) for m, own in enumerate(children)]
    least = [min(min(machine.duration_ticks[1:]) for machine in b.machines) for b in built]
    after = [-LONGEST if end is None else end for end in ends]
    for m in reversed(session.order):
        for c, delay in zip(children[m], delays[m], strict=True):
            after[m] = max(after[m], delay + least[c] + after[c])
    stream_of = {m: number for number, stream in enumerate(streams(session)) for m in stream.modules}
    found = []
    for m, b in enumerate(built):
        if ratios[m] > MOST_INVOCATIONS:
            raise InputError(
                f"module {b.module.name} is invoked {full(ratios[m], digits=3)} times per request; up to "
                f"{MOST_INVOCATIONS} are simulated",
                field="modules",
            )
        found.append(
            ServedModule(
                b.module.name,
                parents[m],
                children[m],
                range(b.first, b.first + len(b.machines)),
                tuple(b.targets()),
                ratios[m],
                b.dummy_period_ticks(),
                min(clock.up(b.checked.worst_case_latency_s), LONGEST),
                after[m],
                delays[m],
                ends[m],
                stream_of[m],
            )
        )
    return tuple(found)


def _durations(module: Module, c: Configuration, clock: Clock) -> tuple[int, ...]:
    """Duration of batches of 0 to b, in ticks.

    A batch that is not full takes the least time of all configurations to which it could be padded.

    Raises:
        InputError: it takes longer than `MOST_S`.
    """
    if c.duration_s > MOST_S:
        raise InputError(
            f"module {module.name} takes {full(c.duration_s)} s at batch {c.batch}; up to {MOST_S} s are simulated",
            field="plan",
        )
    by_batch = {k.batch: clock.duration(k.duration_s) for k in alike(module, c)}
    found = [clock.duration(c.duration_s)] * (c.batch + 1)
    for size in range(c.batch - 1, 0, -1):
        found[size] = min(found[size + 1], by_batch.get(size, found[size + 1]))
    found[0] = 0
    return tuple(found)
