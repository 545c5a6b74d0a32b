"""Mixes: how many fragments of each class of a begin a set takes, and the loads that they add up to (ours)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from euclio.core.compiled import compiled
from euclio.core.errors import InapplicableError
from formulations.fragments.columns.types import Ints, Types

MOST_MIXES = 2**12
"""Mixes of a begin beyond which tables would grow too large."""


@dataclass(frozen=True, slots=True)
class Mixes:
    """The mixes of a begin.

    Attributes:
        number: fragments of each class, shape (mixes, classes); the first class counts up first.
        rate: rates in units, shape (mixes,).
        members: numbers of fragments, shape (mixes,).
    """

    number: Ints
    rate: Ints
    members: Ints


def mixes_of(types: Types, begin: int, most: int) -> Mixes:
    """The mixes of the fragments that begin at a layer, at most so many of each class.

    Raises:
        InapplicableError: there are too many.
    """
    own = types.begin == begin
    weights = np.unique(types.weights[own])
    sizes = [min(most, int(types.counts[own & (types.weights == weight)].sum())) for weight in weights]
    mixes = math.prod(size + 1 for size in sizes)
    if mixes > MOST_MIXES:
        raise InapplicableError(f"fragments that begin at layer {begin} have too many different rates")
    radix = np.cumprod([1, *(size + 1 for size in sizes[:-1])]).astype(np.int64)
    number = np.arange(mixes)[:, None] // radix % (np.array(sizes) + 1)
    return Mixes(number, number @ weights, number.sum(axis=1))


def rates_of_loads(mixes: Sequence[Mixes], most: int, *, alike: bool, counted: bool) -> Ints:
    """The rate of each load that sets may have, in units; 0: none has it.

    Args:
        mixes: mixes of each begin.
        most: most fragments of a set.
        alike: all fragments have the rate 1.
        counted: loads tell the number of members.
    """
    # With one rate a load is the number of fragments.
    if alike:
        return np.arange(most + 1)
    reached = {(0, 0)}
    for own in mixes:
        parts = set(zip(own.rate.tolist(), own.members.tolist(), strict=True))
        reached = {
            (rate + more, members + others if counted else 0)
            for rate, members in reached
            for more, others in parts
            if not counted or members + others <= most
        }
    loads = {rate * (most + 1) + members if counted else rate: rate for rate, members in reached}
    rates = np.zeros(max(loads) + 1, dtype=np.int64)
    rates[list(loads)] = list(loads.values())
    return rates


@compiled
def divide_mixes(least: Ints, number: Ints) -> None:
    """Lower the share of each mix in one head to its share in one head or several.

    Args:
        least: share by time and mix, shape (rows, mixes); changed.
        number: see `Mixes`.
    """
    for mix in range(1, len(number)):
        # A part and the rest, of which the part is no more than half.
        for part in range(1, mix // 2 + 1):
            fits = True
            for c in range(number.shape[1]):
                fits = fits and number[part, c] <= number[mix, c]
            if fits:
                for row in range(len(least)):
                    least[row, mix] = min(least[row, mix], least[row, part] + least[row, mix - part])
