"""Which draws of the protocol count: those that Harpagon, all baselines and all ablations find a plan for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from euclio.core.errors import InapplicableError
from euclio.core.registry import find_solver
from euclio.core.solver import Limits
from euclio.core.solving import solve
from euclio.problems.session import Session
from euclio.workloads.session.protocol import judged_draws

BASELINES = ("nexus", "scrooge", "inferline", "clipper")
ABLATIONS = ("2d", "dt", "1c", "2c", "nb", "nhc", "nhe", "nd", "0re", "1re", "tb", "q0.01", "q0.1", "nnm", "ncd")
SYSTEMS = ("harpagon", *BASELINES, *(f"harpagon:{name}" for name in ABLATIONS))
"""Names of the solvers of Harpagon §IV."""
PROVING_LIMIT_S = 10.0
"""Seconds within which `exact` has to find a plan of a session, or prove that there is none."""


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


def planned_in(solver: str) -> Callable[[Session], list[str]]:
    """A function that returns nothing of a session that has a plan in a solver's plan space, else "exact".

    Raises:
        InputError: no such solver is installed.
    """
    known = find_solver(solver)

    def rejected_by(session: Session) -> list[str]:
        found = solve(session, "exact", space=known.space_on(session), time_limit_s=PROVING_LIMIT_S)
        return ["exact"] if found.value is None else []

    return rejected_by


def protocol_sessions(accept: Callable[[Session], Sequence[str]], count: int, seed: int) -> Iterator[Session]:
    """The first sessions of the protocol that are accepted, each drawn when it is asked for.

    Args:
        accept: returns the names of the solvers that find no plan; none means accepted.
        count: how many.
        seed: seed of the protocol.
    """
    return (workload.session for workload, against in judged_draws(accept, count, seed) if not against)


def sessions_of_all_systems(count: int, seed: int) -> Iterator[Session]:
    """Sessions of the protocol that all systems of Harpagon §IV have a plan for; arguments of `protocol_sessions`."""
    return protocol_sessions(accept_by(), count, seed)


def sessions_in_the_space_of(solver: str, count: int, seed: int) -> Iterator[Session]:
    """Sessions of the protocol that have a plan in a solver's plan space; arguments of `protocol_sessions`."""
    return protocol_sessions(planned_in(solver), count, seed)
