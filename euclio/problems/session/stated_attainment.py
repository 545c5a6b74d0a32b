"""What a result states of its attainment, for tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from euclio.core.result import AnyResult
from euclio.core.words import percent, rounded_down


@dataclass(frozen=True, slots=True)
class Stated:
    """What a plan keeps.

    Attributes:
        share: requests answered within the SLO, of all that were served when it was judged.
        least: the true share is at least this, with the confidence.
        confidence: of each statement by itself.
        requests: requests that it was judged by.
    """

    share: float
    least: float
    confidence: float
    requests: int

    def in_words(self) -> str:
        """The share, and its bound rounded down."""
        return f"{percent(self.share)}, ≥ {percent(rounded_down(self.least))}"


def stated(result: AnyResult) -> Stated | None:
    """What a result states; None: it has no plan, or was not asked."""
    asked, stats = result.options.get("attainment"), result.stats
    if asked is None or result.value is None or "attainment_at_least" not in stats:
        return None
    requests = int(stats["validated_requests"])
    return Stated(stats["attainment"], stats["attainment_at_least"], asked["confidence"], requests)


def described(kept: Stated | None) -> dict[str, Any]:
    """What is stated as plain data; the same fields without a plan."""
    return {
        "attainment": None if kept is None else kept.share,
        "attainment_at_least": None if kept is None else kept.least,
        "judged_requests": None if kept is None else kept.requests,
    }
