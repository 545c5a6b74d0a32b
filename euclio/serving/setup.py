"""Setup of a simulation beside instance and plan: arrivals, load, noise; families add their own fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, fields
from enum import StrEnum
from typing import Any

from euclio.core.errors import InputError
from euclio.core.values import SEED, SHARE, Values

PERCENTILES = {"p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999}
"""Percentile objectives: the share of requests that must be answered within a number of seconds."""
MODULE_PERCENTILES = {f"module_{name}": share for name, share in PERCENTILES.items()}
"""The same of single modules, each a number of seconds by the name of the module."""


def with_attainment(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a demand, with the largest share of the modules' objectives as attainment where they are alone."""
    shares = [share for name, share in MODULE_PERCENTILES.items() if fields.get(name) is not None]
    alone = shares and not any(fields.get(name) is not None for name in ("attainment", *PERCENTILES))
    return {**fields, **({"attainment": max(shares)} if alone else {})}


VARIABILITY = Values("a number from 0.01 to 100", float, lambda number: 0.01 <= number <= 100)
"""Coefficients of variation of gamma gaps; beyond 100 nearly all of them are 0."""
PHASE_S = Values("a number of seconds from 0.001 to 1000000", float, lambda number: 1e-3 <= number <= 1e6)
"""Mean lengths of bursts and of the silence between them."""
SECONDS = Values("a number of seconds from 0 to 1000000000", float, lambda number: 0 <= number <= 1e9)
"""Lengths of simulations, which are counted in whole nanoseconds or parts of them."""

RANGES: dict[str, Values[Any]] = {
    "seconds": SECONDS,
    "seed": SEED,
    "noise": SHARE,
    "cv": VARIABILITY,
    "on_s": PHASE_S,
    "off_s": PHASE_S,
}
"""Ranges of a setup's numbers, as the options of `euclio simulate` have them: files state setups too."""


def keep_to(values: Values[Any], number: Any, field: str) -> None:
    """Refuse a number of a setup that is out of range.

    Args:
        values: the range.
        number: the number.
        field: its name, for the error.

    Raises:
        InputError: it is out of range.
    """
    try:
        values.read(number)
    except InputError as error:
        raise InputError(error.message, field=field) from None


class Arrivals(StrEnum):
    """How requests come."""

    UNIFORM = "uniform"
    """Evenly spaced."""
    POISSON = "poisson"
    """A Poisson process, as PPipe makes of the 2019 trace."""
    BURSTY = "bursty"
    """Heavy-tailed gaps: many short ones, few long ones."""
    GAMMA = "gamma"
    """Gamma gaps of a given coefficient of variation; 1 gives a Poisson process."""
    ON_OFF = "on-off"
    """Bursts: a Poisson process that is switched on and off at random."""
    TRACE = "trace"
    """Recorded timestamps at a changed pace, which gives the rate."""


@dataclass(frozen=True, slots=True)
class Setup:
    """A simulation, apart from instance and plan.

    Attributes:
        arrivals: how requests come.
        load: load factor; 1 is full load.
        seconds: how long requests come.
        seed: seed of arrivals and noise.
        noise: coefficient of variation of real durations around the expected ones.
        full_load_rps: rate at load 1, in requests per second; None means the family's full load.
        trace_s: recorded timestamps in seconds, for `Arrivals.TRACE`.
        cv: coefficient of variation of gaps, for `Arrivals.GAMMA`.
        on_s: mean length of bursts, for `Arrivals.ON_OFF`.
        off_s: mean length of the silence between them, for `Arrivals.ON_OFF`.

    Raises:
        InputError: `seconds`, `seed`, `noise`, `cv`, `on_s` or `off_s` is out of range.
    """

    arrivals: Arrivals = Arrivals.POISSON
    load: float = 1.0
    seconds: float = 30.0
    _: KW_ONLY
    seed: int = 0
    noise: float = 0.0
    full_load_rps: float | None = None
    trace_s: tuple[float, ...] = ()
    cv: float = 2.0
    on_s: float = 1.0
    off_s: float = 1.0

    def __post_init__(self) -> None:
        """Accept enumerations by name, and refuse processes that cannot be drawn."""
        for name, default in _choices(self).items():
            object.__setattr__(self, name, type(default)(getattr(self, name)))
        for name, values in RANGES.items():
            keep_to(values, getattr(self, name), name)

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
            **({"cv": self.cv} if self.arrivals is Arrivals.GAMMA else {}),
            **({"on_s": self.on_s, "off_s": self.off_s} if self.arrivals is Arrivals.ON_OFF else {}),
        }

    def own(self) -> dict[str, Any]:
        """Fields of a family's setups beside the common ones, as plain data: their enumerations."""
        return {name: getattr(self, name).value for name in _choices(self) if name != "arrivals"}


def _choices(setup: Setup) -> dict[str, StrEnum]:
    """The enumerations among the fields of a setup, with their defaults."""
    return {field.name: field.default for field in fields(setup) if isinstance(field.default, StrEnum)}
