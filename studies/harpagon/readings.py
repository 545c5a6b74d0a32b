"""Readings of what Harpagon's §IV leaves open: which one is taken and why, and its numbers under the other one."""

from __future__ import annotations

import pandas as pd

from euclio.report.analysis.statistics import Measured, Sample, measured
from studies.costs import costs
from studies.harpagon.measures import REPRICED_RUN
from studies.modules import dispatch_latency, left, module_figures
from studies.papers.costs import baselines, extras, normalized, same
from studies.papers.harpagon import HARPAGON, throughputs
from studies.papers.modules import Given, given_module, less, more_than_two, remaining
from studies.readings import OWN_SCROOGE, SHARED_RATE, Reading, reread

NAMED = (Given("traffic", "detector"), Given("face", "keypoints"), Given("pose", "keypoints"))
"""Modules that run the networks that the paper names: SSD, PRNet and OpenPose."""


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
    """The numbers that each reading moves under the other answer, by key of the published number.

    Args:
        runs: one row per workload and run.
        allocations: rows of `studies.modules.allocation_rows`.
        application: whose most expensive module is the given one.
    """
    modules = module_figures(allocations)
    given = given_module(modules, HARPAGON, application)
    frames = {reading: reread(runs, reading) for reading in OF_SYSTEMS}
    found = {
        # Of few workloads it may be that none has all plans under the other answer.
        **{reading: _of_systems(reading, frame) for reading, frame in frames.items() if len(frame)},
        MAJORITY: {
            "2d_latency_extra": dispatch_latency(allocations, REPRICED_RUN, "rr_latency_s"),
            "dt_latency_extra": dispatch_latency(allocations, REPRICED_RUN, "machine_rate_latency_s"),
        },
        MORE_THAN_TWO: {
            "more_than_two_share": more_than_two(modules, HARPAGON),
            "2c_second_throughput_less": less(modules, "harpagon:2c", given, "second"),
        },
        GIVEN_MODULE: throughputs(modules, NAMED, NAMED[0]),
    }
    return {reading: measured(figures) for reading, figures in found.items()}


def _of_systems(reading: Reading, runs: pd.DataFrame) -> dict[str, Sample]:
    """The numbers that a reading of whole systems moves, of runs that have been read again."""
    ratio = normalized(costs(runs), HARPAGON)
    if reading is TWO_WITHOUT:
        return {**extras(ratio, HARPAGON, ["2c"]), "2c_same_share": same(ratio["harpagon:2c"])}
    if reading is FIRST_GAIN:
        left_over = remaining(left(runs), HARPAGON)["1re_remaining_budget"]
        return {**extras(ratio, HARPAGON, ["1re"]), "1re_remaining_budget": left_over}
    return baselines(ratio, HARPAGON)
