"""The other side of `child`: runs trials in a process and kills it where it hangs."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from typing import Any

from euclio.contract import child
from euclio.contract.evidence import Described, Ending, Observation
from euclio.core.errors import InputError
from euclio.core.system import HARD_LIMITS
from euclio.core.trials import Purpose, Trial
from euclio.core.words import full
from euclio.supervision.limits import START_LIMIT_S, Cause, EndedError
from euclio.supervision.process import Here, Process, interpreter

FIRST_LIMIT_S = 900.0
"""Seconds for the first trial of a process, which compiles."""
OVERRUN_S = 10.0
"""Seconds above the time limit after which a trial is killed."""
MOST_ENDINGS = 3
"""Times that a process may end before its solver is given up."""

SOFT_LIMITS = "the solver is tried in this process, and limits are those that it keeps itself"
NO_FRESH_PROCESS = "this system has no process of its own for it"


class SolverEndedError(Exception):
    """The process of a solver ended, or was killed, before it answered; the message says how.

    Attributes:
        ending: which of the two.
    """

    def __init__(self, how: str, ending: Ending) -> None:
        super().__init__(how)
        self.ending = ending


class SolverProcess(AbstractContextManager["SolverProcess"]):
    """A process that tries one solver, restarted where it ends; closing kills it and all its children.

    Where the system cannot end a process from outside, this process runs the trials; a solver that hangs then hangs it.
    """

    def __init__(self, name: str, hash_seed: int = 0) -> None:
        """Start the process and let it look up the solver.

        Args:
            name: name of the solver.
            hash_seed: seed of Python's hashes, on which the order of sets depends.

        Raises:
            InputError: there is no such solver.
            SolverEndedError: it cannot be loaded.
        """
        self._name, self._hash_seed = name, hash_seed
        self._endings = 0
        self._start()

    def _start(self) -> None:
        self._first = True
        self._process: Process | Here
        if HARD_LIMITS:
            environment = {**os.environ, "PYTHONHASHSEED": str(self._hash_seed)}
            with tempfile.TemporaryFile("a+b") as printed:
                self._process = interpreter(child.__name__, environment, printed.fileno(), subprocess.DEVNULL)
        else:
            self._process = Here()
        self._running = True
        try:
            self.solver: Described = self._asked(START_LIMIT_S, child.describe, self._name)
        except InputError:
            self.close()
            raise
        except Exception as error:
            self.close()
            if isinstance(error, SolverEndedError):
                raise
            raise SolverEndedError(f"{type(error).__name__}: {error}", Ending.DIED) from error

    def observe(self, trial: Trial) -> Observation:
        """Run one trial, in a new process where the last one ended; it is skipped after too many endings."""
        if trial.purpose is Purpose.FRESH and not HARD_LIMITS:
            return Observation(Ending.SKIPPED, NO_FRESH_PROCESS)
        if self._endings >= MOST_ENDINGS:
            return Observation(Ending.SKIPPED, f"the process had ended {MOST_ENDINGS} times")
        started = time.monotonic()
        try:
            if not self._running:
                self._start()
            limit = FIRST_LIMIT_S if self._first else (trial.limits.time_limit_s or 0.0) + OVERRUN_S
            self._first = False
            found = self._asked(limit, child.observe_named, self._name, trial)
        except SolverEndedError as error:
            self._endings += 1
            self.close()
            return Observation(error.ending, str(error), wall_s=time.monotonic() - started)
        assert isinstance(found, Observation)
        return found

    def _asked(self, limit_s: float, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            with nullcontext() if HARD_LIMITS else _output_in_a_file():
                return self._process.call(function, *arguments, limit_s=limit_s)
        except EndedError as end:
            if end.cause is Cause.TIME:
                raise SolverEndedError(f"still running after {full(limit_s)} s, and killed", Ending.HUNG) from None
            raise SolverEndedError(f"the process {end}", Ending.DIED) from None

    def close(self) -> None:
        """End the process and all that it started."""
        self._running = False
        self._process.close()

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def _output_in_a_file() -> Iterator[None]:
    """Inside, send standard output to a file, also that of C code, to record the prints of a solver."""
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
