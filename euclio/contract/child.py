"""Inside of the process that tries a solver: the solver's description, and the outcome of a trial.

Its standard output is a file, which catches all that the solver prints, in Python or in C.
"""

from __future__ import annotations

import locale
import os
import pickle
import random
import signal
import sys
import time
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from euclio.contract.evidence import Described, Ending, Observation
from euclio.core.engine_packages import refuse_missing
from euclio.core.errors import InputError
from euclio.core.families import find_family
from euclio.core.family import Family
from euclio.core.registry import find_solver
from euclio.core.solver import AnySolver
from euclio.core.solving import PreparedRun, prepare
from euclio.core.system import alarm_is_set, flush_c_streams, read_at, waited_s
from euclio.core.trials import Trial
from euclio.supervision.serving import Report

MOST_PRINTED = 200
"""Bytes kept of what a run prints."""


def describe(_: Report, name: str) -> Described:
    """The description that a solver gives of itself.

    Raises:
        InputError: there is none of this name, or its engine is missing.
    """
    solver = _solver(name)
    refuse_missing(solver)
    return Described(solver.name, solver.kind, solver.family, solver.space, solver.version)


def observe_named(_: Report, name: str, trial: Trial) -> Observation:
    """Run one trial of the named solver and observe its outcome."""
    found = observe(_solver(name), trial)
    try:
        pickle.dumps(found)
    except Exception as error:  # pickle raises errors of any type
        message = " ".join(f"its answer is no plain data: {type(error).__name__}: {error}".split())
        return Observation(Ending.RAISED, message, wall_s=found.wall_s)
    return found


@cache
def _solver(name: str) -> AnySolver:
    """The named solver, looked up once in a process."""
    return find_solver(name)


def observe(solver: AnySolver, trial: Trial) -> Observation:
    """Run one trial and observe its outcome."""
    family = find_family(solver.family)
    try:
        ready = prepare(trial.instance, solver, space=trial.space, limits=trial.limits)
    except InputError as error:
        return Observation(Ending.INAPPLICABLE, str(error))
    text, printed, state = _text(family, trial.instance), _printed(), surroundings()
    ready.warm_up()
    seen = _run(ready)
    return replace(
        seen,
        space=ready.space,
        printed=read_at(1, MOST_PRINTED, printed).decode(errors="replace") if _printed() > printed else "",
        mutated=_text(family, trial.instance) != text,
        left=left_behind(state, surroundings()),
    )


def _run(ready: PreparedRun) -> Observation:
    waited_before_s, started = waited_s(), time.perf_counter()
    try:
        answer, wall_s = ready.answer()
    except BaseException as error:  # a solver that calls sys.exit is no reason to end
        message = " ".join(f"{type(error).__name__}: {error}".split())
        return Observation(Ending.RAISED, message, wall_s=time.perf_counter() - started)
    if answer.raw_status == "inapplicable":
        return Observation(Ending.INAPPLICABLE, answer.reason, wall_s=wall_s)
    return Observation(Ending.ANSWERED, answer=answer, wall_s=wall_s, waited_s=waited_s() - waited_before_s)


def _text(family: Family, instance: Any) -> str:
    try:
        return family.to_text(instance)
    except Exception as error:  # a spoiled instance may have no text
        return repr(error)


def _printed() -> int:
    """Bytes on standard output so far, those in buffers of Python and C included."""
    for stream in (sys.stdout, sys.__stdout__):
        if stream is not None:
            with suppress(Exception):
                stream.flush()
    flush_c_streams()
    return os.fstat(1).st_size


def surroundings() -> dict[str, Any]:
    """The state that a run must not change, by name."""
    state: dict[str, Any] = {
        "the current folder": Path.cwd(),
        "the file mode mask": _mask(),
        "environment variables": dict(os.environ),
        "the locale": locale.setlocale(locale.LC_ALL),
        "signal handlers": {number: signal.getsignal(number) for number in signal.valid_signals()},
        "an alarm": alarm_is_set(),
        "the state of random": random.getstate(),
        "child processes": sorted(child.pid for child in psutil.Process().children(recursive=True)),
        "sys.stdout and sys.stderr": (id(sys.stdout), id(sys.stderr)),
        "the search path of modules": list(sys.path),
        "the recursion limit": sys.getrecursionlimit(),
    }
    if "numpy" in sys.modules:
        state |= _numpy_state()
    return state


def left_behind(before: dict[str, Any], after: dict[str, Any]) -> tuple[str, ...]:
    """The differences in words; entries that only one of the two has are left out."""
    return tuple(f"{name} changed" for name in before if name in after and before[name] != after[name])


def _mask() -> int:
    mask = os.umask(0o22)
    os.umask(mask)
    return mask


def _numpy_state() -> dict[str, Any]:
    return {"the state of numpy.random": repr(np.random.get_state()), "numpy's handling of errors": np.geterr()}
