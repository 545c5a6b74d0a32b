"""Enumeration of the plans of fragments."""

from __future__ import annotations

from euclio.core import literature
from euclio.core.lazy import late
from euclio.core.registry import AnySolver, Solver

SOLVERS: tuple[AnySolver, ...] = (
    Solver(
        "fragments-bruteforce",
        "brute force",
        "every plan of realigned sets, for few fragments (ours)",
        late("bruteforce.fragments.enumeration", "solve_by_fragment_enumeration"),
        family="fragments",
        rests_on=(literature.GRAFT,),
    ),
)
