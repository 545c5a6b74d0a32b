"""Plan spaces: which plans a system is allowed to make (design of the systems, Harpagon Table III)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from euclio.session.policies import Policy, find_policy
from euclio.session.rules import DummyRule

if TYPE_CHECKING:
    from euclio.session.instance import Hardware, Session


@dataclass(frozen=True, slots=True)
class PlanSpace:
    """The set of plans that a system may choose from; the default is the full space of Harpagon's design.

    Attributes:
        policy: dispatch policy.
        dummy: dummy rule.
        max_allocations: most allocations per module; None: any number.
        hardware: names of the allowed hardware; None: all.
        single_hardware: the whole session on one hardware type (the cheapest result over the types).
        batching: batches above 1 allowed.
        concurrency: concurrency above 1 allowed.
    """

    policy: Policy = Policy.TC
    dummy: DummyRule = DummyRule.MACHINE
    max_allocations: int | None = None
    hardware: tuple[str, ...] | None = None
    single_hardware: bool = False
    batching: bool = True
    concurrency: bool = True

    def __post_init__(self) -> None:
        """Let policy and dummy rule be given by name."""
        object.__setattr__(self, "policy", find_policy(self.policy))
        object.__setattr__(self, "dummy", DummyRule(self.dummy))

    def on(self, *hardware: str) -> PlanSpace:
        """The same space restricted to the named hardware."""
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
        """The plan space as plain data, as it stands in results and on the command line."""
        return {
            "policy": self.policy.name,
            "dummy": self.dummy.value,
            "max_allocations": self.max_allocations,
            "hardware": None if self.hardware is None else list(self.hardware),
            "single_hardware": self.single_hardware,
            "batching": self.batching,
            "concurrency": self.concurrency,
        }


FULL_SPACE = PlanSpace()
