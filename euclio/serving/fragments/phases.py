"""When in their periods clients send, where arrivals are uniform: evenly spaced streams may still coincide (ours)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, zip_longest

import numpy as np

from euclio.problems.fragments.plan import FragmentPlan
from euclio.serving.arrivals import arrivals_of
from euclio.serving.fragments.setup import Phases, Setup
from euclio.serving.setup import Arrivals
from euclio.serving.units import NANOSECONDS, NS_PER_S, Floats, Ints


def phased_arrivals(plan: FragmentPlan, setup: Setup, rates_rps: Sequence[float]) -> list[Ints]:
    """Arrivals of each fragment in whole nanoseconds, ascending, in [0, seconds).

    Args:
        plan: the plan, whose sets are staggered.
        setup: how requests come, and the seed.
        rates_rps: mean rate of each fragment.
    """
    found = arrivals_of(setup, rates_rps)
    if setup.arrivals is not Arrivals.UNIFORM:
        return found
    until = NANOSECONDS.up(setup.seconds)
    moved = []
    for times, rate, part in zip(found, rates_rps, _parts(plan, setup, len(found)), strict=True):
        later = times + int(min(part / rate, setup.seconds) * NS_PER_S)
        moved.append(later[later < until])
    return moved


def _parts(plan: FragmentPlan, setup: Setup, fragments: int) -> Floats:
    """The part of its period after which each client sends first, in [0, 1)."""
    if setup.phases is Phases.RANDOM:
        return np.random.default_rng([setup.seed, 2]).random(fragments)
    parts = np.zeros(fragments)
    if setup.phases is Phases.STAGGERED:
        for own in plan.sets:
            # In turn over the heads, so that those of one head are apart as well.
            rounds = chain.from_iterable(zip_longest(*(head.fragments for head in own.heads)))
            members = [k for k in rounds if k is not None]
            parts[members] = np.arange(len(members)) / len(members)
    return parts
