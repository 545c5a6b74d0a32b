"""The requests of one stream or several, in the order in which they come (docs/model/serving.md, requests)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from euclio.serving.session.engine.tables import ELSEWHERE
from euclio.serving.session.system import System
from euclio.serving.units import Ints, whole_multiples

Piece = tuple[Ints, Ints]
"""Arrivals in ticks, shape (requests,), and invocations per request and module, shape (requests, modules)."""


class Counts:
    """Invocations per request and module, request after request (docs/model/serving.md, requests)."""

    def __init__(self, per_request: Sequence[Fraction]) -> None:
        """Begin with the first request; `per_request` are invocations of each module per request."""
        self._per_request = tuple(per_request)
        self._first = 0

    def take(self, requests: int) -> Ints:
        """Counts of the next requests, shape (requests, modules)."""
        # ⌊(k + 1)·ratio⌋ - ⌊k·ratio⌋ of request k.
        reached = [whole_multiples(ratio, self._first, requests + 1) for ratio in self._per_request]
        self._first += requests
        return np.ascontiguousarray(np.diff(np.stack(reached, axis=1), axis=0))


def together(system: System, arrivals: Sequence[Iterable[Ints]]) -> Iterator[Piece]:
    """The requests of all streams in the order in which they come; at one time, in the order of the streams.

    Args:
        system: what serves them.
        arrivals: by stream, pieces of times in ticks, ascending.
    """
    streams = [_counted(system, number, own) for number, own in enumerate(arrivals)]
    return streams[0] if len(streams) == 1 else _merged(streams, len(system.modules))


def _counted(system: System, number: int, arrivals: Iterable[Ints]) -> Iterator[Piece]:
    """The requests of one stream, with their invocations."""
    modules = system.modules
    counts = Counts([module.per_request if module.stream == number else Fraction(0) for module in modules])
    others = [m for m, module in enumerate(modules) if module.stream != number]
    for times in arrivals:
        found = counts.take(times.size)
        found[:, others] = ELSEWHERE
        yield times, found


def _merged(streams: Sequence[Iterator[Piece]], modules: int) -> Iterator[Piece]:
    nothing = np.zeros(0, np.int64), np.zeros((0, modules), np.int64)
    held: list[Piece] = [nothing] * len(streams)
    going_on = set(range(len(streams)))
    wanted = set(going_on)
    while going_on:
        for k in sorted(wanted):
            piece = next(streams[k], None)
            if piece is None:
                going_on.discard(k)
            else:
                held[k] = _joined([held[k], piece])
        # Of a stream that goes on nothing is known from its last time on.
        last = {k: held[k][0][-1] if held[k][0].size else -1 for k in going_on}
        until = min(last.values(), default=None)
        wanted = {k for k, time in last.items() if time == until}
        cuts = [len(times) if until is None else int(np.searchsorted(times, until)) for times, _ in held]
        times, counts = _joined([(own[:cut], rows[:cut]) for cut, (own, rows) in zip(cuts, held, strict=True)])
        held = [(own[cut:], rows[cut:]) for cut, (own, rows) in zip(cuts, held, strict=True)]
        if times.size:
            order = np.argsort(times, kind="stable")
            yield times[order], counts[order]


def _joined(pieces: Sequence[Piece]) -> Piece:
    """Several pieces as one."""
    return np.concatenate([times for times, _ in pieces]), np.concatenate([counts for _, counts in pieces])
