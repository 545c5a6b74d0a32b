"""Harpagon §IV-B's question on several kinds of profiles: is it optimal, and does it find a plan where there is one?

The paper asks it on workloads whose profiles it does not print. This study also asks it on sessions over measured
profiles of others, and on workloads before any system has refused one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes

from euclio.core.errors import InputError
from euclio.core.figures import PALETTE, PUBLISHED, grid
from euclio.core.progress import say
from euclio.core.words import span
from euclio.experiments.solver_settings import solver_settings
from euclio.experiments.task import SolverSetting
from euclio.problems.session import Session
from euclio.problems.session.files.instances import load_session
from euclio.report import Block, KeyNumber, Paragraph, Table
from euclio.report.analysis.statistics import Measured, share
from euclio.report.drawings import drawn
from euclio.workloads.populations import Identity, identify, population
from euclio.workloads.session.profile_libraries import LIBRARIES
from euclio.workloads.session.protocol import PUBLISHED_WORKLOADS, latency_range
from studies.collector import KIND_PLAN_LIMIT_S, Collector
from studies.costs import costs, stopped, within
from studies.harpagon.measures import PLAN_OPTIMUM, SPLIT_OPTIMUM, SPLITS
from studies.papers.harpagon import HARPAGON
from studies.sessions import by_solver, counters
from studies.study import Asked

SESSIONS = 300
"""Drawn sessions of a kind; the paper's own kind has as many as the paper."""
INSTANCES = Path("../shared/instances")
"""Default folder of measured sessions."""

REFERENCE, CANDIDATES, MEASURED = "reference", "candidates", "measured"
NAMES = {
    REFERENCE: "as print fixes them",
    CANDIDATES: "the same, unselected",
    "nvidia": "NVIDIA's profiles",
    "parvagpu": "ParvaGPU's profiles",
    MEASURED: "measured sessions",
}
"""The kinds in words, in the order of figures and tables."""
SOURCES = {
    REFERENCE: "machines, prices, speeds, applications and their numbers as the papers print them, the rest fitted to "
    "Harpagon's other numbers; workloads that Harpagon has a plan for",
    CANDIDATES: "the same, before any system has refused a workload",
    "nvidia": "the applications with other networks: NVIDIA's tables of 15 models on A100, V100 and T4",
    "parvagpu": "the applications with other networks: 11 models on slices of an A100, measured for ParvaGPU (SC'24)",
    MEASURED: "sessions over profiles that PPipe's authors measured on V100, L4, T4 and P4, which are not in this tree",
}
"""The source of the sessions of a kind."""


POPULATION = {
    REFERENCE: HARPAGON,
    CANDIDATES: "harpagon-unselected",
    **{name: name for name in LIBRARIES},
}
"""The population of each kind that is drawn here."""


@dataclass(frozen=True, slots=True)
class KindAnswer:
    """Harpagon's distance from the optimum on the sessions of a kind.

    Attributes:
        sessions: number with a plan, by proof of the plan optimum or by any solver's plan.
        split: share of sessions with a Harpagon plan on which no split is cheaper; without stopped searches.
        plan: share of sessions with a Harpagon plan on which no plan is cheaper; without unproven ones.
        worst: largest extra cost over the best plan (%), where Harpagon has a plan.
        without: share of all sessions on which Harpagon has no plan.
        tight: number of sessions whose objective is below the least latency without dummy requests.
        tight_without: of these, those on which Harpagon has no plan.
        stopped: searches over splits that reached their limit.
        unproven: sessions whose best plan is not proven.
    """

    sessions: int
    split: Measured
    plan: Measured
    worst: Measured
    without: Measured
    tight: int
    tight_without: int
    stopped: int
    unproven: int


def collect_kinds(
    collector: Collector, asked: Asked, kinds: Sequence[str] = (CANDIDATES, *LIBRARIES, MEASURED)
) -> tuple[pd.DataFrame, list[Identity]]:
    """Harpagon, the best split and the best plan on the sessions of some kinds.

    Args:
        collector: makes the runs.
        asked: the settings of the study; fewer workloads than `SESSIONS` mean fewer sessions of each kind.
        kinds: the kinds; the study has the paper's workloads among its runs.

    Returns:
        One row per session and solver: kind, population, workload, tight, solver, status, cost_per_h, stat_share; and
        the populations.

    Raises:
        InputError: the named folder holds no session.
    """
    drawn: dict[str, Sequence[Session]] = {kind: drawn_of(kind, asked) for kind in kinds}
    kind = {session.name: name for name, sessions in drawn.items() for session in sessions}
    sessions = [session for some in drawn.values() for session in some]
    frame = collector.staged("every kind of profiles", sessions, _settings())
    tight = {session.name: float(session.slo_s) < latency_range(session)[0] for session in sessions}
    known = {
        name: identify(some, POPULATION.get(name, name), asked.seed if name in POPULATION else None)
        for name, some in drawn.items()
        if some
    }
    table = pd.DataFrame(
        {
            "kind": frame.instance.map(kind),
            "population": frame.instance.map(kind).map({name: one.label for name, one in known.items()}),
            "workload": frame.instance,
            "tight": frame.instance.map(tight),
            "solver": frame.label.replace(SPLITS, SPLIT_OPTIMUM),
            "status": frame.status,
            "cost_per_h": frame.value,
            "stat_share": counters(frame).get("stat_share", 1.0),
        }
    )
    return table, list(known.values())


def drawn_of(kind: str, asked: Asked) -> list[Session]:
    """The sessions of a kind, at most the requested number; of the measured kinds only those in the folder."""
    if kind == MEASURED:
        return measured_sessions(asked.instances)[: asked.workloads]
    usual = PUBLISHED_WORKLOADS if kind == REFERENCE else SESSIONS
    return list(population(POPULATION[kind], min(usual, asked.workloads or usual), asked.seed))


def measured_sessions(folder: Path | None) -> list[Session]:
    """The sessions of a folder, or of its subfolders whose names begin with "sessions".

    Args:
        folder: the folder; None means the default one, and no sessions if that is absent.

    Raises:
        InputError: the named folder holds no session, or a file that is none.
    """
    where = INSTANCES if folder is None else folder
    files = sorted(where.glob("*.json")) if folder is not None else []
    below = [path for some in sorted(where.glob("sessions*")) if some.is_dir() for path in sorted(some.glob("*.json"))]
    if folder is not None and not (files or below):
        raise InputError("holds no session files (*.json); name a folder of sessions", file=str(folder))
    if not (files or below):
        say(f"measured sessions are left out, as {where} has none; --instances DIR names a folder of them")
    return [load_session(path) for path in below or files]


def _settings() -> list[SolverSetting]:
    """Harpagon and both optima, with their limits."""
    limits = {HARPAGON: KIND_PLAN_LIMIT_S, SPLITS: None, PLAN_OPTIMUM: KIND_PLAN_LIMIT_S}
    return [replace(setting, time_s=s) for name, s in limits.items() for setting in solver_settings(name)]


def answers(runs: pd.DataFrame, kinds: pd.DataFrame) -> dict[str, KindAnswer]:
    """Harpagon's distance from the optimum on every kind with sessions, by kind, in the order of `NAMES`.

    Args:
        runs: the study's runs on the paper's workloads; without rows where `kinds` has them.
        kinds: what `collect_kinds` found.
    """
    asked = runs[runs.solver.isin([HARPAGON, SPLIT_OPTIMUM, PLAN_OPTIMUM])].assign(kind=REFERENCE, tight=False)
    columns = ["kind", "workload", "tight", "solver", "status", "cost_per_h", "stat_share"]
    every = pd.concat([own[columns] for own in (asked, kinds) if len(own)], ignore_index=True)
    return {kind: _answer(every[every.kind == kind]) for kind in NAMES if (every.kind == kind).any()}


def _answer(rows: pd.DataFrame) -> KindAnswer:
    """Harpagon's distance from the optimum on sessions of one kind."""
    cost, status = costs(rows), by_solver(rows, "status")
    # A session has a plan if any of the three has one, which the checker accepted.
    feasible = by_solver(rows, "cost_per_h").notna().any(axis=1)
    cost, status = cost[feasible], status[feasible]
    own = cost[HARPAGON]
    tight = rows.drop_duplicates("workload").set_index("workload").tight.astype(bool)[cost.index]
    best = cost[PLAN_OPTIMUM].where(status[PLAN_OPTIMUM] == "optimal")
    plan, worst = within(own, best)
    split, _ = within(own, cost[SPLIT_OPTIMUM])
    return KindAnswer(
        sessions=len(cost),
        split=split,
        plan=plan,
        worst=worst,
        without=share(own.isna()),
        tight=int(tight.sum()),
        tight_without=int(own.isna()[tight].sum()),
        stopped=int(stopped(rows)[SPLIT_OPTIMUM].sum()),
        unproven=int(best.isna().sum()),
    )


SPLIT_COLOR, PLAN_COLOR = PALETTE[0], PALETTE[2]
CAPTION = "Harpagon on every kind of profiles"
QUESTION = "Optimal on 91.5 % of the workloads. Of which workloads?"


@drawn("figure-kinds", QUESTION, height=4.4)
def figure_kinds(axes: Sequence[Axes], found: Mapping[str, KindAnswer], published: float) -> str:
    """Per kind of profiles: sessions with the best split, with the best plan, and without a plan."""
    draw_kinds(axes[0], found, published)
    return (
        "Blue: share of the sessions on which no split of the latency is cheaper than Harpagon's, the paper's "
        "measure. Green: share on which no plan is cheaper. Higher is better. Both are of the sessions for which "
        "Harpagon finds a plan. Right: share of the feasible sessions for which Harpagon finds no plan; lower is "
        "better."
    )


def draw_kinds(panel: Axes, found: Mapping[str, KindAnswer], published: float) -> None:
    """Fill a panel with that figure.

    Args:
        panel: where to draw.
        found: answers by kind.
        published: the printed share in per cent.
    """
    for y, answer in enumerate(found.values()):
        for below, own, color in ((-0.14, answer.split, SPLIT_COLOR), (0.14, answer.plan, PLAN_COLOR)):
            low, high = (own.value if end is None else end for end in (own.low, own.high))
            panel.plot([low, high], [y + below] * 2, color=color, linewidth=3)
            panel.plot(own.value, y + below, "o", color=color, markersize=7)
        panel.text(103, y, f"{answer.without.value:.0f} % of {answer.sessions}", va="center")
    panel.text(103, -0.75, "finds no plan", va="center")
    panel.axvline(published, color=PUBLISHED, linestyle="--", linewidth=1.6)
    panel.text(published - 1, -0.75, f"published: {published:g} %", va="center", ha="right")
    panel.set_yticks(range(len(found)), [NAMES[kind] for kind in found])
    panel.set(ylim=(len(found) - 0.5, -1.1), xlim=(0, 122))
    panel.set_xticks(range(0, 101, 10))
    panel.tick_params(axis="y", length=0)
    grid(panel, "x")
    panel.set_xlabel("sessions on which Harpagon costs no more (%), 95 % interval")


def kinds_number(found: Mapping[str, KindAnswer]) -> KeyNumber:
    """How often Harpagon misses a feasible plan, for the kind with the most misses."""
    kind, worst = max(found.items(), key=lambda item: item[1].without.value)
    return KeyNumber(
        f"{worst.without.value:.0f} %",
        f"of the feasible sessions: Harpagon finds no plan ({NAMES[kind]})",
        f"95 % interval {span(worst.without.low, worst.without.high)} ({worst.sessions} sessions); of "
        f"{worst.tight} that need dummy requests to meet their objective it fails on {worst.tight_without}",
    )


def kinds_blocks(found: Mapping[str, KindAnswer]) -> list[Block]:
    """The table of all answers, and the conclusions."""
    rows = [
        (
            NAMES[kind],
            SOURCES[kind],
            str(a.sessions),
            share_in_words(a.split),
            share_in_words(a.plan),
            f"{a.worst.value:.1f} %",
            share_in_words(a.without),
            f"{a.tight_without} of {a.tight}",
            str(a.stopped),
        )
        for kind, a in found.items()
    ]
    columns = (
        "kind",
        "sessions",
        "with a plan",
        "best split (95 %)",
        "best plan (95 %)",
        "largest extra cost over the best plan",
        "Harpagon finds none (95 %)",
        "... with a tight objective",
        "split searches stopped",
    )
    return [
        Table(CAPTION, columns, tuple(rows), frozenset(range(2, 9))),
        Paragraph(_meaning(found)),
    ]


def share_in_words(m: Measured) -> str:
    """A share in per cent with its 95 % interval."""
    return f"{m.value:.1f} % ({span(m.low, m.high)})"


def _meaning(found: Mapping[str, KindAnswer]) -> str:
    """The findings of the table, and the meaning of its columns."""
    tight, missed = (sum(getattr(a, name) for a in found.values()) for name in ("tight", "tight_without"))
    without = sum(round(a.without.value * a.sessions / 100) for a in found.values())
    absent = "" if MEASURED in found else " Measured sessions are missing: --instances names their folder."
    return (
        f"Harpagon finds no plan for {without} feasible sessions. {missed} of them have an objective below the "
        "least latency without dummy requests, the longest path of least d + b/T; of all feasible sessions "
        f"{tight} have. Their plans send dummy requests so that batches fill earlier. Algorithm 2 starts "
        f"from that latency and does not consider this. Searches over splits stop after a million nodes here; stopped "
        f"searches are left out of their column.{absent}"
    )
