"""The driver of the compiled simulator: feeds arrivals, gives it room, reads its counts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from euclio.core.errors import InputError
from euclio.serving.arrivals import first_draws
from euclio.serving.histogram import BINS
from euclio.serving.session.engine import routers
from euclio.serving.session.engine import tables as t
from euclio.serving.session.engine.loop import DONE, FOREVER, LOG_IS_FULL, NEEDS_ARRIVALS, advance
from euclio.serving.session.engine.tables import ELSEWHERE, push
from euclio.serving.session.system import System
from euclio.serving.units import Floats, Ints, whole_multiples

# The requests of one stream or several, in the order in which they come (docs/model/serving.md, requests).

Piece = tuple[Ints, Ints]
"""Arrivals in ticks, shape (requests,), and invocations per request and module, shape (requests, modules)."""


class Counts:
    """Invocations per request and module, request after request (docs/model/serving.md, requests)."""

    def __init__(self, per_request: Sequence[Fraction]) -> None:
        """Begin with the first request; `per_request` are invocations of each module per request."""
        self._per_request = tuple(per_request)
        self._first = 0

    def take(self, requests: int) -> Ints:
        """Counts of the next requests, shape (requests, modules)."""
        # ⌊(k + 1)·ratio⌋ - ⌊k·ratio⌋ of request k.
        reached = [whole_multiples(ratio, self._first, requests + 1) for ratio in self._per_request]
        self._first += requests
        return np.ascontiguousarray(np.diff(np.stack(reached, axis=1), axis=0))


def together(system: System, arrivals: Sequence[Iterable[Ints]]) -> Iterator[Piece]:
    """The requests of all streams in the order in which they come; at one time, in the order of the streams.

    Args:
        system: the system that serves them.
        arrivals: by stream, pieces of times in ticks, ascending.
    """
    streams = [_counted(system, number, own) for number, own in enumerate(arrivals)]
    return streams[0] if len(streams) == 1 else _merged(streams, len(system.modules))


def _counted(system: System, number: int, arrivals: Iterable[Ints]) -> Iterator[Piece]:
    """The requests of one stream, with their invocations."""
    modules = system.modules
    counts = Counts([module.per_request if module.stream == number else Fraction(0) for module in modules])
    others = [m for m, module in enumerate(modules) if module.stream != number]
    for times in arrivals:
        found = counts.take(times.size)
        found[:, others] = ELSEWHERE
        yield times, found


def _merged(streams: Sequence[Iterator[Piece]], modules: int) -> Iterator[Piece]:
    nothing = np.zeros(0, np.int64), np.zeros((0, modules), np.int64)
    held: list[Piece] = [nothing] * len(streams)
    going_on = set(range(len(streams)))
    wanted = set(going_on)
    while going_on:
        for k in sorted(wanted):
            piece = next(streams[k], None)
            if piece is None:
                going_on.discard(k)
            else:
                held[k] = _joined([held[k], piece])
        # A stream that goes on is unknown from its last time on.
        last = {k: held[k][0][-1] if held[k][0].size else -1 for k in going_on}
        until = min(last.values(), default=None)
        wanted = {k for k, time in last.items() if time == until}
        cuts = [len(times) if until is None else int(np.searchsorted(times, until)) for times, _ in held]
        times, counts = _joined([(own[:cut], rows[:cut]) for cut, (own, rows) in zip(cuts, held, strict=True)])
        held = [(own[cut:], rows[cut:]) for cut, (own, rows) in zip(cuts, held, strict=True)]
        if times.size:
            order = np.argsort(times, kind="stable")
            yield times[order], counts[order]


def _joined(pieces: Sequence[Piece]) -> Piece:
    """Several pieces as one."""
    return np.concatenate([times for times, _ in pieces]), np.concatenate([counts for _, counts in pieces])


ROOM = 1024
"""Room for requests and invocations at first; doubled as often as needed."""
SPARE_BATCHES = 8
"""Batches beyond the number of invocations: only batches that are ending or dropped have no invocation."""
LOGGED = 1 << 16
"""Entries of a log before it is cleared."""


@dataclass(frozen=True, slots=True)
class Logs:
    """Logs of all executions, invocations and requests, in the order of events.

    Attributes:
        executions: module, machine, invocations, start, end of each batch, shape (batches, 5).
        invocations: request (-1 for a dummy), module, ready, machine, start, end, shape (invocations, 6).
        requests: number, arrival, finish (-1 if dropped), shape (requests, 3).
    """

    executions: Ints
    invocations: Ints
    requests: Ints


class Server:
    """A running simulation of a system.

    Its tables stay between calls, so that arrivals can be fed in pieces, and machines, targets and durations can change
    in between.

    Attributes:
        system: the system.
        state: the tables of the compiled simulator (`euclio.serving.session.engine.tables`).
    """

    def __init__(
        self,
        system: System,
        *,
        until_ticks: int,
        factors: Floats | None = None,
        logs: bool = False,
        closed_loop: bool = False,
        window_ticks: int = 0,
        seed: int = 0,
    ) -> None:
        """Set up an idle system at time 0.

        Args:
            system: the system.
            until_ticks: when dummies and, in a closed loop, requests end.
            factors: real over expected durations, used in turn; None means 1.
            logs: whether logs are kept.
            closed_loop: whether an answered request is followed at once by the next one of its client, which has as
                many invocations as the first request that was fed.
            window_ticks: width of windows of arrivals, in each of which attained requests are counted; 0 disables it.
            seed: seed of the routers' draws.
        """
        self.system = system
        self._logs: tuple[list[Ints], list[Ints], list[Ints]] | None = ([], [], []) if logs else None
        windows = -(-until_ticks // window_ticks) if window_ticks else 0
        self.state = _new_state(system, np.ones(1) if factors is None else factors, windows, _log_rows(system, logs))
        self.state.router[:, routers.FIRST : routers.SECOND + 1] = first_draws(seed, len(system.modules))
        number = self.state.number
        number[t.SLO], number[t.HOLDS], number[t.DROPS] = system.slo_ticks, system.hold, system.drops
        number[t.TICKS_PER_NS] = system.clock.ticks_per_ns
        number[t.CLOSED_LOOP], number[t.UNTIL_ARRIVALS], number[t.WINDOW] = closed_loop, until_ticks, window_ticks
        for m, module in enumerate(system.modules):
            if module.dummy_period_ticks:
                push(self.state, int(self.state.dummy[m, t.DUE]), t.DUMMY, m, m)

    def feed(self, arrival_ticks: Ints, counts: Ints, *, last: bool = False) -> None:
        """Give the next arrivals; those given before must be used up (`advance` reports this).

        Args:
            arrival_ticks: ascending, not before the events so far, shape (requests,).
            counts: invocations per request and module, shape (requests, modules).
            last: whether no more will be fed.

        Raises:
            ValueError: windows are counted, and the last arrival lies behind them.
        """
        old = self.state
        if len(old.window) and arrival_ticks.size and arrival_ticks[-1] >= len(old.window) * old.number[t.WINDOW]:
            raise ValueError(f"an arrival at {arrival_ticks[-1]} lies behind the last window")
        place = int(old.number[t.ARRIVAL_PLACE])
        left = old.arrival[place:], old.counts[place:]
        arrival = np.concatenate((left[0], arrival_ticks)) if left[0].size else np.ascontiguousarray(arrival_ticks)
        count = np.concatenate((left[1], counts)) if left[0].size else np.ascontiguousarray(counts)
        old.number[t.ARRIVAL_PLACE] = 0
        old.number[t.FINAL] = last
        self.state = old._replace(arrival=arrival, counts=count)

    def advance(self, until_ticks: int = FOREVER) -> bool:
        """Let all happen that happens before a time.

        Args:
            until_ticks: the time; without it all fed requests are answered, if they were the last.

        Returns:
            Whether it got there; if not, it needs more arrivals, or the statement that there are none.

        Raises:
            InputError: there is work left for longer than times can be counted.
        """
        while True:
            reason = advance(self.state, until_ticks)
            if reason == DONE:
                if until_ticks >= FOREVER and self.state.number[t.EVENTS]:
                    raise InputError(
                        "needs longer than can be counted, more than a hundred years, to answer all requests; give "
                        "fewer or a lower load",
                        field="seconds",
                    )
                return True
            if reason == NEEDS_ARRIVALS:
                return False
            if reason == LOG_IS_FULL:
                self._take_logs()
            else:
                self.state = _with_room(self.state)

    def busy_ticks(self, at_ticks: int) -> Ints:
        """How long each machine has executed until the time that `advance` went to, all slots together.

        Shape (machines,).
        """
        event = self.state.event[: self.state.number[t.EVENTS]]
        ends = event[event[:, t.ORDER] >> t.KIND_SHIFT == t.END]
        machine = self.state.batch[ends[:, t.PAYLOAD], t.ON]
        # Executions count in full when they start; the rest of those under way is subtracted.
        found: Ints = self.state.machine[:, t.BUSY].copy()
        np.subtract.at(found, machine, ends[:, t.TIME] - at_ticks)
        return found

    def keep_logs(self, kept: bool) -> None:
        """Start or stop keeping logs from here on; earlier entries are forgotten."""
        self._logs = ([], [], []) if kept else None
        rows = _log_rows(self.system, kept)
        self.state = self.state._replace(
            executions=np.zeros((rows, t.EXECUTION_LOG_COLUMNS), np.int64),
            passages=np.zeros((rows, t.PASSAGE_LOG_COLUMNS), np.int64),
            answers=np.zeros((rows, t.ANSWER_LOG_COLUMNS), np.int64),
        )
        self.state.number[[t.EXECUTIONS_LOGGED, t.PASSAGES_LOGGED, t.REQUESTS_LOGGED]] = 0

    def logs(self) -> Logs:
        """The logs so far; only if logs are kept."""
        assert self._logs is not None, "logs are not kept"
        self._take_logs()
        columns = (t.EXECUTION_LOG_COLUMNS, t.PASSAGE_LOG_COLUMNS, t.ANSWER_LOG_COLUMNS)
        found = [np.concatenate([np.zeros((0, k), np.int64), *log]) for k, log in zip(columns, self._logs, strict=True)]
        return Logs(*found)

    def _take_logs(self) -> None:
        assert self._logs is not None
        number = self.state.number
        parts = (
            (self.state.executions, t.EXECUTIONS_LOGGED),
            (self.state.passages, t.PASSAGES_LOGGED),
            (self.state.answers, t.REQUESTS_LOGGED),
        )
        for (table, length), log in zip(parts, self._logs, strict=True):
            log.append(table[: number[length]].copy())
            number[length] = 0


def _log_rows(system: System, logs: bool) -> int:
    return max(LOGGED, 8 * max(machine.batch for machine in system.machines)) if logs else 0


def _new_state(system: System, factors: Floats, windows: int, log_rows: int) -> t.State:
    modules = len(system.modules)
    machine, duration = _machine_table(system)
    target, member = _target_table(system, machine)
    queue = _queue_table(system, machine)
    module, child, delay = _module_table(system)
    measured = modules + 1 + len(system.objectives)
    batch, invocation = (
        _free_rows(ROOM + SPARE_BATCHES, t.BATCH_COLUMNS, t.NEXT_BATCH),
        _free_rows(ROOM, t.INVOCATION_COLUMNS, t.NEXT),
    )
    number = np.zeros(t.NUMBERS, np.int64)
    return t.State(
        number=number,
        module=module,
        child=child,
        delay=delay,
        objective=_objective_table(system),
        target=target,
        member=member,
        router=_router_table(system),
        queue=queue,
        machine=machine,
        duration=duration,
        batch=batch,
        invocation=invocation,
        request=_free_rows(ROOM, t.REQUEST_COLUMNS, t.NUMBER),
        passage=np.zeros((ROOM, modules, t.PASSAGE_COLUMNS), np.int64),
        event=np.zeros((_events(ROOM, ROOM, modules, len(machine)), t.EVENT_COLUMNS), np.int64),
        arrival=np.zeros(0, np.int64),
        counts=np.zeros((0, modules), np.int64),
        factor=np.ascontiguousarray(factors, np.float64),
        stretch=np.ones(modules),
        dummy=np.array([dummy_row(m.dummy_period_ticks) for m in system.modules], np.int64),
        histogram=np.zeros((measured, BINS), np.int64),
        guess=np.zeros(measured, np.int64),
        total=np.zeros(measured),
        largest=np.zeros(measured, np.int64),
        window=np.zeros((windows, t.WINDOW_COLUMNS), np.int64),
        executions=np.zeros((log_rows, t.EXECUTION_LOG_COLUMNS), np.int64),
        passages=np.zeros((log_rows, t.PASSAGE_LOG_COLUMNS), np.int64),
        answers=np.zeros((log_rows, t.ANSWER_LOG_COLUMNS), np.int64),
        stack=np.zeros(modules, np.int64),
    )


def _machine_table(system: System) -> tuple[Ints, Ints]:
    table = np.zeros((len(system.machines), t.MACHINE_COLUMNS), np.int64)
    # Machines alike share one row of durations.
    first: dict[tuple[int, ...], int] = {}
    durations: list[int] = []
    for number, (row, machine) in enumerate(zip(table, system.machines, strict=True)):
        if machine.duration_ticks not in first:
            first[machine.duration_ticks] = len(durations)
            durations += machine.duration_ticks
        row[t.MODULE], row[t.BATCH], row[t.SLOTS] = machine.module, machine.batch, machine.slots
        row[t.DURATION_FIRST], row[t.TIMEOUT] = first[machine.duration_ticks], machine.timeout_ticks
        row[t.SPACING], row[t.TARGET], row[t.OPEN] = machine.spacing_ticks, t.NONE, t.NONE
        row[t.HOST] = number if machine.host is None else machine.host
        row[t.QUEUE] = t.NONE
    return table, np.array(durations, np.int64)


def _target_table(system: System, machine: Ints) -> tuple[Ints, Ints]:
    """Targets of all modules; enters them into the table of machines."""
    targets = [target for module in system.modules for target in module.targets]
    table = np.zeros((len(targets), routers.TARGET_COLUMNS), np.int64)
    member: list[int] = []
    for k, target in enumerate(targets):
        table[k, routers.TARGET_MEMBER], table[k, routers.TARGET_SIZE] = len(member), len(target.machines)
        table[k, routers.RATE] = target.rate
        machine[list(target.machines), t.TARGET] = k
        member += target.machines
    return table, np.array(member, np.int64)


def _queue_table(system: System, machine: Ints) -> Ints:
    """A queue of each module; if machines have queues of their own, enters them into the table of machines."""
    pulling = [module.machines for module in system.modules]
    if system.dealing is not None and system.dealing.queued:
        machine[:, t.QUEUE] = np.arange(len(pulling), len(pulling) + len(machine))
        pulling += [range(number, number + 1) for number in range(len(machine))]
    table = np.zeros((len(pulling), t.QUEUE_COLUMNS), np.int64)
    table[:, [t.QUEUE_HEAD, t.QUEUE_TAIL]] = t.NONE
    table[:, t.PULL_FIRST] = [machines.start for machines in pulling]
    table[:, t.PULL_COUNT] = [len(machines) for machines in pulling]
    return table


def _router_table(system: System) -> Ints:
    table = np.zeros((len(system.modules), routers.ROUTER_COLUMNS), np.int64)
    if system.dealing is not None:
        table[:, routers.ROUTER] = system.dealing.router.value
    return table


def _objective_table(system: System) -> Ints:
    table = np.zeros((len(system.objectives), t.OBJECTIVE_COLUMNS), np.int64)
    for row, one in zip(table, system.objectives, strict=True):
        row[t.OBJECTIVE_MODULE], row[t.LIMIT] = one.module, one.limit_ticks
    return table


def _module_table(system: System) -> tuple[Ints, Ints, Ints]:
    """The table of modules, their children, and the delays on the way there."""
    table = np.zeros((len(system.modules), t.MODULE_COLUMNS), np.int64)
    child: list[int] = []
    delay: list[int] = []
    targets = 0
    for row, module in zip(table, system.modules, strict=True):
        row[t.CHILD_FIRST], row[t.CHILD_COUNT] = len(child), len(module.children)
        row[t.PARENTS], row[t.TARGET_FIRST] = len(module.parents), targets
        row[t.TARGET_COUNT], row[t.TOTAL_RATE] = len(module.targets), sum(target.rate for target in module.targets)
        row[t.MACHINE_FIRST], row[t.MACHINE_COUNT] = module.machines.start, len(module.machines)
        row[t.HOLD], row[t.LEAST_AFTER] = module.latency_ticks, module.least_after_ticks
        row[t.CURRENT] = t.NONE
        if system.dealing is not None:
            row[t.UNIT], row[t.TURNS] = system.dealing.unit.value, system.dealing.turns.value
        child += module.children
        delay += module.delays_ticks
        targets += len(module.targets)
    return table, np.array(child, np.int64), np.array(delay, np.int64)


def dummy_row(period: Fraction) -> tuple[int, ...]:
    """The dummies of a module, the first after half a period; parts of ticks stand in a scale that fits."""
    half = period / 2
    over = min(math.lcm(period.denominator, half.denominator), t.MOST_OVER)
    # A rounded part is off by 2⁻⁶² ticks.
    due, carried = divmod(math.floor(half * over), over)
    whole, part = divmod(math.floor(period * over), over)
    return due, carried, whole, part, over


def _events(requests: int, invocations: int, modules: int, machines: int) -> int:
    """Most events to come: executions, time-outs and wakings, dummies and pulls, requests held or under way, clients.

    A request is on its way to a module before it may be held there.
    """
    return invocations + 3 * machines + 2 * modules + requests * (modules + 1) + 8


def _free_rows(rows: int, columns: int, link: int, first: int = 0, end: int = t.NONE) -> Ints:
    """Rows that are linked to one another, from `first` on; the last one is linked to `end`."""
    table = np.zeros((rows, columns), np.int64)
    table[first:, link] = np.arange(first + 1, rows + 1)
    if rows:
        table[-1, link] = end
    return table


def _with_room(s: t.State) -> t.State:
    """The same with twice as much room, for requests, invocations or both."""
    number = s.number
    requests, invocations, modules = len(s.request), len(s.invocation), len(s.module)
    request, passage, batch, invocation = s.request, s.passage, s.batch, s.invocation
    if number[t.REQUESTS_IN_FLIGHT] >= requests:
        request = _extended(request, 2 * requests, t.NUMBER, number, t.FREE_REQUEST)
        passage = np.concatenate((passage, np.zeros_like(passage)))
        requests *= 2
    else:
        # The next request may need more than twice as much.
        coming = np.maximum(s.counts[number[t.ARRIVAL_PLACE] :], 0).sum(axis=1)
        wanted = int(coming.max(initial=1)) + int(number[t.COMMITTED])
        invocations = max(2 * invocations, 2 * wanted)
        invocation = _extended(invocation, invocations, t.NEXT, number, t.FREE_INVOCATION)
        batch = _extended(batch, invocations + SPARE_BATCHES, t.NEXT_BATCH, number, t.FREE_BATCH)
    event = np.zeros((_events(requests, invocations, modules, len(s.machine)), t.EVENT_COLUMNS), np.int64)
    event[: len(s.event)] = s.event
    return s._replace(request=request, passage=passage, batch=batch, invocation=invocation, event=event)


def _extended(table: Ints, rows: int, link: int, number: Ints, free: int) -> Ints:
    """A longer table, whose new rows are the first of the free ones."""
    found = _free_rows(rows, table.shape[1], link, len(table), int(number[free]))
    found[: len(table)] = table
    number[free] = len(table)
    return found


def serve_evenly(system: System, requests: int) -> Logs:
    """Serve requests that come evenly, at the rates of the plan, until all are answered (Harpagon §III-B).

    Args:
        system: the plan as machines.
        requests: approximate number of requests of all streams. The last ones may wait for batches that no arrival
            fills any more.
    """
    rates = [system.rate_rps * share for share in system.shares]
    each = [math.ceil(requests * share) for share in system.shares]
    ticks = system.clock.ticks_per_s
    evenly = [whole_multiples(ticks / rate, 0, count) for rate, count in zip(rates, each, strict=True)]
    pieces = list(together(system, [[own] for own in evenly]))
    server = Server(system, until_ticks=max(int(own[-1]) for own in evenly) + 1, logs=True)
    for place, piece in enumerate(pieces, 1):
        server.feed(*piece, last=place == len(pieces))
    server.advance()
    return server.logs()
