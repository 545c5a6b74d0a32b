"""Lower bound on the cost of a module's whole machines in a given window (ours, docs/model/holding.md).

In any span s the requests that are served in time make no more invocations than its machines execute within s and the
window. The machines execute whole batches, each of which must fit into the window itself. Every span needs a number of
invocations (`fewest_at_once`), and so does the capacity (`least_capacity`): these needs are linear in the counts of
machines. If requests are served in the order in which they come, the capacity must be so large that few requests find
too much work before them.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache

from euclio.problems.session.instance import Configuration, Module
from euclio.serving.attainment.least_capacity import Asked, Law, needed_capacity, needed_in_order
from euclio.serving.attainment.least_loss import fewest_at_once, least_work_at_once
from euclio.serving.session.clock import alike

# The least price of whole machines that cover needs (ours): a search through counts, kind after kind.
# Numbers are floats. Needs are lowered a little, so that rounding can only make more counts of machines suffice.

ROUNDED = 1e-9
MOST_NODES = 20_000
"""Steps after which the search answers with the least price of divisible machines."""


@dataclass(slots=True)
class _CountSearch:
    prices: list[float]
    gives: list[list[float]]
    """Contribution of a machine of each kind to each need."""
    best: float
    nodes: int = 0
    left_out: float = field(default=math.inf)
    """The least bound of the branches that were not searched because of the limit of steps."""

    def below(self, kind: int, needs: list[float], price: float) -> None:
        """Counts of this kind and those behind it."""
        self.nodes += 1
        if all(need <= 0 for need in needs):
            self.best = min(self.best, price)
            return
        bound = price + self.divided(kind, needs)
        if bound >= self.best * (1 - ROUNDED):
            return
        if self.nodes > MOST_NODES:
            self.left_out = min(self.left_out, bound)
            return
        gives, own = self.gives[kind], self.prices[kind]
        # One more if the quotient is a whole number: rounding may leave a trace of a covered need.
        enough = max(math.floor(need / give) + 1 if give else 0 for need, give in zip(needs, gives, strict=True))
        for count in range(enough, -1, -1):
            left = [need - count * give for need, give in zip(needs, gives, strict=True)]
            self.below(kind + 1, left, price + count * own)

    def divided(self, kind: int, needs: list[float]) -> float:
        """The least price of divisible machines, for the need that costs most."""
        most = 0.0
        for n, need in enumerate(needs):
            if need > 0:
                rest = zip(self.gives[kind:], self.prices[kind:], strict=True)
                most = max(most, min((need * p / give[n] for give, p in rest if give[n]), default=math.inf))
        return most


def least_price(
    prices: Sequence[float], gives: Sequence[Sequence[float]], needs: Sequence[float], below: float = math.inf
) -> float:
    """The least price of counts of machines that cover all needs, or a number below it; `below` if it is no less.

    `gives` is the contribution of a machine of each kind to each need, at least 0. Prices are above 0, and count as
    equal from `below` on.
    """
    kinds = [k for k in range(len(prices)) if not any(_is_better(prices, gives, j, k) for j in range(len(prices)))]
    kinds.sort(key=lambda k: prices[k] / max(gives[k][0], 1e-300))
    search = _CountSearch([prices[k] for k in kinds], [list(gives[k]) for k in kinds], below)
    search.below(0, [need - ROUNDED * abs(need) for need in needs], 0.0)
    return min(search.best, search.left_out)


def _is_better(prices: Sequence[float], gives: Sequence[Sequence[float]], a: int, b: int) -> bool:
    """Whether kind a costs no more than b and gives no less; of equal kinds, the first."""
    if a == b or prices[a] > prices[b] or any(x < y for x, y in zip(gives[a], gives[b], strict=True)):
        return False
    return a < b or prices[a] < prices[b] or any(x > y for x, y in zip(gives[a], gives[b], strict=True))


TICKS = 10**18
"""Ticks of a second for sequences of batches: the shortest supported duration has a million ticks."""
SPANS = 48
"""Most spans that are considered."""
DURATIONS = 6
"""The longest span, in durations."""
MOST_LOAD = 400
"""Largest mean number of requests in a span."""
GRID = 256
"""Steps between a power of two and the next, to which seconds that capacity may take are rounded up."""
LOADS = 1 << 20
"""Loads are whole multiples of one over this."""
MOST_LISTED = 1 << 14
"""Times of a slot that are listed, and that spans are made from, at most."""


@dataclass(frozen=True, slots=True)
class MachineLimits:
    """Which machines a module may have."""

    window: Fraction  # seconds that a request has for the module, given the least times of the others
    collected: Fraction  # seconds within which the plan space asks for d + b/w
    fastest: Fraction  # the shortest time in which one of them executes a batch, at least
    one: Fraction | None  # the time of one of them is no longer than this; None means no limit


@dataclass(slots=True)
class Needs:
    """The demand on one module, and the prices of its machines."""

    module: Module  # the module; its profile has the configurations of the plan space
    prices: dict[str, Fraction]  # price per hour of a machine, by hardware
    law: Law  # bounds that follow from the process of arrivals
    rate: Fraction  # requests per second of the session
    late: Fraction  # share of requests that may be late
    poisson: bool  # whether requests are a Poisson process
    in_sequence: bool  # whether the plan space asks for d + b/w within the window, w at most the rate of all machines
    in_order: bool = False  # whether every request invokes the module, first come, first served
    _known: dict[MachineLimits, float] = field(default_factory=dict)
    _capacities: dict[Fraction, Fraction] = field(default_factory=dict)
    _ordered: dict[Fraction, Fraction] = field(default_factory=dict)

    def fastest(self, c: Configuration) -> Fraction:
        """The shortest time in which a machine of this configuration executes a batch."""
        return min(k.duration_s for k in alike(self.module, c))

    def price(self, limits: MachineLimits) -> float:
        """Lower bound on the cost of machines within the limits; infinite if no number of them suffices."""
        if limits not in self._known:
            self._known[limits] = self._price(limits)
        return self._known[limits]

    def capacity(self, window: Fraction) -> Fraction:
        """The most invocations per second that are proven too few; at least the rate that the plan space asks for."""
        if window not in self._capacities:
            asked = Asked(self.rate, self.module.rate_rps / self.rate, window, self.late, 0)
            self._capacities[window] = needed_capacity(self.law, asked)
        return self._capacities[window]

    def _price(self, limits: MachineLimits) -> float:
        window, kinds = max(Fraction(0), limits.window), self._kinds(limits)
        cuts, best, own = self._cuts(kinds, math.ceil(window * TICKS)), math.inf, self.module.rate_rps
        spans = [float(need) for _, need in cuts]
        kinds = [
            replace(k, gives=(k.rate, k.planned, k.drains, *(float(k.within(span)) for span, _ in cuts))) for k in kinds
        ]
        # Batches that take long to collect need more machines: each such rate is a case, the least one first.
        for rate in [own, *sorted({kind.collects for kind in kinds if kind.collects > own})]:
            if not kinds or float(rate) * min(kind.price / kind.planned for kind in kinds) >= best:
                break
            use = [kind for kind in kinds if kind.collects <= rate]
            needs = [float(self.capacity(window)), float(rate), float(self._drained(use, limits)), *spans]
            best = min(best, _least_price(use, needs, limits.one, best))
        return best

    def _drained(self, use: Sequence[_Kind], limits: MachineLimits) -> Fraction:
        """The capacity that is too little for these kinds if requests are served in order; 0 without an argument.

        All work before a request has started by the latest start of the request: beside the work that each slot
        executes until then, it has one batch more.
        """
        if not self.in_order or not use:
            return Fraction(0)
        longest, least = max(kind.longest for kind in use), math.floor(self.module.rate_rps / self.rate)
        seconds = _rounded_up(max(Fraction(0), limits.window - limits.fastest) + longest)
        if seconds not in self._ordered:
            self._ordered[seconds] = needed_in_order(self.rate, least, seconds, self.late)
        return self._ordered[seconds]

    def _kinds(self, limits: MachineLimits) -> list[_Kind]:
        """The configurations within the limits whose batches can be collected in time, as the plan space counts it.

        A configuration whose batches take longer than the window may be in a plan too: if few requests invoke the
        module, all of these may be late.
        """
        found, window = [], max(Fraction(0), limits.window)
        use = [c for c in self.module.profile if self.fastest(c) >= limits.fastest]
        longest = max((c.duration_s for c in use if c.duration_s <= window), default=Fraction(0))
        until = math.ceil((window + DURATIONS * longest) * TICKS)
        for c in use:
            sizes = [(k.batch, k.duration_s) for k in alike(self.module, c) if k.duration_s <= window]
            collects = Fraction(0)
            if self.in_sequence and c.duration_s >= limits.collected:
                continue
            if self.in_sequence:
                collects = c.batch / (limits.collected - c.duration_s)
            rate = c.concurrency * max((batch / d for batch, d in sizes), default=Fraction(0))
            price, planned = float(self.prices[c.hardware]), float(c.throughput_rps)
            slot = slot_of(tuple(sizes)) if sizes else None
            # Batches that do not fit into the window also execute late requests.
            speed = max(k.batch / k.duration_s for k in alike(self.module, c))
            drained = float(c.concurrency * speed), c.batch / speed
            rises = slot.rises(math.ceil(window * TICKS), until) if slot else ()
            kind = _Kind(
                price, c.concurrency, self.fastest(c), planned, float(rate), collects, slot, rises, window, *drained
            )
            found.append(kind)
        return found

    def _cuts(self, kinds: Sequence[_Kind], window: int) -> list[tuple[int, Fraction]]:
        """Spans in ticks, each with the invocations that machines must be able to execute within it and the window.

        Each span is an argument by itself. The spans at which a machine can execute more give the strongest ones.
        """
        if not self.poisson:
            return []
        spans = sorted({time - window for kind in kinds for time in kind.rises})
        spans = [span for span in spans if self.rate * span <= MOST_LOAD * TICKS]
        step = max(1, -(-len(spans) // SPANS))
        return [(span, self._needed(span)) for span in spans[::step]]

    def _needed(self, span: int) -> Fraction:
        """Least invocations that machines execute within a span and the window, if few enough requests are late.

        If fewer requests than `fewest_at_once` are taken, the share B is late. It falls with their number and grows
        with the load.
        """
        ratio, load = self.module.rate_rps / self.rate, self.rate * span / TICKS
        # A slightly lower load needs no more.
        load = Fraction(math.floor(load * LOADS), LOADS)
        least, most = math.floor(ratio), math.ceil(ratio)
        if load <= 0:
            return Fraction(0)
        needed = Fraction(least * fewest_at_once(load, self.late))
        if least != most:
            needed = max(needed, ratio * least_work_at_once(load, self.late * most / ratio))
        return needed


@dataclass(frozen=True, slots=True)
class _Kind:
    """Machines of a configuration, in a window."""

    price: float  # per hour
    slots: int  # batches at a time
    least: Fraction  # the shortest time in which one executes a batch, in seconds
    planned: float  # invocations per second as the plan space counts them
    rate: float  # invocations per second at most, by batches that fit into the window
    collects: Fraction  # least rate of all machines with which its batches are collected in time; 0 for any
    slot: _Slot | None  # its slot's times, by batches that fit into the window; None if none does
    # some of the times, longer than the window, after which a slot has executed more, in ticks.
    rises: tuple[int, ...]
    window: Fraction  # seconds that a request has
    drains: float  # invocations per second at most, by any batches
    longest: Fraction  # seconds in which a slot executes as many invocations at that rate as its largest batch has
    gives: tuple[float, ...] = ()  # contribution of one machine to each need

    def within(self, span: int) -> int:
        """The most invocations that a machine executes in less than a span, in ticks, and the window, or more.

        The window is rounded up, and durations of batches are rounded down: both can only add invocations.
        """
        return self.slots * self.slot.within(span + math.ceil(self.window * TICKS)) if self.slot else 0


def _least_price(use: Sequence[_Kind], needs: Sequence[float], one: Fraction | None, best: float) -> float:
    """The least price of machines that cover the needs, one of which is fast enough; no more than the best."""
    prices, gives = [kind.price for kind in use], [kind.gives for kind in use]
    if one is None:
        return least_price(prices, gives, needs, best)
    for kind in use:
        if kind.least <= one and kind.price < best:
            # The rest may be tiny against the original need, whose digits decide its rounding error.
            left = [need - ROUNDED * abs(need) - part for need, part in zip(needs, kind.gives, strict=True)]
            best = min(best, kind.price + least_price(prices, gives, left, best - kind.price))
    return best


def _rounded_up(seconds: Fraction) -> Fraction:
    """A time that is no shorter, and the same for many that are near."""
    if not seconds:
        return seconds
    step = Fraction(2) ** math.floor(math.log2(seconds)) / GRID
    return math.ceil(seconds / step) * step


@dataclass(frozen=True, slots=True)
class _Slot:
    """The least time t(k) in which batches, one after the other, execute k invocations or more, for every k.

    The list has the first of these times. The others follow from the batch that is fastest per invocation, of size b in
    time d. Of any b batches of other sizes, some add up to a multiple of b: of the sums of the first 0, 1, … b, two
    leave the same remainder. Batches of size b in their place take no longer. So at most b − 1 batches are of other
    sizes. For k above (b − 1) times the largest of these sizes, therefore, t(k) = t(k − b) + d. After a list that ends
    before, t(k) ≥ k·d/b holds.
    """

    times: tuple[int, ...]  # t(0), t(1), … in ticks, ascending
    batch: int  # b
    lasts: int  # d, in ticks
    repeats: bool  # whether the list has b entries more than this bound on k

    def within(self, ticks: int) -> int:
        """The most invocations that are executed in less than a time, or more than that: the largest k, t(k) < time."""
        last = self.times[-1]
        if ticks > last and not self.repeats:
            return -(-ticks * self.batch // self.lasts) - 1
        times = max(0, -((last - ticks) // self.lasts))
        return max(0, bisect_left(self.times, ticks - times * self.lasts) - 1 + times * self.batch)

    def rises(self, begin: int, until: int) -> tuple[int, ...]:
        """Times t(k) after the begin, up to the first after the end: all, or some where there are too many."""
        first, last = self.within(begin + 1) + 1, self.within(until + 1) + 1
        return tuple(self._time(k) for k in range(first, last + 1, 1 + (last - first) // MOST_LISTED))

    def _time(self, invocations: int) -> int:
        """t(k), or less behind a list that ends before it repeats itself."""
        behind = invocations - len(self.times) + 1
        if behind > 0 and not self.repeats:
            return max(self.times[-1], invocations * self.lasts // self.batch)
        times = max(0, -(-behind // self.batch))
        return self.times[invocations - times * self.batch] + times * self.lasts


@lru_cache(maxsize=4096)
def slot_of(sizes: tuple[tuple[int, Fraction], ...]) -> _Slot:
    """The times of a slot with batches of these sizes and durations in seconds; durations are rounded down."""
    whole = [(batch, math.floor(d * TICKS)) for batch, d in sizes]
    batch, lasts = min(whole, key=lambda own: (Fraction(own[1], own[0]), own[0]))
    repeats_at = (batch - 1) * max((other for other, _ in whole if other != batch), default=0) + batch
    times = [0]
    while len(times) <= min(repeats_at, MOST_LISTED):
        done = len(times)
        times.append(min(times[max(0, done - b)] + d for b, d in whole))
    return _Slot(tuple(times), batch, lasts, len(times) > repeats_at)
