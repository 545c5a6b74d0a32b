"""An experiment: instances, solvers with options, limits, repeats and seeds; every combination is a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from euclio.experiments.task import RunLimits, Setting, text_hash

LONGEST_RUN_S = 3600.0
"""Hard limit of a run whose solver is given no time limit."""
MEMORY_MB = 4096
DEFAULT_LIMITS = RunLimits(None, LONGEST_RUN_S, MEMORY_MB)


@dataclass(frozen=True, slots=True)
class Certification:
    """How an independent prover tries the proofs of an experiment's runs.

    Attributes:
        time_limit_s: limit of each search in seconds.
        sample: share of the runs whose proofs are tried, above 0 and at most 1.
        seed: seed of the sample.
    """

    time_limit_s: float
    sample: float = 1.0
    seed: int = 0

    def asks(self, key: str) -> bool:
        """Whether the run of this key is in the sample; this depends on key and seed alone."""
        return int(text_hash(f"{self.seed}/{key}")[:15], 16) < self.sample * 16**15


@dataclass(frozen=True, slots=True)
class FileSource:
    """Instances in files.

    Attributes:
        paths: files, folders (their files that end in .json) or patterns such as ``sessions/*.json``.
        folder: the folder that they are relative to.
    """

    paths: tuple[str, ...]
    folder: Path = Path()


@dataclass(frozen=True, slots=True)
class DrawnSource:
    """Instances drawn from a seed, as `euclio generate` draws them.

    Attributes:
        kind: kind of instance, or name of a population.
        count: number of instances per combination of settings. None means 1, or all of a population.
        seed: first seed. None means 0, or the population's own.
        settings: settings of the kind; a list gives alternatives, all combinations are drawn.
    """

    kind: str
    count: int | None = None
    seed: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GivenSource:
    """Instances at hand.

    Attributes:
        instances: instances of any families.
    """

    instances: tuple[Any, ...]


Source = FileSource | DrawnSource | GivenSource


@dataclass(frozen=True, slots=True)
class Experiment:
    """All runs of every instance x every solver (or measure) of its family x seeds x repeats.

    Attributes:
        instances: where the instances come from.
        solvers: solvers with options, or measures (`euclio.experiments.solver_settings`), their labels different.
        limits: limits of each run.
        repeats: how often each run is made.
        seeds: seeds of the solvers.
        slots: runs at a time; None means one per core.
        certify: how proofs are certified; None disables it.
        text: text of its file; empty if made in Python.
    """

    name: str
    instances: tuple[Source, ...]
    solvers: tuple[Setting, ...]
    limits: RunLimits = DEFAULT_LIMITS
    repeats: int = 1
    seeds: tuple[int, ...] = (0,)
    slots: int | None = None
    certify: Certification | None = None
    text: str = field(default="", repr=False)


def hard_limit(time_s: float | None) -> float:
    """Seconds after which a process is killed if its solver was given a limit of `time_s`."""
    return LONGEST_RUN_S if time_s is None else 2 * time_s + 10
