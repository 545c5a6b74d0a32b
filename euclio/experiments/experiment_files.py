"""Experiment files: TOML, schema ``euclio/experiment/1``."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from decimal import Decimal, DecimalException
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from euclio.core.errors import InputError
from euclio.core.registry import find_solver
from euclio.core.values import LARGEST_SEED, Values, whole
from euclio.core.words import full
from euclio.experiments.experiment import (
    MEMORY_MB,
    Certification,
    DrawnSource,
    Experiment,
    FileSource,
    Source,
    hard_limit,
)
from euclio.experiments.named_code import Named, check_code, named_by
from euclio.experiments.solver_settings import different_labels, solver_settings
from euclio.experiments.task import RunLimits, SolverSetting
from euclio.files.boundary import FileModel, Name, Number, Text, Whole, at, obeying, validated, without_schema
from euclio.files.json_reading import read_text

SCHEMA = "euclio/experiment/1"

LONGEST_S = 10**8
MOST_MEMORY_MB = 10**8
MOST_RUNS = 10**6
MOST_SLOTS = 10**4

_DURATIONS = Values(f"greater than 0 and at most {LONGEST_S}, in seconds", float, lambda s: 0 < s <= LONGEST_S)
_SHARES = Values("a share greater than 0 and at most 1", float, lambda share: 0 < share <= 1)

Seconds = Annotated[Number, obeying(_DURATIONS)]
Share = Annotated[Number, obeying(_SHARES)]
Count = Annotated[Whole, obeying(whole(1, MOST_RUNS))]
Seed = Annotated[Whole, obeying(whole(0, LARGEST_SEED))]
Slots = Annotated[Whole, obeying(whole(1, MOST_SLOTS))]
MemoryMb = Annotated[Whole, obeying(whole(1, MOST_MEMORY_MB))]


class _Limits(FileModel):
    time_s: Seconds | None = None
    hard_time_s: Seconds | None = None
    memory_mb: MemoryMb = MEMORY_MB
    preparation_s: Seconds | None = None


class _Certify(FileModel):
    time_limit_s: Seconds
    sample: Share = 1
    seed: Seed | None = None


class _Instances(FileModel):
    files: list[Text] | None = None
    generate: Name | None = None
    count: Count | None = None
    seed: Seed | None = None
    settings: dict[str, Any] = Field(default_factory=dict)


class _Solver(FileModel):
    name: Name
    label: Name | None = None
    options: dict[str, Any] = Field(default_factory=dict)


class _Experiment(FileModel):
    name: Name
    repeats: Count = 1
    seeds: list[Seed] = Field(default_factory=lambda: [0])
    slots: Slots | None = None
    limits: _Limits = Field(default_factory=_Limits)
    certify: _Certify | None = None
    instances: list[_Instances]
    solvers: list[_Solver]


def load_experiment(path: str | Path, code: Collection[str | Path] = ()) -> Experiment:
    """The experiment in a file; its paths are relative to the file's folder.

    Args:
        path: the file.
        code: Python files that its solvers and policies may come from, relative to the current folder; what only the
            experiment names is not run.

    Raises:
        InputError: naming the file, the field and the remedy.
    """
    file = str(path)
    text = read_text(Path(path))
    fields = without_schema(_parsed(text, file), SCHEMA, file)
    _gather_options(fields)
    model = validated(_Experiment, fields, file)
    folder = Path(path).resolve().parent
    with at("", file):
        check_code(_named_code(model, folder), code)
        return Experiment(
            name=model.name,
            instances=_sources(model, folder),
            solvers=_solvers(model, folder),
            limits=_limits(model.limits),
            repeats=model.repeats,
            seeds=_seeds(model.seeds),
            slots=model.slots,
            certify=None if model.certify is None else _certification(model.certify, model.seeds),
            text=text,
        )


def _parsed(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not TOML: {str(error)[:1].lower()}{str(error)[1:]}", file=file) from None
    except (RecursionError, ValueError, DecimalException):
        raise InputError("is not TOML that can be read: a number or a nesting is too long", file=file) from None


def _gather_options(fields: dict[str, Any]) -> None:
    """Put what a solver's table has next to name and label, which depends on the solver, into one field."""
    solvers = fields.get("solvers")
    for solver in solvers if isinstance(solvers, list) else ():
        if isinstance(solver, dict):
            solver["options"] = {key: solver.pop(key) for key in list(solver) if key not in ("name", "label")}


def _sources(model: _Experiment, folder: Path) -> tuple[Source, ...]:
    if not model.instances:
        raise InputError("is empty; name files or a kind to generate", field="instances")
    found: list[Source] = []
    for i, source in enumerate(model.instances):
        with at(f"instances[{i}]", None):
            found.append(_source(source, folder))
    return tuple(found)


def _source(source: _Instances, folder: Path) -> Source:
    if (source.files is None) == (source.generate is None):
        raise InputError("needs `files` or `generate`, one of the two")
    if source.files == []:
        raise InputError("is empty; name files, folders or patterns", field="files")
    if source.generate is None:
        others = source.model_fields_set - {"files"}
        if others:
            raise InputError("belongs to instances that are generated; leave it out", field=min(others))
        return FileSource(tuple(source.files or ()), folder)
    return DrawnSource(source.generate, source.count, source.seed, source.settings)


def _solvers(model: _Experiment, folder: Path) -> tuple[SolverSetting, ...]:
    if not model.solvers:
        raise InputError("is empty; name at least one solver", field="solvers")
    found: list[SolverSetting] = []
    for i, solver in enumerate(model.solvers):
        with at(f"solvers[{i}]", None):
            _check_name(solver.name, folder)
            found += solver_settings(solver.name, label=solver.label, folder=folder, **_plain(solver.options))
    with at("solvers", None):
        return different_labels(found)


def _named_code(model: _Experiment, folder: Path) -> list[Named]:
    """All that the experiment names of code."""
    named = (named_by(f"solvers[{i}]", one.name, one.options, folder) for i, one in enumerate(model.solvers))
    return [one for found in named for one in found]


def _check_name(name: str, folder: Path) -> None:
    """Refuse a solver that is not there."""
    try:
        find_solver(name, folder)
    except InputError as error:
        raise InputError(error.message, file=error.file, field="name") from None


def _plain(options: dict[str, Any]) -> dict[str, Any]:
    """Options as keyword arguments; those that `solver_settings` has itself are no options of a solver."""
    for name in ("folder", "solver"):
        if name in options:
            raise InputError("is no option of a solver; leave it out", field=name)
    return options


def _limits(model: _Limits) -> RunLimits:
    time_s = None if model.time_s is None else float(model.time_s)
    hard = hard_limit(time_s) if model.hard_time_s is None else float(model.hard_time_s)
    if time_s is not None and hard < time_s:
        raise InputError(
            f"is {full(hard)}, less than time_s = {full(time_s)}; solvers are killed then, so give more",
            field="limits.hard_time_s",
        )
    return RunLimits(time_s, hard, model.memory_mb, None if model.preparation_s is None else float(model.preparation_s))


def _certification(model: _Certify, seeds: list[int]) -> Certification:
    seed = _seeds(seeds)[0] if model.seed is None else model.seed
    return Certification(float(model.time_limit_s), float(model.sample), seed)


def _seeds(seeds: list[int]) -> tuple[int, ...]:
    if not seeds or len(set(seeds)) < len(seeds):
        raise InputError("must be a list of different whole numbers", field="seeds")
    return tuple(seeds)
