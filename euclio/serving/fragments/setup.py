"""Setup of a simulation: arrivals, load, queues, dropping, noise (Graft §3, §5)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from euclio.serving.setup import Setup as CommonSetup


class Dispatch(StrEnum):
    """How a stage's requests reach its instances."""

    SHARED = "shared"
    """All instances draw from one queue (Graft §5, the prototype)."""
    EVEN = "even"
    """A load balancer gives them to the instances in turn, each of which has a queue (Graft §3)."""


class Dropping(StrEnum):
    """Which requests the load balancer drops."""

    HOPELESS = "hopeless"
    """Requests that miss their time budget even in batches of their own, executed at once (Graft §3)."""
    NEVER = "never"
    """No request; late ones are served."""


class Phases(StrEnum):
    """When in its period each client sends, where arrivals are uniform."""

    RANDOM = "random"
    """At a random moment of its own: clients know nothing of each other."""
    TOGETHER = "together"
    """All at the same moment: the worst case of uniform arrivals."""
    STAGGERED = "staggered"
    """The clients of a set one after the other: together as even as a client by itself, if their rates are equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup(CommonSetup):
    """A simulation, apart from fleet and plan.

    `full_load_rps` is the rate of each client at load 1; None means the rate of its fragment.

    Attributes:
        dispatch: how requests reach instances.
        dropping: which requests are dropped.
        phases: when clients send, where arrivals are uniform.
    """

    dispatch: Dispatch = Dispatch.SHARED
    dropping: Dropping = Dropping.HOPELESS
    phases: Phases = Phases.RANDOM
