"""Solvers in processes of their own, whose limits are kept from outside: a solver that hangs cannot keep its own."""

from __future__ import annotations

from euclio.core.references import is_reference
from euclio.core.system import cores

__all__ = ["COMPILATION_LIMIT_S", "OWN_PREPARATION_LIMIT_S", "START_LIMIT_S", "cores", "preparation_limit_s"]

START_LIMIT_S = 120.0
"""Limit of the start of a process, in which nobody's solver is loaded yet."""

COMPILATION_LIMIT_S = 600.0
"""Limit of preparing a solver that a package offers: its code may have to be compiled, on a machine that is busy."""

OWN_PREPARATION_LIMIT_S = 60.0
"""Limit of preparing a user's own solver from a file."""


def preparation_limit_s(solver: str) -> float:
    """Seconds that a solver's imports, compilation and warm-up may take, where nobody says otherwise.

    Args:
        solver: its name, or ``path/to/file.py:function``.
    """
    return OWN_PREPARATION_LIMIT_S if is_reference(solver) else COMPILATION_LIMIT_S
