"""All uses of a module's machines within a box, with the rates and latencies that they have when full (ours).

A use is a number of machines of each configuration. Floats list and sort; what lies within their rounding of a rate or
of another latency is decided in fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from euclio.problems.day import Day, Serving
from euclio.problems.session import Configuration
from euclio.problems.session.evaluate import rank_key
from formulations.day.rate_table import SLACK

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Uses:
    """Uses of a module's machines.

    Attributes:
        configurations: those that are fast enough, the last rank first.
        most: machines by hardware type at most.
        counts: machines by configuration, shape (uses, configurations).
        machines: machines by type, shape (uses, types).
        rate: requests per second that they take.
        latency_s: how long requests take at most.
    """

    configurations: tuple[Configuration, ...]
    most: tuple[int, ...]
    counts: Ints
    machines: Ints
    rate: Floats
    latency_s: Floats

    def exact_rate(self, use: int) -> Fraction:
        """The rate of a use."""
        return sum((int(n) * c.throughput_rps for n, c in self._used(use)), Fraction(0))

    def exact_latency(self, use: int) -> Fraction:
        """The latency of a use: d + b/w, where w is the rate of the configuration and of all that rank behind it."""
        rate = latency = Fraction(0)
        for n, c in self._used(use):
            rate += int(n) * c.throughput_rps
            latency = max(latency, c.duration_s + c.batch / rate)
        return latency

    def serving(self, use: int) -> tuple[Serving, ...]:
        """What serves."""
        return tuple(Serving(c.hardware, c.batch, c.concurrency, int(n)) for n, c in reversed(self._used(use)))

    def enough(self, rate_rps: Fraction) -> NDArray[np.bool_]:
        """Which uses take a rate, exactly."""
        asked = float(rate_rps)
        found: NDArray[np.bool_] = self.rate >= asked * (1 - SLACK)
        for use in np.flatnonzero(found & (self.rate <= asked * (1 + SLACK))):
            found[use] = self.exact_rate(int(use)) >= rate_rps
        return found

    def least(self, rate_rps: Fraction) -> list[tuple[int, Fraction]]:
        """Uses that take a rate, and their latencies.

        For every other use that takes it, one of these is as fast with no more machines of any type.
        """
        fits = self.enough(rate_rps)
        shape = tuple(n + 1 for n in self.most)
        table = np.full(shape, np.inf)
        places = np.ravel_multi_index(tuple(self.machines.T), shape)
        np.minimum.at(table.ravel(), places[fits], self.latency_s[fits])
        for axis in range(table.ndim):
            table = np.minimum.accumulate(table, axis=axis)
        near = np.flatnonzero(fits & (self.latency_s <= table.ravel()[places] * (1 + SLACK)))
        # Of one latency those with fewest machines come first, so none comes before a use within it.
        exact = sorted((self.exact_latency(int(use)), int(self.machines[use].sum()), int(use)) for use in near)
        kept: list[tuple[int, Fraction]] = []
        vectors = np.empty((len(exact), len(self.most)), np.int64)
        for latency, _, use in exact:
            if not (vectors[: len(kept)] <= self.machines[use]).all(axis=1).any():
                vectors[len(kept)] = self.machines[use]
                kept.append((use, latency))
        return kept

    def _used(self, use: int) -> list[tuple[int, Configuration]]:
        return [(n, c) for n, c in zip(self.counts[use], self.configurations, strict=True) if n]


def number_of_uses(day: Day, m: int, most: Sequence[int]) -> int:
    """How many uses a module has within a box."""
    session = day.session
    fast = [c.hardware for c in session.modules[m].profile if c.duration_s < session.slo_s]
    kinds = [fast.count(hardware.name) for hardware in session.hardware]
    return prod(comb(n + kind, kind) for n, kind in zip(most, kinds, strict=True))


def uses_of(day: Day, m: int, most: Sequence[int]) -> Uses:
    """All uses of a module with at most so many machines by hardware type within the SLO, but that of none."""
    session, module = day.session, day.session.modules[m]
    names = [hardware.name for hardware in session.hardware]
    fast = tuple(
        sorted(
            (c for c in module.profile if c.duration_s < session.slo_s),
            key=lambda c: rank_key(c, session.price),
            reverse=True,
        )
    )
    types = np.array([names.index(c.hardware) for c in fast], np.int64)
    counts = np.zeros((1, len(fast)), np.int64)
    for h, limit in enumerate(most):
        own = np.flatnonzero(types == h)
        part = np.zeros((1, len(fast)), np.int64)
        for c in own:
            more = np.repeat(part, limit + 1, axis=0)
            more[:, c] = np.tile(np.arange(limit + 1), len(part))
            # Cut after each configuration, so that rows beyond the limit are never multiplied.
            part = more[more[:, own].sum(axis=1) <= limit]
        counts = (counts[:, None] + part[None]).reshape(-1, len(fast))
    counts = counts[counts.any(axis=1)]
    throughput = np.array([float(c.throughput_rps) for c in fast])
    behind = np.cumsum(counts * throughput, axis=1)
    batch, duration = np.array([c.batch for c in fast]), np.array([float(c.duration_s) for c in fast])
    with np.errstate(divide="ignore", invalid="ignore"):
        latency = np.where(counts > 0, duration + batch / behind, 0.0).max(axis=1, initial=0.0)
    in_time = latency <= float(session.slo_s) * (1 + SLACK)
    counts, behind, latency = counts[in_time], behind[in_time], latency[in_time]
    machines = np.stack([counts[:, types == h].sum(axis=1) for h in range(len(names))], axis=1)
    rate = behind[:, -1] if fast else np.zeros(0)
    return Uses(fast, tuple(most), counts, machines, rate, latency)
