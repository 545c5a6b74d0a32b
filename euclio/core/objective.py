"""Objectives: direction, names of the figures, and the test whether a bound proves or contradicts a value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from euclio.core.tolerances import CLAIM_TOLERANCE, PROOF_TOLERANCE
from euclio.core.words import told_apart


@dataclass(frozen=True, slots=True)
class Goal:
    """An objective.

    Attributes:
        name: its name in options and sentences, such as "cost".
        suffix: unit suffix of its fields in files, such as "per_h".
        unit: the unit in words, written after a number.
        maximised: True if the largest value is best and a bound is an upper one, False if the smallest is best.
        column: heading of a column of its values.
        tolerance: relative distance of bound and value within which a plan is called optimal. A plan may be better than
            a bound by no more than this.
    """

    name: str
    suffix: str
    unit: str
    maximised: bool
    column: str
    tolerance: float = PROOF_TOLERANCE

    def priced_in(self, currency: str | None) -> Goal:
        """The goal with the currency of its values. None means that none is stated or that the values are not money."""
        if currency is None:
            return self
        column = f"{self.column} ({currency})"
        return replace(self, unit=f"{currency} {self.unit}", column=column)

    @property
    def value_field(self) -> str:
        """Field of the checked value in result files."""
        return f"{self.name.lower().replace(' ', '_')}_{self.suffix}"

    @property
    def claimed_field(self) -> str:
        """Field of the solver's claim."""
        return f"claimed_{self.value_field}"

    @property
    def bound_field(self) -> str:
        """Field of the proven bound."""
        return f"bound_{self.suffix}"

    @property
    def incumbent_field(self) -> str:
        """Field of the best plan's value in a trace."""
        return f"incumbent_{self.suffix}"

    @property
    def loss(self) -> str:
        """The loss of a plan against the optimum, in words, such as "extra cost"."""
        return f"lost {self.name}" if self.maximised else f"extra {self.name}"

    def loss_of(self, ratio: float) -> float:
        """The loss against the optimum, as a share of it; `ratio` is the value over the optimum."""
        return 1 - ratio if self.maximised else ratio - 1

    def gap(self, value: Fraction | float, bound: Fraction | float) -> float:
        """The distance of value and bound, as a share of the value (of 1 if the value is 0).

        It is negative if the bound is on the wrong side.
        """
        room = float(bound) - float(value) if self.maximised else float(value) - float(bound)
        return room / abs(float(value)) if value else room

    def proven(self, value: Fraction | float, bound: Fraction | float | None) -> bool:
        """Whether the bound reaches the value, so that no plan is better."""
        return bound is not None and abs(self.gap(value, bound)) <= self.tolerance

    def contradiction(self, value: Fraction | float, bound: Fraction | float | None) -> str:
        """One line if a plan is better than the bound allows; else empty."""
        if bound is None or not self.gap(value, bound) < -self.tolerance:
            return ""
        side = "below" if self.maximised else "above"
        proven, checked = told_apart(bound, value)
        return f"{self.bound_field} is {proven}, {side} the checked {self.name} of {checked}"

    def wrong_claim(self, value: Fraction | float, claimed: Fraction | float | None) -> str:
        """One line if a solver's claim differs from the checked value; else empty."""
        if claimed is None or abs(self.gap(value, claimed)) <= CLAIM_TOLERANCE:
            return ""
        said, checked = told_apart(claimed, value)
        return f"{self.claimed_field} is {said}, the checked {self.name} is {checked}"


LEAST_COST = Goal("cost", "per_h", "per hour", maximised=False, column="cost/h")
MOST_THROUGHPUT = Goal("throughput", "rps", "req/s per weight", maximised=True, column="throughput")
