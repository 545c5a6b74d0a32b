"""Exit codes of the command `euclio` (docs/commands.md)."""

from __future__ import annotations

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

IN_WORDS = (
    "Exit codes: 0 solved, accepted or certified, 1 refused, refuted or an error, 2 bad input, 3 infeasible, 4 no plan "
    "or neither certified nor refuted."
)
