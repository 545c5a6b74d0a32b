"""What an engine that prunes by `EngineLimits.most` may say of solutions and bounds past it."""

from __future__ import annotations

from formulations.tolerances import ENGINE


def within(bound: float | None, most: float | None) -> float | None:
    """A bound, but never past `EngineLimits.most`: what is past that is pruned, and not counted."""
    return bound if bound is None or most is None else min(bound, most)


def is_beyond(objective: float | None, most: float | None) -> bool:
    """Whether an objective is past `EngineLimits.most` by more than the engines' tolerance."""
    return most is not None and objective is not None and objective > most + ENGINE
