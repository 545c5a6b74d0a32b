"""A solver tried in this process, on systems where none can be started next to it and ended from outside.

A solver that hangs or crashes is no finding there: it takes this process along.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stdout

from euclio.contract.child import observe
from euclio.contract.observation import Described, Ending, Observation
from euclio.contract.process import SolverDiedError
from euclio.core.errors import InputError
from euclio.core.registry import find_solver
from euclio.core.trials import Purpose, Trial

SOFT_LIMITS = "the solver is tried in this process, and limits are those that it keeps itself"
NO_FRESH_PROCESS = "this system has no process of its own for it"


class SolverHere(AbstractContextManager["SolverHere"]):
    """Tries a solver as `euclio.contract.process.SolverProcess` does, in this process.

    Args:
        name: name of the solver.

    Raises:
        InputError: there is no such solver.
        SolverDiedError: it cannot be loaded.
    """

    def __init__(self, name: str) -> None:
        try:
            self._solver = find_solver(name)
        except InputError:
            raise
        except Exception as error:  # whatever a user's file does
            raise SolverDiedError(f"{type(error).__name__}: {error}") from error
        found = self._solver
        self.solver = Described(found.name, found.kind, found.family, found.space, found.version)

    def __exit__(self, *_: object) -> None:
        """Nothing is left to end."""

    def observe(self, trial: Trial) -> Observation:
        """Run one trial; one that needs a fresh process is skipped."""
        if trial.purpose is Purpose.FRESH:
            return Observation(Ending.SKIPPED, NO_FRESH_PROCESS)
        with _output_in_a_file():
            return observe(self._solver, trial)


@contextmanager
def _output_in_a_file() -> Iterator[None]:
    """Have standard output go to a file inside, of C code too, so that it is seen what a solver prints."""
    sys.stdout.flush()
    shown = os.dup(1)
    try:
        with tempfile.TemporaryFile() as kept:
            os.dup2(kept.fileno(), 1)
            with open(1, "w", encoding="utf-8", newline="\n", closefd=False) as stream, redirect_stdout(stream):
                yield
    finally:
        os.dup2(shown, 1)
        os.close(shown)
