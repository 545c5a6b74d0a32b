"""Certificates: what an independent prover says about somebody else's claim (ours).

A claim is turned into a cutoff: an optimum claims that no plan is better than its value by more than the tolerance, a
bound that none is better than the bound, infeasibility that there is none at all. A prover of the family then searches
for a plan beyond the cutoff, in exact arithmetic and with code of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    """What became of a claim."""

    CERTIFIED = "certified"
    REFUTED = "refuted"
    OPEN = "open"
    """Neither was shown within the limit."""


@dataclass(frozen=True, slots=True)
class Search:
    """Outcome of a search for a plan that is strictly better than a cutoff.

    Attributes:
        plan: a feasible plan that is strictly better, as the checker confirms; None: none was found.
        exhausted: whether it is proven that there is none; False with a plan, or where the deadline passed.
        nodes: nodes of the search, a measure of its work.
        reason: where neither a plan nor a proof was found, why, in one line.
    """

    plan: Any | None
    exhausted: bool
    nodes: int
    reason: str = ""
