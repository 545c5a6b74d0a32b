"""The parts of a study: an experiment, measures of its results, and text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from euclio.report import Block, Figure, KeyNumber
from euclio.report.analysis.statistics import Measured
from euclio.workloads.populations import Identity
from studies.collector import Collector
from studies.proof_sample import Certified, SampledProof
from studies.scorecard import Score


@dataclass(frozen=True, slots=True)
class Measurements:
    """Measurements of others as input of a study.

    Attributes:
        instances: folder of instances; None means the study's default.
        artifact: the published artifact of the paper's authors; None means the stored rows computed from it.
        kept: whether results computed from the artifact are stored, for runs without it.
    """

    instances: Path | None = None
    artifact: Path | None = None
    kept: bool = False


NO_MEASUREMENTS = Measurements()
"""No measurements, so a study uses its own defaults."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The settings of a run of a study.

    Attributes:
        workloads: their number in the study's own unit; None means the study's default.
        seed: seed of all draws.
        full: whether to run everything; the default is a sample.
        measurements: measurements of others, for a study that takes them.
    """

    workloads: int | None
    seed: int
    full: bool
    measurements: Measurements = NO_MEASUREMENTS

    @property
    def instances(self) -> Path | None:
        """Folder of instances; None means the study's default."""
        return self.measurements.instances

    @property
    def artifact(self) -> Path | None:
        """The published artifact of the paper's authors; None means the stored rows computed from it."""
        return self.measurements.artifact


@dataclass(frozen=True, slots=True)
class Found:
    """The results of an experiment.

    Attributes:
        tables: data frames by name, each of which is kept as ``NAME.parquet`` in the report.
        proofs: its runs with a proof.
        details: further facts for the study's own text, such as the draws.
        how: facts about the run, for storage with the tables.
        populations: the populations behind the page's numbers; the first one is behind most of them.
    """

    tables: Mapping[str, pd.DataFrame]
    proofs: Sequence[SampledProof]
    details: Any
    how: Mapping[str, Any]
    populations: Sequence[Identity] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected(Found):
    """All content of a report: the results, and further facts on the run.

    Attributes:
        asked: the settings of the run.
        certified: an independent prover's verdicts on a sample of the proofs.
        seconds: wall time per stage.
        jobs: number of worker processes.
    """

    asked: Asked
    certified: Certified
    seconds: Mapping[str, float]
    jobs: int


@dataclass(frozen=True, slots=True)
class Text:
    """A study's own part of its page.

    Attributes:
        summary: the results in words; the first paragraph stands below the pictures, the rest behind a fold.
        tally: the paragraph below the scorecard.
        sections: the blocks after the scorecard.
        run: the section on the run, its heading first; the certificates come before it, the wall times after it.
        card: the blocks below the scorecard in its Markdown file.
        headlines: lines for the terminal.
        numbers: the key numbers, most important first; the count of numbers that agree follows the first.
        pictures: the pictures below the key numbers.
    """

    summary: Sequence[Block]
    tally: str
    sections: Sequence[Block]
    run: Sequence[Block]
    headlines: Sequence[str]
    card: Sequence[Block] = ()
    numbers: Sequence[KeyNumber] = ()
    pictures: Sequence[Figure] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A figure that needs only some of a study's runs.

    Attributes:
        solvers: labels of the solvers with the needed runs.
        make: makes the figure from tables of these runs and published values by key.
        title: the question that it answers.
    """

    solvers: tuple[str, ...]
    make: Callable[[Mapping[str, pd.DataFrame], Mapping[str, float]], Figure]
    title: str


def no_artifacts(_: Collected) -> Collection[str]:
    """The value for a study that measures everything on inputs of its own."""
    return ()


def no_details(_: Asked) -> Any:
    """The value for a study with a text that needs only the tables."""
    return None


def the_first_one(_: str) -> Sequence[str] | None:
    """The value for a study with its first population behind all figures and tables."""
    return None


@dataclass(frozen=True, slots=True)
class Study:
    """A paper's evaluation.

    Attributes:
        paper: name of the study in the registry, of its published numbers and of its report.
        title: title of the page.
        seed: default seed.
        collect: runs everything.
        measures: measures by key of the published number.
        reasons: the study's own sentences on a number, by key: the reason for a difference, and the effects of a sweep
            or another reading.
        text: the study's own part of the page.
        shown: names of the populations of a figure (by key) or a table (by caption), empty for none; None means the
            first one.
        details: makes the details of the results again without a run, for parts from stored tables.
        parts: figures that need only some of the runs, by key.
        collect_runs: makes the runs of these solvers alone, by label; None if there are no such parts.
        from_artifacts: keys of the measures that rest on the artifact of the paper's authors.
        keep: stores the rows computed from an artifact, with the provenance; None if it takes none.
        published: file of its published numbers; None means ``data/published/PAPER.json`` of euclio.
    """

    paper: str
    title: str
    seed: int
    collect: Callable[[Collector, Asked], Found]
    measures: Callable[[Collected], Mapping[str, Measured]]
    reasons: Callable[[Collected], Mapping[str, str]]
    text: Callable[[Collected, Sequence[Score]], Text]
    shown: Callable[[str], Sequence[str] | None] = the_first_one
    details: Callable[[Asked], Any] = no_details
    parts: Mapping[str, Part] = field(default_factory=dict)
    collect_runs: Callable[[Collector, Asked, Collection[str]], Found] | None = None
    from_artifacts: Callable[[Collected], Collection[str]] = no_artifacts
    keep: Callable[[Collected, Mapping[str, Any]], None] | None = None
    published: Path | None = None
