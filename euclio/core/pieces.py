"""Least cost as a step function of the latency objective, as a solver that knows all of it hands it over."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Generic

from euclio.core.result import PlanT


@dataclass(frozen=True, slots=True)
class Piece(Generic[PlanT]):
    """One plan that is the cheapest for some latency objectives, or that there is none for some.

    It reaches from the plan's own worst-case latency on, which the checker finds, up to where it says.

    Attributes:
        until_s: what is said holds of every objective below this, in seconds; the largest that was asked for is one of
            them too.
        plan: the plan, unchecked; None: there is none.
        bound: lower bound on the cost of every plan under these objectives; 0 where there is none.
    """

    until_s: Fraction
    plan: PlanT | None
    bound: float
