"""Sets of equal machines to which a module's invocations are dealt out (docs/model/serving.md, dispatch)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import NamedTuple

from euclio.problems.session.policies import Form, Policy
from euclio.serving.session.setup import Dispatch

MOST_RATE = (1 << 31) - 1
"""Largest sum of scaled rates, so that products of two of them stay within 64 bits."""


class Unit(Enum):
    """Number of invocations for which a module stays with a target before it chooses again."""

    ROUND = 0
    BATCH = 1
    REQUEST = 2


class Turns(Enum):
    """Units that the machines of a target take in turn."""

    BATCHES = 0
    REQUESTS = 1


class Router(Enum):
    """Rules that choose the machine."""

    TURN = 0
    """Targets at their rates, and the machines of a target in turn."""
    RANDOM = 1
    """A draw."""
    LEAST = 2
    """The least load."""
    TWO = 3
    """The lesser load of two machines that are drawn."""


class Dealing(NamedTuple):
    """How a dispatcher deals out invocations."""

    unit: Unit  # for how long a module stays with a target
    turns: Turns  # unit that the machines of a target take in turn
    router: Router = Router.TURN  # rule that chooses the machine
    # whether a machine's invocations wait in a queue of its own, from which it takes a batch when it is free; otherwise
    # it collects a batch and closes it.
    queued: bool = False


DEALINGS = {
    Dispatch.ROUNDS: Dealing(Unit.ROUND, Turns.BATCHES),
    Dispatch.BATCHES: Dealing(Unit.BATCH, Turns.BATCHES),
    Dispatch.SPLIT: Dealing(Unit.REQUEST, Turns.BATCHES),
    Dispatch.REQUESTS: Dealing(Unit.REQUEST, Turns.REQUESTS),
    Dispatch.REQUEST_ROUNDS: Dealing(Unit.ROUND, Turns.REQUESTS),
    Dispatch.ROUND_ROBIN: Dealing(Unit.REQUEST, Turns.REQUESTS, Router.TURN, queued=True),
    Dispatch.RANDOM: Dealing(Unit.REQUEST, Turns.REQUESTS, Router.RANDOM, queued=True),
    Dispatch.LEAST_OUTSTANDING: Dealing(Unit.REQUEST, Turns.REQUESTS, Router.LEAST, queued=True),
    Dispatch.POWER_OF_TWO: Dealing(Unit.REQUEST, Turns.REQUESTS, Router.TWO, queued=True),
}
"""All dispatchers but `PULL`, which deals out nothing."""


@dataclass(frozen=True, slots=True)
class Target:
    """Machines alike that take turns."""

    machines: range  # their numbers, one after the other
    rate: int  # their rate, in a scale that all targets of a module share


def own_dispatch(policy: Policy) -> Dispatch:
    """The dispatcher of a policy: single invocations if machines collect at rates of their own."""
    if policy.pulls:
        return Dispatch.PULL
    return Dispatch.REQUESTS if policy.form.by_configuration else Dispatch.ROUNDS


def joins(policy: Policy, dispatch: Dispatch) -> bool:
    """Whether the partial machine takes turns with the whole ones of its allocation, all at equal rates."""
    return dispatch is Dispatch.SPLIT or policy.form in (Form.TIED, Form.EVEN)


def can_share(dispatch: Dispatch) -> bool:
    """Whether a partial machine collects batches of its own, so that modules may share it."""
    dealing = DEALINGS.get(dispatch)
    return dealing is not None and not dealing.queued and dispatch is not Dispatch.SPLIT


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
