"""Scrooge's evaluation (§4.2 to §4.4): MILP, greedy and brute force on decisions, systems on changing workloads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

import euclio.experiments.results as results
from euclio.experiments.results.tables import joined
from euclio.experiments.solver_settings import solver_settings
from euclio.experiments.task import SolverSetting
from euclio.workloads.populations import identify
from euclio.workloads.session.acceptance import planned_in
from euclio.workloads.session.protocol import SEED, Draws, Workload, workloads
from euclio.workloads.session.scrooge_sessions import COMPARED, draw_scrooge, scrooge_applications
from euclio.workloads.session.worker_types import on_worker_types
from studies.collector import RUN_LIMIT_S, Collector, seeded_sample
from studies.proof_sample import SampledProof, proofs_of
from studies.readings import with_tried
from studies.scrooge.changing import run_changing
from studies.scrooge.changing_measures import changing_readings, movements
from studies.scrooge.measures import (
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
from studies.scrooge.objectives import ALONE, SPATIAL, with_decisions
from studies.scrooge.text import SUMMARY_CAPTION, reasons, text
from studies.scrooge.varied import MADE, VARIED, run_varied
from studies.scrooge.varied_measures import decision_movements, decision_readings
from studies.sessions import draw_workloads, session_runs
from studies.study import Asked, Collected, Found, Study

WORKLOADS = 200
DECISIONS, LATENCY_DECISIONS = 8, 10
"""Workloads per decision of each application in Figures 10 and 11, and in Figures 12 and 13."""
LEAST_DECISIONS = 2
OWN, PROTOCOL = "scrooge", "protocol-scrooge"
"""Populations: the decisions of §4.2 at their tightest objective, and the protocol workloads."""
WORLDS, FULL_WORLDS = 3, 5
"""Changing workloads of each application, also in a full run; runs below the stored one have proportionally fewer."""
SAMPLE = 24


def setting(solver: str, label: str, **options: Any) -> SolverSetting:
    """A solver in Scrooge's own plan space, restricted by options."""
    (found,) = solver_settings(solver, label=label, **options)
    return replace(found, space_of=MILP, time_s=RUN_LIMIT_S)


FEW = tuple(setting(name, name) for name in (MILP, GREEDY, BRUTE_FORCE, OPTIMUM))
"""Solvers on the workloads' own two worker types."""
MANY = tuple(setting(name, on_types(name)) for name in (MILP, GREEDY, OPTIMUM))
SAMPLED = (setting(BRUTE_FORCE, on_types(BRUTE_FORCE)),)
"""Solvers that run on a seeded sample only, unless the run is full."""
OBJECTIVES = tuple(
    replace(found, measure="studies.scrooge.objectives:machine_rows")
    for found in (setting(MILP, SPATIAL), setting(MILP, ALONE, concurrency=False))
)


def collect(collector: Collector, asked: Asked) -> Found:
    """Draw protocol workloads and decisions as in §4.2, and run every solver on them."""
    count, seed = asked.workloads or WORKLOADS, asked.seed
    with collector.stage("draw workloads that have a plan", count) as advance:
        # The exact method decides whether there is a plan, not a heuristic.
        drawn, _ = draw_workloads(collector, (setting(OPTIMUM, OPTIMUM),), count, seed, advance)
    accepted = drawn.workloads
    decisions = max(LEAST_DECISIONS, count // DECISIONS)
    own = own_decisions(collector, decisions, seed)
    sample = accepted if asked.full else seeded_sample(accepted, SAMPLE, seed)
    tables: list[pd.DataFrame] = []
    proofs: list[SampledProof] = []
    for name, chosen, settings, protocol in (
        ("2 worker types", accepted, FEW, FIVE_APPLICATIONS),
        ("2 worker types, decisions as in §4.2", own, FEW, OWN_SESSIONS),
        ("30 worker types", accepted, MANY, FIVE_APPLICATIONS),
        ("30 worker types, decisions as in §4.2", own, MANY, OWN_SESSIONS),
        ("brute force with 30 worker types", sample, SAMPLED, FIVE_APPLICATIONS),
    ):
        sessions = [workload.session for workload in chosen]
        if settings in (MANY, SAMPLED):
            sessions = [replace(on_worker_types(s, MANY_TYPES, seed), name=s.name) for s in sessions]
        # Each runs by itself, since the study measures its time.
        frame = collector.staged(name, sessions, settings, seed=seed, alone=True)
        tables.append(session_runs(frame, chosen).assign(protocol=protocol, cpu_s=frame.cpu_s))
        proofs += proofs_of(frame, sessions, settings, seed)
    runs = joined(tables).sort_values(["workload", "solver"], ignore_index=True)
    under_objectives = run_objectives(collector, max(LEAST_DECISIONS, count // LATENCY_DECISIONS), seed)
    part = count / WORKLOADS
    worlds = FULL_WORLDS if asked.full else max(1, round(WORLDS * min(1.0, part)))
    changing = run_changing(collector, seed, part, worlds)
    populations = {
        protocol: identify([workload.session for workload in chosen], name, seed)
        for protocol, name, chosen in (
            (OWN_SESSIONS, OWN, own),
            (FIVE_APPLICATIONS, PROTOCOL, accepted),
        )
    }
    runs = runs.assign(population=runs.protocol.map({name: one.label for name, one in populations.items()}))
    varied = run_varied(collector, decisions, seed, part, asked.full)
    found = {"runs": runs, **under_objectives, **changing, **varied}
    return Found(found, proofs, drawn, {"workloads": count}, list(populations.values()))


def details(asked: Asked) -> Draws:
    """Draws of the protocol, with plans made anew."""
    return workloads(planned_in(MILP), asked.workloads or WORKLOADS, asked.seed)


def shown(key: str) -> Sequence[str] | None:
    """The populations of a figure or a table; changing workloads and inputs have none."""
    return (OWN, PROTOCOL) if key in {"figure-10", "figure-11", "figure-applications", SUMMARY_CAPTION} else ()


def own_decisions(collector: Collector, count: int, seed: int) -> list[Workload]:
    """Decisions of §4.2 with a plan, from a number of draws per application."""
    drawn = [draw_scrooge(name, seed, k) for name in COMPARED for k in range(1, count + 1)]
    judged = collector.runs([workload.session for workload in drawn], [setting(OPTIMUM, OPTIMUM)])
    return [workload for workload, lacking in zip(drawn, judged.value.isna(), strict=True) if not lacking]


def run_objectives(collector: Collector, count: int, seed: int) -> dict[str, pd.DataFrame]:
    """The same decisions of all seven applications under every latency objective (Figures 12 and 13)."""
    drawn = [
        draw_scrooge(name, seed, number, objective)
        for name, application in scrooge_applications().items()
        for number in range(1, count + 1)
        for objective in range(len(application.objectives_s))
    ]
    frame = collector.staged("latency objectives", [workload.session for workload in drawn], OBJECTIVES, seed=seed)
    rows = results.measured(frame).rename(columns={"instance": "workload", "label": "solver"})
    return {"objectives": with_decisions(session_runs(frame, drawn)), "machines": rows}


TITLE = "Scrooge reproduced: what do two steps and a greedy rule lose?"


def all_reasons(collected: Collected) -> dict[str, str]:
    """The study's sentences on its numbers, with the effects of other readings and of unprinted inputs."""
    tables = collected.tables
    readings = {**changing_readings(tables["changing"]), **decision_readings(tables[MADE])}
    moved = {**movements(tables["changing"]), **decision_movements(tables[VARIED])}
    return with_tried("scrooge", reasons(collected), readings, moved)


STUDY = Study(
    "scrooge",
    TITLE,
    SEED,
    collect,
    measures,
    all_reasons,
    text,
    shown=shown,
    details=details,
)
