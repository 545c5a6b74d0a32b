"""Corners of a module: machines and a latency, one of which each use of the module's machines lies beyond (ours).

A use is a number of full machines of each configuration. A full machine takes d + b/w, where w is the rate of its
configuration and of all that rank behind it; the use takes as long as its slowest machine, and serves the sum of the
rates. A corner of a use has no more machines of any type and no larger latency. What costs least among choices of
corners is therefore a bound on the cost of plans, and a plan where all corners chosen are uses themselves.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import NamedTuple

from euclio.day.plan import Serving
from euclio.session import Configuration, Module, Session
from euclio.session.evaluate import rank_key

Vector = tuple[int, ...]
"""Machines by hardware type, in the order of the session's."""
Shape = tuple[Vector, ...]
"""Such a vector for each module."""

MOST_LISTED = 30_000
"""Vectors of machines of a module that are listed at most."""
ZERO = Fraction(0)


class OutOfTimeError(Exception):
    """The deadline has passed."""


class TooManyError(Exception):
    """There are more numbers of machines than this prover lists."""


def refuse_late(deadline: float) -> None:
    """Raise an `OutOfTimeError` after a deadline, which is a `time.perf_counter` value."""
    if time.perf_counter() > deadline:
        raise OutOfTimeError


class Use(NamedTuple):
    """Full machines of a module.

    Attributes:
        rate_rps: their rate.
        latency_s: how long a request takes at most.
        counts: machines by configuration, those ranked last first.
    """

    rate_rps: Fraction
    latency_s: Fraction
    counts: Vector


class Corner(NamedTuple):
    """What uses lie beyond.

    Attributes:
        machines: least machines by hardware type.
        latency_s: least latency.
        above: whether each of these uses takes longer; then it stands for no use of its own.
        serving: the use, where there is one.
    """

    machines: Vector
    latency_s: Fraction
    above: bool = False
    serving: tuple[Serving, ...] = ()


@dataclass(frozen=True, slots=True)
class Uses:
    """All uses of a module within numbers of machines that are worth it.

    Attributes:
        configurations: the configurations that are fast enough, those ranked last first.
        most: by type the numbers of machines up to which uses are listed.
        by_machines: for each vector of machines its uses of which none is slower and has less rate than another.
        beyond: corners of the uses with more machines of a type than these.
    """

    configurations: tuple[Configuration, ...]
    most: Vector
    by_machines: Mapping[Vector, Sequence[Use]]
    beyond: tuple[Corner, ...]

    def corners(self, rate_rps: Fraction) -> Iterator[Corner]:
        """Corners of all uses that serve a rate: by vector of machines the fastest one, if fewer are not as fast."""
        fastest: dict[Vector, Fraction] = {}
        for machines in product(*(range(n + 1) for n in self.most)):
            fewer = [fastest[less] for less in _one_less(machines) if less in fastest]
            serving = [use for use in self.by_machines.get(machines, ()) if use.rate_rps >= rate_rps]
            best = min(serving, key=lambda use: use.latency_s, default=None)
            if best is not None and all(best.latency_s < other for other in fewer):
                fastest[machines] = best.latency_s
                yield Corner(machines, best.latency_s, False, self._serving(best))
            elif fewer:
                fastest[machines] = min(fewer)
        yield from self.beyond

    def _serving(self, use: Use) -> tuple[Serving, ...]:
        used = zip(self.configurations, use.counts, strict=True)
        return tuple(Serving(c.hardware, c.batch, c.concurrency, n) for c, n in used if n)


def uses_of(session: Session, module: Module, budget_s: Fraction, most: Vector, deadline: float) -> Uses:
    """All uses of a module that take no longer than a budget, within numbers of machines; corners of all others.

    A use with more machines of a type than these takes longer than the fastest configuration of that type, whatever
    else it has. Types that are in stock no more often than that need no such corner.

    Args:
        session: the session of the module.
        module: the module.
        budget_s: seconds that no plan within the SLO has more of for it.
        most: by type the numbers of machines; 0 where no configuration is faster than the budget.
        deadline: `time.perf_counter` value at which to stop.

    Raises:
        TooManyError: there are too many vectors of machines.
        OutOfTimeError: the deadline has passed.
    """
    if prod(n + 1 for n in most) > MOST_LISTED:
        raise TooManyError
    price, names = session.price, [hardware.name for hardware in session.hardware]
    fast = [c for c in module.profile if c.duration_s < budget_s]
    last_first = tuple(sorted(fast, key=lambda c: rank_key(c, price), reverse=True))
    found: dict[Vector, list[Use]] = {(0,) * len(most): [Use(ZERO, ZERO, ())]}
    for c in last_first:
        h = names.index(c.hardware)
        grown: dict[Vector, list[Use]] = {}
        for machines, uses in found.items():
            refuse_late(deadline)
            for n in range(most[h] - machines[h] + 1):
                more = (*machines[:h], machines[h] + n, *machines[h + 1 :])
                own = grown.setdefault(more, [])
                for use in uses:
                    added = _with(use, c, n)
                    if added.latency_s <= budget_s:
                        _keep(own, added)
        found = {machines: own for machines, own in grown.items() if own}
    beyond = []
    for h, hardware in enumerate(session.hardware):
        durations = [c.duration_s for c in fast if c.hardware == hardware.name]
        if durations and (hardware.count is None or most[h] < hardware.count):
            machines = tuple(most[h] + 1 if j == h else 0 for j in range(len(most)))
            beyond.append(Corner(machines, min(durations), True))
    del found[(0,) * len(most)]
    return Uses(last_first, most, found, tuple(beyond))


def _with(use: Use, c: Configuration, n: int) -> Use:
    """A use with machines of a configuration that ranks before all of it."""
    if not n:
        return Use(use.rate_rps, use.latency_s, (*use.counts, 0))
    rate = use.rate_rps + n * c.throughput_rps
    return Use(rate, max(use.latency_s, c.duration_s + c.batch / rate), (*use.counts, n))


def _keep(some: list[Use], added: Use) -> None:
    """Keep a use unless another one of the same machines is as fast with as much rate; drop those that it betters.

    Configurations that rank before a use take less time the more rate it has, and nothing else of it matters to them.
    """
    for use in some:
        if use.rate_rps >= added.rate_rps and use.latency_s <= added.latency_s:
            return
    some[:] = [use for use in some if use.rate_rps > added.rate_rps or use.latency_s < added.latency_s]
    some.append(added)


def _one_less(machines: Vector) -> Iterator[Vector]:
    for h, n in enumerate(machines):
        if n:
            yield (*machines[:h], n - 1, *machines[h + 1 :])
