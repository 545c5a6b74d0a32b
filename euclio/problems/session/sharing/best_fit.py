"""Best fit: which machine takes a share of one (Scrooge §3.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any


def by_fit(
    room: Mapping[int, Fraction], share: Fraction, tie: Callable[[int], Any] = lambda number: number
) -> list[int]:
    """Machines that have the room for a share, the least room first, which leaves large rooms for large shares.

    Args:
        room: share of each machine that is left, by its number.
        share: the share asked for.
        tie: key that decides between equal rooms; by default the lower number.
    """
    fitting = [number for number, left in room.items() if left >= share]
    return sorted(fitting, key=lambda number: (room[number], tie(number)))
