"""Drawn simulations of sessions, clusters and fleets with bounds checked: none is left, and what is proven holds."""

from __future__ import annotations

from .bounds_checked import in_checked_process
from .search import Search

SEARCH = Search(
    "simulations",
    "no index out of bounds; all requests are accounted for; what is proven is kept; the plain simulator says the same",
    "simulations",
    in_checked_process("simulation_cases"),
    range(0, 24),
)
