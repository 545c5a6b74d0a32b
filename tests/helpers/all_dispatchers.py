"""Every dispatcher of a module at once: whether one of them keeps all bounds for ever (docs/findings/theorem-1.md).

Ours, and apart from the simulator. Requests come 1/F apart. A dispatcher gives each to a machine, in batches of at most
b that take d however full they are, one after the other. Three restrictions lose nothing. A machine takes its requests
in order, since an exchange of two requests makes neither late. It begins a batch as soon as it is free and the last
request of the batch is there, since an earlier begin makes no request late. All times therefore lie on a grid. As no
request may wait longer than its bound, there are finitely many states. A dispatcher for ever is a way through them
without an end.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm


@dataclass(frozen=True)
class Machine:
    """A machine: batch, duration, and how long a request of it may take from ready to end, in seconds."""

    batch: int
    duration_s: Fraction
    bound_s: Fraction


@dataclass(frozen=True)
class Waiting:
    """A machine as the next request comes, in steps of the grid from then on.

    `free` is when the batches before the open one have ended; `first`, `last` and `count` are of the open batch.
    """

    free: int = 0
    first: int = 0
    last: int = 0
    count: int = 0


State = tuple[Waiting, ...]


@dataclass(frozen=True)
class Answer:
    """Whether some dispatcher keeps all bounds for ever, the states that were looked at, and one way that does.

    `machines` is who gets the requests, from the first, until the state has come twice; `again` the place of the
    request from which on it repeats; there are none where there is no such dispatcher.
    """

    possible: bool
    states: int
    machines: tuple[int, ...] = ()
    again: int = 0


class Dispatchers:
    """All dispatchers of a module."""

    def __init__(self, rate_rps: Fraction | int, machines: list[Machine], *, runs: bool = False) -> None:
        """Put times on a grid.

        Args:
            rate_rps: requests per second, evenly spaced.
            machines: the machines.
            runs: only dispatchers that stay with a machine until its batch is closed.
        """
        self.machines, self.runs = machines, runs
        gap = 1 / Fraction(rate_rps)
        times = [gap, *(m.duration_s for m in machines), *(m.bound_s for m in machines)]
        unit = Fraction(1, lcm(*(t.denominator for t in times)))
        unit *= gcd(*(int(t / unit) for t in times))
        self.gap = int(gap / unit)
        self.durations = [int(m.duration_s / unit) for m in machines]
        self.slack = [int((m.bound_s - m.duration_s) / unit) for m in machines]

    def closed(self, k: int, own: Waiting) -> int | None:
        """The end of a machine's open batch if no request joins it; None if its first request would be late."""
        start = max(own.free, own.last)
        return None if start > own.first + self.slack[k] else start + self.durations[k]

    def given(self, k: int, own: Waiting) -> list[Waiting]:
        """The possible states of machine k after it takes the present request: it joins the open batch or the next."""
        found = []
        if own.count == 0:
            found.append(Waiting(own.free, 0, 0, 1))
        else:
            found.append(Waiting(own.free, own.first, 0, own.count + 1))
            end = self.closed(k, own)
            if end is not None:
                found.append(Waiting(end, 0, 0, 1))
        kept = []
        for one in found:
            if max(one.free, 0) > one.first + self.slack[k]:
                continue
            if one.count == self.machines[k].batch:
                end = self.closed(k, one)
                assert end is not None
                kept.append(Waiting(end))
            else:
                kept.append(one)
        return kept

    def later(self, k: int, own: Waiting) -> Waiting | None:
        """Machine k when the next request comes; None if a waiting request will be late."""
        own = Waiting(own.free - self.gap, own.first - self.gap, own.last - self.gap, own.count)
        if own.count and own.first + self.slack[k] >= 0:
            return Waiting(max(own.free, own.last), own.first, own.last, own.count)
        end = self.closed(k, own) if own.count else own.free
        return None if end is None else Waiting(max(end, 0))

    def after(self, state: State) -> dict[State, int]:
        """The states after a request, each with the machine that takes it."""
        found: dict[State, int] = {}
        open_batches = [k for k, own in enumerate(state) if own.count]
        for k in open_batches if self.runs and open_batches else range(len(state)):
            for own in self.given(k, state[k]):
                then = [self.later(j, own if j == k else other) for j, other in enumerate(state)]
                if all(one is not None for one in then):
                    found.setdefault(tuple(one for one in then if one is not None), k)
        return found

    def answer(self) -> Answer:
        """Follow dispatchers until a state comes again on the way; what is left behind, `dead`, leads nowhere."""
        start: State = tuple(Waiting() for _ in self.machines)
        place = {start: 0}
        machines: list[int] = []
        left = [iter(self.after(start).items())]
        way, dead = [start], set()
        while way:
            step = next(left[-1], None)
            if step is None:
                dead.add(way.pop())
                left.pop()
                if machines:
                    machines.pop()
                continue
            state, machine = step
            if state in dead:
                continue
            if state in place:
                return Answer(True, len(place), (*machines, machine), place[state])
            place[state] = len(way)
            way.append(state)
            machines.append(machine)
            left.append(iter(self.after(state).items()))
        return Answer(possible=False, states=len(place))


def worst_s(rate_rps: Fraction | int, machines: list[Machine], dealt: list[int]) -> list[Fraction]:
    """The longest time from ready to end at each machine if request k is given to `dealt[k]` and all batches are full.

    Requests of a last batch that is not full are left out.
    """
    gap, found = 1 / Fraction(rate_rps), []
    for k, machine in enumerate(machines):
        own = [place * gap for place, given in enumerate(dealt) if given == k]
        free, worst = Fraction(0), Fraction(0)
        for j in range(machine.batch, len(own) + 1, machine.batch):
            free = max(free, own[j - 1]) + machine.duration_s
            worst = max(worst, free - own[j - machine.batch])
        found.append(worst)
    return found
