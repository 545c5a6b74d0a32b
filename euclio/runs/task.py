"""A run that is to be made: (instance, solver, options, limits, seed, repeat) under one key (docs/architecture.md)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any


@dataclass(frozen=True, slots=True)
class SolverSetting:
    """A solver with its options, one row of an experiment.

    Attributes:
        solver: name in the registry, or ``path/to/file.py:function``.
        version: version of the package that offers it, or the hash of the file; part of the key.
        label: name in tables and figures, unique in the experiment; no part of the key.
        space: fields of the plan space that are changed, as ``(field, value)`` pairs sorted by field, plain data.
        engine: engine of the solver library; None: the solver's default.
        threads: threads of the engine, which a slot has to hold; 1 where the solver takes none.
        warm_start: solver whose plan to start from, or "none"; None: the solver's default.
        library: solver library that its worker loads ("highs", "ortools", "" for none); a worker loads one only.
        folder: what the path of ``path/to/file.py:function`` is relative to; empty: the current folder; no part of the
            key.
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


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Limits of one run.

    Attributes:
        time_s: seconds that the solver is told to keep to; None: none.
        hard_time_s: seconds after which its process is killed.
        memory_mb: resident memory of its process, in MiB, above which it is killed.
        preparation_s: seconds after which reading the instance, importing, compiling and warming up are killed; None:
            as `euclio.supervision.preparation_limit_s` says. No part of the key.
    """

    time_s: float | None
    hard_time_s: float
    memory_mb: int
    preparation_s: float | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """One run to be made.

    Attributes:
        family: problem family of the instance.
        instance: name of the instance.
        instance_hash: hash of the instance's text (`text_hash`).
        setting: solver and options.
        limits: limits.
        seed: seed of the solver's random choices.
        repeat: number of the repetition, from 0.
        certify_s: limit in seconds of a prover that tries the result if it is a proof; None: none does.
        key: hash of all of the above.
    """

    family: str
    instance: str
    instance_hash: str
    setting: SolverSetting
    limits: RunLimits
    seed: int
    repeat: int
    certify_s: float | None = None
    key: str = field(init=False)

    def __post_init__(self) -> None:
        parts = [self.family, self.instance, self.instance_hash, self.seed, self.repeat]
        certifying = "" if self.certify_s is None else json.dumps({"certify_s": self.certify_s})
        text = json.dumps(parts) + _told(self.setting, self.limits) + certifying
        object.__setattr__(self, "key", text_hash(text))


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
def _told(setting: SolverSetting, limits: RunLimits) -> str:
    """What a key says about solver and limits; made once for all instances."""
    fields = {name: value for name, value in asdict(setting).items() if name not in ("label", "library", "folder")}
    counted = {name: value for name, value in asdict(limits).items() if name != "preparation_s"}
    return json.dumps([fields, counted], sort_keys=True)


def text_hash(text: str) -> str:
    """The first 128 bits of a text's SHA-256 in hex."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
