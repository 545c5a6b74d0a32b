"""Names that other programs allow: a map from names to target names that never merges two (ours)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import count

DIGITS = 8
"""Hexadecimal digits of a name's hash that tell it from those that would be called alike."""
MARK = 1 + DIGITS
"""Characters that a hash takes behind a name."""


def target_names(
    names: Iterable[str],
    near: Callable[[str, int], str],
    longest: int,
    *,
    joint: str = "-",
    same: Callable[[str], str] = str,
    reserved: Callable[[str], bool] = lambda target: False,
) -> dict[str, str]:
    """A target name for each name, all of them different.

    Names whose target names would be equal get the first digits of their own hash as a suffix. The one exception is a
    name that is allowed unchanged, if it is the only such one. A target name thus depends on the names alone, not on
    their order, and has no suffix if there is no conflict.

    Args:
        names: the names; duplicates count once.
        near: gives the closest allowed name of at most so many characters; different names may have the same one.
        longest: maximum length of a target name.
        joint: the allowed sign between a name and its hash.
        same: gives the part of a target name that the other program compares, such as its small letters; by default all
            of it.
        reserved: whether the other program reserves a target name.
    """
    plain = {name: near(name, longest) for name in names}
    crowds = Counter(same(target) for target in plain.values())
    as_they_stand = Counter(same(name) for name, target in plain.items() if name == target)

    def keeps(name: str, target: str) -> bool:
        alone = crowds[same(target)] == 1 or (name == target and as_they_stand[same(target)] == 1)
        return alone and not reserved(target)

    kept = {name: target for name, target in plain.items() if keeps(name, target)}
    marked = [name for name in plain if name not in kept]
    taken = {same(target) for target in kept.values()}
    for attempt in count():  # a module's name may equal another one's hash
        found = {name: f"{near(name, longest - MARK)}{joint}{_digits(name, attempt)}" for name in marked}
        looked_at = {same(target) for target in found.values()}
        if len(looked_at) == len(found) and not looked_at & taken:
            return {name: kept.get(name) or found[name] for name in plain}
    raise AssertionError("there is always another hash")


def _digits(name: str, attempt: int) -> str:
    text = name if not attempt else f"{name}\0{attempt}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
