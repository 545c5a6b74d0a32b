"""A system's distance from the optimum on one instance, split into the loss of its design and of its heuristic."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from euclio.core.tolerances import OPTIMALITY_TOLERANCE

Value = Fraction | float


@dataclass(frozen=True, slots=True)
class Gap:
    """value = optimum x design x heuristic (ours; no paper reports the split).

    Attributes:
        value: checked value of the system's plan; None if it has none.
        own_optimum: proven optimum of the system's own plan space; None if not proven, or there is no plan.
        optimum: proven optimum of the full plan space; None if not proven, or there is no plan.
        maximised: True if the largest value is best, as for throughput; False if the least is, as for cost.
    """

    value: Value | None
    own_optimum: Value | None
    optimum: Value | None
    maximised: bool = False

    def __post_init__(self) -> None:
        """Refuse a value that is better than the proven optimum of the space in which the plan was checked.

        Raises:
            RuntimeError: value and optimum contradict each other by more than the tolerance of proofs.
        """
        ratio = self.heuristic
        if ratio is not None and self._worse(ratio) < -2 * OPTIMALITY_TOLERANCE:
            side = "above" if self.maximised else "below"
            raise RuntimeError(
                f"a plan of {self.value} lies {side} the proven optimum {self.own_optimum} of its plan space"
            )

    @property
    def total(self) -> float | None:
        """Value over the optimum of the full plan space; None if one of them is unknown, or the optimum is 0."""
        return _ratio(self.value, self.optimum)

    @property
    def design(self) -> float | None:
        """Optimum of the own plan space over that of the full one: the loss of the design."""
        return _ratio(self.own_optimum, self.optimum)

    @property
    def heuristic(self) -> float | None:
        """Value over the optimum of the own plan space: the loss of the heuristic."""
        return _ratio(self.value, self.own_optimum)

    @property
    def share(self) -> float | None:
        """How much worse the value is than the full optimum, as a share of it: extra cost, or throughput lost."""
        return None if self.total is None else self._worse(self.total)

    @property
    def parts(self) -> tuple[float, float] | None:
        """The gap's parts by design and by heuristic, as shares of the full optimum that add up to `share`.

        None if one of the three values is unknown.
        """
        if self.design is None or self.share is None:
            return None
        by_design = self._worse(self.design)
        return by_design, self.share - by_design

    @property
    def design_share(self) -> float | None:
        """Share of the gap that is due to the design; None if there is no gap, or it cannot be split."""
        if self.parts is None or sum(self.parts) <= OPTIMALITY_TOLERANCE:
            return None
        return min(1.0, max(0.0, self.parts[0] / sum(self.parts)))

    def _worse(self, ratio: float) -> float:
        """How much worse a ratio to an optimum is than 1."""
        return 1 - ratio if self.maximised else ratio - 1


def _ratio(above: Value | None, below: Value | None) -> float | None:
    return None if above is None or not below else float(above / below)
