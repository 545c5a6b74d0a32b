"""Plan spaces of the systems that Graft compares with (Graft §5.1, §5.3)."""

from __future__ import annotations

from dataclasses import replace

from euclio.problems.fragments import Fleet, FragmentSpace, Sharing

GSLICE_SPACE = FragmentSpace(sharing=Sharing.ALONE)
GSLICE_PLUS_SPACE = FragmentSpace(sharing=Sharing.UNIFORM)


def gslice_space(fleet: Fleet, space: FragmentSpace) -> FragmentSpace:
    """What GSLICE's design leaves of a plan space: each fragment alone."""
    return replace(space, sharing=Sharing.ALONE)


def gslice_plus_space(fleet: Fleet, space: FragmentSpace) -> FragmentSpace:
    """What the design of GSLICE+ leaves of a plan space: uniform fragments together, nothing realigned."""
    return replace(space, sharing=min(space.sharing, Sharing.UNIFORM, key=lambda sharing: sharing.rank))
