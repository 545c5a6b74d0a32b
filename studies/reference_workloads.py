"""Workloads of the reference setting, the consistent setting on which studies run their solvers.

Neither Harpagon nor Piccolo prints profiles, rates and objectives. docs/model/posterior.md explains the setting in
their place and the search for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.words import percent
from euclio.experiments.task import SolverSetting
from euclio.report import Block, Heading, Paragraph, Table
from euclio.workloads.populations import identify
from euclio.workloads.session.protocol import Draws, Workload
from studies.collector import Advance, Collector
from studies.drawn_workloads import protocol_draws
from studies.inference.reference import reference_setting
from studies.scorecard import outcomes_text
from studies.sessions import session_tables
from studies.study import Asked, Collected, Found, Study

PAGE = "docs/model/posterior.md"
REFUSALS = {
    "objective": "none asked: the objective is longer than those that count",
    "inapplicable": "one that splits in steps: too many of them",
}
"""The refusals of a draw before any system, in words."""


@dataclass(frozen=True, slots=True)
class ReferenceDraws(Draws):
    """Draws from the reference setting.

    Attributes:
        left_out: draws with plans of the compiled system alone, not of the checked one, by solver.
        given: application whose most expensive module is the "given module" of the paper, as the setting reads it.
    """

    left_out: dict[str, int] = field(default_factory=dict)
    given: str = ""


def draw_workloads_of(
    collector: Collector, paper: str, settings: Sequence[SolverSetting], count: int, seed: int, advance: Advance
) -> tuple[ReferenceDraws, pd.DataFrame]:
    """Draw workloads of the reference setting for which a paper's own system has plans, and run its systems.

    The compiled system chooses them, without the checker. A draw without a plan of the checked one is left out and
    counted.

    Args:
        collector: makes the runs.
        paper: "harpagon" or "piccolo".
        settings: the paper's systems.
        count: number of workloads.
        seed: seed of the workloads.
        advance: counts the runs.

    Returns:
        The draws, and the results frame of the systems on the accepted workloads.
    """
    draws = reference_draws(paper, count, seed)
    frame = collector.runs([workload.session for workload in draws.workloads], settings, advance)
    lacking = frame[frame.value.isna() & (frame.label == paper)]
    refused = set(lacking.instance)
    kept = tuple(workload for workload in draws.workloads if workload.session.name not in refused)
    left_out = dict(sorted(Counter(lacking.label).items()))
    found = replace(draws, workloads=kept, left_out=left_out)
    return found, frame[~frame.instance.isin(refused)].reset_index(drop=True)


def reference_draws(paper: str, count: int, seed: int) -> ReferenceDraws:
    """Draws from the reference setting, before the checked systems run.

    Args:
        paper: "harpagon" or "piccolo".
        count: number of workloads.
        seed: seed of the workloads.
    """
    setting = reference_setting(paper)
    draws = protocol_draws(paper, setting, seed, count)
    return ReferenceDraws(draws.workloads, draws.drawn, draws.rejected, {}, setting.given)


def on_reference(study: Study, count: int, settings: Sequence[SolverSetting]) -> Study:
    """A study on workloads of the reference setting, with the parts that need some of the runs or none.

    Args:
        study: the study.
        count: its number of workloads.
        settings: the solvers whose runs depend on no others.
    """

    def details(asked: Asked) -> ReferenceDraws:
        """The drawn workloads, as far as they need no run."""
        return reference_draws(study.paper, asked.workloads or count, asked.seed)

    def collect_runs(collector: Collector, asked: Asked, labels: Collection[str]) -> Found:
        """The runs of some of the solvers alone, by label."""
        draws, own = details(asked), [setting for setting in settings if setting.label in labels]
        sessions = [workload.session for workload in draws.workloads]
        tables = session_tables([collector.staged("runs", sessions, own)], draws.workloads)
        return Found(tables, (), draws, {}, [identify(sessions, study.paper, asked.seed)])

    return replace(study, details=details, collect_runs=collect_runs)


def workload_blocks(collected: Collected, system: str, remarks: str) -> list[Block]:
    """The section on the run: source of its workloads, draws and rejections, outcomes without a plan.

    Args:
        collected: the study's results; its details are `ReferenceDraws`.
        system: the system with plans for the workloads, in words.
        remarks: further sentences on the runs.
    """
    draws, runs = collected.details, collected.tables["runs"]
    rejected = [(REFUSALS.get(by, by), str(n), percent(n / draws.drawn, 1)) for by, n in draws.rejected.items()]
    return [
        Heading("Workloads and run"),
        Paragraph(
            "The paper prints no profiles, request rates and objectives. The workloads are drawn from the reference "
            "setting (data/posterior/PAPER-reference.json). It keeps to all printed inputs and is the nearest to the "
            f"fitted numbers. {PAGE} describes how it was found, and the results of other settings."
        ),
        Paragraph(
            f"Seed {collected.asked.seed}: {draws.drawn} draws for {len(draws.workloads)} workloads on which {system} "
            f"has a plan. Averages are over the workloads for which a system has a plan. {_left_out_text(draws)} Rows "
            f"without an accepted plan: {outcomes_text(runs.solver, runs.status)}. {remarks}"
        ),
        Table(
            "Draws rejected, by the first system without a plan",
            ("system", "draws without a plan", "share of draws"),
            tuple(rejected),
            frozenset({1, 2}),
        ),
    ]


def _left_out_text(draws: ReferenceDraws) -> str:
    """Draws for which only the compiled systems have plans."""
    if not draws.left_out:
        return "The checker accepts its plans on all of them."
    by = ", ".join(f"{name} on {n}" for name, n in draws.left_out.items())
    return f"Left out are draws on which it has no plan that the checker accepts: {by}."


def claims_text(runs: pd.DataFrame) -> str:
    """Claims against checked costs, in words."""
    off = (runs.claimed_cost_per_h - runs.cost_per_h).abs() > OPTIMALITY_TOLERANCE * runs.cost_per_h
    return f"Claimed costs that the checker corrected: {int(off.sum())} of {len(runs)}."


def mix_text(workloads: Sequence[Workload]) -> str:
    """The applications of the workloads, in words."""
    counts = Counter(workload.application for workload in workloads)
    return ", ".join(f"{name} {percent(n / len(workloads), 0)}" for name, n in sorted(counts.items()))
