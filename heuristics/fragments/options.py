"""Graft's options (Graft §4, §5.5, §5.6); without numpy, since the list of all solvers imports this file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from euclio.problems.fragments import Fleet, FragmentSpace, Sharing

Weights = tuple[float, float, float]
"""Weights of partition point, time budget and rate in the distance."""


class Merging(StrEnum):
    """The strategy for merging uniform fragments to parts (Graft §5.5)."""

    NONE = "none"
    """No fragment is merged (No-merging)."""
    UNIFORM = "uniform"
    """All uniform fragments are merged (Uniform merging)."""
    THRESHOLD = "threshold"
    """Uniform fragments are merged until little capacity is left over (Uniform+ merging, Graft's own)."""


class Edges(StrEnum):
    """The weight of an edge of the graph; heavy ones are kept inside of groups."""

    SIMILARITY = "similarity"
    """Minus the distance of its ends (ours, after the text)."""
    DISTANCE = "distance"
    """The distance of its ends (Graft §4.2 as printed)."""


@dataclass(frozen=True, slots=True)
class GraftOptions:
    """Graft's options; the defaults are the paper's.

    Attributes:
        merging: strategy for merging uniform fragments.
        threshold: resource margin down to which they are merged (§5.5; 0.01 with thousands of fragments, §5.8).
        group_size: most parts of a group (§5.6).
        weights: weights of partition point, time budget and rate in the distance of parts (§5.6).
        edges: weight of an edge between parts (§4.2).
    """

    merging: Merging = Merging.THRESHOLD
    threshold: float = 0.2
    group_size: int = 5
    weights: Weights = (1.0, 1.0, 1.0)
    edges: Edges = Edges.SIMILARITY


# Plan spaces of the systems in Graft's comparison (Graft §5.1, §5.3).

GSLICE_SPACE = FragmentSpace(sharing=Sharing.ALONE)
GSLICE_PLUS_SPACE = FragmentSpace(sharing=Sharing.UNIFORM)


def gslice_space(fleet: Fleet, space: FragmentSpace) -> FragmentSpace:
    """The part of a plan space within GSLICE's design: each fragment alone."""
    return replace(space, sharing=Sharing.ALONE)


def gslice_plus_space(fleet: Fleet, space: FragmentSpace) -> FragmentSpace:
    """The part of a plan space within GSLICE+'s design: uniform fragments together, without realignment."""
    return replace(space, sharing=min(space.sharing, Sharing.UNIFORM, key=lambda sharing: sharing.rank))
