"""Plan spaces: which plans a system is allowed to make (design of the systems, Harpagon Table III)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from euclio.session.instance import Hardware, Session


class Policy(StrEnum):
    """Dispatch policy: how requests reach the machines, hence each machine's worst-case latency."""

    TC = "tc"
    """Throughput-cost dispatch in sequence: d + b/w (Harpagon §III-B as Algorithm 1 computes it)."""
    TC_SHARED = "tc-shared"
    """Theorem 1 read literally: w counts every machine whose ratio is the same or lower."""
    RR = "rr"
    """Round robin: a full machine takes 2d (Nexus, InferLine, Clipper)."""
    MACHINE_RATE = "machine-rate"
    """Dispatch at the machine's own throughput: d + b/t (Scrooge)."""


class DummyRule(StrEnum):
    """Which dummy requests a plan may add."""

    NONE = "none"
    MACHINE = "machine"
    """Fill the last allocation's last machine up to full (Harpagon §III-C)."""
    CONTINUOUS = "continuous"
    """Any dummy rate (Piccolo §III-D)."""


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
        object.__setattr__(self, "policy", Policy(self.policy))
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
            "policy": self.policy.value,
            "dummy": self.dummy.value,
            "max_allocations": self.max_allocations,
            "hardware": None if self.hardware is None else list(self.hardware),
            "single_hardware": self.single_hardware,
            "batching": self.batching,
            "concurrency": self.concurrency,
        }


FULL_SPACE = PlanSpace()
