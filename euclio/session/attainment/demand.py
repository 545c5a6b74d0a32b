"""What is asked of a plan under random arrivals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from euclio.core.errors import InputError
from euclio.core.values import Values
from euclio.core.words import full
from euclio.session.policies import Policy
from euclio.session.simulation.setup import Partial, Setup
from euclio.session.simulation.targets import own_dispatch

TARGETS = Values("a number from 0.5 to 0.9999", float, lambda number: 0.5 <= number <= 0.9999)
CONFIDENCE = 0.95
"""Of the statement that the attainment is at least the one asked for."""


@dataclass(frozen=True, slots=True)
class Demand:
    """An attainment that a plan has to keep.

    Attributes:
        target: share of requests within the SLO.
        setup: arrivals and dispatch. What the plan does not pay for is not used: dummies are not sent, and a machine
            that is charged in part is shared with others. Load, seconds and seed are not looked at.

    Raises:
        InputError: the target is out of range, or clients wait for their answers.
    """

    target: float
    setup: Setup

    def __post_init__(self) -> None:
        """Take from the setup what has no meaning here."""
        try:
            TARGETS.read(self.target)
        except InputError as error:
            raise InputError(error.message, field="attainment") from None
        if self.setup.clients:
            raise InputError("wait for their answers, so that they have no rate to plan for", field="clients")
        setup = replace(self.setup, load=1.0, seed=0, dummies=False, partial=Partial.SHARED, full_load_rps=None)
        object.__setattr__(self, "setup", setup)

    def in_words(self) -> str:
        """The demand in one line."""
        return f"{full(100 * self.target)} % within the SLO under {self.setup.arrivals.value} arrivals"

    def describe(self, policy: Policy) -> dict[str, Any]:
        """The demand as plain data, with the dispatcher that it comes down to for plans of a policy."""
        dispatch = self.setup.dispatch or own_dispatch(policy)
        left_out = ("load", "seconds", "seed")
        described = {key: value for key, value in self.setup.describe().items() if key not in left_out}
        return {"target": self.target, "confidence": CONFIDENCE, **described, "dispatch": dispatch.value}
