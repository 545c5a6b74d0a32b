"""The plan space of rules by which people size a service: whole machines of one kind behind a load balancer, spare."""

from __future__ import annotations

from euclio.problems.session import Charging, DummyRule, PlanSpace, Policy

STAFFING_SPACE = PlanSpace(Policy.LOAD_BALANCER, DummyRule.CONTINUOUS, charging=Charging.WHOLE)
STAFFING_COVERS, STAFFING_LACKS = frozenset({"whole"}), frozenset({"share", "countable"})
"""What all of them cover, and what none does (`euclio.problems.session.demands`)."""
