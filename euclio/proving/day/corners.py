"""Corners of a module: machines and a latency, with each use of the module's machines beyond one of them (ours).

A use is a number of full machines of each configuration. A full machine takes d + b/w, where w is the rate of its
configuration and of all that rank behind it. The use takes as long as its slowest machine, and serves the sum of the
rates. A corner of a use has no more machines of any type and no larger latency. So the cheapest choice of corners is a
bound on the cost of plans, and it is a plan if all its corners are uses themselves.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lcm, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from euclio.problems.day.plan import Serving
from euclio.problems.session import Configuration, Module, Session
from euclio.problems.session.evaluate import rank_key
from euclio.proving.effort import GivenUpError, refuse_late
from euclio.proving.files.model import covers
from euclio.proving.paths import around

Vector = tuple[int, ...]
"""Machines by hardware type, in the order of the session's."""
Shape = tuple[Vector, ...]
"""Such a vector for each module."""
Ranks = NDArray[np.int64]

MOST_LISTED = 30_000
"""The most vectors of machines of a module in a list."""
TOO_MANY = "there are too many numbers of machines for this prover"
ZERO = Fraction(0)


class TooManyError(GivenUpError):
    """There are more numbers of machines than this prover lists."""

    def __init__(self) -> None:
        super().__init__(TOO_MANY)


class Corner(NamedTuple):
    """A corner of uses.

    Attributes:
        machines: least machines by hardware type.
        latency_s: least latency.
        above: whether each of these uses takes longer; then the corner itself is no use.
        serving: the use, where there is one.
    """

    machines: Vector
    latency_s: Fraction
    above: bool = False
    serving: tuple[Serving, ...] = ()


class Use(NamedTuple):
    """Full machines of a module, in whole numbers.

    Attributes:
        rate: their rate, in a unit of which those of all configurations are multiples.
        time: how long a request takes at most, times `rate_of_time`, in the unit of `Scaled.duration`.
        rate_of_time: the rate w with which d + b/w is that.
        counts: machines by configuration, those ranked last first.
    """

    rate: int
    time: int
    rate_of_time: int
    counts: Vector


class Scaled(NamedTuple):
    """A configuration in whole numbers.

    Attributes:
        h: place of its hardware type.
        rate: rate of a full machine.
        duration: execution time of a batch.
        batch: batch size, so that a use of rate w takes duration + batch / w.
        enough: least rate w with which that is within the budget.
    """

    h: int
    rate: int
    duration: int
    batch: int
    enough: int


@dataclass(frozen=True, slots=True)
class Uses:
    """All uses of a module within numbers of machines that are worth listing.

    Of two uses of the same machines, none is both slower and of a lower rate. Rates and latencies are ranked, so that
    corners are found in small whole numbers; the ranks are those of fractions.

    Attributes:
        configurations: the configurations that are fast enough, those ranked last first.
        most: by type the numbers of machines up to which uses are listed.
        rates_rps: their rates, each once, the least first.
        latencies_s: their latencies, each once, the least first.
        places: by use its vector of machines, as a place among all vectors.
        rate_ranks: by use the place of its rate.
        latency_ranks: by use the place of its latency.
        counts: by use its machines by configuration.
        beyond: corners of the uses with more machines of a type than these.
    """

    configurations: tuple[Configuration, ...]
    most: Vector
    rates_rps: Sequence[Fraction]
    latencies_s: Sequence[Fraction]
    places: Ranks
    rate_ranks: Ranks
    latency_ranks: Ranks
    counts: Sequence[Vector]
    beyond: tuple[Corner, ...]

    def corners(self, rate_rps: Fraction) -> Iterator[Corner]:
        """Corners of all uses that serve a rate: by vector of machines the fastest one, if fewer are not as fast."""
        shape, none = tuple(n + 1 for n in self.most), len(self.latencies_s)
        serving = np.flatnonzero(self.rate_ranks >= bisect_left(self.rates_rps, rate_rps))
        own = np.full(prod(shape), none, np.int64)
        np.minimum.at(own, self.places[serving], self.latency_ranks[serving])
        of_fewer = np.full(shape, none, np.int64)
        up_to = own.reshape(shape)
        for axis in range(len(shape)):
            up_to = np.minimum.accumulate(up_to, axis=axis)
        for axis in range(len(shape)):
            more = np.moveaxis(of_fewer, axis, 0)[1:]
            np.minimum(more, np.moveaxis(up_to, axis, 0)[:-1], out=more)
        places = self.places[serving]
        best = serving[(self.latency_ranks[serving] == own[places]) & (own[places] < of_fewer.ravel()[places])]
        for i in map(int, best):
            machines = tuple(map(int, np.unravel_index(int(self.places[i]), shape)))
            used = zip(self.configurations, self.counts[i], strict=True)
            named = tuple(Serving(c.hardware, c.batch, c.concurrency, n) for c, n in used if n)
            yield Corner(machines, self.latencies_s[int(self.latency_ranks[i])], False, named)
        yield from self.beyond


def uses_of(session: Session, module: Module, budget_s: Fraction, most: Vector, deadline: float) -> Uses:
    """All uses of a module that take no longer than a budget, within numbers of machines; corners of all others.

    A use with more machines of a type than these takes longer than the fastest configuration of that type. Types whose
    stock is no larger than these numbers need no such corner.

    Args:
        session: the session of the module.
        module: the module.
        budget_s: most seconds of the module in a plan within the SLO.
        most: by type the numbers of machines; 0 where no configuration is faster than the budget.
        deadline: `time.perf_counter` value at which to stop.

    Raises:
        TooManyError: there are too many vectors of machines.
        GivenUpError: the deadline has passed.
    """
    if prod(n + 1 for n in most) > MOST_LISTED:
        raise TooManyError
    price = session.price
    fast = [c for c in module.profile if c.duration_s < budget_s]
    last_first = tuple(sorted(fast, key=lambda c: rank_key(c, price), reverse=True))
    rate_unit = lcm(*(c.throughput_rps.denominator for c in fast))
    time_unit = lcm(*(c.duration_s.denominator for c in fast))
    scaled = [_scaled(session, c, budget_s, rate_unit, time_unit) for c in last_first]
    found = _listed(scaled, most, deadline)
    listed = [(machines, use) for machines, uses in found.items() if any(machines) for use in uses]
    rates = [Fraction(use.rate, rate_unit) for _, use in listed]
    latencies = [Fraction(use.time, use.rate_of_time * time_unit) for _, use in listed]
    all_rates, all_latencies = sorted(set(rates)), sorted(set(latencies))
    shape = tuple(n + 1 for n in most)
    return Uses(
        last_first,
        most,
        all_rates,
        all_latencies,
        np.array([np.ravel_multi_index(machines, shape) for machines, _ in listed], np.int64),
        _ranks(rates, all_rates),
        _ranks(latencies, all_latencies),
        [use.counts for _, use in listed],
        tuple(_beyond(session, fast, most)),
    )


def _scaled(session: Session, c: Configuration, budget_s: Fraction, rate_unit: int, time_unit: int) -> Scaled:
    names = [hardware.name for hardware in session.hardware]
    enough = ceil(c.batch / (budget_s - c.duration_s) * rate_unit)
    batch = c.batch * rate_unit * time_unit
    duration, rate = int(c.duration_s * time_unit), int(c.throughput_rps * rate_unit)
    return Scaled(names.index(c.hardware), rate, duration, batch, enough)


def _listed(scaled: Sequence[Scaled], most: Vector, deadline: float) -> dict[Vector, list[Use]]:
    """By vector of machines its uses, those of the least rate first."""
    found: dict[Vector, list[Use]] = {(0,) * len(most): [Use(0, 0, 1, ())]}
    for c in scaled:
        grown: dict[Vector, list[Use]] = {}
        for machines, uses in found.items():
            refuse_late(deadline)
            for n in range(most[c.h] - machines[c.h] + 1):
                more = (*machines[: c.h], machines[c.h] + n, *machines[c.h + 1 :])
                grown.setdefault(more, []).extend(_with(uses, c, n))
        found = {machines: _best(own) for machines, own in grown.items() if own}
    return found


def _with(uses: Sequence[Use], c: Scaled, n: int) -> Iterator[Use]:
    """Uses extended by machines of a configuration that ranks before all of theirs, if these are fast enough."""
    for use in uses:
        rate = use.rate + n * c.rate
        if not n:
            yield Use(rate, use.time, use.rate_of_time, (*use.counts, 0))
        elif rate >= c.enough:
            own = c.duration * rate + c.batch
            if own * use.rate_of_time > use.time * rate:
                yield Use(rate, own, rate, (*use.counts, n))
            else:
                yield Use(rate, use.time, use.rate_of_time, (*use.counts, n))


def _best(uses: list[Use]) -> list[Use]:
    """The uses of some machines that no other one improves on, those of the least rate first.

    Configurations that rank before a use take less time the more rate it has; its other features do not matter to them.
    """
    uses.sort(key=lambda use: use.rate, reverse=True)
    found: list[Use] = []
    for use in uses:
        if found and found[-1].time * use.rate_of_time <= use.time * found[-1].rate_of_time:
            continue
        if found and found[-1].rate == use.rate:
            found.pop()
        found.append(use)
    return found[::-1]


def _ranks(values: Sequence[Fraction], all_values: Sequence[Fraction]) -> Ranks:
    place = {value: i for i, value in enumerate(all_values)}
    return np.array([place[value] for value in values], np.int64)


def _beyond(session: Session, fast: Sequence[Configuration], most: Vector) -> Iterator[Corner]:
    """Corners of the uses with more machines of a type than the most that are listed."""
    for h, hardware in enumerate(session.hardware):
        durations = [c.duration_s for c in fast if c.hardware == hardware.name]
        if durations and (hardware.count is None or most[h] < hardware.count):
            machines = tuple(most[h] + 1 if j == h else 0 for j in range(len(most)))
            yield Corner(machines, min(durations), True)


# The choices of the modules in a step, with latencies as whole numbers (ours).
#
# Latencies and the SLO are multiplied by a factor that makes them whole, and by the number of modules plus one. A
# corner of uses that take longer than its latency counts one more. So a path of such times is at most the SLO's exactly
# if its latencies are, or if they are below it where plans only approach one of them.

Times = tuple[int, ...]
Timed = list[tuple[int, Corner]]
"""Corners with their times."""


@dataclass(frozen=True, slots=True)
class Choices:
    """Corners of all modules in a step.

    Attributes:
        corners: by module its corners, those of the least time first, of the same time the cheapest first. Compared
            with another corner of its module, each has less time or fewer machines of some type.
        times: their times, in a unit of the step's own.
        slo: the SLO, in this unit.
    """

    corners: tuple[tuple[Corner, ...], ...]
    times: tuple[Times, ...]
    slo: int

    def fastest(self, m: int, machines: Sequence[int], real: bool) -> int | None:
        """Place of the fastest corner of a module that some machines cover; with real, of those that are uses."""
        for i, corner in enumerate(self.corners[m]):
            if covers(tuple(machines), corner.machines) and not (real and corner.above):
                return i
        return None


def choices_of(session: Session, corners: Sequence[Sequence[Corner]]) -> Choices:
    """Corners of a step, without those that no plan within the SLO has or that another corner makes needless.

    A module's smaller times are raised to the slack next to the slowest corners of all others: no path needs less.
    This goes one module after the other, and later ones see the raised times. If no plan serves the step, all corners
    stay as they are.

    Args:
        session: the DAG; a module to which nothing comes takes no time, so that paths may pass it.
        corners: by module corners of all its uses that serve the step.
    """
    denominators = [corner.latency_s.denominator for own in corners for corner in own]
    unit = lcm(session.slo_s.denominator, *denominators) * (len(corners) + 1)
    slo = int(session.slo_s * unit)
    timed = [[(int(corner.latency_s * unit) + corner.above, corner) for corner in own] for own in corners]
    if all(timed):
        least = [min(t for t, _ in own) for own in timed]
        fast = [
            [(t, one) for t, one in own if t <= slo - others]
            for own, others in zip(timed, around(session, least), strict=True)
        ]
        timed = _raised(session, fast, slo) if all(fast) else timed
    reduced = [_least(session, own) for own in timed]
    return Choices(
        tuple(tuple(corner for _, corner in own) for own in reduced),
        tuple(tuple(t for t, _ in own) for own in reduced),
        slo,
    )


def _raised(session: Session, timed: Sequence[Timed], slo: int) -> list[Timed]:
    found = list(timed)
    slowest = [max(t for t, _ in own) for own in found]
    for m, own in enumerate(found):
        # A single corner stays as it is: a module without requests takes no time.
        if len(own) > 1:
            enough = slo - around(session, slowest)[m]
            found[m] = [(max(t, enough), corner) for t, corner in own]
            slowest[m] = max(t for t, _ in found[m])
    return found


def _least(session: Session, timed: Timed) -> Timed:
    """Those that have less time or fewer machines than each other one."""
    prices = [hardware.price_per_h for hardware in session.hardware]

    def key(entry: tuple[int, Corner]) -> tuple[int, Fraction, int, Vector, bool]:
        t, corner = entry
        price = sum((p * n for p, n in zip(prices, corner.machines, strict=True)), Fraction(0))
        return t, price, sum(corner.machines), corner.machines, corner.above

    found: Timed = []
    # A corner with no more time and no more machines costs no more, so it comes before.
    for t, corner in sorted(timed, key=key):
        if not any(covers(corner.machines, other.machines) for _, other in found):
            found.append((t, corner))
    return found
