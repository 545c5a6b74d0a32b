"""Piccolo §IV: workloads for which every system has a plan, and both optima on them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pandas as pd

from euclio.report import Figure
from euclio.report.analysis.statistics import measured
from euclio.workloads.populations import identify
from euclio.workloads.session.acceptance import BASELINES
from euclio.workloads.session.protocol import SEED, draw
from studies.collector import ENUMERATION_LIMIT_S, PICCOLO_SPLIT_LIMIT_S, RUN_LIMIT_S, Collector, seeded_sample
from studies.costs import costs
from studies.inference.reference import reference_setting
from studies.modules import kept_by_allocation, majority_configurations, module_figures
from studies.papers.costs import extras, normalized
from studies.papers.modules import ROUND_ROBIN, dispatch
from studies.papers.piccolo import PICCOLO, throughputs
from studies.piccolo import figures
from studies.piccolo.measures import (
    ALTERNATIVES,
    FEW,
    OTHER_ROWS,
    PLAIN_SPLITS,
    PLAN_OPTIMUM,
    QUANTIZED,
    SPLIT_OPTIMUM,
    filled,
    measures,
    settled,
)
from studies.piccolo.text import reasons, text
from studies.proof_sample import proofs_of
from studies.reference_workloads import ReferenceDraws, draw_workloads_of, reference_draws, runs_of_some
from studies.sessions import session_runs, session_tables
from studies.study import Asked, Found, Part, Study

Tables = Mapping[str, pd.DataFrame]
Values = Mapping[str, float]


def _runs(*alternatives: str) -> tuple[str, ...]:
    """Piccolo and some of its alternatives."""
    return (PICCOLO, *(f"{PICCOLO}:{name}" for name in alternatives))


def _figure_5(tables: Tables, published: Values) -> Figure:
    ratio = normalized(costs(tables["runs"]), PICCOLO)
    return figures.figure_5(measured(extras(ratio, PICCOLO, ALTERNATIVES)), published)


def _figure_6(tables: Tables, published: Values) -> Figure:
    modules, application = module_figures(tables["allocations"]), reference_setting(PICCOLO).given
    return figures.figure_6(measured(throughputs(modules, application)), modules, application, published)


def _figure_8(tables: Tables, published: Values) -> Figure:
    majority = majority_configurations(tables["allocations"], f"{PICCOLO}:{ROUND_ROBIN}")
    return figures.figure_8(measured(dispatch(majority)), published)


PARTS = {
    "figure-5": Part(_runs(*ALTERNATIVES), _figure_5, figures.figure_5.question),
    "figure-6": Part(_runs("np", "nb", "nh"), _figure_6, figures.figure_6.question),
    "figure-7": Part(
        _runs("1bpc", "2bpc"), lambda t, published: figures.figure_7(t["runs"], published), figures.figure_7.question
    ),
    "figure-8": Part(_runs("2d", "dt"), _figure_8, figures.figure_8.question),
    "figure-9": Part(
        _runs("tb"), lambda t, published: figures.figure_9(t["runs"], published), figures.figure_9.question
    ),
    "figure-10": Part(
        _runs("q0.01", "q0.1"), lambda t, published: figures.figure_10(t["runs"], published), figures.figure_10.question
    ),
    "figure-11": Part(
        _runs("0re", "1re"), lambda t, published: figures.figure_11(t["runs"], published), figures.figure_11.question
    ),
}
"""Figures by key; those with the best split, and all tables, need runs that depend on others."""


WORKLOADS = 663
SEARCHED = 200
"""Workloads in the sample for the split optimum, unless the run is full; many are settled without a search."""
SEARCHED_MODULES = 3
"""Most modules of a workload in that sample. The paper has no larger ones (Figure 9), and five modules have too many
vectors of budgets to try."""
TIMED_SAMPLE = 20

SYSTEMS = (PICCOLO, *BASELINES, *(f"piccolo:{name}" for name in ALTERNATIVES))
SYSTEM_RUNS = tuple(kept_by_allocation(name, RUN_LIMIT_S) for name in SYSTEMS)
OPTIMUM = kept_by_allocation("exact", RUN_LIMIT_S, label=PLAN_OPTIMUM, space_of=PICCOLO)
SPLITS = kept_by_allocation(SPLIT_OPTIMUM, PICCOLO_SPLIT_LIMIT_S)
PLAIN = kept_by_allocation("split-bruteforce", PICCOLO_SPLIT_LIMIT_S, label=PLAIN_SPLITS, space_of=PICCOLO, measure="")
OTHER_READINGS = (
    *(kept_by_allocation(name, RUN_LIMIT_S, measure="") for name in OTHER_ROWS),
    *(
        kept_by_allocation(
            f"piccolo:{name}", RUN_LIMIT_S, label=filled(name), space=(("dummy", "continuous"),), measure=""
        )
        for name in FEW
    ),
)
TIMED = (
    kept_by_allocation(PICCOLO, RUN_LIMIT_S, measure=""),
    kept_by_allocation(QUANTIZED, RUN_LIMIT_S, measure=""),
    kept_by_allocation(SPLIT_OPTIMUM, ENUMERATION_LIMIT_S, measure=""),
)


def collect(collector: Collector, asked: Asked) -> Found:
    """Draw workloads and run everything on them.

    If Piccolo costs the same as the proven optimum of its plan space, no split can be cheaper, and the brute force does
    not run. It runs on a sample of the others, or on all in a full run.
    """
    count, seed = asked.workloads or WORKLOADS, asked.seed
    collector.staged("compile", [draw(seed, 1).session], (*SYSTEM_RUNS, OPTIMUM, SPLITS, PLAIN))
    with collector.stage("draw and ask the 18 systems", count * len(SYSTEM_RUNS)) as advance:
        drawn, systems = draw_workloads_of(collector, PICCOLO, SYSTEM_RUNS, count, seed, advance)
    accepted = [workload.session for workload in drawn.workloads]
    best = collector.staged("plan optimum", accepted, (OPTIMUM,))
    done = settled(session_tables((systems, best), drawn.workloads)["runs"])
    small = [session for session in accepted if len(session.modules) <= SEARCHED_MODULES]
    sample = small if asked.full else seeded_sample(small, SEARCHED, seed)
    searched = [session for session in sample if not done[session.name]]
    splits = collector.staged("brute force over splits", searched, (SPLITS,))
    plain = collector.staged("splits that are not stretched", sample, (PLAIN,))
    others = collector.staged("other readings of the systems", accepted, OTHER_READINGS)
    timings = collector.staged(
        "time the brute force, one process", seeded_sample(small, TIMED_SAMPLE, seed), TIMED, alone=True
    )
    tables = session_tables((systems, best, splits, plain, others), drawn.workloads)
    asked_of = {session.name for session in sample}
    tables["runs"] = tables["runs"].assign(split_sample=tables["runs"].workload.isin(asked_of))
    tables["timings"] = session_runs(timings, drawn.workloads)
    own = identify(accepted, PICCOLO, seed)
    tables = {name: table.assign(population=own.label) for name, table in tables.items()}
    return Found(tables, proofs_of(best, accepted, (OPTIMUM,)), drawn, {"workloads": count}, [own])


def details(asked: Asked) -> ReferenceDraws:
    """The part of the draws that needs no run."""
    return reference_draws(PICCOLO, asked.workloads or WORKLOADS, asked.seed)


def collect_runs(collector: Collector, asked: Asked, labels: Collection[str]) -> Found:
    """The runs of some systems alone, by label."""
    settings = [setting for setting in SYSTEM_RUNS if setting.label in labels]
    return runs_of_some(collector, asked, PICCOLO, WORKLOADS, settings)


TITLE = "Piccolo reproduced: 97 % of what?"
STUDY = Study(
    "piccolo",
    TITLE,
    SEED,
    collect,
    measures,
    reasons,
    text,
    details=details,
    parts=PARTS,
    collect_runs=collect_runs,
)
