"""Dummy rules: which dummy requests a plan may add. One record per rule; what differs by rule is read from it.

Code that a rule changes in another way matches on the members, with `assert_never` behind the last one.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class DummyRule(StrEnum):
    """Which dummy requests a plan may add.

    Attributes:
        help: one line: what it allows, and where it is published.
        words: what it says of a plan space, in a few words.
        restriction: what it takes from a user, for a sentence; empty: the full space allows no more.
        adds: whether plans may have dummies at all.
        countable: whether a module has finitely many plans, which can be listed.
        spare: what it allows in a planner's words: capacity that is paid for and serves nobody, so that batches fill in
            time.
    """

    help: str
    words: str
    restriction: str
    adds: bool
    countable: bool
    spare: str

    NONE = ("none", "no dummy requests", "no dummies", "no dummy requests", False, True, "no spare capacity")
    MACHINE = (
        "machine",
        "dummies fill the last allocation's last machine up to full (Harpagon §III-C)",
        "dummies machine",
        "",
        True,
        True,
        "spare capacity where it lowers the cost",
    )
    CONTINUOUS = (
        "continuous",
        "any dummy rate (Piccolo §III-D)",
        "dummies continuous",
        "",
        True,
        False,
        "spare capacity of any size where it lowers the cost",
    )

    def __new__(
        cls,
        value: str,
        help: str = "",
        words: str = "",
        restriction: str = "",
        adds: bool = False,
        countable: bool = True,
        spare: str = "",
    ) -> Self:
        """The member of this name, with its record; the defaults stand for type checkers only."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.help, member.words, member.restriction = help, words, restriction
        member.adds, member.countable, member.spare = adds, countable, spare
        return member
