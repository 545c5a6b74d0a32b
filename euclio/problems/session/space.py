"""Plan spaces: the plans that a system may make (design of the systems, Harpagon Table III).

A field is declared once, with everything that commands, files, tables and explanations state about it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.core.errors import InputError
from euclio.core.parameters import Parameter
from euclio.core.references import expanded
from euclio.core.space_fields import (
    SpaceField,
    at_least_as_many,
    at_most,
    described,
    most_of,
    one_of,
    word,
)
from euclio.core.values import count_or_any, names
from euclio.problems.session.policies import POLICIES, Policy, find_policy
from euclio.problems.session.rules import Charging, DummyRule

if TYPE_CHECKING:
    from euclio.problems.session.instance import Hardware, Session


def _read_policy(name: str | Policy, session: Session, place: str) -> Policy:
    """The built-in policy that a file names, or the user's own that the call gave in its place."""
    return name if isinstance(name, Policy) else find_policy(word(name, map(str, POLICIES), place))


def _pinned_policy(name: str, folder: Path | None) -> str:
    """The name of a user's own policy that is valid in every folder, with the hash of its file."""
    file, _, own = name.rpartition(":")
    return find_policy(f"{((folder or Path()) / expanded(file)).resolve()}:{own}").name


def _contains_policy(wide: Policy, narrow: Policy) -> bool:
    """Whether no plan is slower under the first policy, according to the records."""
    while narrow is not wide and narrow.bounded_by:
        narrow = find_policy(narrow.bounded_by)
    return narrow is wide


POLICY = SpaceField(
    kind=str,
    words=str,
    read=_read_policy,
    required=True,
    option=Parameter(
        "--policy",
        "policy",
        "dispatch policy, or a user's own from a file",
        choices=tuple(p.name for p in POLICIES),
        reference=_pinned_policy,
    ),
    variants=lambda session, space: ((f"policy {p}", p) for p in POLICIES if p is not space.policy),
    contains=_contains_policy,
    restriction=lambda policy: (f"--policy {policy}", f"dispatch policy {policy}"),
    lifted=7,
)

_RULES = tuple(DummyRule)
DUMMY = one_of(
    DummyRule,
    "dummies",
    Parameter("--dummy", "dummy", "dummy rule"),
    required=True,
    # Every rule allows the dummies that those before it allow.
    contains=lambda wide, narrow: _RULES.index(wide) >= _RULES.index(narrow),
    restriction=lambda rule: (f"--dummy {rule}", rule.restriction),
    lifted=6,
)


def _read_most(most: int, session: Session, place: str) -> int:
    if most < 1:
        raise InputError(f"is {most}; it must be at least 1", field=place)
    return most


MAX_ALLOCATIONS = most_of(
    "allocations",
    (1, 2),
    Parameter("--max-allocations", "max_allocations", "most allocations per module, or any", count_or_any, metavar="N"),
    words=lambda most: at_most(most, "allocation"),
    read=_read_most,
    contains=at_least_as_many,
    restriction=lambda most: (f"--max-allocations {most}", f"{at_most(most, 'allocation')} per module"),
    lifted=5,
)


def _read_hardware(listed: list[str], session: Session, place: str) -> tuple[str, ...]:
    return tuple(word(name, session.price, f"{place}[{i}]") for i, name in enumerate(listed))


def _last_hardware(session: Session, space: PlanSpace) -> Iterator[tuple[str, tuple[str, ...]]]:
    last = session.hardware[-1].name
    yield f"hardware {last} only", (last,)


HARDWARE = SpaceField(
    kind=tuple,
    words=lambda allowed: "" if allowed is None else f"hardware {', '.join(allowed)}",
    read=_read_hardware,
    option=Parameter("--hardware", "hardware", "allowed hardware; default: all of the instance", names, metavar="A,B"),
    variants=_last_hardware,
    contains=lambda wide, narrow: wide is None or (narrow is not None and set(narrow) <= set(wide)),
    restriction=lambda allowed: (f"--hardware {','.join(allowed)}", f"only hardware {','.join(allowed)}"),
    lifted=1,
)


def _allowed_or_not(only: str, restriction: str, lifted: int, option: Parameter) -> SpaceField:
    """A flag that is true if more than 1 is allowed."""
    return SpaceField(
        kind=bool,
        words=lambda allowed: "" if allowed else only,
        option=option,
        variants=lambda session, space: iter([(only, False)]),
        contains=lambda wide, narrow: wide or not narrow,
        restriction=lambda allowed: (option.flag, restriction),
        lifted=lifted,
    )


SINGLE_HARDWARE = SpaceField(
    kind=bool,
    words=lambda single: "one hardware type" if single else "",
    variants=lambda session, space: iter([("one hardware type", True)]),
    contains=lambda wide, narrow: narrow or not wide,
    restriction=lambda single: ("one hardware type per session", "the same type for all modules"),
    lifted=2,
)
BATCHING = _allowed_or_not(
    "batch 1", "no batching", 3, Parameter("--no-batching", "batching", "batch 1 only", value=False)
)
CONCURRENCY = _allowed_or_not(
    "concurrency 1",
    "no concurrency",
    4,
    Parameter("--no-concurrency", "concurrency", "concurrency 1 only", value=False),
)
CHARGING = one_of(
    Charging,
    "machines",
    Parameter(
        "--machines",
        "charging",
        "how machines are charged: by the share that is used, whole, or whole with partial ones packed",
    ),
    restriction=lambda charging: (f"--machines {charging}", charging.words),
)


@dataclass(frozen=True, slots=True)
class PlanSpace:
    """The set of plans that a system may choose from; the default is the full space of Harpagon's design.

    Attributes:
        policy: dispatch policy.
        max_allocations: most allocations per module; None means any number.
        hardware: names of the allowed hardware; None means all.
        single_hardware: whether the whole session is on one hardware type (the cheapest result over the types).
        batching: whether batches above 1 are allowed.
        concurrency: whether concurrency above 1 is allowed.
        charging: how machines are charged.
    """

    policy: Policy = field(default=Policy.TC, metadata=POLICY.metadata)
    dummy: DummyRule = field(default=DummyRule.MACHINE, metadata=DUMMY.metadata)
    max_allocations: int | None = field(default=None, metadata=MAX_ALLOCATIONS.metadata)
    hardware: tuple[str, ...] | None = field(default=None, metadata=HARDWARE.metadata)
    single_hardware: bool = field(default=False, metadata=SINGLE_HARDWARE.metadata)
    batching: bool = field(default=True, metadata=BATCHING.metadata)
    concurrency: bool = field(default=True, metadata=CONCURRENCY.metadata)
    charging: Charging = field(default=Charging.SHARE, metadata=CHARGING.metadata)

    def __post_init__(self) -> None:
        """Accept policy and dummy rule by name; a policy may limit the number of allocations."""
        object.__setattr__(self, "policy", find_policy(self.policy))
        if self.policy.most_allocations is not None:
            most = min(self.max_allocations or self.policy.most_allocations, self.policy.most_allocations)
            object.__setattr__(self, "max_allocations", most)
        object.__setattr__(self, "dummy", DummyRule(self.dummy))
        object.__setattr__(self, "charging", Charging(self.charging))

    @property
    def fills(self) -> bool:
        """Whether dummies fill any number of machines at no cost, since machines are charged whole anyway."""
        return self.charging.whole and self.dummy.adds

    def on(self, *hardware: str) -> PlanSpace:
        """A copy of this plan space that allows only the named hardware, and mixes it."""
        return replace(self, hardware=hardware, single_hardware=False)

    def hardware_of(self, session: Session) -> tuple[Hardware, ...]:
        """The allowed hardware of an instance, in its order."""
        return tuple(h for h in session.hardware if self.hardware is None or h.name in self.hardware)

    def allows(self, hardware: str, batch: int, concurrency: int) -> bool:
        """Whether a configuration may be used at all."""
        return (
            (self.hardware is None or hardware in self.hardware)
            and (self.batching or batch == 1)
            and (self.concurrency or concurrency == 1)
        )

    def describe(self) -> dict[str, object]:
        """The plan space as plain data, as in results and on the command line."""
        return described(self)


FULL_SPACE = PlanSpace()
