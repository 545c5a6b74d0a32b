"""Which draws of the protocol count: those that Harpagon, all baselines and all ablations find a plan for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from euclio.core.errors import InapplicableError
from euclio.core.registry import find_solver
from euclio.core.solver import Limits
from euclio.session import Session

BASELINES = ("nexus", "scrooge", "inferline", "clipper")
ABLATIONS = ("2d", "dt", "1c", "2c", "nb", "nhc", "nhe", "nd", "0re", "1re", "tb", "q0.01", "q0.1", "nnm", "ncd")
SYSTEMS = ("harpagon", *BASELINES, *(f"harpagon:{name}" for name in ABLATIONS))
"""Names of the solvers of Harpagon §IV."""


def accept_by(names: Sequence[str] = SYSTEMS) -> Callable[[Session], list[str]]:
    """A function that returns the names of the solvers that find no plan for a session.

    Raises:
        InputError: no such solver is installed.
    """
    asked = [find_solver(name) for name in names]

    def rejected_by(session: Session) -> list[str]:
        rejecting = []
        for solver in asked:
            try:
                found = solver.run(session, solver.space, Limits()).plan is not None
            except InapplicableError:
                found = False
            if not found:
                rejecting.append(solver.name)
        return rejecting

    return rejected_by
