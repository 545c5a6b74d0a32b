"""Readings of what Harpagon's §IV leaves open: which one is taken and why, and its figures under the other one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from euclio.analysis.statistics import Measured
from euclio.core.words import with_unit
from euclio.report import Block, Heading, Paragraph, Table
from euclio.studies.harpagon.modules import (
    HARPAGON,
    Given,
    dispatch_latency,
    module_figures,
    more_than_two,
    throughput_measures,
)
from euclio.studies.scorecard import Score
from euclio.studies.study import Collected
from euclio.studies.verdicts import OtherReading

NAMED = (Given("traffic", "detector"), Given("face", "keypoints"), Given("pose", "keypoints"))
"""Modules that run the networks that the paper names: SSD, PRNet and OpenPose."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A question that the paper leaves open.

    Attributes:
        question: what is open.
        taken: the answer that the scorecard takes.
        other: the other answer.
        because: what speaks for the one taken.
    """

    question: str
    taken: str
    other: str
    because: str


MAJORITY = Reading(
    "What Figure 7(a) compares",
    "the latency of one configuration: 2d, d + b/t and d + b/w",
    "the worst-case latency of whole module plans",
    'The text says "given the same configuration", and a plan\'s partial machine waits d + b/f under every dispatch.',
)
MORE_THAN_TWO = Reading(
    "Where more than two configurations are counted",
    "in plans without dummies (Harp-nd)",
    "in Harpagon's plans",
    "With one hardware type no third configuration survives the dummy generator, with the two here next to none "
    "(docs/findings/two-features.md); 32.4 % is also all but the 67.6 % on which Harp-2c costs the same.",
)
GIVEN_MODULE = Reading(
    "Which modules are given in Figures 7(b), 8(b) and 9",
    "those that Harpagon spends most on",
    "those of SSD, PRNet and OpenPose, SSD where one is given",
    "The paper names none. SSD gains nothing from batches above 16, so that no dispatch and no batching moves it much.",
)
READINGS = (MAJORITY, MORE_THAN_TWO, GIVEN_MODULE)


def other_readings(allocations: pd.DataFrame) -> dict[Reading, dict[str, Measured]]:
    """The figures that each reading moves under the other answer, by key of the published figure."""
    modules = module_figures(allocations)
    return {
        MAJORITY: {
            "2d_latency_extra": dispatch_latency(allocations, "rr_latency_s"),
            "dt_latency_extra": dispatch_latency(allocations, "machine_rate_latency_s"),
        },
        MORE_THAN_TWO: {"more_than_two_share": more_than_two(modules, HARPAGON)},
        GIVEN_MODULE: throughput_measures(modules, NAMED),
    }


def under_other_readings(collected: Collected) -> dict[str, list[OtherReading]]:
    """The same, by key of the published figure."""
    found: dict[str, list[OtherReading]] = {}
    for reading, figures in other_readings(collected.tables["allocations"]).items():
        for key, measured in figures.items():
            found.setdefault(key, []).append(OtherReading(reading.question, reading.other, measured))
    return found


def readings_blocks(scores: Sequence[Score], others: Mapping[Reading, Mapping[str, Measured]]) -> list[Block]:
    """What each reading does to the figures that it moves, as a table below its reasons."""
    by_key = {score.published.key: score for score in scores}
    rows = []
    for reading, figures in others.items():
        for key, other in figures.items():
            score = by_key[key]
            values = (score.published.value, score.measured.value, other.value)
            rows.append((reading.question, score.published.what, *(with_unit(v, score.published.unit) for v in values)))
    return [
        Heading("Readings"),
        *(Paragraph(f"{r.question}: {r.taken}, not {r.other}. {r.because}") for r in others),
        Table(
            "Figures under the reading that is taken and under the other one",
            ("question", "figure", "published", "taken", "other reading"),
            tuple(rows),
            frozenset({2, 3, 4}),
        ),
    ]
