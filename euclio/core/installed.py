"""What installed packages offer euclio by entry points: solvers and problem families."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any


def offered_in(group: str) -> Iterable[EntryPoint]:
    """The entry points of a group, of all installed packages.

    Args:
        group: such as ``euclio.solvers``.
    """
    found: Iterable[EntryPoint] = _all().select(group=group)
    return found


@cache
def _all() -> Any:
    """All entry points there are: a small solve asks for two groups, and each time every package would be read.

    Python 3.11 and later ones have different classes for them; both can be selected from.
    """
    return entry_points()
