"""Harpagon §IV: workloads that Harpagon has a plan for, both optima on them, and the optimum of every design.

The same question on other kinds of profiles is asked last.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from euclio.papers.harpagon import HARPAGON
from euclio.session.workloads.acceptance import SYSTEMS
from euclio.session.workloads.protocol import PUBLISHED_WORKLOADS, SEED, draw
from euclio.studies.certifying import proofs_of
from euclio.studies.collector import Collector, seeded_sample
from euclio.studies.harpagon.kinds import MEASURED, POPULATION, collect_kinds
from euclio.studies.harpagon.kinds_text import CAPTION as KINDS_CAPTION
from euclio.studies.harpagon.measures import (
    ENUMERATION,
    PLAN_OPTIMUM,
    PLAN_OPTIMUM_SHARED,
    QUANTIZED,
    SPLIT_BREAKPOINTS,
    SPLIT_CENTISECONDS,
    SPLIT_LIMIT_S,
    SPLIT_OPTIMUM,
    SPLITS,
    measures,
    own_optimum,
)
from euclio.studies.harpagon.parts import PARTS
from euclio.studies.harpagon.readings import OTHER_RUNS
from euclio.studies.harpagon.reasons import reasons
from euclio.studies.harpagon.text import text
from euclio.studies.modules import kept_by_allocation
from euclio.studies.reference_workloads import ReferenceDraws, draw_workloads_of, reference_draws, runs_of_some
from euclio.studies.sessions import session_runs, session_tables
from euclio.studies.study import Asked, Found, Study
from euclio.workloads.populations import identify

TIME_LIMIT_S = 10.0
"""Limit of one run; it leaves a bound and a gap, never a missing row."""
ENUMERATION_LIMIT_S = 1.0
"""Limit of the timed enumeration; beyond it the time is extrapolated from the share of vectors gone through."""
GRID_SAMPLE = 60
TIMED_SAMPLE = 30

SYSTEM_RUNS = tuple(kept_by_allocation(name, TIME_LIMIT_S) for name in SYSTEMS)
REFERENCES = (
    kept_by_allocation(SPLITS, None, label=SPLIT_OPTIMUM),
    kept_by_allocation(PLAN_OPTIMUM, TIME_LIMIT_S),
    kept_by_allocation(PLAN_OPTIMUM, TIME_LIMIT_S, label=PLAN_OPTIMUM_SHARED, space=(("policy", "tc-shared"),)),
)
DESIGNS = tuple(
    kept_by_allocation(PLAN_OPTIMUM, TIME_LIMIT_S, label=own_optimum(name), space_of=name, measure="")
    for name in SYSTEMS
    if own_optimum(name) != PLAN_OPTIMUM
)
"""The optimum of every plan space of a system that is not the full one."""
GRIDS = tuple(kept_by_allocation(grid, SPLIT_LIMIT_S) for grid in (SPLIT_BREAKPOINTS, SPLIT_CENTISECONDS))
OTHER_READINGS = tuple(kept_by_allocation(name, TIME_LIMIT_S, measure="") for name in OTHER_RUNS)
TIMED = (
    kept_by_allocation(HARPAGON, TIME_LIMIT_S, measure=""),
    kept_by_allocation(QUANTIZED, TIME_LIMIT_S, measure=""),
    kept_by_allocation(ENUMERATION, ENUMERATION_LIMIT_S, measure=""),
)


def collect(collector: Collector, asked: Asked) -> Found:
    """Draw workloads and run everything on them; the finer grids of the split optimum on a sample unless it is full."""
    count, seed = asked.workloads or PUBLISHED_WORKLOADS, asked.seed
    collector.staged("compile", [draw(seed, 1).session], (*SYSTEM_RUNS, *REFERENCES, *DESIGNS))
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
    """What was drawn, as far as no run is needed for it."""
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
