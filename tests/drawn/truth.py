"""What a reference knows about an instance."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


class TooLargeError(Exception):
    """A plain reference would list too much."""


@dataclass(frozen=True, slots=True)
class Truth:
    """The optimum of a plan space, or two values that enclose it.

    Attributes:
        lower: no plan costs (serves) less than this; for throughput, some plan serves this.
        upper: some plan costs no more than this, or comes as near to it as one likes; for throughput, none serves more.
            Both are equal where the optimum is known exactly, and None where there is no plan.
    """

    lower: Fraction | None
    upper: Fraction | None

    @property
    def infeasible(self) -> bool:
        """There is no plan."""
        return self.upper is None

    @property
    def exact(self) -> bool:
        """The optimum is known exactly."""
        return self.lower == self.upper


NO_PLAN = Truth(None, None)
