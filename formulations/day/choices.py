"""The vectors of machines that modules choose from in each step, with their latencies (ours).

A box has the largest rates of all its vectors of a module for some hundred latency budgets. So for the rate of a step
the least latency of a vector lies between two budgets: plans use the one above, bounds the one below. A vector at the
end of an axis stands for all with more machines of that type. For bounds its latency is at most the least duration on
its types.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled
from euclio.problems.day import Day, Serving
from euclio.problems.session import Configuration, Session
from euclio.problems.session.evaluate import rank_key
from formulations.day.rate_table import SLACK, largest_rates, machines_used, most_alone

# Vectors that serve a rate and need all their machines; the fastest ones within others (compiled, ours).

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@compiled
def minimal_vectors(
    rates: Floats, asked_rps: float, budgets_s: Floats, shape: Ints, ended: Flags, quickest_s: Floats, below: bool
) -> tuple[Ints, Floats]:
    """The vectors that serve a rate faster than all with one machine less, and their latencies.

    Args:
        rates: largest rates by budget and vector.
        asked_rps: the rate.
        budgets_s: the budgets, rising.
        shape: numbers of machines of each type, plus one.
        ended: the axes whose last vectors stand for more machines.
        quickest_s: least duration of a configuration on each type.
        below: whether latencies are for bounds. They are then the budget below the kept one, and at the end of axes the
            least duration on the vector's types.

    Returns:
        Machines by type, shape (vectors, types), and latencies.
    """
    latency = vector_latencies(rates, asked_rps, budgets_s, shape, ended, quickest_s, below)
    minimal = np.isfinite(latency)
    stride = 1
    for axis in range(shape.size - 1, -1, -1):
        for place in range(latency.size):
            # One stride before is the vector with one machine of this type less; if it is as fast, this one is useless.
            if place // stride % shape[axis] and latency[place - stride] <= latency[place]:
                minimal[place] = False
        stride *= shape[axis]
    size = 0
    for place in range(latency.size):
        size += minimal[place]
    vectors, found = np.empty((size, shape.size), np.int64), np.empty(size)
    size = 0
    for place in range(latency.size):
        if minimal[place]:
            rest = place
            for axis in range(shape.size - 1, -1, -1):
                vectors[size, axis] = rest % shape[axis]
                rest //= shape[axis]
            found[size] = latency[place]
            size += 1
    return vectors, found


@compiled
def vector_latencies(
    rates: Floats, asked_rps: float, budgets_s: Floats, shape: Ints, ended: Flags, quickest_s: Floats, below: bool
) -> Floats:
    """The latency of each vector; infinite if it does not serve."""
    cells, levels = rates.shape[1], budgets_s.size
    latency = np.empty(cells)
    on = np.zeros(shape.size, np.int64)
    for place in range(cells):
        low, high = 0, levels
        # Rates rise with the budget, so halving finds the least budget within which the rate is served.
        while low < high:
            middle = (low + high) // 2
            if rates[middle, place] >= asked_rps:
                high = middle
            else:
                low = middle + 1
        least, more = np.inf, False
        for axis in range(shape.size):
            if on[axis]:
                least = min(least, quickest_s[axis])
                more = more or (ended[axis] and on[axis] == shape[axis] - 1)
        if below and more:
            latency[place] = least
        elif low == levels:
            latency[place] = np.inf
        elif below:
            # The vector keeps no budget up to the one before, and none as short as the least duration.
            latency[place] = least if low == 0 else max(least, budgets_s[low - 1])
        else:
            latency[place] = budgets_s[low]
        # Go on to the next vector in the order of the flat table, without a division.
        for axis in range(shape.size - 1, -1, -1):
            on[axis] += 1
            if on[axis] < shape[axis]:
                break
            on[axis] = 0
    return latency


@compiled
def fastest_choices(vectors: Ints, first: Ints, plans: Ints, step: Ints) -> Ints:
    """The fastest choices of the modules in plans; -1 if the machines do not serve the step.

    Args:
        vectors: machines by type of choices, shape (choices, types).
        first: first choice, and the end of the last one, by step and module; latencies rise from first to last.
        plans: machines on, shape (plans, modules, types).
        step: the step of each plan.

    Returns:
        Places of choices, shape (plans, modules).
    """
    found = np.full(plans.shape[:2], -1)
    for n in range(plans.shape[0]):
        for m in range(plans.shape[1]):
            # Latencies rise along the list, so the first choice that fits is the fastest.
            for i in range(first[step[n], m, 0], first[step[n], m, 1]):
                fits = True
                for h in range(plans.shape[2]):
                    fits = fits and vectors[i, h] <= plans[n, m, h]
                if fits:
                    found[n, m] = i
                    break
    return found


RATIO = 1.01
"""Factor from one budget to the next."""
BUDGET_CELLS = 6_000_000
"""Most budgets times vectors of a module, 48 MB."""
BOX_CELLS = 20_000
"""Most vectors of a box, if it has those of good plans."""
MOST_CELLS = 200_000
"""Most vectors of a box that needs more."""
MORE = 1.5
"""End of axes, as a multiple of the machines that serve the largest load alone."""
ROOM = 1.5
"""End of axes, as a multiple of the module's largest cost in a step's own plan."""
BEYOND = 1 + 4 * SLACK
"""Multiple of a rate that serves it for any rounding of floats."""
MARGIN = 1e-9
"""Share of the SLO that plans leave free and bounds add, so that rounding never misses it or loses a plan."""


class Choices(NamedTuple):
    """Vectors of machines by step and module, which need all their machines for their latencies.

    Attributes:
        vectors: machines by hardware type of the session, shape (choices, types).
        latency_s: their latencies; those of a module and rate are adjacent and rise.
        first: first choice, and the end of the last one, shape (steps, modules, 2).
    """

    vectors: Ints
    latency_s: Floats
    first: Ints

    def fastest(self, plans: Ints, step: Ints) -> Ints:
        """The fastest choices of the modules with the machines of plans; -1 if these serve in no known way.

        Args:
            plans: machines on, shape (plans, modules, types).
            step: the step of each plan.
        """
        return fastest_choices(self.vectors, self.first, plans, step)

    def latencies(self, plans: Ints, step: Ints) -> Floats:
        """The latencies of the modules in plans, as of `fastest`; infinite if there is none."""
        found = self.fastest(plans, step)
        return np.where(found < 0, np.inf, self.latency_s[found])


@dataclass(frozen=True, slots=True)
class Box:
    """A module with its vectors for the search, and their rates.

    Attributes:
        most: the end of each axis; 0 for types on which the module does not run.
        ended: whether vectors at the end of an axis stand for more machines.
        budgets_s: budgets, rising.
        rates: largest rates, shape (budgets, vectors).
        configurations: configurations that are fast enough, the last rank first.
        numbers: their durations, batches and rates, shape (3, configurations).
        types: their hardware types.
    """

    most: Ints
    ended: NDArray[np.bool_]
    budgets_s: Floats
    rates: Floats
    configurations: tuple[Configuration, ...]
    numbers: Floats
    types: Ints

    def serving(self, on: Ints, rate_rps: Fraction, budget_s: float) -> tuple[Serving, ...]:
        """The machines that serve a rate above 0 within a budget and a number of each type; empty if they cannot.

        Floats first allow the machines to miss the rate by rounding, then demand that much more. The result serves the
        rate in fractions, so whole machines never count for a rate just above theirs.
        """
        duration, batch, own = self.numbers
        for asked in (float(rate_rps), float(rate_rps) * BEYOND):
            counts = machines_used(on, budget_s, asked, duration, batch, own, self.types, SLACK)
            used = [(c, int(n)) for c, n in zip(self.configurations, counts, strict=True) if n]
            if used and sum((n * c.throughput_rps for c, n in used), Fraction(0)) >= rate_rps:
                return tuple(Serving(c.hardware, c.batch, c.concurrency, n) for c, n in reversed(used))
        return ()


def box(day: Day, m: int, seen: Ints) -> Box | None:
    """The box of a module; None if it would have too many vectors.

    Args:
        day: the instance.
        m: which module.
        seen: machines by type in good plans of each step, shape (steps, types); the box holds all of them.
    """
    session, module = day.session, day.session.modules[m]
    slo = float(session.slo_s)
    fast = sorted(
        (c for c in module.profile if c.duration_s < session.slo_s),
        key=lambda c: rank_key(c, session.price),
        reverse=True,
    )
    places = {hardware.name: h for h, hardware in enumerate(session.hardware)}
    needed = {c: c.batch / (session.slo_s - c.duration_s) for c in fast}
    alone = most_alone(session, fast, needed, day.largest_rates_rps[m])
    prices = np.array([float(hardware.price_per_h) for hardware in session.hardware])
    largest, least_most = float((seen @ prices).max()), seen.max(axis=0)
    most, stock = np.zeros(len(places), np.int64), session.stock
    for name, count in alone.items():
        unit = float(session.price[name])
        affordable = ceil(ROOM * largest / unit) + 1 if unit else MORE * count + 1
        most[places[name]] = min(int(MORE * count) + 1, int(affordable), stock.get(name, 10**9))
    most = np.maximum(most, least_most)
    # If there are too many vectors, the axis that is longest beyond the need of good plans gets shorter.
    while prod(int(n) + 1 for n in most) > BOX_CELLS and (most > least_most).any():
        most[int(np.argmax((most + 1) / (least_most + 1)))] -= 1
    if prod(int(n) + 1 for n in most) > MOST_CELLS:
        return None
    # An axis that ends at the stock stands for no further machines.
    ended = np.array([n > 0 and n < stock.get(name, 10**9) for name, n in zip(places, most, strict=True)])
    least = min(float(c.duration_s) for c in fast)
    cells = prod(int(n) + 1 for n in most)
    levels = min(ceil(np.log(slo / least) / np.log(RATIO)), BUDGET_CELLS // cells) + 1
    inner = least * (slo / least) ** (np.arange(1, levels) / levels)
    # The SLO is a budget twice, less its margin for plans, and plus the margin for bounds.
    budgets = np.unique([*inner, slo * (1 - MARGIN), slo * (1 + MARGIN)])
    numbers = np.array([[float(c.duration_s), float(c.batch), float(c.throughput_rps)] for c in fast]).T.copy()
    types = np.array([places[c.hardware] for c in fast], np.int64)
    rates = largest_rates(budgets, numbers[0], numbers[1], numbers[2], types, most + 1, SLACK)
    return Box(most, ended, budgets, rates, tuple(fast), numbers, types)


def choices_of_plans(day: Day, boxes: Sequence[Box]) -> Choices:
    """Choices with latencies that are not too short, so a selection within the SLO serves."""
    return _choices(day, boxes, False)


def choices_of_bounds(day: Day, boxes: Sequence[Box]) -> Choices:
    """Choices with latencies that are not too long; for each module of any plan one has no more machines."""
    return _choices(day, boxes, True)


def in_time(session: Session, latency_s: Floats) -> NDArray[np.bool_]:
    """Whether plans keep the SLO, given latencies of choices for plans, shape (modules, plans)."""
    until = np.zeros_like(latency_s)
    parents = session.parents()
    for m in session.order:
        for parent in parents[m]:
            until[m] = np.maximum(until[m], until[parent])
        until[m] += latency_s[m]
    # Half of the margin remains for rounding, since an earlier check summed in another order with all of it.
    longest: NDArray[np.bool_] = until.max(axis=0) <= float(session.slo_s) * (1 - MARGIN / 2)
    return longest


def _choices(day: Day, boxes: Sequence[Box], below: bool) -> Choices:
    vectors: list[Ints] = []
    latencies: list[Floats] = []
    first = np.empty((len(day.steps), len(boxes), 2), np.int64)
    size = 0
    for m, own in enumerate(boxes):
        known: dict[Fraction, tuple[int, int]] = {}
        for k, step in enumerate(day.steps):
            rate = step.rates_rps[m]
            if rate not in known:
                found, latency = _of_rate(own, rate, below)
                order = np.argsort(latency, kind="stable")
                vectors.append(found[order])
                latencies.append(latency[order])
                known[rate] = size, size + len(latency)
                size += len(latency)
            first[k, m] = known[rate]
    return Choices(np.concatenate(vectors), np.concatenate(latencies), first)


def _of_rate(own: Box, rate_rps: Fraction, below: bool) -> tuple[Ints, Floats]:
    """The choices for a rate, and their latencies; without requests no machines, which take no time."""
    if not rate_rps:
        return np.zeros((1, len(own.most)), np.int64), np.zeros(1)
    found, latency = _minimal(own, float(rate_rps) * (1 - SLACK), below)
    return (found, latency) if below else _without_misses(own, rate_rps, found, latency)


def _minimal(own: Box, asked_rps: float, below: bool) -> tuple[Ints, Floats]:
    return minimal_vectors(own.rates, asked_rps, own.budgets_s, own.most + 1, own.ended, _quickest(own), below)


def _without_misses(own: Box, rate_rps: Fraction, found: Ints, latency: Floats) -> tuple[Ints, Floats]:
    """Choices without those that serve a rate only by rounding, and with those that serve it beyond all rounding."""
    sure, sure_latency = _minimal(own, float(rate_rps) * BEYOND, False)
    # Rounding for the rate and against it gives the same choices, so fractions are not needed.
    if found.shape == sure.shape and (found == sure).all() and (latency == sure_latency).all():
        return found, latency
    true = [bool(own.serving(on, rate_rps, budget)) for on, budget in zip(found, latency, strict=True)]
    return np.concatenate([found[true], sure]), np.concatenate([latency[true], sure_latency])


def latency_tables(day: Day, m: int, own: Box) -> tuple[Floats, Ints]:
    """Latencies of all vectors of a module, which are not too long; infinite if one does not serve.

    Without requests they are 0.

    Returns:
        Shape (rates, vectors), and the row of each step.
    """
    rows: dict[Fraction, int] = {}
    row = np.array([rows.setdefault(step.rates_rps[m], len(rows)) for step in day.steps], np.int64)
    quickest, shape = _quickest(own), own.most + 1
    tables = [
        vector_latencies(own.rates, float(rate) * (1 - SLACK), own.budgets_s, shape, own.ended, quickest, True)
        if rate
        else np.zeros(own.rates.shape[1])
        for rate in rows
    ]
    return np.array(tables), row


def _quickest(own: Box) -> Floats:
    """The least duration of a configuration on each type; infinite if the module does not run there."""
    found = np.full(len(own.most), np.inf)
    np.minimum.at(found, own.types, own.numbers[0])
    return found
