"""Making one run in this process: solve, check, and record the outcome (docs/architecture.md)."""

from __future__ import annotations

import json
import math
import os
import platform
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache, lru_cache
from importlib import import_module
from numbers import Real
from pathlib import Path
from typing import Any

from euclio.core.certificate import Verdict
from euclio.core.compiled import time_runs
from euclio.core.engine_packages import MissingEngineError
from euclio.core.errors import InputError
from euclio.core.families import find_family
from euclio.core.family import Family
from euclio.core.quick_records import changed
from euclio.core.registry import find_solver
from euclio.core.result import AnyResult, Status
from euclio.core.solver import AnySolver, EngineOptions, Limits, Option
from euclio.core.solving import PreparedRun, prepare
from euclio.core.versions import provenance
from euclio.core.warm_up import compile_solver
from euclio.core.words import full
from euclio.experiments.record import MEASURED, Record
from euclio.experiments.task import Measure, SolverSetting, Task
from euclio.files.json_reading import parse_json
from euclio.proving.certifying import certify, is_proof
from euclio.supervision.limits import Cause, EndedError, peak_memory_mb

KILLED = "killed"
CRASHED = "crashed"
GARBLED = "garbled"
RAISED = "raised"
INSTANCES_KEPT = 4
CERTIFYING_SPARE_S = 5.0
"""Seconds beyond its limit after which a prover is killed."""
UNFINISHED = "the prover did not end"
LONGEST_REASON = 500
_PLAIN = (str, int, float, bool, type(None))


def execute(
    task: Task,
    instance_text: str,
    *,
    warm: bool,
    started: Callable[[Record], None],
    certifying: Callable[[Record, float], None],
    ending: tuple[type[BaseException], ...] = (),
) -> Record:
    """Make a run, and certify its proof where the task says so.

    Args:
        task: the run.
        instance_text: JSON text of its instance.
        warm: import and compile the solver before the run is timed. Otherwise the run's time includes them.
        started: called with the unanswered record when the hard limit begins to count.
        certifying: called with the answered record and the prover's hard limit when that limit begins to count.
        ending: exceptions that end the batch; in a worker none does.

    Returns:
        The finished record for any behaviour of the solver. Only an end of the process, or of the batch, leaves none.
    """
    time_runs()
    blank = blank_record(task)
    if not warm:
        started(blank)
    before = time.perf_counter()
    try:
        if isinstance(task.setting, Measure):
            begun = started if warm else (lambda _: None)  # else the supervisor knows already
            return _measured_alone(blank, task.setting, instance_text, before, begun)
        ready, features = _prepared(task, task.setting, instance_text)
        goal = ready.family.goal(ready.space)
        blank = changed(blank, options=ready.options, features=features, objective=goal.name, maximised=goal.maximised)
        if warm:
            blank = changed(blank, import_s=_warm_up(ready, before), started_at=_now())
            started(blank)
        instance = _instance(task.family, instance_text)[0]
        record, result = _answered(blank, ready, instance, task.setting.keeps)
        if task.setting.measure:
            record = changed(record, measured=_rows(named(task.setting.measure)(instance, result)))
        if task.certify_s is None or not is_proof(result.status, ready.solver.kind):
            return record
        record = changed(record, certificate=Verdict.OPEN.value, certify_reason=UNFINISHED)
        certifying(record, task.certify_s + CERTIFYING_SPARE_S)
        return _certified(record, instance, result, task.certify_s)
    except ending:
        raise
    except BaseException as error:  # a solver may raise anything, SystemExit too; the batch goes on
        return raised(changed(blank, peak_memory_mb=peak_memory_mb()), error)


def _measured_alone(
    blank: Record, setting: Measure, instance_text: str, before: float, started: Callable[[Record], None]
) -> Record:
    """The record of a measurement without a solver; loading and compiling precede its time."""
    instance, features = _instance(blank.family, instance_text)
    function = named(setting.function)
    _compile_rest(blank.family)
    blank = changed(blank, features=features, import_s=time.perf_counter() - before, started_at=_now())
    started(blank)
    began, cpu_began = time.perf_counter(), time.process_time()
    rows = _rows(function(instance, **json.loads(setting.arguments)))
    return changed(
        blank,
        status=MEASURED,
        raw_status=MEASURED,
        measured=rows,
        wall_s=time.perf_counter() - began,
        cpu_s=time.process_time() - cpu_began,
        peak_memory_mb=peak_memory_mb(),
    )


@cache
def _compile_rest(family: str) -> None:
    """Compile code that no solver calls, such as a simulator; once in a process."""
    compile_rest = find_family(family).compile_rest
    if compile_rest is not None:
        compile_rest()


def named(reference: str) -> Callable[..., Any]:
    """The function that ``package.module:function`` names."""
    module, _, name = reference.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


def _rows(measured: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows as plain data."""
    return [_plain(dict(row)) for row in measured]


def blank_record(task: Task) -> Record:
    """The record of a run before its answer, filled from the task."""
    setting, limits = task.setting, task.limits
    goals = find_family(task.family).goals
    space = dict(setting.space)
    goal = next((goal for goal in goals if goal.name == space.get("objective")), goals[0])
    return Record(
        key=task.key,
        family=task.family,
        instance=task.instance,
        instance_hash=task.instance_hash,
        solver=setting.solver,
        solver_version=setting.version,
        label=setting.label,
        options={**space, "objective": goal.name, "time_limit_s": limits.time_s, "seed": task.seed},
        seed=task.seed,
        repeat=task.repeat,
        time_limit_s=limits.time_s,
        hard_time_limit_s=limits.hard_time_s,
        memory_limit_mb=limits.memory_mb,
        objective=goal.name,
        maximised=goal.maximised,
        started_at=_now(),
        worker=os.getpid(),
        host=platform.node(),
        provenance=provenance(),
        population=task.population or None,
    )


def lost(blank: Record, end: EndedError) -> Record:
    """The record of a run whose process ended or was killed; after an answer, that process was a prover's."""
    if blank.certificate is not None:
        return changed(blank, certify_reason=f"the prover's process {end}")
    status, raw_status, reason = {
        Cause.TIME: (Status.UNKNOWN, KILLED, f"killed at the hard limit of {full(blank.hard_time_limit_s)} s"),
        Cause.MEMORY: (Status.UNKNOWN, KILLED, f"killed above {blank.memory_limit_mb} MiB of memory"),
        Cause.DIED: (Status.ERROR, CRASHED, f"the worker process {end}"),
        Cause.GARBLED: (Status.ERROR, GARBLED, f"the solver {end}, the worker's among them"),
    }[end.cause]
    return changed(blank, status=status.value, raw_status=raw_status, reason=reason)


def raised(blank: Record, error: BaseException) -> Record:
    """The record of a run that raised an error."""
    if isinstance(error, MemoryError):
        return lost(blank, EndedError(Cause.MEMORY, f"was killed above {blank.memory_limit_mb} MiB of memory"))
    if isinstance(error, MissingEngineError):
        status = Status.INAPPLICABLE.value
        return changed(blank, status=status, raw_status=status, reason=_one_line(error.message))
    return changed(blank, status=Status.ERROR.value, raw_status=RAISED, reason=_text_of(error))


def _text_of(error: BaseException) -> str:
    """An exception in one line; a solver's exception may fail to give its text."""
    text = "it cannot say its text"
    with suppress(Exception):
        text = str(error)
    return _one_line(f"{type(error).__name__}: {text}").removesuffix(":")


def _prepared(task: Task, setting: SolverSetting, instance_text: str) -> tuple[PreparedRun, dict[str, float]]:
    """The run ready to be made, and the features of its instance."""
    instance, features = _instance(task.family, instance_text)
    # An external solver gets its own copy of the instance, since it may change it.
    if not _solver(setting.solver, setting.folder, setting.version).version.startswith("euclio "):
        instance = _read(task.family, instance_text)
    return prepared(instance, setting, task.limits.time_s, task.seed), features


def prepared(instance: Any, setting: SolverSetting, time_s: float | None, seed: int) -> PreparedRun:
    """The run of a setting on an instance, ready to be made.

    Args:
        instance: the instance.
        setting: solver and options.
        time_s: time limit in seconds; None means no limit.
        seed: seed of the solver.
    """
    solver = _solver(setting.solver, setting.folder, setting.version)
    threads = setting.threads if Option.THREADS in solver.takes else None
    options: EngineOptions[Any] = EngineOptions(setting.engine, threads)
    limits: Limits[Any] = Limits(time_s, seed, options)
    space = None if setting.space_of is None else find_solver(setting.space_of).space_on(instance)
    changes = {name: tuple(value) if isinstance(value, list) else value for name, value in setting.space}
    return prepare(instance, solver, space=space, limits=limits, warm_start=setting.warm_start, **changes)


@lru_cache(INSTANCES_KEPT)
def _instance(family: str, text: str) -> tuple[Any, dict[str, float]]:
    """An instance, read once for many runs, and its features."""
    instance = _read(family, text)
    return instance, find_family(family).features(instance)


def _read(family: str, text: str) -> Any:
    return find_family(family).read(parse_json(text), None)


@cache
def _solver(name: str, folder: str, version: str) -> AnySolver:
    """The named solver, kept as it is when this process first needs that version.

    Raises:
        InputError: there is none, or only one of another version.
    """
    solver = find_solver(name, Path(folder) if folder else None)
    if version and solver.version != version:
        raise InputError(
            f"is of version {solver.version!r} here, of {version!r} where the runs were planned; "
            "bring both to one version",
            field=name,
        )
    return solver


def _warm_up(ready: PreparedRun, since: float) -> float:
    """Warm up; returns the seconds since preparations began, 0 where all was warm."""
    warmed = compile_solver.cache_info().misses
    ready.warm_up()
    return time.perf_counter() - since if compile_solver.cache_info().misses > warmed else 0.0


def _answered(blank: Record, ready: PreparedRun, instance: Any, keeps: str) -> tuple[Record, AnyResult]:
    """The record with the solver's answer, and the answer, checked on the instance as it was read."""
    cpu_before = time.process_time()
    if keeps:
        result, check_s = _kept(replace(ready, instance=instance), keeps), 0.0
        wall_s = result.wall_s
        blank = changed(blank, options=result.options)
    else:
        answer, wall_s = ready.answer()
        before = time.perf_counter()
        if ready.instance is not instance and ready.instance != instance:
            raise ValueError("the solver changed the instance")
        result = (ready if ready.instance is instance else replace(ready, instance=instance)).check(answer, wall_s)
        check_s = time.perf_counter() - before
    record = changed(
        blank,
        provenance={**blank.provenance, "kernels": result.provenance["kernels"]},
        status=result.status.value,
        raw_status=_one_line(result.raw_status),
        reason=_one_line(result.reason),
        value=result.cost,
        claimed=_finite(result.claimed),
        bound=_finite(result.bound),
        warm_start=result.warm_start.value,
        stats={str(name): float(value) for name, value in result.stats.items() if _finite(value) is not None},
        plan=_plan(ready.family, instance, result),
        trace=tuple((float(p.wall_s), _finite(p.incumbent), _finite(p.bound)) for p in result.trace),
        wall_s=wall_s,
        check_s=check_s,
        cpu_s=time.process_time() - cpu_before,
        peak_memory_mb=peak_memory_mb(),
    )
    return record, result


def _kept(ready: PreparedRun, keeps: str) -> AnyResult:
    """The result of many such runs, whose plan keeps the demand."""
    assert ready.family.keeping is not None
    keeping = ready.family.keeping()
    if ready.family.compile_rest is not None:
        ready.family.compile_rest()
    result: AnyResult = keeping.solve(keeping.demand(json.loads(keeps)), ready)
    return result


def _certified(record: Record, instance: Any, result: AnyResult, time_limit_s: float) -> Record:
    """The record with an independent prover's verdict; a refuted proof is an error, without value or plan."""
    try:
        found = certify(instance, result, time_limit_s)
    except Exception as error:
        return changed(record, certify_reason=_text_of(error))
    record = changed(
        record,
        certificate=found.verdict.value,
        certify_s=found.wall_s,
        certify_nodes=found.nodes,
        certify_reason=_one_line(found.reason),
        peak_memory_mb=peak_memory_mb(),
    )
    if found.verdict is not Verdict.REFUTED:
        return record
    reason = _one_line(f"its proof is REFUTED ({found.claim}): {found.reason}")
    return changed(record, status=Status.ERROR.value, reason=reason, value=None, plan=None)


def _plan(family: Family, instance: Any, result: AnyResult) -> dict[str, Any] | None:
    """The plan as plain data; None without an accepted one."""
    if result.value is None:
        return None
    plan = _plain(family.plan_files().data(instance, result.plan, result.evaluation))
    assert isinstance(plan, dict)
    return plan


def _plain(value: Any) -> Any:
    """Plain data with fractions as floats."""
    if type(value) in _PLAIN:  # most parts are plain, and testing for a fraction takes longer
        return value
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value


def _finite(value: Any) -> float | None:
    """A number as a float; None where it is none, or not finite."""
    return float(value) if isinstance(value, Real) and math.isfinite(value) else None


def _one_line(text: str) -> str:
    """A text of a solver as tables and terminals can show it."""
    line = "".join(sign if sign.isprintable() else "\ufffd" for sign in " ".join(str(text).split()))
    return line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
