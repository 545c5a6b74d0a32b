"""Readings of what Harpagon's §IV leaves open: which one is taken and why, and its figures under the other one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from euclio.analysis.statistics import Measured, mean
from euclio.core.words import with_unit
from euclio.report import Block, Heading, Paragraph, Table
from euclio.studies.costs import baseline_measures, extra_measures, normalized, same
from euclio.studies.harpagon.modules import HARPAGON, REPRICED_RUN, throughput_measures
from euclio.studies.modules import (
    Given,
    dispatch_latency,
    given_module,
    less,
    module_figures,
    more_than_two,
    remaining_budget,
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
        rows: where it is about systems: the solvers of the answer taken, with those of the other one.
    """

    question: str
    taken: str
    other: str
    because: str
    rows: tuple[tuple[str, str], ...] = ()


SHARED_RATE = Reading(
    "How InferLine and Clipper share the rate of their only allocation",
    "evenly over its machines",
    "whole machines full and one partial machine",
    "Round robin over equal machines gives each the same rate; with a partial machine InferLine could hardly ever run "
    "what its own split had chosen.",
    (("inferline", "inferline:literal"), ("clipper", "clipper:literal")),
)
OWN_SCROOGE = Reading(
    "How the baseline Scrooge splits the latency and shares a rate",
    "by cost, and evenly",
    "by throughput, with a partial machine",
    "Table III says throughput-based, but Scrooge's own MILP and greedy weigh throughput against cost.",
    (("scrooge", "scrooge:literal"),),
)
TWO_WITHOUT = Reading(
    "Which dummies Harp-2c adds",
    "none",
    "those of Harpagon",
    "With dummies it can never cost what is printed (docs/findings/two-features.md).",
    (("harpagon:2c", "harpagon:2c-literal"),),
)
FIRST_GAIN = Reading(
    "Which module Harp-1re gives the latency that is left to",
    "the first one that gains",
    "the one that gains most",
    "Printed Harp-1re over Harp-0re is 0.6; the module that gains most leaves less for the others to gain.",
    (("harpagon:1re", "harpagon:1re-literal"),),
)
MAJORITY = Reading(
    "What Figure 7(a) compares",
    "the latency of one configuration: 2d, d + b/t and d + b/w",
    "the worst-case latency of whole module plans",
    'The text says "given the same configuration", and a plan\'s partial machine waits d + b/f under every dispatch.',
)
MORE_THAN_TWO = Reading(
    "Where more than two configurations are counted, and what Harp-2c's second one is set against",
    "in plans without dummies (Harp-nd)",
    "in Harpagon's plans",
    "With one hardware type no third configuration survives the dummy generator, with the two here next to none "
    "(docs/findings/two-features.md); 32.4 % is also all but the 67.6 % on which Harp-2c costs the same.",
)
GIVEN_MODULE = Reading(
    "Which modules are given in Figures 7(b), 8(b) and 9",
    "those that Harpagon spends most on in an application (one: as in the reference setting)",
    "those of SSD, PRNet and OpenPose, SSD where one is given",
    "The paper names none. SSD gains nothing from batches above 16, so that no dispatch and no batching moves it much.",
)
OF_SYSTEMS = (SHARED_RATE, OWN_SCROOGE, TWO_WITHOUT, FIRST_GAIN)
OTHER_RUNS = tuple(other for reading in OF_SYSTEMS for _, other in reading.rows)
"""Solvers of the answers that are not taken."""


def other_readings(
    runs: pd.DataFrame, allocations: pd.DataFrame, application: str
) -> dict[Reading, dict[str, Measured]]:
    """The figures that each reading moves under the other answer, by key of the published figure.

    Args:
        runs: one row per workload and run.
        allocations: rows of `euclio.studies.modules.allocation_rows`.
        application: whose most expensive module is the given one.
    """
    modules = module_figures(allocations)
    given = given_module(modules, HARPAGON, application)
    of_systems = {reading: reread(runs, reading) for reading in OF_SYSTEMS}
    return {
        SHARED_RATE: baseline_measures(of_systems[SHARED_RATE], HARPAGON),
        OWN_SCROOGE: baseline_measures(of_systems[OWN_SCROOGE], HARPAGON),
        TWO_WITHOUT: {
            **extra_measures(of_systems[TWO_WITHOUT], HARPAGON, ["2c"]),
            "2c_same_share": same(normalized(of_systems[TWO_WITHOUT], HARPAGON)["harpagon:2c"]),
        },
        FIRST_GAIN: {
            **extra_measures(of_systems[FIRST_GAIN], HARPAGON, ["1re"]),
            "1re_remaining_budget": mean(remaining_budget(of_systems[FIRST_GAIN], "harpagon:1re")),
        },
        MAJORITY: {
            "2d_latency_extra": dispatch_latency(allocations, REPRICED_RUN, "rr_latency_s"),
            "dt_latency_extra": dispatch_latency(allocations, REPRICED_RUN, "machine_rate_latency_s"),
        },
        MORE_THAN_TWO: {
            "more_than_two_share": more_than_two(modules, HARPAGON),
            "2c_second_throughput_less": less(modules, "harpagon:2c", given, "second"),
        },
        GIVEN_MODULE: throughput_measures(modules, NAMED, NAMED[0]),
    }


def under_other_readings(collected: Collected) -> dict[str, list[OtherReading]]:
    """The same, by key of the published figure."""
    found: dict[str, list[OtherReading]] = {}
    tables, application = collected.tables, collected.details.given
    for reading, figures in other_readings(tables["runs"], tables["allocations"], application).items():
        for key, measured in figures.items():
            found.setdefault(key, []).append(OtherReading(reading.question, reading.other, measured))
    return found


def reread(runs: pd.DataFrame, reading: Reading) -> pd.DataFrame:
    """The runs with the other answer's solvers in the place of those taken, where all of them have a plan."""
    other = {after: before for before, after in reading.rows}
    kept = runs[~runs.solver.isin(list(other.values()))]
    kept = kept.assign(solver=kept.solver.replace(other))
    lacking = kept[kept.solver.isin(list(other.values())) & kept.cost_per_h.isna()].workload
    return kept[~kept.workload.isin(lacking)]


def readings_blocks(scores: Sequence[Score], others: Mapping[Reading, Mapping[str, Measured]]) -> list[Block]:
    """What each reading does to the figures that it moves, as a table below its reasons."""
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
            "Figures under the reading that is taken and under the other one, which fewer workloads may have plans for",
            ("question", "figure", "published", "taken", "other reading", "of so many"),
            tuple(rows),
            frozenset({2, 3, 4, 5}),
        ),
    ]
