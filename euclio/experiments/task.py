"""A run to be made: (instance, solver, options, limits, seed, repeat) under one key (docs/architecture.md)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any

from euclio.core.quick_records import quick


@quick
@dataclass(frozen=True, slots=True)
class SolverSetting:
    """A solver with its options, one row of an experiment.

    Attributes:
        solver: name in the registry, or ``path/to/file.py:function``.
        version: version of the package that offers it, or the hash of the file; part of the key.
        label: name in tables and figures, unique in the experiment; no part of the key.
        space: fields of the plan space that are changed, as ``(field, value)`` pairs sorted by field, plain data.
        engine: engine of the solver library; None means the solver's default.
        threads: threads of the engine, reserved by the slot; 1 where the solver takes none.
        warm_start: solver whose plan to start from, or "none"; None means the solver's default.
        library: solver library that its worker loads ("highs", "ortools", "" for none); a worker loads one only.
        folder: the folder that ``path/to/file.py:function`` is relative to; empty means the current one; no part of the
            key.
        space_of: solver whose plan space on the instance it searches (`Solver.space_on`); None means its own. `space`
            changes fields of it.
        measure: ``package.module:function`` that measures its checked results: it takes the instance and the result and
            returns rows, which are kept with the run; empty disables it.
        time_s: its time limit in seconds; None means the experiment's. A part of the limits.
        on: names of the instances that it is run on; None means all of its family; no part of the key.
        keeps: JSON text of the demand on its plans (`euclio.core.parts`); empty if there is none.
    """

    solver: str
    version: str
    label: str
    space: tuple[tuple[str, Any], ...] = ()
    engine: str | None = None
    threads: int = 1
    warm_start: str | None = None
    library: str = ""
    folder: str = ""
    space_of: str | None = None
    measure: str = ""
    time_s: float | None = None
    on: frozenset[str] | None = None
    keeps: str = ""


@quick
@dataclass(frozen=True, slots=True)
class Measure:
    """A measurement on instances without a solver, such as a simulation; also one row of an experiment.

    Attributes:
        function: ``package.module:function``; takes the instance and the arguments and returns rows.
        version: version of the package that offers it; part of the key.
        label: name in tables and figures, unique in the experiment; no part of the key.
        family: problem family of the instances.
        arguments: JSON text of its keyword arguments.
        on: names of the instances that it is made on; None means all of its family; no part of the key.
    """

    function: str
    version: str
    label: str
    family: str
    arguments: str = "{}"
    on: frozenset[str] | None = None
    # The attributes of a solver's setting, for code that makes runs of either.
    space = ()
    threads = 1
    library = ""
    folder = ""
    time_s = None

    @property
    def solver(self) -> str:
        """Its records' value in the column of that name: the function."""
        return self.function


Setting = SolverSetting | Measure
"""A row of an experiment: a solver or a measurement."""

_LATER = {"space_of": None, "measure": "", "keeps": ""}
"""Defaults of fields that earlier versions lack; keys leave them out and so stay the same."""


@quick
@dataclass(frozen=True, slots=True)
class RunLimits:
    """Limits of one run.

    Attributes:
        time_s: the solver's time limit in seconds; None means no limit.
        hard_time_s: seconds after which its process is killed.
        memory_mb: resident memory in MiB above which its process is killed.
        preparation_s: seconds after which reading the instance, importing, compiling and warming up are killed; None
            means `euclio.supervision.preparation_limit_s`. No part of the key.
    """

    time_s: float | None
    hard_time_s: float
    memory_mb: int
    preparation_s: float | None = None


@quick
@dataclass(frozen=True, slots=True)
class Task:
    """One run to be made.

    Attributes:
        family: problem family of the instance.
        instance: name of the instance.
        instance_hash: hash of the instance's text (`text_hash`).
        setting: solver and options, or the measurement.
        seed: seed of the solver's random choices.
        repeat: number of the repetition, from 0.
        certify_s: limit in seconds of a prover that tries the result if it is a proof; None disables it.
        population: label of the instance's population (`euclio.workloads.populations.Identity.label`); empty if it was
            not drawn. No part of the key.
        key: hash of all else.
    """

    family: str
    instance: str
    instance_hash: str
    setting: Setting
    limits: RunLimits
    seed: int
    repeat: int
    certify_s: float | None = None
    population: str = ""
    key: str = field(init=False)

    def __post_init__(self) -> None:
        parts = [self.family, self.instance, self.instance_hash, self.seed, self.repeat]
        certifying = "" if self.certify_s is None else json.dumps({"certify_s": self.certify_s})
        text = json.dumps(parts) + _key_text(self.setting, self.limits) + certifying
        object.__setattr__(self, "key", text_hash(text))


LARGEST_BATCH = 32
"""Most runs per request to a worker; a request to a dask worker takes about as long as ten short runs."""


@quick
@dataclass(frozen=True, slots=True)
class Batch:
    """Runs on one instance that one worker makes one after the other.

    Attributes:
        instance_text: JSON text of the instance.
        tasks: the runs; all have that instance and one library.
    """

    instance_text: str
    tasks: tuple[Task, ...]


@cache
def _key_text(setting: Setting, limits: RunLimits) -> str:
    """The part of a key for solver and limits; made once for all instances."""
    left_out = ("label", "library", "folder", "time_s", "on")
    fields = {name: value for name, value in asdict(setting).items() if name not in left_out}
    fields = {name: value for name, value in fields.items() if name not in _LATER or value != _LATER[name]}
    counted = {name: value for name, value in asdict(limits).items() if name != "preparation_s"}
    return json.dumps([fields, counted], sort_keys=True)


def text_hash(text: str) -> str:
    """The first 128 bits of a text's SHA-256 in hex."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
