"""Plan spaces of fragments: sharing of stages, and limits on plans (Graft §4, §5.3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self

from euclio.core.parameters import Parameter
from euclio.core.space_fields import at_least_as_many, at_most, described, most_of, one_of
from euclio.core.values import count


class Sharing(StrEnum):
    """The fragments that may share instances; each value allows all that the values before it allow."""

    words: str

    ALONE = ("alone", "each fragment alone")
    """No fragments share, so each has instances of its own (GSLICE, Graft §5.1)."""
    UNIFORM = ("uniform", "uniform fragments together")
    """Fragments with the same partition point and time budget (GSLICE+, Graft §5.3)."""
    REALIGNED = ("realigned", "any fragments realigned")
    """Any fragments share from a re-partition point on (Graft §4.3)."""

    def __new__(cls, value: str, words: str = "") -> Self:
        """The member of this name, and its text for people."""
        member = str.__new__(cls, value)
        member._value_, member.words = value, words
        return member

    @property
    def rank(self) -> int:
        """Its place among all, the narrowest first."""
        return list(Sharing).index(self)


class Budgets(StrEnum):
    """The time budget that a request of a realigned set must keep."""

    LEAST = "least"
    """The least of the set, for every request (Graft Algorithm 1, line 8)."""
    OWN = "own"
    """That of its own fragment (ours), since a client notices no other."""


SHARING = one_of(
    Sharing,
    "sharing",
    Parameter("--sharing", "sharing", "which fragments may share instances: none, uniform ones, or any, realigned"),
    contains=lambda wide, narrow: wide.rank >= narrow.rank,
)
BUDGETS = one_of(
    Budgets,
    "budgets",
    Parameter("--budgets", "budgets", "a request of a set keeps the least time budget of the set, or its own"),
    words=lambda budgets: "time budgets of their own" if budgets is Budgets.OWN else "",
    contains=lambda wide, narrow: wide is Budgets.OWN or narrow is Budgets.LEAST,
)
MAX_MEMBERS = most_of(
    "fragments in a set",
    (2, 3),
    Parameter("--max-members", "max_members", "most fragments that share instances; default: any", count, metavar="N"),
    words=lambda most: f"{at_most(most, 'fragment')} in a set" if most is not None else "",
    contains=at_least_as_many,
)
MAX_INSTANCES = most_of(
    "instances of a stage",
    (5, 2),
    Parameter("--max-instances", "max_instances", "most instances of a stage; default: any", count, metavar="N"),
    words=lambda most: f"{at_most(most, 'instance')} of a stage" if most is not None else "",
    contains=at_least_as_many,
)


@dataclass(frozen=True, slots=True)
class FragmentSpace:
    """The set of plans that a system may choose from; the default is all of them.

    Attributes:
        sharing: fragments that may share instances. Stages end before the last layer only if fragments may be
            realigned, also those of a fragment alone in its set.
        budgets: time budget that the requests of a set keep.
        max_members: most fragments of a realigned set; None means any number.
        max_instances: most instances of a stage (five in Graft §5.3, for want of GPU memory); None means any number.
    """

    sharing: Sharing = field(default=Sharing.REALIGNED, metadata=SHARING.metadata)
    budgets: Budgets = field(default=Budgets.LEAST, metadata=BUDGETS.metadata)
    max_members: int | None = field(default=None, metadata=MAX_MEMBERS.metadata)
    max_instances: int | None = field(default=None, metadata=MAX_INSTANCES.metadata)

    def __post_init__(self) -> None:
        """Accept words for members of the enumerations."""
        object.__setattr__(self, "sharing", Sharing(self.sharing))
        object.__setattr__(self, "budgets", Budgets(self.budgets))

    def describe(self) -> dict[str, object]:
        """The plan space as plain data, as in results and on the command line."""
        return described(self)


FULL_FRAGMENT_SPACE = FragmentSpace()
