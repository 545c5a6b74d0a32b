"""Setup of a simulation: arrivals, load, scheduler, noise (PPipe §7.1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from euclio.serving.setup import Arrivals
from euclio.serving.setup import Setup as CommonSetup

__all__ = ["Arrivals", "Scheduler", "Setup"]


class Scheduler(StrEnum):
    """The part that forms batches and sends them."""

    RESERVATION = "reservation"
    """PPipe's adaptive batching by reservation (§5.4)."""
    REACTIVE = "reactive"
    """Every pool by itself, without tracking links (§7.4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup(CommonSetup):
    """A simulation, apart from cluster and plan.

    `full_load_rps` is the throughput per weight at load 1; None means the checked throughput of the plan.

    Attributes:
        scheduler: the part that forms batches.
    """

    scheduler: Scheduler = Scheduler.RESERVATION
