"""Requests on their way through the graph: what is left of each, and what is reached next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from euclio.serving.session.system import System


@dataclass(slots=True)
class Request:
    """A request.

    Attributes:
        arrival_ticks: when it arrived.
        left: of each module, invocations that have not ended.
        waiting: of each module, parents that have not handed it on.
        ready_ticks: of each module, when its invocations became ready.
        to_pass: modules that it has not passed yet.
        last_end_ticks: when an invocation of it ended last.
        dropped: whether it was dropped.
    """

    arrival_ticks: int
    left: list[int]
    waiting: list[int]
    ready_ticks: list[int]
    to_pass: int
    last_end_ticks: int
    dropped: bool = False


def new_request(system: System, arrival_ticks: int, counts: Sequence[int]) -> Request:
    """A request that has arrived; `counts` are its invocations of each module."""
    waiting = [len(module.parents) for module in system.modules]
    return Request(arrival_ticks, list(counts), waiting, [-1] * len(waiting), len(waiting), arrival_ticks)


def counts_of(system: System, number: int) -> list[int]:
    """Invocations of each module that the request of this number makes: ⌊(k + 1)·ratio⌋ − ⌊k·ratio⌋ of request k."""
    return [_whole((number + 1) * m.per_request) - _whole(number * m.per_request) for m in system.modules]


def _whole(value: Fraction) -> int:
    return value.numerator // value.denominator


def entered(system: System) -> list[int]:
    """Numbers of the modules that requests enter by."""
    return [m for m, module in enumerate(system.modules) if not module.parents]


def reached(system: System, request: Request, modules: Iterable[int]) -> list[int]:
    """Children that a request reaches when these modules hand it on, ascending."""
    found = []
    for m in modules:
        for child in system.modules[m].children:
            request.waiting[child] -= 1
            if request.waiting[child] == 0:
                found.append(child)
    return sorted(found)
