"""The simulator of sessions with machines that come, change and go while it runs (docs/model/serving.md)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from euclio.problems.session.evaluate import Evaluation
from euclio.problems.session.latency.paths import times_from
from euclio.problems.session.plan import Plan
from euclio.serving.dynamics.rules import Expecting, Machine, on_cpu
from euclio.serving.dynamics.world import World
from euclio.serving.session.engine import routers
from euclio.serving.session.engine import tables as t
from euclio.serving.session.engine.batches import start_batches
from euclio.serving.session.engine.dispatch import close, deal
from euclio.serving.session.server import Server
from euclio.serving.session.system import Machine as SystemMachine
from euclio.serving.session.system import ServedModule, System
from euclio.serving.session.targets import Dealing, scaled
from euclio.serving.units import NS_PER_S, Ints
from euclio.workloads.session.applications import ApplicationModule

ROWS = 256
"""Room for machines; the rows of idle machines on workers that have gone are used again."""


class Placed(NamedTuple):
    """A machine on a worker."""

    worker: int  # number of the worker
    hardware: str  # its type
    machine: Machine  # the allocation's machine
    # part of the worker that it can use: its share over the shares of all machines that are placed there.
    capacity: Fraction


class Counted(NamedTuple):
    """Counts since the beginning, by module."""

    ready: Ints  # invocations that became ready
    ended: Ints  # invocations that ended
    dropped: Ints  # invocations that were dropped
    worked: Ints  # sum of the durations of ended batches
    expected: Ints  # sum of their profiled durations


class ChangingSimulator:
    """A world that is being served.

    Machines keep their queue while they stay on their worker, in any configuration. A machine that is taken away gets
    no more invocations, closes its batch, and executes its queue; one that fails loses it. A module without machines
    queues its invocations until it has one.
    """

    def __init__(self, world: World, dealing: Dealing, expecting: Expecting, slower: Fraction, window_ns: int) -> None:
        """Set up an idle system with no machines.

        `slower` is a factor on the profiled durations of modules on GPUs; frames are counted in windows of `window_ns`.
        """
        self._expecting = expecting
        self._modules = world.application.application.modules
        self._durations = _Durations(self._modules, slower)
        system = _empty(world, dealing, expecting is not Expecting.NOTHING)
        self._server = Server(system, until_ticks=world.seconds * NS_PER_S, window_ticks=window_ns)
        self._server.state = self._server.state._replace(duration=self._durations.table)
        self._server.feed(world.arrival_ns, world.counts, last=True)
        self._rows: dict[tuple[int, int], int] = {}

    def advance(self, until_ns: int, balloons: Sequence[float]) -> None:
        """Process all events before a time; `balloons` are factors on the durations of each module."""
        self._server.state.stretch[:] = balloons
        self._server.advance(until_ns)

    def finish(self) -> Ints:
        """Answer all frames; returns the number of frames and of those answered in time, shape (windows, 2)."""
        self._server.advance()
        return self._server.state.window

    def counted(self) -> Counted:
        """The counters, as they are now."""
        module = self._server.state.module
        return Counted(*(module[:, k].copy() for k in (t.READY, t.ENDED, t.DROPPED_HERE, t.WORKED, t.EXPECTED)))

    def fail(self, worker: int, now_ns: int) -> None:
        """Lose a worker with all its invocations."""
        for key in [key for key in self._rows if key[0] == worker]:
            row = self._rows.pop(key)
            self._server.state.machine[row, t.FAILED] = 1
            self._leave(row, now_ns)

    def use(self, placed: Sequence[Placed], now_ns: int) -> None:
        """Serve with these machines from now on.

        `placed` are module by module; of a module, those with the same target one after the other, in rank order.
        """
        wanted = {(p.worker, p.machine.module) for p in placed}
        for key in [key for key in self._rows if key not in wanted]:
            self._leave(self._rows.pop(key), now_ns)
        for p in placed:
            self._set_up(p)
        self._set_targets(placed)
        self._set_after(placed)
        self._deal_out(now_ns)

    def _set_up(self, placed: Placed) -> None:
        machine, c = placed.machine, placed.machine.configuration
        key = (placed.worker, machine.module)
        if key not in self._rows:
            self._rows[key] = self._free_row()
        row = self._server.state.machine[self._rows[key]]
        row[t.MODULE], row[t.BATCH], row[t.SLOTS] = machine.module, c.batch, c.concurrency
        row[t.DURATION_FIRST] = self._durations.first[machine.module, placed.hardware, c.batch, c.concurrency]
        row[t.TIMEOUT] = machine.timeout_ns
        alone = placed.capacity == 1
        row[t.SPACING] = 0 if alone else int(c.batch / (c.throughput_rps * placed.capacity) * NS_PER_S)

    def _free_row(self) -> int:
        """A row that no machine uses any more.

        Raises:
            RuntimeError: there is none.
        """
        machine, used = self._server.state.machine, set(self._rows.values())
        idle = (machine[:, t.RUNNING] == 0) & (machine[:, t.WAITING] == 0) & (machine[:, t.OPEN] == t.NONE)
        idle &= (machine[:, t.TIMER] == 0) & (machine[:, t.WAKING] == 0)
        for row in np.flatnonzero(idle):
            if int(row) not in used:
                machine[row, t.FAILED] = machine[row, t.AVAILABLE] = 0
                return int(row)
        raise RuntimeError(f"more than {len(machine)} machines serve or have something left")

    def _leave(self, row: int, now_ns: int) -> None:
        """Close the batch of a machine that gets no more invocations; its queue no longer shares the worker."""
        state = self._server.state
        state.machine[row, t.TARGET] = t.NONE
        state.machine[row, t.SPACING], state.machine[row, t.AVAILABLE] = 0, now_ns
        if state.machine[row, t.OPEN] != t.NONE:
            close(state, row, now_ns)
        start_batches(state, row, now_ns)

    def _set_targets(self, placed: Sequence[Placed]) -> None:
        state = self._server.state
        state.machine[:, t.TARGET] = t.NONE
        groups: dict[tuple[int, int], list[Placed]] = {}
        for p in placed:
            groups.setdefault((p.machine.module, p.machine.target), []).append(p)
        target = np.zeros((len(groups), routers.TARGET_COLUMNS), np.int64)
        member: list[int] = []
        for k, own in enumerate(groups.values()):
            rows = [self._rows[p.worker, p.machine.module] for p in own]
            target[k, routers.TARGET_MEMBER], target[k, routers.TARGET_SIZE] = len(member), len(rows)
            state.machine[rows, t.TARGET] = k
            member += rows
        of_module = np.array([module for module, _ in groups], np.int64)
        for m, row in enumerate(state.module):
            mine = np.flatnonzero(of_module == m)
            rates = [sum(p.machine.rate_rps for p in own) for (module, _), own in groups.items() if module == m]
            target[mine, routers.RATE] = scaled([Fraction(rate) for rate in rates]) if rates else ()
            row[t.TARGET_FIRST], row[t.TARGET_COUNT] = (mine[0] if mine.size else 0), mine.size
            row[t.TOTAL_RATE], row[t.CURRENT] = target[mine, routers.RATE].sum(), t.NONE
        self._server.state = state._replace(target=target, member=np.array(member, np.int64))

    def _set_after(self, placed: Sequence[Placed]) -> None:
        """Set the expected time of an invocation after each module, with the present machines."""
        own = [
            min((self._expected_ns(p) for p in placed if p.machine.module == m), default=0)
            for m in range(len(self._modules))
        ]
        self._server.state.module[:, t.LEAST_AFTER] = np.subtract(times_from(self._server.system.session, own), own)

    def _expected_ns(self, placed: Placed) -> int:
        """The expected time of an invocation in a module, on one of its machines."""
        c = placed.machine.configuration
        if self._expecting is Expecting.LEAST:
            first = self._durations.first[placed.machine.module, placed.hardware, c.batch, c.concurrency]
            return int(self._durations.table[first + 1])
        waits = placed.machine.timeout_ns if self._expecting is Expecting.WORST_CASE else 0
        return int(c.duration_s * NS_PER_S) + waits

    def _deal_out(self, now_ns: int) -> None:
        """Give invocations that waited for a machine to the present ones."""
        state = self._server.state
        for m in map(int, np.flatnonzero(state.module[:, t.TARGET_COUNT] > 0)):
            here = state.queue[m, t.QUEUE_HEAD]
            state.queue[m, t.QUEUE_HEAD] = state.queue[m, t.QUEUE_TAIL] = t.NONE
            state.queue[m, t.QUEUE_SIZE] = 0
            while here != t.NONE:
                behind = state.invocation[here, t.NEXT]
                deal(state, m, here, now_ns)
                here = behind


class _Durations:
    """Profiled durations of batches by size, of every configuration.

    Attributes:
        first: start in the table of the durations of a module, worker type, batch and concurrency.
        table: nanoseconds; every configuration has one entry per size, up to the module's largest batch.
    """

    def __init__(self, modules: Sequence[ApplicationModule], slower: Fraction) -> None:
        self.first: dict[tuple[int, str, int, int], int] = {}
        parts: list[Ints] = []
        for m, module in enumerate(modules):
            largest = max(c.batch for c in module.profile)
            for c in module.profile:
                factor = 1.0 if on_cpu(module.profile) else float(slower)
                alike = {
                    k.batch: float(k.duration_s) * factor
                    for k in module.profile
                    if (k.hardware, k.concurrency) == (c.hardware, c.concurrency)
                }
                self.first[m, c.hardware, c.batch, c.concurrency] = sum(map(len, parts))
                parts.append(_by_size(alike, c.batch, largest))
        self.table = np.concatenate(parts)


def _by_size(seconds: dict[int, float], batch: int, largest: int) -> Ints:
    """Durations of batches of 0 to the largest size in nanoseconds.

    A batch is filled up to the quickest profiled size that is at least its own and no larger than the configuration's.
    A batch that was closed before the configuration became smaller may be filled up to any size.
    """
    found = np.zeros(largest + 1, np.int64)
    for size in range(1, largest + 1):
        most = max(batch, min(b for b in seconds if b >= size))
        found[size] = round(min(s for b, s in seconds.items() if size <= b <= most) * NS_PER_S)
    return found


def _empty(world: World, dealing: Dealing, dropping: bool) -> System:
    """A system whose machines belong to no module yet."""
    session = world.session
    parents = session.parents()
    modules = tuple(
        ServedModule(
            module.name,
            parents[m],
            tuple(c for c, above in enumerate(parents) if m in above),
            range(0),
            (),
            Fraction(1),
            Fraction(0),
            0,
            0,
            (0,) * sum(m in above for above in parents),
        )
        for m, module in enumerate(session.modules)
    )
    unused = SystemMachine(0, 0, False, 1, 1, (0, 1), -1, 0, Fraction(0), Fraction(0))
    nothing = Plan(()), Evaluation((), None, None, ())
    slo_ns = int(session.slo_s * NS_PER_S)
    machines = (unused,) * ROWS
    return System(session, *nothing, modules, session.order, machines, dealing, Fraction(1), slo_ns, False, dropping)
