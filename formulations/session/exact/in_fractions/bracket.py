"""What searches under rule `continuous` find out of a session's optimum, in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from euclio.session import Plan


class Bracket(NamedTuple):
    """What is known of the optimum.

    Attributes:
        cost: cost per hour of the best plan; None: none was found.
        plan: the plan.
        bound: lower bound on the cost; None: no bound.
        infeasible: whether it is proven that there is no plan.
    """

    cost: Fraction | None
    plan: Plan | None
    bound: Fraction | None
    infeasible: bool
