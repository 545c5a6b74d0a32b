"""A process that solves and judges cases, so that a native crash or a hang of a solver costs one row only."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any

from euclio.core.errors import InputError
from euclio.core.registry import find_solver
from euclio.core.result import AnyResult, Status
from euclio.core.solving import solve
from tests.drawn.cases import Case, drawn, from_data, space_class, truth_of
from tests.drawn.truth import Truth

from .judging import Judgement, Outcome, judge
from .memory import limited_memory

SILENCE_S = 600.0
"""Seconds that a worker may take to import and to compile."""


@dataclass(frozen=True, slots=True)
class Request:
    """The task of a worker.

    Attributes:
        family: family of the case, by the name that euclio knows it by.
        seed: seed of the case; None means `data` holds the case.
        data: the case as plain data.
        solvers: solvers to run.
        limit_s: time limit of each.
        silence_s: seconds that importing and compiling may take.
    """

    family: str
    seed: int | None
    data: dict[str, Any] | None
    solvers: tuple[str, ...]
    limit_s: float
    silence_s: float = SILENCE_S

    @property
    def patience_s(self) -> float:
        """Seconds without a row after which a worker counts as hung."""
        return self.silence_s + 5 * self.limit_s


@dataclass(frozen=True, slots=True)
class Row:
    """The outcome of one solver on one case; `space` is the class of the plan space (`cases.space_class`).

    Seconds are those of the process, which a busy machine does not stretch.
    """

    family: str
    seed: int | None
    solver: str
    space: str
    outcome: Outcome
    why: str
    cpu_s: float
    reference_s: float = 0.0


class WorkerLostError(Exception):
    """A worker died or went silent; `outcome` says which."""

    def __init__(self, outcome: Outcome, why: str) -> None:
        super().__init__(why)
        self.outcome, self.why = outcome, why


class Worker:
    """A worker process that is replaced when it is lost."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._process: Any = None
        self.connection: Connection
        self._start()

    def _start(self) -> None:
        self.connection, theirs = self._context.Pipe()
        self._process = self._context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def ask(self, request: Request) -> list[Row]:
        """The rows of a request, even if the process dies."""
        self.connection.send(request)
        rows: list[Row] = []
        while len(rows) < len(request.solvers):
            rows.append(self.receive(request, len(rows), request.patience_s))
            if rows[-1].outcome in (Outcome.CRASH, Outcome.HANG) and len(rows) < len(request.solvers):
                self.connection.send(replace(request, solvers=request.solvers[len(rows) :]))
        return rows

    def receive(self, request: Request, done: int, silence: float) -> Row:
        """The next row of a request; a crash or a hang is one as well, and the process is then a new one."""
        try:
            return self._next(silence)
        except WorkerLostError as lost:
            self.restart()
            return Row(
                request.family, request.seed, request.solvers[done], _class_of(request), lost.outcome, lost.why, 0.0
            )

    def _next(self, silence: float) -> Row:
        try:
            if not self.connection.poll(silence):
                raise WorkerLostError(Outcome.HANG, "nothing was heard for long")
            row: Row = self.connection.recv()
        except (EOFError, ConnectionResetError):
            self._process.join(10)
            code = self._process.exitcode
            name = signal.Signals(-code).name if code is not None and code < 0 else f"exit code {code}"
            raise WorkerLostError(Outcome.CRASH, f"the process died: {name}") from None
        return row

    def restart(self) -> None:
        """A new process in place of the old one."""
        self.stop()
        self._start()

    def stop(self) -> None:
        """End the process."""
        self.connection.close()
        self._process.kill()
        self._process.join()


def _class_of(request: Request) -> str:
    case = drawn(request.family, request.seed) if request.seed is not None else from_data(request.data or {})
    return space_class(case.space)


def _serve(connection: Connection) -> None:
    """Answer requests until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    with limited_memory():
        while True:
            try:
                request: Request = connection.recv()
            except (EOFError, OSError):
                return
            for row in _rows(request):
                connection.send(row)


def _rows(request: Request) -> Iterator[Row]:
    try:
        case = drawn(request.family, request.seed) if request.seed is not None else from_data(request.data or {})
    except (InputError, ArithmeticError) as error:  # a candidate of shrinking need not be legal
        for name in request.solvers:
            yield Row(request.family, request.seed, name, "", Outcome.INAPPLICABLE, str(error), 0.0)
        return
    known: dict[Any, Any] = {}
    for name in request.solvers:
        space = asked(name, case)
        started = time.process_time()
        answer = run(name, case, space, request.limit_s)
        solved = time.process_time()
        found = answer if isinstance(answer, Judgement) else judge_run(answer, case, space, known, request.limit_s)
        cpu_s, reference_s = solved - started, time.process_time() - solved
        yield Row(request.family, request.seed, name, space_class(space), found.outcome, found.why, cpu_s, reference_s)


def asked(solver: str, case: Case) -> Any:
    """The plan space that a solver is asked for.

    PPipe's MILPs have one pipeline per sequence of GPU types; GSLICE and its like search what their design leaves.
    """
    if case.family == "fragments":
        return find_solver(solver).space_on(case.instance, case.space)
    one_only = case.family == "pipeline" and find_solver(solver).space.one_per_sequence
    return replace(case.space, one_per_sequence=True) if one_only else case.space


def run(solver: str, case: Case, space: Any, limit_s: float) -> AnyResult | Judgement:
    """One run; an exception is an outcome as well."""
    try:
        return solve(case.instance, solver, space=space, time_limit_s=limit_s)
    except InputError as error:
        return Judgement(Outcome.REFUSED, str(error))
    except Exception as error:
        return Judgement(Outcome.ERROR, f"{type(error).__name__}: {error}")


def judge_run(
    result: AnyResult, case: Case, space: Any, known: dict[Any, Truth | None], limit_s: float | None
) -> Judgement:
    """The result against the reference, which is asked only where it can contradict; `known` is what it said before."""
    if result.status not in (Status.ERROR, Status.INAPPLICABLE) and space not in known:
        known[space] = truth_of(case, space)
    return judge(result, known.get(space), case.instance, limit_s)


def judge_case(solver: str, case: Case, space: Any, limit_s: float) -> Judgement:
    """One run in this process, judged."""
    answer = run(solver, case, space, limit_s)
    return answer if isinstance(answer, Judgement) else judge_run(answer, case, space, {}, limit_s)
