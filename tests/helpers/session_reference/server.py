"""The event loop: one event after the other, each with all its effects (docs/model/serving.md, order of events)."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from euclio.serving.arrivals import first_draws
from euclio.serving.session.system import System

from .dealing import Dealer, Draws
from .records import (
    DUMMY,
    NEVER,
    Calendar,
    Event,
    Execution,
    Invocation,
    Kind,
    Request,
    Served,
    counts_of,
    entered,
    new_request,
    reached,
)

# Machines: open batch, closed batches that wait, executions.


@dataclass(slots=True)
class MachineState:
    """The work of a machine.

    Attributes:
        open: invocations of the batch that is being collected.
        opened: batches opened so far; a time-out is for the batch that it was set for.
        closed: closed batches that wait, first come first served, each with the machine that collected it.
        running: slots in use.
        free_since_ticks: when it last had a free slot again after it had none.
        asked_ticks: the latest time for which an event is set to ask whether it pulls.
        available_ticks: it starts no batch before.
        wakes: whether an event is set for that time.
        given: behind a router, invocations that it was given and that have not ended, or ended just now.
    """

    open: list[Invocation] = field(default_factory=list)
    opened: int = 0
    closed: deque[tuple[int, list[Invocation]]] = field(default_factory=deque)
    running: int = 0
    free_since_ticks: int = 0
    asked_ticks: int = 0
    available_ticks: int = 0
    wakes: bool = False
    given: list[Invocation] = field(default_factory=list)


def serve(
    system: System,
    arrival_ticks: Sequence[int],
    counts: Sequence[Sequence[int]] | None = None,
    factors: Sequence[float] = (1.0,),
    until_ticks: int | None = None,
    seed: int = 0,
) -> Served:
    """Serve requests until all are answered or dropped.

    Args:
        system: what serves them.
        arrival_ticks: when they arrive, ascending.
        counts: invocations of each module by request; None means as the rates say.
        factors: what durations are multiplied by, in the order in which batches start, again from the front if there
            are more batches.
        until_ticks: dummies become ready before it; None means up to the last arrival.
        seed: of what routers draw.
    """
    until = max(arrival_ticks, default=-1) + 1 if until_ticks is None else until_ticks
    server = _Server(system, factors, until, seed)
    for number, time_ticks in enumerate(arrival_ticks):
        server.expect(int(time_ticks), counts_of(system, number) if counts is None else counts[number])
    return server.run()


def serve_clients(
    system: System,
    clients: int,
    until_ticks: int,
    counts: Sequence[int],
    factors: Sequence[float] = (1.0,),
    seed: int = 0,
) -> Served:
    """Serve clients that send their next request as soon as the last one is answered or dropped, the first at time 0.

    Args:
        system: what serves them.
        clients: how many there are.
        until_ticks: requests are sent, and dummies become ready, before it.
        counts: invocations of each module by every request.
        factors: as for `serve`.
        seed: of what routers draw.
    """
    server = _Server(system, factors, until_ticks, seed)
    server.follow = counts
    for _ in range(clients):
        server.expect(0, counts)
    return server.run()


class _Server:
    """A run.

    Attributes:
        until_ticks: dummies and what clients send come before it.
        expected: requests that have arrived or will.
        follow: invocations of the requests that follow answered ones; None means requests come by themselves.
    """

    def __init__(self, system: System, factors: Sequence[float], until_ticks: int, seed: int) -> None:
        self.system, self.factors, self.until_ticks = system, factors, until_ticks
        self.calendar = Calendar()
        self.served = Served()
        self.requests: list[Request] = []
        self.counts: list[Sequence[int]] = []
        self.machines = [MachineState() for _ in system.machines]
        draws = first_draws(seed, len(system.modules)).tolist()
        self.dealers = [
            Dealer(m, system.dealing, Draws(*own), self._in_hand)
            for m, own in zip(system.modules, draws, strict=True)
            if system.dealing
        ]
        self.collects = system.dealing is not None and not system.dealing.queued
        """Whether machines collect batches; otherwise they pull from queues."""
        self.pullers = [m.machines for m in system.modules]
        """The machines of each queue, which is a module's, or behind a router a machine's own."""
        if system.dealing is not None and system.dealing.queued:
            self.pullers = [range(number, number + 1) for number in range(len(system.machines))]
        self.queue_of = {number: queue for queue, own in enumerate(self.pullers) for number in own}
        self.pulled: list[deque[Invocation]] = [deque() for _ in self.pullers]
        self.running: dict[int, tuple[int, list[Invocation]]] = {}
        """By place in the order of starts: machine and batch."""
        self.dummies = [0] * len(system.modules)
        self.expected = 0
        self.follow: Sequence[int] | None = None

    def expect(self, time_ticks: int, counts: Sequence[int]) -> None:
        """Let a request arrive."""
        self.counts.append(counts)
        self.calendar.add(time_ticks, Kind.ARRIVAL, self.expected)
        self.expected += 1

    def run(self) -> Served:
        """Take events until none is left and no batch is open."""
        for m in range(len(self.system.modules)):
            self._expect_dummy(m)
        while True:
            event = self.calendar.take()
            if event is not None:
                self._happen(event)
            elif not self._close_all():
                return self.served

    def _happen(self, event: Event) -> None:
        match event.kind:
            case Kind.END:
                self._end(event.first)
            case Kind.AVAILABLE:
                self.machines[event.first].wakes = False
                self._start_next(event.first)
            case Kind.HANDED_ON:
                self._hand_on(event.first, [event.second])
            case Kind.REACHED:
                if not self.requests[event.first].dropped:
                    self._reach(event.first, [event.second])
            case Kind.DUMMY:
                self._dummy(event.first)
            case Kind.ARRIVAL:
                self._arrive(event.first)
            case Kind.TIMEOUT:
                machine = self.machines[event.first]
                if not self.collects:
                    self.calendar.add(self.calendar.now_ticks, Kind.PULL, self.queue_of[event.first])
                elif machine.open and machine.opened == event.second:
                    self._close(event.first)
            case Kind.PULL:
                self._pull(event.first)

    # Requests

    def _arrive(self, number: int) -> None:
        now = self.calendar.now_ticks
        self.requests.append(new_request(self.system, now, self.counts[number]))
        self.served.arrival_ticks.append(now)
        self.served.finish_ticks.append(NEVER)
        self.served.objective_ticks.append([NEVER] * len(self.system.objectives))
        self._reach(number, entered(self.system, self.counts[number]))

    def _reach(self, number: int, modules: list[int]) -> None:
        """Let invocations of a request become ready; modules that it does not invoke are passed first, or hold it."""
        request, now = self.requests[number], self.calendar.now_ticks
        ready, passed = [], list(modules)
        while passed:
            invoked = [m for m in passed if request.left[m]]
            idle = [m for m in passed if not request.left[m]]
            for m in passed:
                request.ready_ticks[m] = now
            ready += invoked
            for m in idle:
                self._done(number, m)
            idle = [m for m in idle if not self._is_held(number, m)]
            self._pass(number, len(idle))
            passed = self._there(number, idle)
        for m in sorted(ready):
            for _ in range(self.counts[number][m]):
                self._deal(Invocation(number, m, now))

    def _invocation_ended(self, invocation: Invocation) -> None:
        number, m = invocation.request, invocation.module
        if number == DUMMY or self.requests[number].dropped:
            return
        request, now = self.requests[number], self.calendar.now_ticks
        request.left[m] -= 1
        request.last_end_ticks = now
        if request.left[m] == 0:
            request.done_ticks[m] = now
            self._done(number, m)
            if not self._is_held(number, m):
                self._hand_on(number, [m])

    def _done(self, number: int, m: int) -> None:
        """Note for the objectives of a module when a request had done all its work there and before."""
        for k, objective in enumerate(self.system.objectives):
            if objective.module == m:
                self.served.objective_ticks[number][k] = self.requests[number].done_ticks[m]

    def _there(self, number: int, modules: list[int]) -> list[int]:
        """Children that a request reaches at once when modules hand it on; for others there is an event."""
        request, now = self.requests[number], self.calendar.now_ticks
        found = reached(self.system, request, modules, now)
        for m in found:
            if request.ready_ticks[m] > now:
                self.calendar.add(request.ready_ticks[m], Kind.REACHED, number, m)
        return [m for m in found if request.ready_ticks[m] <= now]

    def _is_held(self, number: int, m: int) -> bool:
        """Whether a module hands a request on later only, with an event for then."""
        module = self.system.modules[m]
        until = self.requests[number].ready_ticks[m] + module.latency_ticks
        if not self.system.hold or not module.children or until <= self.calendar.now_ticks:
            return False
        self.calendar.add(until, Kind.HANDED_ON, number, m)
        return True

    def _hand_on(self, number: int, modules: list[int]) -> None:
        request = self.requests[number]
        if not request.dropped:
            self._pass(number, len(modules))
            self._reach(number, self._there(number, modules))

    def _pass(self, number: int, modules: int) -> None:
        """A request has passed so many modules; it is answered when it has passed them all."""
        request = self.requests[number]
        request.to_pass -= modules
        if modules and request.to_pass == 0:
            self.served.finish_ticks[number] = request.last_end_ticks
            self._settled()

    def _settled(self) -> None:
        """A request has been answered or dropped: its client sends the next one."""
        if self.follow is not None and self.calendar.now_ticks < self.until_ticks:
            self.expect(self.calendar.now_ticks, self.follow)

    # Dummies

    def _expect_dummy(self, m: int) -> None:
        period = self.system.modules[m].dummy_period_ticks
        if period:
            self.calendar.add(math.floor((self.dummies[m] + Fraction(1, 2)) * period), Kind.DUMMY, m)
            self.dummies[m] += 1

    def _dummy(self, m: int) -> None:
        if self.calendar.now_ticks < self.until_ticks:
            self._expect_dummy(m)
            self._deal(Invocation(DUMMY, m, self.calendar.now_ticks))

    # Batches

    def _deal(self, invocation: Invocation) -> None:
        m = invocation.module
        self.served.invocations.append(invocation)
        if self.dealers:
            invocation.machine = self.dealers[m].deal()
        if not self.collects:
            # Where it is not routed to a machine of its own, any of the module's will do.
            queue = self.queue_of[invocation.machine if self.dealers else self.system.modules[m].machines[0]]
            if self.dealers:
                self.machines[invocation.machine].given.append(invocation)
            self.pulled[queue].append(invocation)
            self.calendar.add(self.calendar.now_ticks, Kind.PULL, queue)
            return
        number = invocation.machine
        machine, known = self.machines[number], self.system.machines[number]
        if not machine.open:
            machine.opened += 1
            if known.timeout_ticks >= 0:
                due = self.calendar.now_ticks + known.timeout_ticks
                self.calendar.add(due, Kind.TIMEOUT, number, machine.opened)
        machine.open.append(invocation)
        if len(machine.open) == known.batch:
            self._close(number)

    def _close(self, number: int) -> None:
        machine, host = self.machines[number], self._host(number)
        self.machines[host].closed.append((number, machine.open))
        machine.open = []
        self.dealers[self.system.machines[number].module].close(number)
        self._start_next(host)

    def _in_hand(self, number: int) -> int:
        """Invocations that a machine was given and that had not ended before this moment."""
        machine, now = self.machines[number], self.calendar.now_ticks
        machine.given = [i for i in machine.given if i.end_ticks == NEVER or i.end_ticks >= now]
        return len(machine.given)

    def _host(self, number: int) -> int:
        """The machine on which a machine's batches wait and are executed; but for shared ones it is the same."""
        host = self.system.machines[number].host
        return number if host is None else host

    def _close_all(self) -> bool:
        """Close what is open, by machine, and let machines pull what waits; whether there was anything."""
        numbers = [number for number, machine in enumerate(self.machines) if machine.open]
        for number in numbers:
            self._close(number)
        queues = [queue for queue, waiting in enumerate(self.pulled) if waiting]
        for queue in queues:
            self._pull(queue, forced=True)
        return bool(numbers or queues)

    def _start_next(self, number: int) -> None:
        """Start the closed batches that the machine may start now."""
        machine = self.machines[number]
        if not self.collects:
            self.calendar.add(self.calendar.now_ticks, Kind.PULL, self.queue_of[number])
            return
        while machine.closed and self._may_start(number):
            self._start(*machine.closed.popleft())
        self._wake(number, bool(machine.closed))

    def _may_start(self, number: int) -> bool:
        machine = self.machines[number]
        return (
            machine.running < self.system.machines[number].slots and self.calendar.now_ticks >= machine.available_ticks
        )

    def _wake(self, number: int, work: bool) -> None:
        """Set an event for when a machine with work, which others share, may start again."""
        machine = self.machines[number]
        if work and not machine.wakes and machine.available_ticks > self.calendar.now_ticks:
            machine.wakes = True
            self.calendar.add(machine.available_ticks, Kind.AVAILABLE, number)

    def _pull(self, queue: int, forced: bool = False) -> None:
        """Let free machines take what waits; `forced`: even if they would wait for more."""
        waiting = self.pulled[queue]
        for number in self.pullers[queue]:
            batch = self.system.machines[number].batch
            while waiting and self._may_start(number) and (forced or not self._waits_for_more(number, waiting)):
                taken = [waiting.popleft() for _ in range(min(batch, len(waiting)))]
                for invocation in taken:
                    invocation.machine = number
                self._start(number, taken)
            self._wake(number, bool(waiting))

    def _waits_for_more(self, number: int, waiting: deque[Invocation]) -> bool:
        """Whether a free machine waits for a full batch, with an event for when it has waited long enough."""
        machine, known = self.machines[number], self.system.machines[number]
        if len(waiting) >= known.batch or known.timeout_ticks == 0:
            return False
        if known.timeout_ticks < 0:
            return True
        due = max(machine.free_since_ticks, waiting[0].ready_ticks) + known.timeout_ticks
        if due > max(self.calendar.now_ticks, machine.asked_ticks):
            self.calendar.add(due, Kind.TIMEOUT, number)
            machine.asked_ticks = due
        return due > self.calendar.now_ticks

    def _start(self, number: int, batch: list[Invocation]) -> None:
        machine, known, now = self.machines[self._host(number)], self.system.machines[number], self.calendar.now_ticks
        kept = [invocation for invocation in batch if not self._drops(invocation, known.duration_ticks[len(batch)])]
        lost = {id(invocation) for invocation in batch} - {id(invocation) for invocation in kept}
        machine.given = [invocation for invocation in machine.given if id(invocation) not in lost]
        if not kept:
            return
        place = len(self.served.executions)
        factor = self.factors[place % len(self.factors)]
        end = now + max(1, math.floor(known.duration_ticks[len(kept)] * factor + 0.5))
        for invocation in kept:
            invocation.start_ticks, invocation.end_ticks = now, end
        self.served.executions.append(Execution(known.module, number, len(kept), now, end))
        self.running[place] = (number, kept)
        machine.running += 1
        machine.available_ticks = now + known.spacing_ticks
        self.calendar.add(end, Kind.END, place)

    def _drops(self, invocation: Invocation, duration_ticks: int) -> bool:
        """Whether an invocation is dropped when its batch starts."""
        if not self.system.drops or invocation.request == DUMMY:
            return False
        request = self.requests[invocation.request]
        if not request.dropped:
            answered = (
                self.calendar.now_ticks + duration_ticks + self.system.modules[invocation.module].least_after_ticks
            )
            if answered > request.arrival_ticks + self.system.slo_ticks:
                request.dropped = True
                self._settled()
        return request.dropped

    def _end(self, place: int) -> None:
        number, batch = self.running.pop(place)
        for invocation in batch:
            self._invocation_ended(invocation)
        host = self._host(number)
        machine = self.machines[host]
        if machine.running == self.system.machines[host].slots:
            machine.free_since_ticks = self.calendar.now_ticks
        machine.running -= 1
        self._start_next(host)
