"""How the searches of the exact methods end, and what their answers say then (ours)."""

from __future__ import annotations

OPTIMAL, INFEASIBLE, LIMIT = 0, 1, 2
"""A proof, a proof that there is no plan, and a search that a limit stopped: numbers, as kernels return them."""
NO_PLAN = "no plan meets the SLO (proven)"
NO_PLAN_WITHIN_LIMITS = "no plan meets the SLO within the limits on machines and changes (proven)"
NO_PLAN_WITHIN_STOCK = "no plan meets the SLO within the stock (proven)"
RATIONAL_NODES = 2_000_000
"""Nodes of a search in exact arithmetic after which a tie is left open, about ten seconds."""
