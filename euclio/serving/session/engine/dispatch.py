"""Dealing out invocations to the machines of a module (compiled; docs/model/serving.md, dispatch)."""

from __future__ import annotations

from euclio.core.compiled import compiled_on_tables
from euclio.serving.session.engine import routers
from euclio.serving.session.engine import tables as t
from euclio.serving.session.engine.batches import add, is_available, new_batch, open_batch, submit
from euclio.serving.session.engine.tables import State, push
from euclio.serving.session.targets import Turns, Unit

BY_ROUND, BY_BATCH = Unit.ROUND.value, Unit.BATCH.value
WHOLE_BATCHES = Turns.BATCHES.value


@compiled_on_tables
def deal(s: State, module: int, invocation: int, now: int) -> None:
    """Give an invocation to a machine of its module, or let it wait until one pulls it."""
    if s.module[module, t.TARGET_COUNT] == 0:
        _wait(s, module, invocation, now)
        return
    by_turn = s.router[module, routers.ROUTER] == routers.BY_TURN
    machine = _next_machine(s, module) if by_turn else _routed(s, module, now)
    if s.machine[machine, t.QUEUE] != t.NONE:
        s.machine[machine, t.IN_HAND] += 1
        _wait(s, s.machine[machine, t.QUEUE], invocation, now)
        return
    batch = s.machine[machine, t.OPEN]
    if batch == t.NONE:
        batch = open_batch(s, machine, now)
    add(s, batch, invocation)
    if s.batch[batch, t.SIZE] >= s.machine[machine, t.BATCH]:
        close(s, machine, now)


@compiled_on_tables
def _next_machine(s: State, module: int) -> int:
    """The machine whose turn it is, which is the next one's after a single invocation."""
    target = s.module[module, t.CURRENT]
    if target == t.NONE:
        target = _choose(s, module)
    machine = s.member[s.target[target, routers.TARGET_MEMBER] + s.target[target, routers.TURN]]
    if s.module[module, t.TARGET_COUNT] > 1:
        # Lags matter between targets alone: a single one is always due.
        first, count = s.module[module, t.TARGET_FIRST], s.module[module, t.TARGET_COUNT]
        routers.count_one(s.target, first, count, s.module[module, t.TOTAL_RATE], target)
    if s.module[module, t.TURNS] != WHOLE_BATCHES:
        routers.next_turn(s.target, target)
    if s.module[module, t.UNIT] != BY_ROUND and s.module[module, t.UNIT] != BY_BATCH:
        s.module[module, t.CURRENT] = t.NONE
    return int(machine)


@compiled_on_tables
def _routed(s: State, module: int, now: int) -> int:
    """The machine that a router chooses by draws, or by the invocations that machines have in hand."""
    first, total = s.module[module, t.TARGET_FIRST], s.module[module, t.TOTAL_RATE]
    if s.router[module, routers.ROUTER] == routers.LEAST_IN_HAND:
        return _least_loaded(s, module, now)
    one = routers.drawn_machine(s.target, first, total, s.router, module)
    if s.router[module, routers.ROUTER] == routers.AT_RANDOM or s.module[module, t.MACHINE_COUNT] == 1:
        return int(one)
    other = routers.drawn_other(s.target, first, total, s.router, module, one, s.machine[one, t.TARGET])
    return int(other if _load(s, other, now) < _load(s, one, now) else one)


@compiled_on_tables
def _least_loaded(s: State, module: int, now: int) -> int:
    """The machine with the least load; of several, the first after the one that was chosen last."""
    first, count = s.module[module, t.MACHINE_FIRST], s.module[module, t.MACHINE_COUNT]
    machine = first + s.router[module, routers.TURN_OF]
    chosen, least = machine, _load(s, machine, now)
    for _ in range(count - 1):
        machine = machine + 1 if machine + 1 < first + count else first
        load = _load(s, machine, now)
        if load < least:
            chosen, least = machine, load
    s.router[module, routers.TURN_OF] = chosen + 1 - first if chosen + 1 < first + count else 0
    return int(chosen)


@compiled_on_tables
def _load(s: State, machine: int, now: int) -> float:
    """A machine's load as its router knows it: ends at this moment are not known yet."""
    in_hand = s.machine[machine, t.IN_HAND]
    if s.machine[machine, t.LAST_ENDED] == now:
        in_hand += s.machine[machine, t.ENDED_THEN]
    return routers.load_of(s.target, s.machine[machine, t.TARGET], in_hand)


@compiled_on_tables
def close(s: State, machine: int, now: int) -> None:
    """Close the batch that a machine collects, full or not, and go on to whose turn it is."""
    batch, target = s.machine[machine, t.OPEN], s.machine[machine, t.TARGET]
    s.machine[machine, t.OPEN] = t.NONE
    # Machines that a changed plan has no use for have no target.
    if target != t.NONE:
        module = s.machine[machine, t.MODULE]
        if s.module[module, t.TURNS] == WHOLE_BATCHES:
            routers.next_turn(s.target, target)
        # Where single invocations take turns, a target may have open batches when its round is over.
        if s.module[module, t.CURRENT] == target:
            s.module[module, t.LEFT] -= 1
            if s.module[module, t.LEFT] == 0:
                s.module[module, t.CURRENT] = t.NONE
    submit(s, batch, now)


@compiled_on_tables
def _choose(s: State, module: int) -> int:
    """The target that is due, by the rule of the module's unit; it becomes the current one."""
    first, count = s.module[module, t.TARGET_FIRST], s.module[module, t.TARGET_COUNT]
    chosen = first
    if count > 1:
        if s.module[module, t.UNIT] == BY_ROUND or s.module[module, t.UNIT] == BY_BATCH:
            chosen = routers.first_due(s.target, first)
        else:
            chosen = routers.most_pressing(s.target, first, count, s.module[module, t.TOTAL_RATE])
    s.module[module, t.CURRENT] = chosen
    # Batches to be closed before the next choice; with single invocations the next choice comes at once.
    s.module[module, t.LEFT] = s.target[chosen, routers.TARGET_SIZE] if s.module[module, t.UNIT] == BY_ROUND else 1
    return int(chosen)


@compiled_on_tables
def queue_of(s: State, machine: int) -> int:
    """The queue that a machine pulls from: its own, or that of its module."""
    own = s.machine[machine, t.QUEUE]
    return int(own if own != t.NONE else s.machine[machine, t.MODULE])


@compiled_on_tables
def _wait(s: State, queue: int, invocation: int, now: int) -> None:
    s.invocation[invocation, t.NEXT] = t.NONE
    if s.queue[queue, t.QUEUE_HEAD] == t.NONE:
        s.queue[queue, t.QUEUE_HEAD] = invocation
    else:
        s.invocation[s.queue[queue, t.QUEUE_TAIL], t.NEXT] = invocation
    s.queue[queue, t.QUEUE_TAIL] = invocation
    s.queue[queue, t.QUEUE_SIZE] += 1
    ask_to_pull(s, queue, now)


@compiled_on_tables
def ask_to_pull(s: State, queue: int, now: int) -> None:
    """Let free machines pull after all invocations that become ready at this moment."""
    if s.queue[queue, t.PULLING] == 0:
        push(s, now, t.PULL, queue, queue)
        s.queue[queue, t.PULLING] = 1


@compiled_on_tables
def _waits_for_more(s: State, queue: int, machine: int, now: int) -> bool:
    """Whether a free machine waits until a batch is full; if so, it is asked anew when its time-out has passed."""
    if s.machine[machine, t.TIMEOUT] == 0 or s.queue[queue, t.QUEUE_SIZE] >= s.machine[machine, t.BATCH]:
        return False
    if s.machine[machine, t.TIMEOUT] < 0:
        return True
    ready = s.invocation[s.queue[queue, t.QUEUE_HEAD], t.BECAME_READY]
    due = max(s.machine[machine, t.FREE_SINCE], ready) + s.machine[machine, t.TIMEOUT]
    if due <= now:
        return False
    # What waits first and when the machine became free only ever get later, so that a time-out that is to come is not
    # too late. It finds out when it comes whether it is too early.
    if s.machine[machine, t.TIMER] == 0:
        push(s, due, t.TIME_OUT, machine, machine)
        s.machine[machine, t.TIMER] = 1
    return True


@compiled_on_tables
def pull(s: State, queue: int, now: int, forced: bool) -> None:
    """Let free machines, in rank order, take waiting invocations, up to their batch sizes.

    If `forced`, they take them even if they would wait for more.
    """
    first = s.queue[queue, t.PULL_FIRST]
    for machine in range(first, first + s.queue[queue, t.PULL_COUNT]):
        # A machine that is not available yet is asked anew when it is.
        while (
            s.queue[queue, t.QUEUE_HEAD] != t.NONE
            and s.machine[machine, t.RUNNING] < s.machine[machine, t.SLOTS]
            and s.machine[machine, t.FAILED] == 0
            and is_available(s, machine, now)
            and (forced or not _waits_for_more(s, queue, machine, now))
        ):
            batch = new_batch(s, machine, now)
            while s.queue[queue, t.QUEUE_HEAD] != t.NONE and s.batch[batch, t.SIZE] < s.machine[machine, t.BATCH]:
                invocation = s.queue[queue, t.QUEUE_HEAD]
                s.queue[queue, t.QUEUE_HEAD] = s.invocation[invocation, t.NEXT]
                s.queue[queue, t.QUEUE_SIZE] -= 1
                add(s, batch, invocation)
            submit(s, batch, now)
        if s.queue[queue, t.QUEUE_HEAD] == t.NONE:
            return
    # What waits at a module for any of its machines is no machine's.
    if s.machine[first, t.QUEUE] == queue and s.queue[queue, t.QUEUE_SIZE] > s.machine[first, t.MOST_WAITING]:
        s.machine[first, t.MOST_WAITING] = s.queue[queue, t.QUEUE_SIZE]
