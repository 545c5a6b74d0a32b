"""What is simulated, apart from instance and plan: arrivals, load, noise; families add what is their own."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from typing import Any


class Arrivals(StrEnum):
    """How requests come."""

    UNIFORM = "uniform"
    """Evenly spaced."""
    POISSON = "poisson"
    """A Poisson process, as PPipe makes of the 2019 trace."""
    BURSTY = "bursty"
    """Heavy-tailed gaps: many short ones, few long ones."""
    TRACE = "trace"
    """Timestamps that were recorded, brought to the rate by changing the pace."""


@dataclass(frozen=True, slots=True)
class Setup:
    """A simulation, apart from instance and plan.

    Attributes:
        arrivals: how requests come.
        load: load factor; 1: full load.
        seconds: how long requests come.
        seed: seed of arrivals and noise.
        noise: coefficient of variation of real durations around the expected ones.
        full_load_rps: rate at load 1, in requests per second; None: what the family takes for full load.
        trace_s: recorded timestamps in seconds, for `Arrivals.TRACE`.
    """

    arrivals: Arrivals = Arrivals.POISSON
    load: float = 1.0
    seconds: float = 30.0
    _: KW_ONLY
    seed: int = 0
    noise: float = 0.0
    full_load_rps: float | None = None
    trace_s: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Let arrivals be given by name."""
        object.__setattr__(self, "arrivals", Arrivals(self.arrivals))

    def describe(self) -> dict[str, Any]:
        """The setup as plain data; timestamps are counted, not listed."""
        return {
            "arrivals": self.arrivals.value,
            "load": self.load,
            "seconds": self.seconds,
            **self.own(),
            "seed": self.seed,
            "noise": self.noise,
            **({"timestamps": len(self.trace_s)} if self.trace_s else {}),
        }

    def own(self) -> dict[str, Any]:
        """What a family's setups have next to the common fields, as plain data."""
        return {}
