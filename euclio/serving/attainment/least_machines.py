"""What whole machines of a module cost at least in a given window (ours, docs/model/holding.md).

In any span s the requests that are served in time make no more invocations than its machines execute within s and the
window: by whole batches, each of which has to fit into the window itself. Every span asks for a number of them
(`fewest_at_once`), and so does the capacity (`least_capacity`): needs that are linear in the counts of machines. Where
requests are served in the order in which they come, capacity has to be such that few find too much before them.
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
#
# Numbers are floats. Needs are given a little lower than they are, so that rounding only adds machines that do.

ROUNDED = 1e-9
MOST_NODES = 20_000
"""After so many steps the least price of machines that may be divided is the answer."""


@dataclass(slots=True)
class _CountSearch:
    prices: list[float]
    gives: list[list[float]]
    """What a machine of each kind gives, by need."""
    best: float
    nodes: int = 0
    left_out: float = field(default=math.inf)
    """The least bound of what was not searched, once there were too many steps."""

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
        # One more where the quotient is a whole number: rounding may leave a trace of a need that is covered.
        enough = max(math.floor(need / give) + 1 if give else 0 for need, give in zip(needs, gives, strict=True))
        for count in range(enough, -1, -1):
            left = [need - count * give for need, give in zip(needs, gives, strict=True)]
            self.below(kind + 1, left, price + count * own)

    def divided(self, kind: int, needs: list[float]) -> float:
        """The least price of machines that may be divided, for the need that costs most."""
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

    `gives` is what a machine of each kind gives to each need, at least 0; prices are above 0, and alike from `below`
    on.
    """
    kinds = [k for k in range(len(prices)) if not any(_is_better(prices, gives, j, k) for j in range(len(prices)))]
    kinds.sort(key=lambda k: prices[k] / max(gives[k][0], 1e-300))
    search = _CountSearch([prices[k] for k in kinds], [list(gives[k]) for k in kinds], below)
    search.below(0, [need - ROUNDED * abs(need) for need in needs], 0.0)
    return min(search.best, search.left_out)


def _is_better(prices: Sequence[float], gives: Sequence[Sequence[float]], a: int, b: int) -> bool:
    """Whether kind a costs no more than b and gives no less; of kinds alike the first."""
    if a == b or prices[a] > prices[b] or any(x < y for x, y in zip(gives[a], gives[b], strict=True)):
        return False
    return a < b or prices[a] < prices[b] or any(x > y for x, y in zip(gives[a], gives[b], strict=True))


TICKS = 10**18
"""Ticks of a second, in which batches follow each other: the shortest duration that is supported has a million."""
SPANS = 48
"""Spans that are looked at, at most."""
DURATIONS = 6
"""The longest of them, in durations."""
MOST_LOAD = 400
"""Most requests that come within one, in the mean."""
GRID = 256
"""Seconds that capacity may take are rounded up to so many steps between a power of two and the next."""
LOADS = 1 << 20
"""Loads are whole multiples of one over this."""
MOST_LISTED = 1 << 14
"""Times of a slot that are listed, and that spans are made from, at most."""


@dataclass(frozen=True, slots=True)
class MachineLimits:
    """Which machines a module may have."""

    window: Fraction  # seconds that a request has for the module, by what machines of the others take at least
    collected: Fraction  # seconds within which the plan space asks for d + b/w
    fastest: Fraction  # the shortest time in which one of them executes a batch, at least
    one: Fraction | None  # that of one of them is no longer than this; None: there is no such limit


@dataclass(slots=True)
class Needs:
    """What is asked of one module, and what its machines cost, as far as it is known."""

    module: Module  # the module; its profile has what the plan space allows
    prices: dict[str, Fraction]  # price per hour of a machine, by hardware
    law: Law  # what is known of how requests come
    rate: Fraction  # requests per second of the session
    late: Fraction  # share of requests that may be late
    poisson: bool  # whether requests are a Poisson process
    in_sequence: bool  # whether the plan space asks for d + b/w within the window, w at most the rate of all machines
    in_order: bool = False  # whether every request invokes the module, and those that come first are served first
    _known: dict[MachineLimits, float] = field(default_factory=dict)
    _capacities: dict[Fraction, Fraction] = field(default_factory=dict)
    _ordered: dict[Fraction, Fraction] = field(default_factory=dict)

    def fastest(self, c: Configuration) -> Fraction:
        """The shortest time in which a machine of this configuration executes a batch."""
        return min(k.duration_s for k in alike(self.module, c))

    def price(self, limits: MachineLimits) -> float:
        """What machines within the limits cost at least; infinite: no number of them will do."""
        if limits not in self._known:
            self._known[limits] = self._price(limits)
        return self._known[limits]

    def capacity(self, window: Fraction) -> Fraction:
        """The most invocations per second that are shown to be too few, and no less than the plan space asks for."""
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
        # Batches that take long to collect ask for more machines: each such rate is a case, the least one first.
        for rate in [own, *sorted({kind.collects for kind in kinds if kind.collects > own})]:
            if not kinds or float(rate) * min(kind.price / kind.planned for kind in kinds) >= best:
                break
            use = [kind for kind in kinds if kind.collects <= rate]
            needs = [float(self.capacity(window)), float(rate), float(self._drained(use, limits)), *spans]
            best = min(best, _least_price(use, needs, limits.one, best))
        return best

    def _drained(self, use: Sequence[_Kind], limits: MachineLimits) -> Fraction:
        """The capacity that is too little for these kinds where requests are served in order; 0: nothing is known.

        What is before a request has been started by the time when it has to be itself: each slot has a batch on top of
        what it executes until then.
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

        One whose batches take longer than the window is of no use, and yet may be in a plan: where few requests invoke
        the module, all of these may be late.
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
            # Late requests are executed by batches that do not fit into the window too.
            speed = max(k.batch / k.duration_s for k in alike(self.module, c))
            drained = float(c.concurrency * speed), c.batch / speed
            rises = slot.rises(math.ceil(window * TICKS), until) if slot else ()
            kind = _Kind(
                price, c.concurrency, self.fastest(c), planned, float(rate), collects, slot, rises, window, *drained
            )
            found.append(kind)
        return found

    def _cuts(self, kinds: Sequence[_Kind], window: int) -> list[tuple[int, Fraction]]:
        """Spans, and how many invocations machines have to be able to execute within each and the window, in ticks.

        Any spans would do: each is an argument by itself. Those at which a machine can execute more say the most.
        """
        if not self.poisson:
            return []
        spans = sorted({time - window for kind in kinds for time in kind.rises})
        spans = [span for span in spans if self.rate * span <= MOST_LOAD * TICKS]
        step = max(1, -(-len(spans) // SPANS))
        return [(span, self._needed(span)) for span in spans[::step]]

    def _needed(self, span: int) -> Fraction:
        """Invocations that machines execute at least within a span and the window, if no more than may be are late.

        Of fewer requests than `fewest_at_once` the share B is late, which falls as they become more and grows with
        the load.
        """
        ratio, load = self.module.rate_rps / self.rate, self.rate * span / TICKS
        # A load that is a little lower asks for no more.
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
    collects: Fraction  # rate of all machines with which its batches are collected in time at least; 0: any
    slot: _Slot | None  # what a slot executes, by batches that fit into the window; None: none does
    # times, longer than the window, after which a slot has executed more, in ticks; not all of them.
    rises: tuple[int, ...]
    window: Fraction  # seconds that a request has
    drains: float  # invocations per second at most, by any batches
    longest: Fraction  # seconds in which a slot executes as many invocations at that rate as its largest batch has
    gives: tuple[float, ...] = ()  # what one gives to each need

    def within(self, span: int) -> int:
        """The most invocations that a machine executes in less than a span, in ticks, and the window, or more.

        The window is rounded up, and durations of batches down: both only add invocations.
        """
        return self.slots * self.slot.within(span + math.ceil(self.window * TICKS)) if self.slot else 0


def _least_price(use: Sequence[_Kind], needs: Sequence[float], one: Fraction | None, best: float) -> float:
    """The least price of machines that cover the needs, one of which is as fast as asked; no more than the best."""
    prices, gives = [kind.price for kind in use], [kind.gives for kind in use]
    if one is None:
        return least_price(prices, gives, needs, best)
    for kind in use:
        if kind.least <= one and kind.price < best:
            # What is left may be tiny next to what was needed, by whose digits it is uncertain.
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

    The list has a begin of it, and what follows is known by the batch that is fastest per invocation, b in d: wherever
    b batches of other sizes are executed, some of them add up to a multiple of b (of the sums of the first 0, 1, … b,
    two leave the same remainder), and batches of b in their place take no longer. So at most b − 1 are of other sizes,
    and for k above (b − 1) times the largest of these, t(k) = t(k − b) + d. A list that ends before is followed by
    t(k) ≥ k·d/b.
    """

    times: tuple[int, ...]  # t(0), t(1), … in ticks, ascending
    batch: int  # b
    lasts: int  # d, in ticks
    repeats: bool  # whether the list has b entries more than that

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
    """What a slot executes by batches of these sizes, which take so many seconds; durations are rounded down."""
    whole = [(batch, math.floor(d * TICKS)) for batch, d in sizes]
    batch, lasts = min(whole, key=lambda own: (Fraction(own[1], own[0]), own[0]))
    repeats_at = (batch - 1) * max((other for other, _ in whole if other != batch), default=0) + batch
    times = [0]
    while len(times) <= min(repeats_at, MOST_LISTED):
        done = len(times)
        times.append(min(times[max(0, done - b)] + d for b, d in whole))
    return _Slot(tuple(times), batch, lasts, len(times) > repeats_at)
