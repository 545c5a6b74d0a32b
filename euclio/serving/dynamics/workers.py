"""Worker instances over time: which are on, their loaded modules, their placement (Scrooge §3.4, §3.6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from euclio.problems.session.packing import by_fit


class SoldOutError(Exception):
    """The cloud has no further instance of a worker type.

    Attributes:
        hardware: the type.
    """

    def __init__(self, hardware: str) -> None:
        super().__init__(f"no further {hardware}")
        self.hardware = hardware


class Need(NamedTuple):
    """A machine that an allocation asks for."""

    module: int  # number of its module
    hardware: str  # worker type
    share: Fraction  # part of the worker's capacity that it takes (input rate proportionality, Scrooge §3.4); 1 for all
    # whether a worker that serves the module comes before a better fit that has only loaded it, so that state stays.
    stays: bool = False


@dataclass(slots=True)
class Worker:
    """An instance."""

    number: int  # instances are numbered as they are turned on
    hardware: str  # its type
    on_ns: int  # when it was turned on
    # by module that it has loaded or is loading, the time from which it can serve it.
    loaded_ns: dict[int, int] = field(default_factory=dict)
    serving: frozenset[int] = frozenset()  # modules that are placed on it
    idle_ns: int = -1  # time since which no machine is on it; -1 if one is


class Rental(NamedTuple):
    """The time for which an instance is paid."""

    number: int  # number of the instance
    hardware: str  # its type
    on_ns: int  # begin
    off_ns: int  # end


@dataclass(slots=True)
class Cloud:
    """The instances that are on."""

    limits: Mapping[str, int]  # most instances by type; a missing type has no limit
    warm_up_ns: Mapping[str, int]  # time in which a worker loads a module, by type
    turn_off_ns: int  # time that an instance without machines stays on (turn-off delay, Scrooge §3.6)
    workers: dict[int, Worker] = field(default_factory=dict)  # by number
    started: int = 0  # instances turned on so far
    rentals: list[Rental] = field(default_factory=list)  # instances that were given back

    def place(self, needs: Sequence[Need], now_ns: int) -> tuple[Worker, ...]:
        """Give every machine a worker; nothing is changed if that fails.

        If possible, a machine gets a worker that has loaded the module: of several the best fit, then one that serves
        the module, then one that serves nothing. If the machine should stay (`Need.stays`), one that serves the module
        comes first. Then come workers that these machines share already, the best fit first; workers that are on and
        serve nothing; any other that is on; a new one. Machines that take a whole worker are placed before those that
        share one.

        Args:
            needs: the machines.
            now_ns: time; workers that do not have the module load it from now on.

        Returns:
            The workers, in the order of the machines.

        Raises:
            SoldOutError: a type has no further instance.
        """
        chosen = _Choice(self, needs).made()
        fresh: dict[int, Worker] = {}
        found = []
        for need, number in zip(needs, chosen, strict=True):
            worker = self.workers.get(number) or fresh.setdefault(number, Worker(number, need.hardware, now_ns))
            worker.loaded_ns.setdefault(need.module, now_ns + self.warm_up_ns.get(need.hardware, 0))
            found.append(worker)
        self.workers |= fresh
        self.started += len(fresh)
        return tuple(found)

    def use(self, used: Iterable[tuple[int, int]], now_ns: int) -> None:
        """State which workers serve which modules, as pairs of numbers; the others are idle."""
        serving: dict[int, set[int]] = {}
        for number, module in used:
            serving.setdefault(number, set()).add(module)
        for number, worker in self.workers.items():
            worker.serving = frozenset(serving.get(number, ()))
            if worker.serving:
                worker.idle_ns = -1
            elif worker.idle_ns < 0:
                worker.idle_ns = now_ns

    def turn_off(self, now_ns: int) -> None:
        """Give instances back that have been idle for the turn-off delay."""
        for worker in [w for w in self.workers.values() if 0 <= w.idle_ns <= now_ns - self.turn_off_ns]:
            self._end(worker, worker.idle_ns + self.turn_off_ns)

    def fail(self, number: int, now_ns: int) -> None:
        """Lose an instance, which is paid for until then."""
        self._end(self.workers[number], now_ns)

    def close(self, now_ns: int) -> list[Rental]:
        """End all rentals; returns all of them in the order in which instances were turned on."""
        self.turn_off(now_ns)
        for worker in list(self.workers.values()):
            self._end(worker, now_ns)
        return sorted(self.rentals)

    def _end(self, worker: Worker, off_ns: int) -> None:
        del self.workers[worker.number]
        self.rentals.append(Rental(worker.number, worker.hardware, worker.on_ns, off_ns))


class _Choice:
    """Workers' numbers for machines; those of new instances follow on the numbers of all so far."""

    def __init__(self, cloud: Cloud, needs: Sequence[Need]) -> None:
        self.cloud, self.needs = cloud, needs
        self.room = {number: Fraction(1) for number in cloud.workers}
        self.hardware = {number: worker.hardware for number, worker in cloud.workers.items()}
        self.found: dict[int, int] = {}

    def made(self) -> list[int]:
        """The numbers, in the order of the machines."""
        order = sorted(range(len(self.needs)), key=lambda i: self.needs[i].share < 1)
        for i in order:
            self._take(i, self._loaded(self.needs[i]))
        for i in order:
            if i not in self.found:
                need = self.needs[i]
                self._take(i, self._shared(need) or self._on(need) or self._new(need))
        return [self.found[i] for i in range(len(self.needs))]

    def _take(self, i: int, candidates: list[int]) -> None:
        if not candidates:
            return

        def tie(number: int) -> tuple[bool, bool, int]:
            worker = self.cloud.workers.get(number)
            serving = frozenset() if worker is None else worker.serving
            return self.needs[i].module not in serving, bool(serving), number

        best = by_fit({number: self.room[number] for number in candidates}, self.needs[i].share, tie)[0]
        self.room[best] -= self.needs[i].share
        self.found[i] = best

    def _on(self, need: Need) -> list[int]:
        """Workers of the type that have room."""
        return [n for n, room in self.room.items() if self.hardware[n] == need.hardware and room >= need.share]

    def _loaded(self, need: Need) -> list[int]:
        workers = self.cloud.workers
        loaded = [n for n in self._on(need) if n in workers and need.module in workers[n].loaded_ns]
        return (need.stays and [n for n in loaded if need.module in workers[n].serving]) or loaded

    def _shared(self, need: Need) -> list[int]:
        return [n for n in self._on(need) if self.room[n] < 1]

    def _new(self, need: Need) -> list[int]:
        on = Counter(self.hardware.values())
        limit = self.cloud.limits.get(need.hardware)
        if limit is not None and on[need.hardware] >= limit:
            raise SoldOutError(need.hardware)
        number = self.cloud.started + len(self.hardware) - len(self.cloud.workers)
        self.room[number], self.hardware[number] = Fraction(1), need.hardware
        return [number]
