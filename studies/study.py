"""The parts of a study: an experiment, measures of its results, and the text that shows them."""

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
    """Measurements of others that a study takes.

    Attributes:
        instances: folder of instances; None means the study's default.
        artifact: the published artifact of the paper's authors; None means the stored rows computed from it.
        kept: whether results computed from the artifact are stored, for runs without it.
    """

    instances: Path | None = None
    artifact: Path | None = None
    kept: bool = False


NO_MEASUREMENTS = Measurements()
"""Nothing is given: a study uses its own defaults."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The settings of a run of a study.

    Attributes:
        workloads: how many, in the study's own unit; None means the study's default.
        seed: seed of everything that is drawn.
        full: everything, where a sample is the default.
        measurements: what others have measured, for a study that takes it.
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
        proofs: its runs that ended with a proof.
        details: what the study's own text needs next to the tables, such as what was drawn.
        how: facts about the run that are kept with the tables.
        populations: what it was run on, the one that most of the page is about first; those that numbers are shown of.
    """

    tables: Mapping[str, pd.DataFrame]
    proofs: Sequence[SampledProof]
    details: Any
    how: Mapping[str, Any]
    populations: Sequence[Identity] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected(Found):
    """Everything that a report is made of: what was found, and what else is said of the run.

    Attributes:
        asked: what was asked.
        certified: what an independent prover says of a sample of the proofs.
        seconds: wall time per stage.
        jobs: worker processes used.
    """

    asked: Asked
    certified: Certified
    seconds: Mapping[str, float]
    jobs: int


@dataclass(frozen=True, slots=True)
class Text:
    """A study's own part of its page.

    Attributes:
        summary: what the run says, plainly: its first paragraph stands below the pictures, the rest behind a fold.
        tally: the paragraph below the scorecard.
        sections: what follows the scorecard.
        run: the section on the run, its heading first; what was certified comes before it, the wall times after it.
        card: what stands below the scorecard in its Markdown file.
        headlines: lines for the terminal.
        numbers: what a reader shall see first, most important first; how many numbers agree is put behind the first.
        pictures: what stands below them.
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
    """A figure that needs some of a study's runs only.

    Attributes:
        solvers: labels of the solvers whose runs it needs.
        make: tables of these runs, and published values by key in; the figure out.
        title: what it answers.
    """

    solvers: tuple[str, ...]
    make: Callable[[Mapping[str, pd.DataFrame], Mapping[str, float]], Figure]
    title: str


def no_artifacts(_: Collected) -> Collection[str]:
    """Of a study that measures everything on inputs of its own."""
    return ()


def no_details(_: Asked) -> Any:
    """Of a study whose text needs nothing next to the tables."""
    return None


def the_first_one(_: str) -> Sequence[str] | None:
    """Of a study whose figures and tables are all about its first population."""
    return None


@dataclass(frozen=True, slots=True)
class Study:
    """A paper's evaluation.

    Attributes:
        paper: name that it is registered under, of its published numbers and of its report.
        title: title of the page.
        seed: seed unless asked otherwise.
        collect: runs everything.
        measures: measures by key of the published number.
        reasons: the study's own sentences on a number, by key: why it differs, as far as the data say, and what a sweep
            or another reading makes of it.
        text: the study's own part of the page.
        shown: names of the populations that a figure (by key) or a table (by caption) is about, empty for one that is
            about none; None means the first one.
        details: the details of what was found, made again without a run, for parts that are taken from stored tables.
        parts: figures that can be made with some of the runs alone, by key.
        collect_runs: makes the runs of these solvers alone, by label; None if there are no such parts.
        from_artifacts: keys of the measures that rest on what the paper's authors published and measured.
        keep: keeps what was computed from an artifact as the stored rows, with the provenance; None if it takes none.
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
