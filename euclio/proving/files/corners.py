"""Least vectors of machines or GPUs, which programs of proofs list as alternatives (ours)."""

from __future__ import annotations

from collections.abc import Sequence
from operator import ge


def covers(more: tuple[int, ...], less: tuple[int, ...]) -> bool:
    """Whether one has at least as many of every type as the other."""
    return all(map(ge, more, less))


def least(some: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
    """Those that cover no other one, in the order in which they come, each once."""
    kept: list[tuple[int, ...]] = []
    # Whatever another one covers has fewer in all, so that it comes before.
    for one in sorted(set(some), key=sum):
        if not any(covers(one, other) for other in kept):
            kept.append(one)
    known = set(kept)
    return tuple(one for one in dict.fromkeys(some) if one in known)
