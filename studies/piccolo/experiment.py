"""Piccolo §IV: workloads for which every system has a plan, and both optima on them."""

from __future__ import annotations

from euclio.workloads.populations import identify
from euclio.workloads.session.acceptance import BASELINES
from euclio.workloads.session.protocol import SEED, draw
from studies.collector import ENUMERATION_LIMIT_S, PICCOLO_SPLIT_LIMIT_S, RUN_LIMIT_S, Collector, seeded_sample
from studies.modules import kept_by_allocation
from studies.papers.piccolo import PICCOLO
from studies.piccolo.figures import PARTS
from studies.piccolo.measures import (
    ALTERNATIVES,
    FEW,
    OTHER_ROWS,
    PLAIN_SPLITS,
    PLAN_OPTIMUM,
    QUANTIZED,
    SPLIT_OPTIMUM,
    SYSTEM,
    filled,
    measures,
    settled,
)
from studies.piccolo.text import reasons, text
from studies.proof_sample import proofs_of
from studies.reference_workloads import draw_workloads_of, on_reference
from studies.sessions import session_runs, session_tables
from studies.study import Asked, Found, Study

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
    count, seed = asked.workloads or SYSTEM.workloads, asked.seed
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


TITLE = "Piccolo reproduced: 97 % of what?"
STUDY = on_reference(
    Study(PICCOLO, TITLE, SEED, collect, measures, reasons, text, parts=PARTS), SYSTEM.workloads, SYSTEM_RUNS
)
