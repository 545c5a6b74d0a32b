"""The plan space of Scrooge's own algorithms (§3.3): dispatch at machine rate, no dummies, partial machines."""

from __future__ import annotations

from euclio.core.errors import InapplicableError
from euclio.session import DummyRule, PlanSpace, Policy

SCROOGE_SPACE = PlanSpace(Policy.MACHINE_RATE, DummyRule.NONE)
"""Any number of allocations per module; Table III's row `scrooge` of Harpagon is another space (two at most)."""


def require_scrooge_space(solver: str, space: PlanSpace, *, least_allocations: int = 1) -> None:
    """Refuse plan spaces that Scrooge's algorithms are not made for.

    Args:
        solver: name of the solver, for the message.
        space: the plan space asked for; hardware, batching and concurrency may be restricted.
        least_allocations: most allocations per module that the solver may need.

    Raises:
        InapplicableError: another policy or dummy rule, one hardware type per session, or too few allocations.
    """
    if space.policy is not SCROOGE_SPACE.policy or space.dummy is not SCROOGE_SPACE.dummy:
        raise InapplicableError(f"{solver} plans for --policy machine-rate --dummy none only")
    if space.single_hardware:
        raise InapplicableError(f"{solver} mixes worker types; name one with --hardware")
    if space.max_allocations is not None and space.max_allocations < least_allocations:
        raise InapplicableError(f"{solver} needs at least {least_allocations} allocations per module")
