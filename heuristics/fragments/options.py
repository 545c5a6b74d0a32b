"""What Graft leaves to be set (Graft §4, §5.5, §5.6); without numpy, since the list of all solvers has it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from euclio.problems.fragments import Fleet, FragmentSpace, Sharing

Weights = tuple[float, float, float]
"""Weights of partition point, time budget and rate in the distance."""


class Merging(StrEnum):
    """Which uniform fragments become one part (Graft §5.5)."""

    NONE = "none"
    """None: No-merging."""
    UNIFORM = "uniform"
    """All: Uniform merging."""
    THRESHOLD = "threshold"
    """As many as it takes until little is left over: Uniform+ merging, Graft's own."""


class Edges(StrEnum):
    """What an edge of the graph weighs; heavy ones are kept inside of groups."""

    SIMILARITY = "similarity"
    """Minus the distance of its ends (ours, what the text wants)."""
    DISTANCE = "distance"
    """The distance of its ends (Graft §4.2 as printed)."""


@dataclass(frozen=True, slots=True)
class GraftOptions:
    """What Graft leaves to be set; the defaults are the paper's.

    Attributes:
        merging: which uniform fragments are merged.
        threshold: resource margin down to which they are (§5.5; 0.01 with thousands of fragments, §5.8).
        group_size: most parts of a group (§5.6).
        weights: weights of partition point, time budget and rate in the distance of parts (§5.6).
        edges: what an edge between parts weighs (§4.2).
    """

    merging: Merging = Merging.THRESHOLD
    threshold: float = 0.2
    group_size: int = 5
    weights: Weights = (1.0, 1.0, 1.0)
    edges: Edges = Edges.SIMILARITY


# Plan spaces of the systems that Graft compares with (Graft §5.1, §5.3).

GSLICE_SPACE = FragmentSpace(sharing=Sharing.ALONE)
GSLICE_PLUS_SPACE = FragmentSpace(sharing=Sharing.UNIFORM)


def gslice_space(fleet: Fleet, space: FragmentSpace) -> FragmentSpace:
    """What GSLICE's design leaves of a plan space: each fragment alone."""
    return replace(space, sharing=Sharing.ALONE)


def gslice_plus_space(fleet: Fleet, space: FragmentSpace) -> FragmentSpace:
    """What the design of GSLICE+ leaves of a plan space: uniform fragments together, nothing realigned."""
    return replace(space, sharing=min(space.sharing, Sharing.UNIFORM, key=lambda sharing: sharing.rank))
