"""The page's text: the meaning of 97.13 %, reasons for differences, worked numbers, the run."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.words import percent
from euclio.report import Block, Heading, Paragraph
from euclio.report.analysis.statistics import Measured
from euclio.workloads.session.acceptance import BASELINES
from studies.costs import costs, stopped, within
from studies.modules import module_figures, sizes
from studies.papers.costs import normalized
from studies.papers.modules import rows_of
from studies.papers.piccolo import PICCOLO, by_modules
from studies.piccolo.example import example_blocks
from studies.piccolo.figures import FIGURES, figure_references
from studies.piccolo.measures import (
    ALTERNATIVES,
    PLAIN_SPLITS,
    PLAN_OPTIMUM,
    SPLIT_OPTIMUM,
    SYSTEM,
    other_readings,
    plan_optimum,
    settled,
    split_optimum,
)
from studies.readings import readings_blocks
from studies.reference_workloads import claims_text, mix_text, workload_blocks
from studies.scorecard import Score
from studies.session_figures import made
from studies.session_text import (
    by_key,
    headlines,
    numbers,
    shared_reasons,
    summary_table,
    summary_text,
    tally_text,
    time_reasons,
)
from studies.sessions import by_application, by_solver
from studies.study import Collected, Text


def text(collected: Collected, scores: Sequence[Score]) -> Text:
    """The study's part of the page."""
    runs = collected.tables["runs"]
    first, *rest = summary(collected)
    return Text(
        summary=[first, *rest],
        tally=tally_text("piccolo", scores),
        sections=[
            *_baselines_blocks(),
            *example_blocks(),
            Heading("Figures"),
            *made(FIGURES, collected.tables, scores),
            *readings_blocks(scores, other_readings(runs, collected.tables["allocations"])),
        ],
        run=workload_blocks(collected, "Piccolo", claims_text(runs)),
        headlines=headlines(first.text, scores),
        card=example_blocks(),
        numbers=numbers(scores, SYSTEM),
        pictures=[figure_references(references(runs), by_key(scores)["optimal_share"])],
    )


def references(runs: pd.DataFrame) -> dict[str, Measured]:
    """Share of workloads on which Piccolo costs no more than each known reference, by its name."""
    cost = costs(runs)[PICCOLO]
    bound = by_solver(runs, "bound_per_h")[PLAN_OPTIMUM]
    found = {"split, stretched": split_optimum(runs), "plan, if proven": plan_optimum(runs), "plan, its bound": bound}
    shares = {name: within(cost, reference)[0] for name, reference in found.items()}
    return {name: share for name, share in shares.items() if share.n}


def summary(collected: Collected) -> tuple[Paragraph, *tuple[Block, ...]]:
    """The summary of the run's optimality."""
    runs = collected.tables["runs"]
    cost = costs(runs)[PICCOLO]
    split, plan = within(cost, split_optimum(runs)), within(cost, plan_optimum(runs))
    rows = (
        ("split optimum, budgets {d + b/T} stretched to fill the SLO", *split),
        ("the same budgets as they are, not stretched", *within(cost, costs(runs)[PLAIN_SPLITS])),
        ("plan optimum, where it is proven", *plan),
        ("lower bound on every plan of the plan space", *within(cost, by_solver(runs, "bound_per_h")[PLAN_OPTIMUM])),
    )
    drawn = len(collected.details.workloads)
    return (
        summary_text(SYSTEM, split[0], plan[0], drawn, ", dummies at any rate included,"),
        summary_table(SYSTEM, rows),
        Paragraph(_how_known(runs)),
        Paragraph(_why_different(collected)),
    )


def _how_known(runs: pd.DataFrame) -> str:
    """The evidence for the split optimum, and the number of workloads with it."""
    done = settled(runs)
    sampled = runs.drop_duplicates("workload").set_index("workload").split_sample.reindex(done.index)
    searched = int((sampled & ~done).sum())
    cut = stopped(runs)
    cut_off = int(cut[SPLIT_OPTIMUM].sum()) if SPLIT_OPTIMUM in cut else 0
    which = "all workloads" if sampled.all() else f"{int(sampled.sum())} workloads of up to three modules"
    text = (
        f"The brute force over splits covers {which}. On {int((sampled & done).sum())} of them Piccolo costs "
        "the same as the proven plan optimum, so no split can be cheaper. The others were searched vector by "
        f"vector, {searched} in all"
    )
    return f"{text}, of which a limit stopped {cut_off}." if cut_off else f"{text}, each to its end."


def _why_different(collected: Collected) -> str:
    """The inputs that change the shares."""
    runs = collected.tables["runs"]
    cost = costs(runs)[PICCOLO]
    by = []
    for reference in (split_optimum(runs), plan_optimum(runs)):
        ratio = (cost / reference).dropna()
        by.append(by_application(runs, (ratio <= 1 + OPTIMALITY_TOLERANCE).astype(float)))
    wall = runs.groupby("solver").wall_s.mean() * 1000
    unproven = int((by_solver(runs, "status")[PLAN_OPTIMUM] != "optimal").sum())
    return (
        f"The workloads are {mix_text(collected.details.workloads)}. Split-optimal by application: {by[0]}; "
        f"plan-optimal: {by[1]}. Mean time per workload in the solver: Piccolo {wall[PICCOLO]:.2f} ms, plan optimum "
        f"{wall[PLAN_OPTIMUM]:.1f} ms ({unproven} not proven)."
    )


def _baselines_blocks() -> list[Block]:
    """The baselines in words."""
    return [
        Heading("Baselines"),
        Paragraph(
            "Piccolo's Table III describes the four baselines as Harpagon's does, so the solvers are the same. "
            "It calls InferLine's latency split greedy; the row inferline is greedy by throughput. It calls Scrooge's "
            "split throughput-based, while §IV-A credits Scrooge with an MILP across modules that maximizes resource "
            "efficiency. The row scrooge splits by latency-cost efficiency, a greedy method for the MILP's "
            "objective. The MILP itself is the solver scrooge-milp. docs/model/readings.md has all readings."
        ),
    ]


def reasons(collected: Collected) -> dict[str, str]:
    """One sentence per published number for which the data hold a reason."""
    runs, allocations = collected.tables["runs"], collected.tables["allocations"]
    table = normalized(costs(runs), PICCOLO)
    found = shared_reasons(SYSTEM, runs, allocations, table, "left_rps")
    tops = ", ".join(f"{name} {percent(table[name].max() - 1, 1)}" for name in BASELINES)
    least = (table[["piccolo:2d", "piccolo:dt"]].min(axis=1) - 1).mean()
    found["baseline_mean_extra_min"] += (
        " Every baseline dispatches as Picc-2d or Picc-dt does, except for an even share; the cheaper of these two "
        f"costs {percent(least, 1)} more than Piccolo on average."
    )
    for name in ALTERNATIVES:
        same = ((table[f"piccolo:{name}"] - 1).abs() <= OPTIMALITY_TOLERANCE).astype(float)
        found[f"{name}_same_share"] = f"By application: {by_application(runs, same)}."
    return {
        **found,
        **dict.fromkeys(("baseline_max_extra_min", "baseline_max_extra_max"), f"Maxima: {tops}."),
        **_throughput_split(runs),
        **_modules(runs, allocations),
        **time_reasons(collected.tables["timings"], PICCOLO, SPLIT_OPTIMUM),
    }


def _throughput_split(runs: pd.DataFrame) -> dict[str, str]:
    keys = (("same_share", "max_extra"), ("more_expensive_share", "min_extra", "max_extra"))
    found: dict[str, str] = {}
    ratios = by_modules(normalized(costs(runs), PICCOLO), sizes(runs))
    for label, ends, ratio in zip(("two", "three"), keys, ratios, strict=True):
        spread = ", ".join(percent(ratio.quantile(q) - 1, 1) for q in (0.25, 0.5, 0.75)) if len(ratio) else "none"
        text = f"By application: {by_application(runs, ratio - 1)} on average; quartiles {spread}."
        found |= {f"tb_{label}_modules_{end}": text for end in ends}
    return found


def _modules(runs: pd.DataFrame, allocations: pd.DataFrame) -> dict[str, str]:
    modules = module_figures(allocations)
    chosen = f"The paper does not name its module; the choice moves this number (here {SYSTEM.given(modules)})."
    keys = (*(f"{name}_throughput_less" for name in ("np", "nb", "nh")), "np_throughput_more_share")
    most = (rows_of(modules, PICCOLO).configurations.groupby(level="workload").max() > 2).astype(float)
    return {
        **dict.fromkeys(keys, chosen),
        "more_than_two_share": f"By application: {by_application(runs, most)}.",
    }
