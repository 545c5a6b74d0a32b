"""A campaign: drawn cases through every solver, counted by solver and class of plan space, failures kept as files."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from euclio.core.registry import find_solver
from tests.drawn.cases import data_text, drawn, from_data, space_class, to_data, truth_of

from .judging import UNDECIDED, WRONG, Outcome
from .shrinking import shrink
from .worker import SILENCE_S, Request, Row, Worker, asked

SHRUNK_OF_A_KIND = 2
"""Cases of one solver, outcome and class of plan space that are shrunk and kept; the others are counted."""

KIND_CHARACTERS = 25


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a campaign.

    Attributes:
        solvers: names by family, as euclio knows it.
        count: cases of each family; None means until `seconds` are over.
        seconds: time; None means until `count` is reached.
        seed: the first seed; the others follow it.
        limit_s: time limit of a solver.
        jobs: worker processes per solver library.
        folder: where failures are kept.
        shrinks: whether they are shrunk.
        skip: cases whose class of plan space has one of these words are left out, their seeds skipped.
        silence_s: seconds without a word, beyond five times the limit, after which a worker counts as hung.
    """

    solvers: dict[str, tuple[str, ...]]
    count: int | None
    seconds: float | None
    seed: int
    limit_s: float
    jobs: int
    folder: Path
    shrinks: bool
    silence_s: float = SILENCE_S
    skip: tuple[str, ...] = ()


@dataclass(slots=True)
class Tally:
    """The findings of a campaign: counts of all rows, and the wrong and the undecided rows in full."""

    counts: Counter[tuple[str, str, str, Outcome]] = field(default_factory=Counter)
    """By family, solver, class of plan space and outcome."""
    failures: list[Row] = field(default_factory=list)
    undecided: list[Row] = field(default_factory=list)
    requests: int = 0
    solver_s: Counter[str] = field(default_factory=Counter)
    reference_s: float = 0.0
    files: list[Path] = field(default_factory=list)

    def add(self, row: Row) -> None:
        """Count a row."""
        self.counts[row.family, row.solver, row.space, row.outcome] += 1
        self.solver_s[row.solver] += row.cpu_s
        self.reference_s += row.reference_s
        if row.outcome in WRONG:
            self.failures.append(row)
        if row.outcome in UNDECIDED and find_solver(row.solver).kind != "heuristic":
            self.undecided.append(row)

    def describe(self) -> dict[str, Any]:
        """The tally as plain data."""
        return {
            "requests": self.requests,
            "reference_s": self.reference_s,
            "solver_s": dict(self.solver_s),
            "counts": [[*key, number] for key, number in sorted(self.counts.items())],
            "failures": [asdict(row) for row in self.failures],
            "undecided": [asdict(row) for row in self.undecided],
            "files": [str(path) for path in self.files],
        }


@dataclass(slots=True)
class _Slot:
    """A worker, its remaining requests and its current one."""

    worker: Worker
    requests: Iterator[Request]
    request: Request | None = None
    done: int = 0
    heard: float = 0.0

    def begin(self) -> bool:
        """Give the worker its next request; False if there is none."""
        self.request = next(self.requests, None)
        self.done, self.heard = 0, time.monotonic()
        if self.request is not None:
            self.worker.connection.send(self.request)
        return self.request is not None


def campaign(settings: Settings, notice: Callable[[Tally], None]) -> Tally:
    """Run a campaign; an interrupt ends it early and keeps its findings, unless a second interrupt follows.

    Args:
        settings: what to run.
        notice: called after every row, for a progress bar.
    """
    tally = Tally()
    slots = [
        _Slot(Worker(), requests)
        for group in _by_library(settings.solvers)
        for requests in [_requests(settings, group, tally)]
        for _ in range(settings.jobs)
    ]
    try:
        _drive([slot for slot in slots if slot.begin()], tally, notice)
    except KeyboardInterrupt:
        pass
    finally:
        for slot in slots:
            slot.worker.stop()
    with suppress(KeyboardInterrupt):
        _keep(settings, tally)
    return tally


def _by_library(solvers: dict[str, tuple[str, ...]]) -> list[dict[str, tuple[str, ...]]]:
    """Solvers in groups that one process may load; those without a library go with the first."""
    libraries = sorted({find_solver(name).library for names in solvers.values() for name in names} - {""})
    groups = []
    for library in libraries or [""]:
        fitting = {library, ""} if library == (libraries or [""])[0] else {library}
        chosen = {f: tuple(n for n in names if find_solver(n).library in fitting) for f, names in solvers.items()}
        groups.append({f: names for f, names in chosen.items() if names})
    return groups


def _requests(settings: Settings, solvers: dict[str, tuple[str, ...]], tally: Tally) -> Iterator[Request]:
    """Requests of one group of solvers, the families in turn."""
    deadline = None if settings.seconds is None else time.monotonic() + settings.seconds
    for k in count():
        if settings.count is not None and k >= settings.count:
            return
        for family, names in solvers.items():
            if deadline is not None and time.monotonic() > deadline:
                return
            if settings.skip and set(settings.skip) & set(space_class(drawn(family, settings.seed + k).space).split()):
                continue
            tally.requests += 1
            yield Request(family, settings.seed + k, None, names, settings.limit_s, settings.silence_s)


def _drive(slots: list[_Slot], tally: Tally, notice: Callable[[Tally], None]) -> None:
    busy = slots
    while busy:
        ready = wait([slot.worker.connection for slot in busy], timeout=1.0)
        for slot in list(busy):
            assert slot.request is not None
            silent = time.monotonic() - slot.heard > slot.request.patience_s
            if slot.worker.connection not in ready and not silent:
                continue
            row = slot.worker.receive(slot.request, slot.done, 0.0)
            slot.done, slot.heard = slot.done + 1, time.monotonic()
            tally.add(row)
            notice(tally)
            rest = slot.request.solvers[slot.done :]
            if not rest:
                if not slot.begin():
                    busy = [other for other in busy if other is not slot]
            elif row.outcome in (Outcome.CRASH, Outcome.HANG):
                slot.request, slot.done = replace(slot.request, solvers=rest), 0
                slot.worker.connection.send(slot.request)


def _keep(settings: Settings, tally: Tally) -> None:
    """Write wrong and undecided rows as cases, shrunk if asked for."""
    kinds: Counter[tuple[str, Outcome, str]] = Counter()
    workers: dict[str, Worker] = {}
    try:
        for row in tally.failures + tally.undecided:
            kind = (row.solver, row.outcome, row.space)
            kinds[kind] += 1
            if kinds[kind] <= SHRUNK_OF_A_KIND:
                library = find_solver(row.solver).library
                if settings.shrinks and library not in workers:
                    workers[library] = Worker()
                tally.files.append(_keep_one(settings, row, workers.get(library)))
    finally:
        for worker in workers.values():
            worker.stop()


def _keep_one(settings: Settings, row: Row, worker: Worker | None) -> Path:
    assert row.seed is not None
    case = drawn(row.family, row.seed)
    data = to_data(replace(case, space=asked(row.solver, case)))
    why = row.why

    def fails(candidate: dict[str, Any]) -> bool:
        nonlocal why
        request = Request(row.family, None, candidate, (row.solver,), settings.limit_s, settings.silence_s)
        assert worker is not None
        found = worker.ask(request)[0]
        alike = found.outcome is row.outcome and _kind(found.why) == _kind(row.why)
        why = found.why if alike else why
        return alike

    if worker is not None and fails(data):
        data = shrink(data, fails)
    found = {**data, "found": {"solver": row.solver, "seed": row.seed, "outcome": row.outcome.value, "why": why}}
    small = from_data(data)
    truth = truth_of(small, small.space)
    if truth is not None:
        exact = str if truth.exact else lambda value: repr(float(value))
        found["truth"] = [None if value is None else exact(value) for value in (truth.lower, truth.upper)]
    settings.folder.mkdir(parents=True, exist_ok=True)
    name = f"{Path(row.solver).name} {row.outcome.value} {row.family} {row.seed}"
    path = settings.folder / (re.sub(r"[^\w.]+", "-", name) + ".json")
    path.write_text(data_text(found), encoding="utf-8")
    return path


def _kind(why: str) -> str:
    """The beginning of a reason without its names and numbers."""
    return re.sub(r"\w*\d\S*", "", why)[:KIND_CHARACTERS]
