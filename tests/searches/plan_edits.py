"""Changes of plans of any family, one place at a time: plans are trees of frozen dataclasses, tuples and numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any

Path = tuple[str | int, ...]

COUNTS = frozenset({"machines", "gpus", "instances"})
"""Fields that say how many machines there are, in all families."""
BATCHES = frozenset({"batch"})
RATES = frozenset({"partial_rps", "dummy_rps"})


def changed(rng: Random, plan: Any, names: frozenset[str], change: Callable[[Any], Any]) -> Any | None:
    """The plan with one field of these names another one; None: it has none of them, or the change changes nothing."""
    paths = [path for path, _ in _places(plan) if path[-1] in names]
    if not paths:
        return None
    path = rng.choice(paths)
    edited = _with(plan, path, change)
    return None if edited == plan else edited


def rearranged(rng: Random, plan: Any, change: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> Any | None:
    """The plan with one of its tuples another one; None: the change changes nothing."""
    path = rng.choice([path for path, value in _places(plan) if isinstance(value, tuple)])
    edited = _with(plan, path, change)
    return None if edited == plan else edited


def _places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if path:
        yield path, value
    if is_dataclass(value):
        for field in fields(value):
            if field.init:
                yield from _places(getattr(value, field.name), (*path, field.name))
    elif isinstance(value, tuple):
        for i, one in enumerate(value):
            yield from _places(one, (*path, i))


def _with(value: Any, path: Path, change: Callable[[Any], Any]) -> Any:
    if not path:
        return change(value)
    key, *rest = path
    if isinstance(key, int):
        return tuple(_with(one, tuple(rest), change) if i == key else one for i, one in enumerate(value))
    return replace(value, **{key: _with(getattr(value, key), tuple(rest), change)})


def scaled(value: Fraction) -> Fraction:
    """A rate a millionth higher; from 0 on, a thousandth."""
    return value * (1 + Fraction(1, 10**6)) if value else Fraction(1, 1000)
