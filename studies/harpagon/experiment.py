"""Harpagon §IV: workloads that Harpagon has a plan for, both optima on them, and the optimum of every design.

The same question on other kinds of profiles is asked last.
"""

from __future__ import annotations

from collections.abc import Sequence

from euclio.workloads.populations import identify
from euclio.workloads.session.acceptance import SYSTEMS
from euclio.workloads.session.protocol import PUBLISHED_WORKLOADS, SEED, draw
from studies.collector import ENUMERATION_LIMIT_S, FINE_SPLIT_LIMIT_S, RUN_LIMIT_S, Collector, seeded_sample
from studies.harpagon.figures import PARTS
from studies.harpagon.kinds import CAPTION as KINDS_CAPTION
from studies.harpagon.kinds import MEASURED, POPULATION, collect_kinds
from studies.harpagon.measures import (
    ENUMERATION,
    OTHER_RUNS,
    PLAN_OPTIMUM,
    PLAN_OPTIMUM_SHARED,
    QUANTIZED,
    SPLIT_BREAKPOINTS,
    SPLIT_CENTISECONDS,
    SPLIT_OPTIMUM,
    SPLITS,
    measures,
    own_optimum,
)
from studies.harpagon.text import reasons, text
from studies.modules import kept_by_allocation
from studies.papers.harpagon import HARPAGON
from studies.proof_sample import proofs_of
from studies.reference_workloads import draw_workloads_of, on_reference
from studies.sessions import session_runs, session_tables
from studies.study import Asked, Found, Study

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


def shown(key: str) -> Sequence[str] | None:
    """The populations of a figure or a table: the first picture and its table are about all of them."""
    return (HARPAGON, *POPULATION.values(), MEASURED) if key in {"figure-kinds", KINDS_CAPTION} else None


TITLE = "Harpagon reproduced: how far from optimal is it?"
STUDY = on_reference(
    Study(HARPAGON, TITLE, SEED, collect, measures, reasons, text, shown=shown, parts=PARTS),
    PUBLISHED_WORKLOADS,
    (*SYSTEM_RUNS, *REFERENCES, *DESIGNS),
)
