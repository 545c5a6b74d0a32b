"""Exit codes of the command (docs/commands.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from euclio.core.result import AnyResult

SOLVED = 0
REFUSED = 1
"""A plan that the checker refuses, a claim that is refuted, or an internal error."""
BAD_INPUT = 2
INFEASIBLE = 3
NO_PLAN = 4
"""A limit was hit, or the solver does not apply to this instance."""
OPEN = 4
"""A claim was neither certified nor refuted within the limit."""
INTERRUPTED = 130
BROKEN_PIPE = 141
TERMINATED = 143


def of_points(results: Sequence[AnyResult]) -> int:
    """The exit code of many points: whether one has a plan, and otherwise whether it is proven that none has."""
    from euclio.core.result import Status

    if any(result.value is not None for result in results):
        return SOLVED
    return INFEASIBLE if all(result.status is Status.INFEASIBLE for result in results) else NO_PLAN
