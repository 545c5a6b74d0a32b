"""Rules of a plan space: how machines are charged, and which dummy requests a plan may add.

One record per rule states everything that differs by rule. Other code that depends on a rule matches on the members,
with `assert_never` behind the last one.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

# Charging of machines: by the share in use, or whole. One record per way (docs/model/whole-machines.md).


class Charging(StrEnum):
    """How the machines of a plan are charged.

    Attributes:
        help: one line: its effect, and its origin.
        words: its name in the words of a plan space; empty for the usual way.
        whole: whether a machine is charged whole even if little of it is used.
        packs: whether partial machines of several modules may share one machine.
    """

    help: str
    words: str
    whole: bool
    packs: bool

    SHARE = ("share", "a partial machine is charged for the share that is used (Harpagon §III-A)", "", False, False)
    WHOLE = ("whole", "every machine is charged whole (ours)", "whole machines", True, False)
    PACKED = (
        "packed",
        "every machine is charged whole, and partial machines of one type may share one (ours)",
        "whole machines, partial ones packed",
        True,
        True,
    )

    def __new__(cls, value: str, help: str = "", words: str = "", whole: bool = False, packs: bool = False) -> Self:
        """The member of this name, with its record; the defaults stand for type checkers only."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.help, member.words, member.whole, member.packs = help, words, whole, packs
        return member


class DummyRule(StrEnum):
    """A rule on the dummy requests that a plan may add.

    Attributes:
        help: one line: the dummies that it allows, and the publication.
        words: its name in the words of a plan space.
        restriction: the loss of a user, for a sentence; empty if the full space allows no more.
        adds: whether plans may have dummies at all.
        countable: whether a module has finitely many plans, which can be listed.
        spare: the dummies in a planner's words: unused capacity that is paid for, so that batches fill in time.
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
