"""Open questions of papers: a study's answer, and its numbers under another answer or other inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from euclio.core.words import with_unit
from euclio.report import Block, Heading, Paragraph, Table
from euclio.report.analysis.statistics import Measured, Sample
from studies.costs import costs
from studies.papers.costs import baselines, normalized
from studies.papers.published import published_figures
from studies.scorecard import Score


@dataclass(frozen=True, slots=True)
class Reading:
    """A question that the paper leaves open.

    Attributes:
        question: the open question.
        taken: the scorecard's answer.
        other: the other answer.
        because: the reason for the scorecard's answer.
        rows: for a question about systems, the solvers of the scorecard's answer with those of the other one.
    """

    question: str
    taken: str
    other: str
    because: str
    rows: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class OtherReading:
    """A number under another answer to a question that the paper leaves open.

    Attributes:
        question: the open question.
        answer: the other answer.
        measured: the number under it.
    """

    question: str
    answer: str
    measured: Measured


@dataclass(frozen=True, slots=True)
class Moved:
    """A parameter that moves a number when the study varies it alone.

    Attributes:
        parameter: its name and its range.
        low: the number at the low end of the range.
        high: the number at its high end.
    """

    parameter: str
    low: float
    high: float

    def across(self, value: float) -> bool:
        """Whether a value lies between the numbers at the two ends."""
        return min(self.low, self.high) <= value <= max(self.low, self.high)


SHARED_RATE = Reading(
    "How InferLine and Clipper share the rate of their only allocation",
    "evenly over its machines",
    "whole machines full and one partial machine",
    "Round robin over equal machines gives each the same rate. With a partial machine InferLine could hardly ever run "
    "the configuration that its own split chose.",
    (("inferline", "inferline:literal"), ("clipper", "clipper:literal")),
)
OWN_SCROOGE = Reading(
    "How the baseline Scrooge splits the latency and shares a rate",
    "by cost, and evenly",
    "by throughput, with a partial machine",
    "Table III says throughput-based, but Scrooge's own MILP and greedy weigh throughput against cost.",
    (("scrooge", "scrooge:literal"),),
)
OfSystems = Callable[[pd.DataFrame, pd.DataFrame], dict[str, Sample]]
"""The numbers that a reading of whole systems moves, from runs and normalized costs under the other answer."""
Others = Mapping[Reading, Mapping[str, Measured]]
"""The numbers that each reading moves under the other answer, by key of the published number."""


def with_tried(
    paper: str,
    reasons: Mapping[str, str],
    readings: Mapping[str, Sequence[OtherReading]],
    moved: Mapping[str, Sequence[Moved]],
) -> dict[str, str]:
    """A study's sentences by key, followed by its numbers under other readings and over the ranges of parameters."""

    def sentences(key: str, unit: str) -> Iterator[str]:
        yield reasons.get(key, "")
        for one in readings.get(key, ()):
            yield f"{one.question}: {one.answer}: {with_unit(one.measured.value, unit)}."
        for own in moved.get(key, ()):
            yield f"With {own.parameter}: {with_unit(own.low, unit)} to {with_unit(own.high, unit)}."

    return {
        figure.key: " ".join(filter(None, sentences(figure.key, figure.unit))) for figure in published_figures(paper)
    }


def reread(runs: pd.DataFrame, reading: Reading) -> pd.DataFrame:
    """The runs with the other answer's solvers in place of the scorecard's, if all of them have a plan."""
    other = {after: before for before, after in reading.rows}
    kept = runs[~runs.solver.isin(list(other.values()))]
    kept = kept.assign(solver=kept.solver.replace(other))
    lacking = kept[kept.solver.isin(list(other.values())) & kept.cost_per_h.isna()].workload
    return kept[~kept.workload.isin(lacking)]


def moved_by_systems(
    runs: pd.DataFrame, own: str, readings: Mapping[Reading, OfSystems | None]
) -> dict[Reading, dict[str, Sample]]:
    """The numbers that readings of whole systems move, by reading and by key of the published number.

    A reading is left out if no workload has plans under the other answer, as with few workloads.

    Args:
        runs: one row per workload and run.
        own: the paper's own system.
        readings: what each reading moves; None means the numbers of the baselines.
    """
    found = {}
    for reading, moved in readings.items():
        frame = reread(runs, reading)
        if len(frame):
            ratio = normalized(costs(frame), own)
            found[reading] = baselines(ratio, own) if moved is None else moved(frame, ratio)
    return found


def readings_blocks(scores: Sequence[Score], others: Others) -> list[Block]:
    """The effect of each reading on the numbers that it moves, as a table below the reasons."""
    by_key = {score.published.key: score for score in scores}
    rows = []
    for reading, figures in others.items():
        for key, other in figures.items():
            score = by_key[key]
            values = (score.published.value, score.measured.value, other.value)
            cells = (with_unit(v, score.published.unit) for v in values)
            rows.append((reading.question, score.published.what, *cells, str(other.n or "")))
    return [
        Heading("Readings"),
        *(Paragraph(f"{r.question}: {r.taken}, not {r.other}. {r.because}") for r in others),
        Table(
            "Numbers under our reading and under the other one, for which fewer workloads may have plans",
            ("question", "number", "published", "taken", "other reading", "of so many"),
            tuple(rows),
            frozenset({2, 3, 4, 5}),
        ),
    ]
