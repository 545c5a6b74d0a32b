"""Sets of machines alike that a module's invocations are dealt out to (docs/model/serving.md, dispatch)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import NamedTuple

from euclio.session.policies import Form, Policy
from euclio.session.simulation.setup import Dispatch

MOST_RATE = (1 << 31) - 1
"""Largest sum of scaled rates, so that products of two of them stay within 64 bits."""


class Unit(Enum):
    """For how long a module stays with a target before it asks again whose turn it is."""

    ROUND = 0
    BATCH = 1
    REQUEST = 2


class Turns(Enum):
    """What the machines of a target take in turn."""

    BATCHES = 0
    REQUESTS = 1


class Dealing(NamedTuple):
    """How a dispatcher deals out invocations.

    Attributes:
        unit: for how long a module stays with a target.
        turns: what the machines of a target take in turn.
    """

    unit: Unit
    turns: Turns


DEALINGS = {
    Dispatch.ROUNDS: Dealing(Unit.ROUND, Turns.BATCHES),
    Dispatch.BATCHES: Dealing(Unit.BATCH, Turns.BATCHES),
    Dispatch.SPLIT: Dealing(Unit.REQUEST, Turns.BATCHES),
    Dispatch.REQUESTS: Dealing(Unit.REQUEST, Turns.REQUESTS),
    Dispatch.REQUEST_ROUNDS: Dealing(Unit.ROUND, Turns.REQUESTS),
}
"""All dispatchers but `PULL`, which deals out nothing."""


@dataclass(frozen=True, slots=True)
class Target:
    """Machines alike that take turns.

    Attributes:
        machines: their numbers, one after the other.
        rate: their rate, in a scale that all targets of a module share.
    """

    machines: range
    rate: int


def own_dispatch(policy: Policy) -> Dispatch:
    """The dispatcher that a policy stands for: single invocations where machines collect at rates of their own."""
    if policy.pulls:
        return Dispatch.PULL
    return Dispatch.REQUESTS if policy.form.by_configuration else Dispatch.ROUNDS


def joins(policy: Policy, dispatch: Dispatch) -> bool:
    """Whether the partial machine takes turns with the whole ones of its allocation, all at equal rates."""
    return dispatch is Dispatch.SPLIT or policy.form in (Form.TIED, Form.EVEN)


def scaled(rates: Sequence[Fraction]) -> tuple[int, ...]:
    """Rates as whole numbers in one scale: exact if their sum stays within `MOST_RATE`, else rounded, at least 1."""
    common = math.lcm(*(rate.denominator for rate in rates))
    exact = [int(rate * common) for rate in rates]
    divisor = math.gcd(*exact)
    exact = [rate // divisor for rate in exact]
    if sum(exact) <= MOST_RATE:
        return tuple(exact)
    room = MOST_RATE - len(exact)
    return tuple(max(1, rate * room // sum(exact)) for rate in exact)
