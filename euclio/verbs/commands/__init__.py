"""The commands of `euclio`, each of which imports what it needs when it runs, and exit codes (docs/commands.md)."""

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
