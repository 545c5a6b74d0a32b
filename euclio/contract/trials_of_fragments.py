"""What solvers of fleets are tried on (`euclio.contract`).

All fleets say that their partition points are those of the mean bandwidth, without which Static would not be tried.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from euclio.core.objective import Goal
from euclio.core.parts import Sources
from euclio.core.space_fields import variants_of
from euclio.problems.fragments.instance import Fleet, Points

SLOWER = 2
LARGE_FRAGMENTS = 200


def _small(seed: int) -> Fleet:
    from euclio.workloads.fragments.random_fleets import small_fleet

    return replace(small_fleet(seed), points=Points.MEAN)


def _large() -> Fleet:
    from euclio.workloads.fragments.random_fleets import random_fleet

    return replace(random_fleet(0, LARGE_FRAGMENTS, 12), points=Points.MEAN)


def _scaled(fleet: Fleet, goal: Goal) -> tuple[Fleet, Fraction]:
    """All that takes time takes twice as long, and half as much comes: the same shares serve it."""
    own = fleet.network
    layers = tuple(tuple(tuple(SLOWER * x for x in row) for row in layer) for layer in own.layer_latency_s)
    fragments = [
        replace(fragment, budget_s=SLOWER * fragment.budget_s, rate_rps=fragment.rate_rps / SLOWER)
        for fragment in fleet.fragments
    ]
    network = replace(own, layer_latency_s=layers)
    return replace(fleet, network=network, fragments=tuple(fragments)), Fraction(1)


def _permuted(fleet: Fleet) -> Fleet:
    """Fragments back to front and renamed."""
    fragments = [replace(fragment, name=f"renamed {i}") for i, fragment in enumerate(fleet.fragments)]
    return replace(fleet, fragments=tuple(fragments[::-1]))


SOURCES = Sources(_small, _large, variants_of, _scaled, _permuted, ("set-partition", "fragments-bruteforce"))
