"""How machines are charged: by the share that is used, or whole. One record per way (docs/model/whole-machines.md)."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class Charging(StrEnum):
    """How the machines of a plan are charged.

    Attributes:
        help: one line: what it charges, and whose it is.
        words: what it says of a plan space, in a few words; empty: it goes without saying.
        whole: whether a machine is charged whole, however little of it is used.
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
