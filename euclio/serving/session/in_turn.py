"""The engine's requests simulated module after module: about ten times as fast, for latencies alone (ours).

A module has no effect on those before it, unless machines are shared, requests are dropped or batches take their noise
in the order in which they start. Without these, each module is simulated by itself with all invocations that become
ready until some time (`engine/one_module.py`). Every request is answered at the same tick as by the engine. The only
difference: if batches of two modules end at the same tick, their requests may go on in another order.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import before_timing
from euclio.problems.session.instance import Session
from euclio.problems.session.plan import Plan
from euclio.problems.session.services import without_objective
from euclio.problems.session.space import PlanSpace
from euclio.serving.arrivals import first_draws
from euclio.serving.histogram import bins_of
from euclio.serving.session.engine import between_modules as between
from euclio.serving.session.engine import one_module as t
from euclio.serving.session.engine import routers
from euclio.serving.session.engine.between_modules import NOTHING, UNANSWERED, Dummies, Requests, Watch, Way, merged
from euclio.serving.session.engine.loop import FOREVER
from euclio.serving.session.engine.tables import ELSEWHERE, NONE
from euclio.serving.session.setup import Dispatch, Setup
from euclio.serving.session.simulation import compile_simulator, incoming, simulate
from euclio.serving.session.system import ServedModule, System, build_system
from euclio.serving.session.targets import DEALINGS, Unit
from euclio.serving.units import Ints

NOT_INVOKED = -1
"""Latency at a module that a request does not invoke."""
PIECE = 1 << 14
"""Most requests that are served at once."""
ROOM = 1 << 16
"""Room for requests at first."""


def covers(system: System, noise: float) -> bool:
    """Whether modules may be served one after the other."""
    pulls = system.dealing is None
    rounds_of_single_requests = system.dealing == DEALINGS[Dispatch.REQUEST_ROUNDS]
    pulls = pulls or (system.dealing is not None and system.dealing.queued)
    waits_to_pull = pulls and any(machine.timeout_ticks != 0 for machine in system.machines)
    # A request that skips the module of an objective is done when the modules before it are, and passes the module
    # later.
    skipped = system.delays and any(system.modules[one.module].per_request < 1 for one in system.objectives)
    return not (
        noise
        or system.hold
        or system.drops
        or rounds_of_single_requests
        or waits_to_pull
        or skipped
        or any(machine.host is not None for machine in system.machines)
    )


class RequestStream:
    """The requests of a setup, drawn on demand: many simulations may share them."""

    def __init__(self, system: System, setup: Setup) -> None:
        """Begin without draws; of the system only the rates of its modules matter."""
        self._pieces = incoming(system, setup)
        self._over = False
        self._count = 0
        self._arrival = np.zeros(ROOM, np.int64)
        ones = len(system.shares) == 1 and all(module.per_request == 1 for module in system.modules)
        self._counts: NDArray[np.int32] | None = None if ones else np.zeros((ROOM, len(system.modules)), np.int32)

    def until(self, ticks: int) -> Ints:
        """Arrivals of all requests before a time, and perhaps some more."""
        while not self._over and not (self._count and self._arrival[self._count - 1] >= ticks):
            piece = next(self._pieces, None)
            if piece is None:
                self._over = True
                break
            last = self._count + len(piece[0])
            self._arrival = _with_room(self._arrival, last)
            self._arrival[self._count : last] = piece[0]
            if self._counts is not None:
                self._counts = _with_room(self._counts, last)
                self._counts[self._count : last] = piece[1]
            self._count = last
        return self._arrival[: self._count]

    @property
    def room(self) -> int:
        """A lower bound on the room for requests; not all of them have been drawn."""
        return len(self._arrival)

    @property
    def counts(self) -> NDArray[np.int32] | None:
        """Invocations by request and module, `ELSEWHERE` at modules of other streams; None means one of each."""
        return self._counts


def _with_room(table: NDArray[Any], rows: int) -> NDArray[Any]:
    """The table with at least so many rows."""
    while len(table) < rows:
        table = np.concatenate((table, np.zeros_like(table)))
    return table


class InTurn:
    """A simulation of a system that `covers` admits; it begins with idle machines and can be continued."""

    def __init__(
        self,
        system: System,
        coming: RequestStream,
        until_ticks: int | None = None,
        *,
        seed: int = 0,
        watched: Iterable[int] = (),
    ) -> None:
        """Begin at time 0; dummies end at `until_ticks`. Watched modules record their own latencies."""
        self._system, self._coming = system, coming
        self._requests = Requests(len(system.modules))
        draws = first_draws(seed, len(system.modules))
        self._modules = [_Served(system, m, self._requests, coming, until_ticks, own) for m, own in enumerate(draws)]
        self._ways = {
            (m, child): Way(delay)
            for m, module in enumerate(system.modules)
            for child, delay in zip(module.children, module.delays_ticks, strict=True)
            if delay
        }
        index, free = system.session.index, without_objective(system.session)
        self._leading = set(range(len(system.modules))) - {index[name] for name in free}
        """The modules that lead to an objective."""
        self._taken = 0
        for m in watched:
            self._modules[m].watch = Watch()

    def go_to(self, until_ticks: int) -> None:
        """Let all happen that happens before a time."""
        arrival = self._coming.until(until_ticks)
        last = int(np.searchsorted(arrival, until_ticks))
        while last - self._taken > PIECE:
            self._go_to(arrival, int(arrival[self._taken + PIECE]))
        self._go_to(arrival, until_ticks)

    def _go_to(self, arrival: Ints, until_ticks: int) -> None:
        """The same for few requests, whose tables stay near."""
        first, self._taken = self._taken, int(np.searchsorted(arrival, until_ticks))
        entered = arrival[first : self._taken], np.arange(first, self._taken)
        self._requests.add(*entered, self._coming.room)
        out: dict[int, tuple[Ints, Ints]] = {}
        for m in self._system.order:
            parents = self._system.modules[m].parents
            # Behind a delay requests come later.
            given = [
                way.go_to(*out[parent], until_ticks) if (way := self._ways.get((parent, m))) else out[parent]
                for parent in parents
            ]
            out[m] = self._modules[m].go_to(given or [self._entering(m, *entered)], until_ticks)

    def _entering(self, m: int, time: Ints, request: Ints) -> tuple[Ints, Ints]:
        """Of the requests that come, those of a first module's stream."""
        if len(self._system.shares) == 1:
            return time, request
        counts = self._coming.counts
        assert counts is not None
        own = counts[request, m] != ELSEWHERE
        return time[own], request[own]

    def latencies(self, first: int, last: int) -> Ints:
        """Latencies of requests in ticks, by their numbers; `UNANSWERED` if they are not answered yet.

        With objectives of modules it is the longest of the times until each of them, each plus the difference to the
        longest objective: a request keeps all of them if this is at most `System.slo_ticks`.
        """
        took = self._requests.finish[first:last] - self.arrivals()[first:last]
        for m in self._leading:
            for under_way in self._under_way(m):
                took[under_way[(first <= under_way) & (under_way < last)] - first] = UNANSWERED
        return took

    def _under_way(self, m: int) -> Iterator[Ints]:
        """The requests that have come to a module and not passed it, or are on their way there; `NONE` for dummies."""
        yield from self._modules[m].under_way()
        for parent in self._system.modules[m].parents:
            if (parent, m) in self._ways:
                yield self._ways[parent, m].request

    def module_latencies(self, m: int, first: int, last: int) -> Ints:
        """Latencies of requests at a watched module in ticks, by their numbers.

        They last from the time when a request was ready there to the end of the last of its invocations there;
        `UNANSWERED` before that end, `NOT_INVOKED` without invocations. The requests must not be forgotten (`forget`).
        """
        served = self._modules[m]
        assert served.watch is not None, "the module is not watched"
        took = served.watch.latencies(first, last)
        for under_way in served.under_way():
            took[under_way[(first <= under_way) & (under_way < last)] - first] = UNANSWERED
        counts = self._coming.counts
        if counts is not None:
            took[counts[first:last, m] <= 0] = NOT_INVOKED
        return took

    def forget(self, before: int) -> None:
        """Forget the latencies of single modules for the requests before one, which bounds memory."""
        for served in self._modules:
            if served.watch is not None:
                served.watch.forget(before)

    def arrivals(self) -> Ints:
        """Arrivals of all requests so far, in ticks."""
        return self._coming.until(0)[: self._taken]


class _Served:
    """A module of a running simulation."""

    def __init__(
        self, system: System, m: int, requests: Requests, coming: RequestStream, until_ticks: int | None, draws: Ints
    ) -> None:
        module = system.modules[m]
        self._dummies = Dummies(module, until_ticks) if module.dummy_period_ticks else None
        self._module, self._m, self._requests, self._coming = module, m, requests, coming
        later = system.delays and not system.objectives
        self._done = 0 if later else module.end_ticks
        """Ticks added to ends here before they are noted with the requests. None means that they are not noted."""
        self._skips = not later
        """Whether a request that skips the module has just done its work before it. Behind a delay it has not."""
        self._alone = module.per_request == 1
        """Whether each request invokes it once."""
        self._pulls = system.dealing is None
        self._queued = system.dealing is not None and system.dealing.queued
        """Whether each machine has a queue of its own."""
        self._singly = system.dealing is not None and system.dealing.unit is Unit.REQUEST and not self._queued
        """Whether single invocations are dealt out to batches; otherwise a batch has consecutive invocations."""
        self._tables = _tables(system, module)
        self._tables.router[0, routers.FIRST : routers.SECOND + 1] = draws
        self._left: tuple[Ints, Ints, Ints] = (NOTHING, NOTHING, NOTHING)
        """Of invocations in no batch yet: times when they became ready, requests, and the machines that queue them."""
        self._running: tuple[Ints, Ints, Ints] = (NOTHING, NOTHING, NOTHING)
        """Ends, sizes and members of the batches that have not ended."""
        self.watch: Watch | None = None
        """The record of its own latencies, if they are needed."""

    def go_to(self, given: list[tuple[Ints, Ints]], until: int) -> tuple[Ints, Ints]:
        """Serve requests that passed the modules before until a time; returns times and requests that passed this one.

        A module without others after it returns nothing. If its ends count, they are noted with the requests.
        """
        time, request = self._entered(given)
        skipped = None
        if not self._alone:
            time, request, skipped = self._invoked(time, request)
        if self.watch is not None:
            self.watch.come(time, request)
        if self._dummies is not None:
            time, request = self._dummies.among(time, request, until)
        passed = self._ended(*self._served(time, request, until), until)
        if skipped is None or not len(skipped[0]):
            return passed
        if self._done is not None and self._skips:
            # A request is listed once, so that no time is lost.
            finish = self._requests.finish
            finish[skipped[1]] = np.maximum(finish[skipped[1]], skipped[0] + self._done)
        return merged(passed, skipped) if self._module.children else passed

    def under_way(self) -> Iterator[Ints]:
        """The requests that have come to this module and not passed it; `NONE` for dummies."""
        yield self._left[1]
        yield self._running[2]
        if self._singly:
            s = self._tables
            for first, size in s.machine[:, [t.OPEN_FIRST, t.SIZE]]:
                yield s.open[first : first + size]

    def _entered(self, given: list[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
        """Times and requests that become ready, once they have passed the last module before this one."""
        if len(given) == 1:
            return given[0]
        time, request = functools.reduce(merged, given)
        kept = between.join(time, request, self._requests.waiting_at(self._m), len(given))
        return time[:kept], request[:kept]

    def _invoked(self, time: Ints, request: Ints) -> tuple[Ints, Ints, tuple[Ints, Ints]]:
        """Times and requests of invocations that become ready, and of requests without invocations."""
        counts, left = self._coming.counts, self._requests.waiting_at(self._m)
        assert counts is not None
        room, number = len(time) * math.ceil(self._module.per_request), np.zeros(2, np.int64)
        ready, whose, skipped_time, skipped = (np.empty(n, np.int64) for n in (room, room, len(time), len(time)))
        between.invoke(
            between.Invoking(time, request, counts, left, ready, whose, skipped_time, skipped, number), self._m
        )
        found, none = number
        return ready[:found], whose[:found], (skipped_time[:none], skipped[:none])

    def _served(self, time: Ints, request: Ints, until: int) -> tuple[Ints, Ints, Ints]:
        """Ends, sizes and members of the batches that are closed until a time."""
        if not self._singly:
            time, request = np.concatenate((self._left[0], time)), np.concatenate((self._left[1], request))
        given = NOTHING
        if self._queued:
            given = np.full(len(time), NONE)
            given[: len(self._left[2])] = self._left[2]
        s, room = self._tables, len(time) + len(self._tables.open)
        s.number[t.INPUTS], s.number[t.CLOSED], s.number[t.FILLED] = len(time), 0, 0
        own_members = self._singly or self._queued
        ends, sizes, members = (np.empty(n, np.int64) for n in (room, room, room if own_members else 0))
        s = s._replace(time=time, request=request, ends=ends, sizes=sizes, members=members)
        if self._queued:
            return self._routed(s, given, until)
        if self._singly:
            t.serve(s, until)
            members = members[: int(s.number[t.FILLED])]
        else:
            taken = t.pull(s, until) if self._pulls else t.serve_batches(s, until)
            members, self._left = request[:taken], (time[taken:], request[taken:], given)
        closed = int(s.number[t.CLOSED])
        return ends[:closed], sizes[:closed], members

    def _routed(self, s: t.Tables, given: Ints, until: int) -> tuple[Ints, Ints, Ints]:
        """The same where machines have queues: batches in the order in which they start, and by machine."""
        after, starts, by = (np.zeros(len(given), np.int64) for _ in range(3))
        t.route(s._replace(given=given, after=after, starts=starts, by=by), until)
        waits = given != t.TAKEN
        self._left = s.time[waits], s.request[waits], given[waits]
        # Queues are made anew of what is left.
        s.machine[:, t.WAITING] = 0
        closed = int(s.number[t.CLOSED])
        order = np.lexsort((by[:closed], starts[:closed]))
        first, sizes = np.cumsum(s.sizes[:closed]) - s.sizes[:closed], s.sizes[order]
        # The members of a batch stand together: the place of each of them, batch after batch.
        place = np.repeat(first[order] - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
        return s.ends[order], sizes, s.members[place]

    def _ended(self, ends: Ints, sizes: Ints, members: Ints, until: int) -> tuple[Ints, Ints]:
        """Times and requests that have passed, as batches end until a time; the others go on."""
        ends, sizes, members = (np.concatenate(p) for p in zip(self._running, (ends, sizes, members), strict=True))
        if self.watch is not None:
            self.watch.end(ends, sizes, members, until)
        counted = not self._alone and self._module.children
        left = self._requests.waiting_at(self._m) if counted else NOTHING
        s = between.Passing(ends, sizes, members, left, np.zeros(2, np.int64))
        time, request = NOTHING, NOTHING
        if self._module.children:
            time, request = np.empty(len(members), np.int64), np.empty(len(members), np.int64)
            found = between.pass_on(s, _ended_in_order(s, until), np.cumsum(sizes) - sizes, time, request)
            time, request = time[:found], request[:found]
        if self._done is not None:
            between.note_ends(s, until, 0, self._done, self._requests.finish)
        between.keep_running(s, until)
        batches, invocations = s.number
        self._running = ends[:batches].copy(), sizes[:batches].copy(), members[:invocations].copy()
        return time, request


def _ended_in_order(s: between.Passing, until: int) -> Ints:
    """The batches that end before a time, by their ends."""
    order = np.empty(len(s.ends), np.int64)
    count = between.in_order(s, until, order)
    if count >= 0:
        return order[:count]
    order = np.flatnonzero(s.ends < until)
    return order[np.argsort(s.ends[order], kind="stable")]


def _tables(system: System, module: ServedModule) -> t.Tables:
    machines = [system.machines[k] for k in module.machines]
    table = np.zeros((len(machines), t.MACHINE_COLUMNS), np.int64)
    durations: dict[tuple[int, ...], int] = {}
    for row, machine in zip(table, machines, strict=True):
        row[t.BATCH], row[t.SLOTS] = machine.batch, machine.slots
        row[t.TIMEOUT], row[t.SPACING] = machine.timeout_ticks, machine.spacing_ticks
        row[t.DURATION_FIRST] = durations.setdefault(machine.duration_ticks, sum(len(one) for one in durations))
    for column, of in ((t.SLOT_FIRST, t.SLOTS), (t.OPEN_FIRST, t.BATCH)):
        table[:, column] = np.cumsum(table[:, of]) - table[:, of]
    target = np.zeros((len(module.targets), routers.TARGET_COLUMNS), np.int64)
    for k, own in enumerate(module.targets):
        first = own.machines.start - module.machines.start
        target[k, routers.TARGET_MEMBER], target[k, routers.TARGET_SIZE] = first, len(own.machines)
        target[k, routers.RATE] = own.rate
        table[first : first + len(own.machines), t.TARGET] = k
    number = np.zeros(t.NUMBERS, np.int64)
    number[t.CURRENT], number[t.TOTAL_RATE] = NONE, target[:, routers.RATE].sum()
    if system.dealing is not None:
        number[t.UNIT], number[t.TURNS] = system.dealing.unit.value, system.dealing.turns.value
    router = np.zeros((1, routers.ROUTER_COLUMNS), np.int64)
    router[0, routers.ROUTER] = 0 if system.dealing is None else system.dealing.router.value
    return t.Tables(
        number=number,
        target=target,
        machine=table,
        router=router,
        slot=np.zeros(int(table[:, t.SLOTS].sum()), np.int64),
        slot_size=np.zeros(int(table[:, t.SLOTS].sum()), np.int64),
        open=np.zeros(int(table[:, t.BATCH].sum()), np.int64),
        duration=np.array([d for one in durations for d in one], np.int64),
        **dict.fromkeys(t.Tables._fields[t.Tables._fields.index("time") :], NOTHING),
    )


@before_timing
def compile_in_turn() -> None:
    """Compile the kernels, or load their machine code, before anything is timed."""
    t.compile_one_module()
    between.compile_between_modules(np.zeros(t.NUMBERS, np.int64))
    bins_of(NOTHING, 0, 1)


def compile_all() -> None:
    """Compile this and the engine."""
    compile_simulator()
    compile_in_turn()


BY_ENGINE = 1_000
"""Invocations that the engine serves in less than 0.3 s of one core without machine code."""


def share_in_time(session: Session, plan: Plan, space: PlanSpace, setup: Setup, invocations: float) -> float | None:
    """The share of requests within the SLO.

    Args:
        session: the instance.
        plan: a plan of it.
        space: its plan space.
        setup: arrivals and seconds.
        invocations: their approximate number.

    Returns:
        The share. None if only the engine can simulate that plan, and it would take too long.

    Raises:
        InputError: the plan has numbers that are too large to be simulated.
    """
    system = build_system(session, plan, space, setup, fine=True)
    if not covers(system, setup.noise) or any(machine.timeout_ticks < 0 for machine in system.machines):
        return simulate(session, plan, setup, space).attainment if invocations <= BY_ENGINE else None
    # The count is that of `simulate`; timeouts close batches that no arrival fills any more.
    served = InTurn(system, RequestStream(system, setup), system.clock.up(setup.seconds))
    served.go_to(FOREVER)
    arrived = len(served.arrivals())
    took = served.latencies(0, arrived)
    return float(np.count_nonzero(took <= system.slo_ticks)) / arrived if arrived else None
