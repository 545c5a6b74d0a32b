"""The systems that serve misaligned fragments: Graft, GSLICE and GSLICE+ (Graft §4, §5.1, §5.3)."""

from __future__ import annotations

from euclio.core.registry import AnySolver
from heuristics.fragments.systems import FRAGMENT_SYSTEMS

SOLVERS: tuple[AnySolver, ...] = FRAGMENT_SYSTEMS
