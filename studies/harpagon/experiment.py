"""Harpagon §IV: workloads that Harpagon has a plan for, both optima on them, and the optimum of every design.

The same question on other kinds of profiles is asked last.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from euclio.report import Figure
from euclio.report.analysis.statistics import Measured, measured
from euclio.workloads.populations import identify
from euclio.workloads.session.acceptance import ABLATIONS, BASELINES, SYSTEMS
from euclio.workloads.session.protocol import PUBLISHED_WORKLOADS, SEED, draw
from studies.collector import ENUMERATION_LIMIT_S, FINE_SPLIT_LIMIT_S, RUN_LIMIT_S, Collector, seeded_sample
from studies.costs import costs
from studies.harpagon import figures
from studies.harpagon.kinds import CAPTION as KINDS_CAPTION
from studies.harpagon.kinds import MEASURED, POPULATION, collect_kinds
from studies.harpagon.measures import (
    ABLATION_RUNS,
    ENUMERATION,
    OTHER_RUNS,
    PLAN_OPTIMUM,
    PLAN_OPTIMUM_SHARED,
    QUANTIZED,
    REPRICED_RUN,
    SPLIT_BREAKPOINTS,
    SPLIT_CENTISECONDS,
    SPLIT_OPTIMUM,
    SPLITS,
    measures,
    own_optimum,
)
from studies.harpagon.text import reasons, text
from studies.inference.reference import reference_setting
from studies.modules import kept_by_allocation, majority_configurations, module_figures
from studies.papers.costs import extras, normalized
from studies.papers.harpagon import HARPAGON, NO_DUMMIES
from studies.papers.modules import dispatch, given_module, less
from studies.proof_sample import proofs_of
from studies.reference_workloads import ReferenceDraws, draw_workloads_of, reference_draws, runs_of_some
from studies.sessions import session_runs, session_tables
from studies.study import Asked, Found, Part, Study

Tables = Mapping[str, pd.DataFrame]
Values = Mapping[str, float]


def _runs(*ablations: str) -> tuple[str, ...]:
    """Harpagon and some of its ablations."""
    return (HARPAGON, *(f"{HARPAGON}:{name}" for name in ablations))


def _figure_6(tables: Tables, published: Values) -> Figure:
    ratio = normalized(costs(tables["runs"]), HARPAGON)
    return figures.figure_6(measured(extras(ratio, HARPAGON, ABLATIONS)), published)


def _figure_7(tables: Tables, published: Values) -> Figure:
    allocations = tables["allocations"]
    found = measured(dispatch(majority_configurations(allocations, REPRICED_RUN)))
    return figures.figure_7(found, module_figures(allocations), published)


def _figure_8(tables: Tables, published: Values) -> Figure:
    modules = module_figures(tables["allocations"])
    return figures.figure_8(tables["runs"], modules, reference_setting(HARPAGON).given, published)


def _figure_9(tables: Tables, published: Values) -> Figure:
    modules = module_figures(tables["allocations"])
    given = given_module(modules, HARPAGON, reference_setting(HARPAGON).given)
    names = ("nb", "nhc", "nhe")
    found: dict[str, Measured] = measured(
        {f"{name}_throughput_less": less(modules, f"{HARPAGON}:{name}", given) for name in names}
    )
    return figures.figure_9(found, published)


PARTS = {
    "figure-5": Part(
        (HARPAGON, *BASELINES, SPLIT_OPTIMUM, PLAN_OPTIMUM),
        lambda t, _: figures.figure_5(t["runs"]),
        figures.figure_5.question,
    ),
    "figure-6": Part((HARPAGON, *ABLATION_RUNS), _figure_6, figures.figure_6.question),
    "figure-7": Part(_runs("2d", "dt"), _figure_7, figures.figure_7.question),
    "figure-8": Part((*_runs("1c", "2c"), NO_DUMMIES), _figure_8, figures.figure_8.question),
    "figure-9": Part(_runs("nb", "nhc", "nhe"), _figure_9, figures.figure_9.question),
    "figure-10": Part(
        _runs("0re", "1re"), lambda t, published: figures.figure_10(t["runs"], published), figures.figure_10.question
    ),
    "figure-11": Part(
        _runs("tb"),
        lambda t, _: figures.figure_11(t["runs"], module_figures(t["allocations"])),
        figures.figure_11.question,
    ),
    "figure-12": Part(
        _runs("q0.01", "q0.1"), lambda t, published: figures.figure_12(t["runs"], published), figures.figure_12.question
    ),
    "figure-map": Part(
        (HARPAGON, SPLIT_OPTIMUM, PLAN_OPTIMUM), lambda t, _: figures.figure_map(t["runs"]), figures.figure_map.question
    ),
    "figure-gaps": Part(
        (HARPAGON, SPLIT_OPTIMUM, PLAN_OPTIMUM),
        lambda t, _: figures.figure_gaps(t["runs"]),
        figures.figure_gaps.question,
    ),
}
"""Solvers by key of the figure; the opening pictures and all tables need more runs."""


GRID_SAMPLE = 60
TIMED_SAMPLE = 30

SYSTEM_RUNS = tuple(kept_by_allocation(name, RUN_LIMIT_S) for name in SYSTEMS)
REFERENCES = (
    kept_by_allocation(SPLITS, None, label=SPLIT_OPTIMUM),
    kept_by_allocation(PLAN_OPTIMUM, RUN_LIMIT_S),
    kept_by_allocation(PLAN_OPTIMUM, RUN_LIMIT_S, label=PLAN_OPTIMUM_SHARED, space=(("policy", "tc-shared"),)),
)
DESIGNS = tuple(
    kept_by_allocation(PLAN_OPTIMUM, RUN_LIMIT_S, label=own_optimum(name), space_of=name, measure="")
    for name in SYSTEMS
    if own_optimum(name) != PLAN_OPTIMUM
)
"""The optimum of every plan space of a system that is not the full one."""
GRIDS = tuple(kept_by_allocation(grid, FINE_SPLIT_LIMIT_S) for grid in (SPLIT_BREAKPOINTS, SPLIT_CENTISECONDS))
OTHER_READINGS = tuple(kept_by_allocation(name, RUN_LIMIT_S, measure="") for name in OTHER_RUNS)
TIMED = (
    kept_by_allocation(HARPAGON, RUN_LIMIT_S, measure=""),
    kept_by_allocation(QUANTIZED, RUN_LIMIT_S, measure=""),
    kept_by_allocation(ENUMERATION, ENUMERATION_LIMIT_S, measure=""),
)


def collect(collector: Collector, asked: Asked) -> Found:
    """Draw workloads and run everything on them; the finer grids of the split optimum on a sample unless it is full."""
    count, seed = asked.workloads or PUBLISHED_WORKLOADS, asked.seed
    by_splits, *by_plans = REFERENCES
    collector.compile(draw(seed, 1).session, (*by_plans, *DESIGNS), SYSTEM_RUNS, (by_splits,))
    with collector.stage("draw and ask the 20 systems", count * len(SYSTEM_RUNS)) as advance:
        drawn, asked_systems = draw_workloads_of(collector, HARPAGON, SYSTEM_RUNS, count, seed, advance)
    accepted = [workload.session for workload in drawn.workloads]
    frames, proofs = [asked_systems], proofs_of(asked_systems, accepted, SYSTEM_RUNS)
    sample = accepted if asked.full else seeded_sample(accepted, GRID_SAMPLE, seed)
    for name, sessions, settings in (
        ("split optimum and plan optimum", accepted, REFERENCES),
        ("best plan of every design", accepted, DESIGNS),
        ("finer grids of the split optimum", sample, GRIDS),
        ("other readings of the systems", accepted, OTHER_READINGS),
    ):
        frame = collector.staged(name, sessions, settings)
        frames.append(frame)
        proofs += proofs_of(frame, sessions, settings)
    timed = seeded_sample(accepted, TIMED_SAMPLE, seed)
    timings = collector.staged("time the brute force, one process", timed, TIMED, alone=True)
    kinds, others = collect_kinds(collector, asked)
    own = identify(accepted, HARPAGON, seed)
    tables = session_tables(frames, drawn.workloads) | {"timings": session_runs(timings, drawn.workloads)}
    tables = {name: table.assign(population=own.label) for name, table in tables.items()}
    return Found({**tables, "kinds": kinds}, proofs, drawn, {"workloads": count}, [own, *others])


def details(asked: Asked) -> ReferenceDraws:
    """The drawn workloads, as far as they need no run."""
    return reference_draws(HARPAGON, asked.workloads or PUBLISHED_WORKLOADS, asked.seed)


def collect_runs(collector: Collector, asked: Asked, labels: Collection[str]) -> Found:
    """The runs of some of the systems and optima alone, by label."""
    settings = [setting for setting in (*SYSTEM_RUNS, *REFERENCES, *DESIGNS) if setting.label in labels]
    return runs_of_some(collector, asked, HARPAGON, PUBLISHED_WORKLOADS, settings)


def shown(key: str) -> Sequence[str] | None:
    """The populations of a figure or a table: the first picture and its table are about all of them."""
    return (HARPAGON, *POPULATION.values(), MEASURED) if key in {"figure-kinds", KINDS_CAPTION} else None


TITLE = "Harpagon reproduced: how far from optimal is it?"
STUDY = Study(
    "harpagon",
    TITLE,
    SEED,
    collect,
    measures,
    reasons,
    text,
    shown=shown,
    details=details,
    parts=PARTS,
    collect_runs=collect_runs,
)
