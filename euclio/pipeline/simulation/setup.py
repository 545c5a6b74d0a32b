"""What is simulated: arrivals, load, scheduler, noise (PPipe §7.1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Arrivals(StrEnum):
    """How requests come."""

    UNIFORM = "uniform"
    """Evenly spaced."""
    POISSON = "poisson"
    """A Poisson process, as the paper makes of the 2019 trace."""
    BURSTY = "bursty"
    """Heavy-tailed gaps: many short ones, few long ones."""
    TRACE = "trace"
    """Timestamps that were recorded, brought to the rate by changing the pace."""


class Scheduler(StrEnum):
    """Who forms batches and sends them."""

    RESERVATION = "reservation"
    """PPipe's adaptive batching by reservation (§5.4)."""
    REACTIVE = "reactive"
    """Every pool by itself, without tracking links (§7.4)."""


@dataclass(frozen=True, slots=True)
class Setup:
    """A simulation, apart from cluster and plan.

    Attributes:
        arrivals: how requests come.
        load: load factor; 1: `full_load_rps`.
        seconds: how long requests come.
        scheduler: who forms batches.
        seed: seed of arrivals and noise.
        noise: coefficient of variation of real durations around the expected ones.
        full_load_rps: throughput per weight at load 1, in requests per second; None: what the plan serves as checked.
        trace_s: recorded timestamps in seconds, for `Arrivals.TRACE`.
    """

    arrivals: Arrivals = Arrivals.POISSON
    load: float = 1.0
    seconds: float = 30.0
    scheduler: Scheduler = Scheduler.RESERVATION
    seed: int = 0
    noise: float = 0.0
    full_load_rps: float | None = None
    trace_s: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Let arrivals and scheduler be given by name."""
        object.__setattr__(self, "arrivals", Arrivals(self.arrivals))
        object.__setattr__(self, "scheduler", Scheduler(self.scheduler))

    def describe(self) -> dict[str, Any]:
        """The setup as plain data; timestamps are counted, not listed."""
        return {
            "arrivals": self.arrivals.value,
            "load": self.load,
            "seconds": self.seconds,
            "scheduler": self.scheduler.value,
            "seed": self.seed,
            "noise": self.noise,
            **({"timestamps": len(self.trace_s)} if self.trace_s else {}),
        }
