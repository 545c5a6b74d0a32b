"""The other side of `child`: starts the process, sends it trials, kills it where it hangs."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, redirect_stdout, suppress
from multiprocessing.connection import wait
from typing import Any

import psutil

from euclio.contract.child import observe
from euclio.contract.evidence import Described, Ending, Observation
from euclio.core.errors import InputError
from euclio.core.registry import find_solver
from euclio.core.trials import Purpose, Trial
from euclio.core.words import full
from euclio.supervision.channel import GarbledError, channel
from euclio.supervision.keeper import kill_all, signal_name

START_LIMIT_S = 120.0
"""Seconds to import a solver in."""
FIRST_LIMIT_S = 900.0
"""Seconds for the first trial of a process, which compiles."""
OVERRUN_S = 10.0
"""Seconds above the time limit after which a trial is killed."""
LOOK_EVERY_S = 0.5
MOST_ENDINGS = 3
"""Times that a process may end before its solver is given up."""


class SolverDiedError(Exception):
    """The process of a solver ended before it answered (says how)."""


class SolverHungError(Exception):
    """The process of a solver did not answer in time (says in what time)."""


class SolverProcess(AbstractContextManager["SolverProcess"]):
    """A process that one solver is tried in, started anew where it ends; closing kills it and whatever it started."""

    def __init__(self, name: str, hash_seed: int = 0) -> None:
        """Start the process and let it look the solver up.

        Args:
            name: name of the solver.
            hash_seed: seed of Python's hashes, on which the order of sets depends.

        Raises:
            InputError: there is no such solver.
            SolverDiedError: it ended while it loaded the solver.
            SolverHungError: it did not end loading it.
        """
        self._name, self._hash_seed = name, hash_seed
        self._endings = 0
        self._start()

    def _start(self) -> None:
        self._channel, theirs = channel()
        self._opened = ExitStack()
        printed = self._opened.enter_context(tempfile.TemporaryFile("a+b"))  # noqa: SIM115
        self._opened.callback(self._channel.close)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "euclio.contract.child", str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.DEVNULL,
            pass_fds=(theirs.fileno(),),
            env=os.environ | {"PYTHONHASHSEED": str(self._hash_seed)},
            start_new_session=True,
        )
        theirs.close()
        self._running, self._first = True, True
        try:
            found = self._asked(self._name, START_LIMIT_S)
            if isinstance(found, str):
                raise InputError(found)
            assert isinstance(found, Described)
            self.solver = found
        except BaseException:
            self.close()
            raise

    def observe(self, trial: Trial) -> Observation:
        """Run one trial, in a new process where the last one ended; too often, and it is skipped."""
        if self._endings >= MOST_ENDINGS:
            return Observation(Ending.SKIPPED, f"the process had ended {MOST_ENDINGS} times")
        started = time.monotonic()
        try:
            if not self._running:
                self._start()
            limit = FIRST_LIMIT_S if self._first else (trial.limits.time_limit_s or 0.0) + OVERRUN_S
            self._first = False
            found = self._asked(trial, limit)
        except (SolverHungError, SolverDiedError) as error:
            self._endings += 1
            self.close()
            ending = Ending.HUNG if isinstance(error, SolverHungError) else Ending.DIED
            return Observation(ending, str(error), wall_s=time.monotonic() - started)
        assert isinstance(found, Observation)
        return found

    def _asked(self, question: Any, limit_s: float) -> Any:
        deadline = time.monotonic() + limit_s
        try:
            self._channel.post(question)
            while time.monotonic() < deadline:
                self._channel.flush()
                wait([self._channel.fileno()], min(LOOK_EVERY_S, max(0.0, deadline - time.monotonic())))
                answer = self._channel.arrived()
                if answer is not None:
                    return answer[0]
        except (EOFError, OSError):
            raise SolverDiedError(self._ending()) from None
        except GarbledError:
            raise SolverDiedError("the process wrote to descriptors that are not its own") from None
        raise SolverHungError(f"still running after {full(limit_s)} s, and killed")

    def _ending(self) -> str:
        try:
            code = self._process.wait(LOOK_EVERY_S)
        except subprocess.TimeoutExpired:  # it has closed its descriptors
            return "the process stopped answering"
        if code >= 0:
            return f"the process ended with exit code {code}"
        return f"the process died of signal {signal_name(-code)}"

    def close(self) -> None:
        """End the process and all that it started."""
        if not self._running:
            return
        self._running = False
        with suppress(psutil.NoSuchProcess):
            kill_all(psutil.Process(self._process.pid))
        self._process.wait()
        self._opened.close()

    def __exit__(self, *_: object) -> None:
        self.close()


# A solver tried in this process, on systems where none can be started next to it and ended from outside.
#
# A solver that hangs or crashes is no finding there: it takes this process along.

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
