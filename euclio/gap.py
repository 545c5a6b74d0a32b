"""A system's distance from the optimum on one instance, split into what its design and what its heuristic loses."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from euclio.result import OPTIMALITY_TOLERANCE

Money = Fraction | float


@dataclass(frozen=True, slots=True)
class Gap:
    """cost = optimum x design x heuristic (ours; no paper reports the split).

    Attributes:
        cost_per_h: checked cost of the system's plan; None: it has none.
        own_optimum_per_h: proven optimum of the system's own plan space; None: not proven, or there is no plan.
        optimum_per_h: proven optimum of the full plan space; None likewise.
    """

    cost_per_h: Money | None
    own_optimum_per_h: Money | None
    optimum_per_h: Money | None

    def __post_init__(self) -> None:
        """Refuse a cost below the proven optimum of the space that the plan was checked in.

        Raises:
            RuntimeError: cost and optimum contradict each other by more than proofs are exact.
        """
        ratio = self.heuristic
        if ratio is not None and ratio < 1 - 2 * OPTIMALITY_TOLERANCE:
            cost, own = self.cost_per_h, self.own_optimum_per_h
            raise RuntimeError(f"a plan of {cost} per hour lies below the proven optimum {own} of its plan space")

    @property
    def total(self) -> float | None:
        """Cost over the optimum of the full plan space; None: one of them is not known, or the optimum is 0."""
        return _ratio(self.cost_per_h, self.optimum_per_h)

    @property
    def design(self) -> float | None:
        """Optimum of the own plan space over that of the full one: what the design gives up."""
        return _ratio(self.own_optimum_per_h, self.optimum_per_h)

    @property
    def heuristic(self) -> float | None:
        """Cost over the optimum of the own plan space: what the heuristic loses."""
        return _ratio(self.cost_per_h, self.own_optimum_per_h)

    @property
    def parts(self) -> tuple[float, float] | None:
        """Extra cost by design and by heuristic, both as shares of the full optimum, so that they add up to the gap.

        None where one of the three costs is not known.
        """
        design, total = self.design, self.total
        return None if design is None or total is None else (design - 1, total - design)

    @property
    def design_share(self) -> float | None:
        """Share of the gap that is due to the design; None: there is no gap, or it cannot be split."""
        if self.parts is None or sum(self.parts) <= OPTIMALITY_TOLERANCE:
            return None
        return min(1.0, max(0.0, self.parts[0] / sum(self.parts)))


def _ratio(above: Money | None, below: Money | None) -> float | None:
    return None if above is None or not below else float(above / below)
