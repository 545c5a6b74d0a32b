"""Scrooge §4.3: its MILP, greedy and brute force, and the optimum of their plan space, on 2 and 30 worker types."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from euclio.runs.solver_settings import solver_settings
from euclio.runs.task import SolverSetting
from euclio.session.workloads.protocol import SEED
from euclio.session.workloads.scrooge_sessions import draw_scrooge
from euclio.session.workloads.worker_types import on_worker_types
from euclio.studies.certifying import Proof, proofs_of
from euclio.studies.collector import Collector, seeded_sample
from euclio.studies.scrooge.measures import (
    BRUTE_FORCE,
    FIVE_APPLICATIONS,
    GREEDY,
    MANY_TYPES,
    MILP,
    OPTIMUM,
    OWN_SESSIONS,
    measures,
    on_types,
)
from euclio.studies.scrooge.text import reasons, text
from euclio.studies.sessions import draw_workloads, session_runs
from euclio.studies.store import joined
from euclio.studies.study import Asked, Found, Study

WORKLOADS = 200
SAMPLE = 24
TIME_LIMIT_S = 10.0
"""Limit of one run; the published brute force takes longer on some decisions."""


def setting(solver: str, label: str) -> SolverSetting:
    """A solver in Scrooge's own plan space."""
    (found,) = solver_settings(solver, label=label)
    return replace(found, space_of=MILP, time_s=TIME_LIMIT_S)


FEW = tuple(setting(name, name) for name in (MILP, GREEDY, BRUTE_FORCE, OPTIMUM))
"""On the workloads' own two worker types."""
MANY = tuple(setting(name, on_types(name)) for name in (MILP, GREEDY, OPTIMUM))
SAMPLED = (setting(BRUTE_FORCE, on_types(BRUTE_FORCE)),)
"""Only on a seeded sample, unless the run is full."""


def collect(collector: Collector, asked: Asked) -> Found:
    """Draw workloads that have a plan, half as many sessions as in §4.2, and run every solver on them."""
    count, seed = asked.workloads or WORKLOADS, asked.seed
    with collector.stage("draw workloads that have a plan", count) as advance:
        # It is the exact method that says whether there is a plan, not what a heuristic finds.
        drawn, _ = draw_workloads(collector, (setting(OPTIMUM, OPTIMUM),), count, seed, advance)
    accepted = drawn.workloads
    own = [draw_scrooge(seed, number) for number in range(1, count // 2 + 1)]
    judged = collector.runs([workload.session for workload in own], [setting(OPTIMUM, OPTIMUM)])
    own = [workload for workload, lacking in zip(own, judged.value.isna(), strict=True) if not lacking]
    sample = accepted if asked.full else seeded_sample(accepted, SAMPLE, seed)
    tables: list[pd.DataFrame] = []
    proofs: list[Proof] = []
    for name, chosen, settings, protocol in (
        ("2 worker types", accepted, FEW, FIVE_APPLICATIONS),
        ("2 worker types, sessions as in §4.2", own, FEW, OWN_SESSIONS),
        ("30 worker types", accepted, MANY, FIVE_APPLICATIONS),
        ("brute force with 30 worker types", sample, SAMPLED, FIVE_APPLICATIONS),
    ):
        sessions = [workload.session for workload in chosen]
        if settings is not FEW:
            sessions = [replace(on_worker_types(s, MANY_TYPES, seed), name=s.name) for s in sessions]
        frame = collector.staged(name, sessions, settings, seed=seed)
        tables.append(session_runs(frame, chosen).assign(protocol=protocol, cpu_s=frame.cpu_s))
        proofs += proofs_of(frame, sessions, settings, seed)
    runs = joined(tables).sort_values(["workload", "solver"], ignore_index=True)
    return Found({"runs": runs}, proofs, drawn, {"workloads": count})


TITLE = "Scrooge reproduced: what do two steps and a greedy rule lose?"
STUDY = Study("scrooge", TITLE, SEED, collect, measures, reasons, text)
