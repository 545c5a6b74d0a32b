"""The plan space of Scrooge's own algorithms (§3.3): dispatch at machine rate, no dummies, partial machines."""

from __future__ import annotations

from euclio.problems.session import DummyRule, PlanSpace, Policy

SCROOGE_SPACE = PlanSpace(Policy.MACHINE_RATE, DummyRule.NONE)
"""Any number of allocations per module; Table III's row `scrooge` of Harpagon is another space (two at most)."""
SCROOGE_LACKS = frozenset({"one_hardware", "other_policies", "own_policies", "dummies", "continuous"})
"""What none of them covers (`euclio.problems.session.demands`)."""
