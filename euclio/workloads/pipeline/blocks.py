"""Pre-partitioning: the layers of a model in a few blocks of near-equal runtime (PPipe §5.2)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from euclio.core.errors import InputError
from euclio.problems.pipeline import BlockProfile
from euclio.workloads.pipeline.layers import LayerProfile

NANOSECONDS = 10**9


def pre_partition(latency: Sequence[int | Fraction], blocks: int) -> tuple[range, ...]:
    """Group consecutive layers until their runtime is as near as possible to 1/N of the whole, from the first layer on.

    Args:
        latency: latency of each layer on the chosen GPU type, in any unit.
        blocks: N, the number of blocks wanted; at least the number of layers: every layer is a block.

    Returns:
        The layers of each block, in order. The last block takes what is left over; layers that are long against the
        wanted runtime can make fewer blocks.

    Raises:
        InputError: no blocks or no layers.
    """
    if blocks < 1 or not latency:
        raise InputError(
            f"{len(latency)} layers do not go into {blocks} blocks; both must be at least 1", field="blocks"
        )
    if blocks >= len(latency):
        return tuple(range(k, k + 1) for k in range(len(latency)))
    wanted = Fraction(sum(latency)) / blocks
    found: list[range] = []
    first = 0
    while first < len(latency) and len(found) < blocks - 1:
        end, runtime = first + 1, Fraction(latency[first])
        while end < len(latency) and abs(runtime + latency[end] - wanted) <= abs(runtime - wanted):
            runtime += latency[end]
            end += 1
        found.append(range(first, end))
        first = end
    if first < len(latency):
        found.append(range(first, len(latency)))
    return tuple(found)


def block_profiles(profile: LayerProfile, blocks: Sequence[range]) -> list[BlockProfile]:
    """The latencies of the blocks, all GPU types, shares and batches: sums over their layers (PPipe §5.2)."""
    return [
        BlockProfile(
            gpu,
            share,
            tuple(
                tuple(Fraction(sum(column), NANOSECONDS) for column in zip(*(rows[k] for k in block), strict=True))
                for block in blocks
            ),
        )
        for (gpu, share), rows in profile.latency_ns.items()
    ]


def boundary_bytes(profile: LayerProfile, blocks: Sequence[range]) -> list[int]:
    """Bytes that one request sends between consecutive blocks."""
    return [profile.transfer_bytes[before[-1]] for before, _ in pairwise(blocks)]
