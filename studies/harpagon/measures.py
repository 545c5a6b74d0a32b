"""Measures of the runs (Harpagon §IV-B, Figures 6, 8(a), 12 and the run times), by key of the published numbers."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from euclio.core.registry import find_solver
from euclio.problems.session import FULL_SPACE
from euclio.questions.comparison.decomposing import gap_row
from euclio.questions.comparison.gap import Gap
from euclio.report.analysis.statistics import Measured, Sample, measured
from euclio.workloads.session.acceptance import ABLATIONS, SYSTEMS
from euclio.workloads.session.protocol import PUBLISHED_WORKLOADS
from studies.costs import costs, time_measures, within
from studies.modules import dispatch_latency, left, module_figures, plans_of
from studies.papers.costs import extras, same
from studies.papers.harpagon import HARPAGON, figures, throughputs
from studies.papers.modules import ROUND_ROBIN, GivenModule, given_module, less, more_than_two, remaining
from studies.readings import OWN_SCROOGE, SHARED_RATE, OfSystems, Reading, moved_by_systems
from studies.session_figures import PaperSystem
from studies.sessions import by_solver
from studies.study import Collected

ABLATION_RUNS = tuple(f"harpagon:{name}" for name in ABLATIONS)
SPLIT_OPTIMUM = "split-bruteforce"
SPLITS = "split-bruteforce:million"
"""The search for the best split: a limit on nodes ends it, not a clock; stopped searches are left out and counted."""
SPLIT_BREAKPOINTS = "split-bruteforce:breakpoints"
SPLIT_CENTISECONDS = "split-bruteforce:0.01"
ENUMERATION = "split-enumeration"
"""The papers' brute force as plain enumeration; only timed."""
PLAN_OPTIMUM = "exact"
PLAN_OPTIMUM_SHARED = "exact tc-shared"
QUANTIZED = "harpagon:q0.01"
REPRICED_RUN = f"{HARPAGON}:{ROUND_ROBIN}"
"""Its plans are priced under each dispatch (Harpagon §IV-C, Fig. 7(a))."""
THREE_MODULE_APPLICATION = ("traffic", ("detector", "vehicle", "face"))
THROUGHPUT_SPLIT = ("inferline", "harpagon:tb")
"""Systems that split the latency by throughput (Harpagon Table III)."""


SYSTEM = PaperSystem(
    HARPAGON,
    "Harpagon",
    "Harp",
    PUBLISHED_WORKLOADS,
    share="91.5",
    scheduler="Algorithm 1",
    variants=ABLATIONS,
    split=lambda runs: costs(runs)[SPLIT_OPTIMUM],
    plan=lambda runs: costs(runs)[PLAN_OPTIMUM],
    means=(1.493, 2.372),
    largest=3.2,
)


def own_optimum(system: str) -> str:
    """Label of the run that finds the optimum of a system's own plan space."""
    solver = find_solver(system)
    return PLAN_OPTIMUM if solver.space == FULL_SPACE and solver.narrow is None else f"{PLAN_OPTIMUM} for {system}"


def optimality(runs: pd.DataFrame, reference: str = SPLIT_OPTIMUM) -> tuple[Measured, Measured]:
    """Share of workloads on which Harpagon costs no more than a reference, and its largest extra cost over it.

    Workloads without an answer of the reference are left out.
    """
    table = costs(runs)
    return within(table[HARPAGON], table[reference])


def gaps(runs: pd.DataFrame) -> pd.DataFrame:
    """The gap of every system on every workload, as `euclio.decompose` gives it; unproven optima are left out.

    Args:
        runs: one row per workload and run, the optima of the systems' own plan spaces included.
    """
    cost, proven = costs(runs), by_solver(runs, "status") == "optimal"
    optima = cost.where(proven)
    rows = []
    for system in SYSTEMS:
        columns = (cost[system], optima[own_optimum(system)], optima[PLAN_OPTIMUM])
        for workload, *values in zip(cost.index, *columns, strict=True):
            reached, own, best = (None if pd.isna(v) else float(v) for v in values)
            rows.append(gap_row(str(workload), system, Gap(reached, own, best)))
    return pd.DataFrame.from_records(rows)


def measures(collected: Collected) -> dict[str, Measured]:
    """Every measure, by key of the published number."""
    runs, allocations = collected.tables["runs"], collected.tables["allocations"]
    split_share, split_gap = optimality(runs)
    return {
        **measured(figures(plans_of(runs, allocations, HARPAGON), collected.details.given, ABLATIONS)),
        "optimal_share": split_share,
        "optimal_gap_max": split_gap,
        **time_measures(collected.tables["timings"], HARPAGON, ENUMERATION, QUANTIZED),
    }


NAMED = (GivenModule("traffic", "detector"), GivenModule("face", "keypoints"), GivenModule("pose", "keypoints"))
"""Modules that run the networks that the paper names: SSD, PRNet and OpenPose."""


TWO_WITHOUT = Reading(
    "Which dummies Harp-2c adds",
    "none",
    "those of Harpagon",
    "With dummies the limit of two costs at most 0.5 % on every workload tried (docs/findings/two-features.md).",
    (("harpagon:2c", "harpagon:2c-literal"),),
)
FIRST_GAIN = Reading(
    "Which module gets the remaining latency in Harp-1re",
    "the first one that gains",
    "the one that gains most",
    "Printed Harp-1re over Harp-0re is 0.6; the module with the largest gain leaves less for the others.",
    (("harpagon:1re", "harpagon:1re-literal"),),
)
MAJORITY = Reading(
    "The quantity in Figure 7(a)",
    "the latency of one configuration: 2d, d + b/t and d + b/w",
    "the worst-case latency of whole module plans",
    'The text says "given the same configuration", and a plan\'s partial machine waits d + b/f under every dispatch.',
)
MORE_THAN_TWO = Reading(
    "Where more than two configurations are counted, and the reference of Harp-2c's second one",
    "in plans without dummies (Harp-nd)",
    "in Harpagon's plans",
    "With one hardware type no third configuration survives the dummy generator, with the two here almost none "
    "(docs/findings/two-features.md). 32.4 % is also 100 % less the 67.6 % on which Harp-2c costs the same.",
)
GIVEN_MODULE = Reading(
    "The given modules in Figures 7(b), 8(b) and 9",
    "those that Harpagon spends most on in an application (one: as in the reference setting)",
    "those of SSD, PRNet and OpenPose, SSD where one is given",
    "The paper names none. SSD gains nothing from batches above 16, so dispatch and batching hardly move it.",
)


def _of_two(_: pd.DataFrame, ratio: pd.DataFrame) -> dict[str, Sample]:
    return {**extras(ratio, HARPAGON, ["2c"]), "2c_same_share": same(ratio["harpagon:2c"])}


def _of_first_gain(runs: pd.DataFrame, ratio: pd.DataFrame) -> dict[str, Sample]:
    budget = "1re_remaining_budget"
    return {**extras(ratio, HARPAGON, ["1re"]), budget: remaining(left(runs), HARPAGON)[budget]}


OF_SYSTEMS: Mapping[Reading, OfSystems | None] = {
    SHARED_RATE: None,
    OWN_SCROOGE: None,
    TWO_WITHOUT: _of_two,
    FIRST_GAIN: _of_first_gain,
}
"""Readings of whole systems, with the numbers that they move; None means those of the baselines."""
OTHER_RUNS = tuple(other for reading in OF_SYSTEMS for _, other in reading.rows)
"""Solvers of the other readings."""


def other_readings(
    runs: pd.DataFrame, allocations: pd.DataFrame, application: str
) -> dict[Reading, dict[str, Measured]]:
    """The numbers that each reading moves under the other answer, by key of the published number.

    Args:
        runs: one row per workload and run.
        allocations: rows of `studies.modules.allocation_rows`.
        application: application whose most expensive module is the given one.
    """
    modules = module_figures(allocations)
    given = given_module(modules, HARPAGON, application)
    found = {
        **moved_by_systems(runs, HARPAGON, OF_SYSTEMS),
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
