"""Harpagon §IV: workloads that every system has a plan for, both optima on them, and the optimum of every design."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

import euclio.results as results
from euclio.runs.solver_settings import solver_settings
from euclio.runs.task import SolverSetting
from euclio.session.workloads.acceptance import SYSTEMS
from euclio.session.workloads.protocol import PUBLISHED_WORKLOADS, SEED, draw
from euclio.studies.certifying import proofs_of
from euclio.studies.collector import Collector, seeded_sample
from euclio.studies.harpagon.measures import (
    ENUMERATION,
    PLAN_OPTIMUM,
    PLAN_OPTIMUM_SHARED,
    QUANTIZED,
    SPLIT_BREAKPOINTS,
    SPLIT_CENTISECONDS,
    SPLIT_LIMIT_S,
    SPLIT_OPTIMUM,
    measures,
    own_optimum,
)
from euclio.studies.harpagon.modules import HARPAGON
from euclio.studies.harpagon.readings import under_other_readings
from euclio.studies.harpagon.reasons import reasons
from euclio.studies.harpagon.text import text
from euclio.studies.sessions import draw_workloads, session_runs
from euclio.studies.store import joined
from euclio.studies.study import Asked, Found, Study

TIME_LIMIT_S = 10.0
"""Limit of one run; it leaves a bound and a gap, never a missing row."""
ENUMERATION_LIMIT_S = 1.0
"""Limit of the timed enumeration; beyond it the time is extrapolated from the share of vectors gone through."""
GRID_SAMPLE = 60
TIMED_SAMPLE = 30


def setting(solver: str, time_s: float = TIME_LIMIT_S, **changes: Any) -> SolverSetting:
    """A solver whose plans are kept allocation by allocation."""
    (found,) = solver_settings(solver)
    return replace(found, **{"time_s": time_s, "measure": "euclio.studies.harpagon.modules:allocation_rows", **changes})


SYSTEM_RUNS = tuple(setting(name) for name in SYSTEMS)
REFERENCES = (
    setting(SPLIT_OPTIMUM, SPLIT_LIMIT_S),
    setting(PLAN_OPTIMUM),
    setting(PLAN_OPTIMUM, label=PLAN_OPTIMUM_SHARED, space=(("policy", "tc-shared"),)),
)
DESIGNS = tuple(
    setting(PLAN_OPTIMUM, label=own_optimum(name), space_of=name, measure="")
    for name in SYSTEMS
    if own_optimum(name) != PLAN_OPTIMUM
)
"""The optimum of every plan space of a system that is not the full one."""
GRIDS = tuple(setting(grid, SPLIT_LIMIT_S) for grid in (SPLIT_BREAKPOINTS, SPLIT_CENTISECONDS))
TIMED = (
    setting(HARPAGON, measure=""),
    setting(QUANTIZED, measure=""),
    setting(ENUMERATION, ENUMERATION_LIMIT_S, measure=""),
)


def collect(collector: Collector, asked: Asked) -> Found:
    """Draw workloads and run everything on them; the finer grids of the split optimum on a sample unless it is full."""
    count, seed = asked.workloads or PUBLISHED_WORKLOADS, asked.seed
    collector.staged("compile", [draw(seed, 1).session], (*SYSTEM_RUNS, *REFERENCES, *DESIGNS))
    with collector.stage("draw and ask the 20 systems", count) as advance:
        drawn, asked_systems = draw_workloads(collector, SYSTEM_RUNS, count, seed, advance)
    accepted = [workload.session for workload in drawn.workloads]
    frames, proofs = [asked_systems], proofs_of(asked_systems, accepted, SYSTEM_RUNS)
    sample = accepted if asked.full else seeded_sample(accepted, GRID_SAMPLE, seed)
    for name, sessions, settings in (
        ("split optimum and plan optimum", accepted, REFERENCES),
        ("best plan of every design", accepted, DESIGNS),
        ("finer grids of the split optimum", sample, GRIDS),
    ):
        frame = collector.staged(name, sessions, settings)
        frames.append(frame)
        proofs += proofs_of(frame, sessions, settings)
    timed = seeded_sample(accepted, TIMED_SAMPLE, seed)
    timings = collector.staged("time the brute force, one process", timed, TIMED, alone=True)
    tables = {
        "runs": _sorted([session_runs(frame, drawn.workloads) for frame in frames], []),
        "allocations": _sorted(
            [results.measured(f).rename(columns={"instance": "workload", "label": "solver"}) for f in frames],
            ["module", "position"],
        ),
        "timings": session_runs(timings, drawn.workloads),
    }
    return Found(tables, proofs, drawn, {"workloads": count})


def _sorted(tables: Sequence[pd.DataFrame], more: Sequence[str]) -> pd.DataFrame:
    """Sorted so that the same results are the same bytes."""
    return joined(tables).sort_values(["workload", "solver", *more], ignore_index=True)


TITLE = "Harpagon reproduced: how far from optimal is it?"
STUDY = Study("harpagon", TITLE, SEED, collect, measures, reasons, text, under_other_readings)
