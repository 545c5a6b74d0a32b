"""Experiment files: TOML, schema ``euclio/experiment/1``."""

from __future__ import annotations

import os
import shlex
import tomllib
from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal, DecimalException
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from euclio.core.errors import InputError
from euclio.core.families import families
from euclio.core.parameters import option_text
from euclio.core.references import expanded, file_of
from euclio.core.registry import find_solver
from euclio.core.solver import Option
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
from euclio.experiments.solver_settings import different_labels, solver_settings
from euclio.experiments.task import RunLimits, SolverSetting
from euclio.files.boundary import FileModel, Name, Number, Text, Whole, at, obeying, validated, without_schema
from euclio.files.json_reading import read_text

FLAG = "--code"


# An experiment may come from somebody else, and looking up one of its solvers runs that solver's file.


class NamedCode(NamedTuple):
    """A field of an experiment that names code.

    Attributes:
        field: the place.
        text: what stands there.
    """

    field: str
    text: str
    path: Path


def named_by(place: str, name: str, options: Mapping[str, Any], folder: Path) -> Iterator[NamedCode]:
    """The code that a solver of an experiment names: its own, that of the warm start's solver, that of a policy.

    Args:
        place: the solver's field in the experiment.
        name: its name.
        options: its options, as in the file.
        folder: the folder that their paths are relative to.
    """
    for field, value in [("name", name), *options.items()]:
        if field not in ("name", *_fields()):
            continue
        # The warm start's solver is looked up as on the command line.
        base = Path() if field == Option.WARM_START else folder
        for text in value if isinstance(value, list) else [value]:
            file = file_of(text) if isinstance(text, str) else None
            if file is not None:
                yield NamedCode(f"{place}.{field}", text, base / file)


def check_code(named: Collection[NamedCode], code: Collection[str | Path]) -> None:
    """Refuse code that only the experiment names, before any of it runs.

    Args:
        named: the code that the experiment names.
        code: the files that the call names, relative to the current folder.

    Raises:
        InputError: naming the first place, and all files.
    """
    allowed = {_resolved(expanded(str(file))) for file in code}
    missing = [one for one in named if _resolved(one.path) not in allowed]
    if missing:
        files = dict.fromkeys(_shown(one.path) for one in missing)
        raise InputError(
            f"names code ({ascii(missing[0].text[:120])[1:-1]}), and what a file names is not run; if you trust it, "
            f"name it yourself: {option_text(FLAG, shlex.quote(','.join(files)))}",
            field=missing[0].field,
        )


def _fields() -> set[str]:
    """Options of solvers, of any family, that may name code."""
    spaces = (option for family in families() for option in family.space_options)
    return {Option.WARM_START.value, *(option.field for option in spaces if option.reference is not None)}


def _resolved(path: Path) -> str:
    """A path without links; one that no file can have stands for itself."""
    try:
        return str(path.resolve())
    except (OSError, RuntimeError, ValueError):
        return str(path)


def _shown(path: Path) -> str:
    """A path as it is named on a command line here, the shorter way."""
    return min(os.path.relpath(path), str(path.absolute()), key=len)


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
        code: Python files that its solvers and policies may come from, relative to the current folder; code that only
            the experiment names is not run.

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
    """Put the fields of a solver's table other than name and label, which depend on the solver, into one field."""
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


def _named_code(model: _Experiment, folder: Path) -> list[NamedCode]:
    """All code that the experiment names."""
    named = (named_by(f"solvers[{i}]", one.name, one.options, folder) for i, one in enumerate(model.solvers))
    return [one for found in named for one in found]


def _check_name(name: str, folder: Path) -> None:
    """Refuse an unknown solver."""
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
