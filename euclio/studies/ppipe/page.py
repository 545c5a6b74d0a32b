"""The report: scorecard, figures, findings, measured instances and how the paper was read."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from euclio.analysis.statistics import mean
from euclio.report import Block, Heading, Paragraph, Table
from euclio.studies.certifying import certificate_blocks, refuted_blocks
from euclio.studies.ppipe.collection import Collected, of_groups, stage_rows
from euclio.studies.ppipe.figures_conditions import figure_2, figure_3, figure_13, figure_14
from euclio.studies.ppipe.figures_serving import figure_6, figure_7, figure_8, figure_10
from euclio.studies.ppipe.findings import finding_blocks, instance_blocks
from euclio.studies.ppipe.loads import mean_loads
from euclio.studies.ppipe.measured_serving import measured_serving
from euclio.studies.ppipe.measures import BURSTY, POISSON, RESERVATION, gains, measures
from euclio.studies.ppipe.reasons import reasons
from euclio.studies.ppipe.systems import DART, NP
from euclio.studies.ppipe.timeline import plan_and_timeline
from euclio.studies.published import Published
from euclio.studies.scorecard import Score, score_table, scorecard, tally

TITLE = "PPipe reproduced: what do pooled pipelines gain on mixed GPUs?"

READINGS = (
    "PPipe's plan is the proven optimum of its MILP's plan space: pipelines optional, GPUs whole per model, position "
    "and type, one pipeline per sequence of GPU types. Taken literally, the MILP makes every sequence serve.",
    "NP and DART-r plan with the same margin and batch-build delay rules as the authors' runs, and all three systems "
    "are served by PPipe's own data plane, as in the paper.",
    "Load factor 1 is what PPipe's plan serves on paper. The highest load is the highest factor on the paper's grid of "
    "0.05 at which a model's attainment is at least 99 %, averaged over the models; it is found by halving, which "
    "takes attainment to fall with load. Gains are ratios per group, then averaged: as ratios of averages, the "
    "printed bursty gains and mean loads of Figure 6 could not both be.",
    "Arrivals: Poisson, and bursty ones with independent heavy-tailed gaps in place of the 2021 trace. How the load "
    "divides between the models is drawn in the shape of such traces.",
    "Table 1 prints the bandwidths of the P4 and the T4 clusters against §4 and §7.4; they are read the other way "
    "round.",
)


def scores_of(collected: Collected, figures: Sequence[Published]) -> tuple[Score, ...]:
    """The scorecard of the results."""
    return scorecard(figures, measures(collected), reasons(collected))


def blocks(collected: Collected, scores: Sequence[Score], seed: int) -> list[Block]:
    """The whole report."""
    groups = of_groups(collected.serving)
    (fitted, fits), (hit, all_) = tally(scores)["fit"], tally(scores)["check"]
    table, figure_12 = plan_and_timeline(collected.timeline)
    return [
        *refuted_blocks(collected.certified),
        *summary(collected),
        Heading("Scorecard"),
        Paragraph(
            f"The synthetic profiles were drawn within {fits} of the printed figures (role fit; {fitted} without "
            "visible "
            f"difference). Nothing was fitted to the other {all_}: {hit} are without visible difference. Times are "
            "those of the machine that the report was made on."
        ),
        score_table(scores),
        Heading("Serving: Figures 6 to 10"),
        figure_6(groups, POISSON),
        figure_6(groups, BURSTY),
        figure_7(groups),
        figure_8(groups),
        figure_10(groups),
        Heading("One plan from near: Figures 11 and 12"),
        table,
        figure_12,
        Heading("Conditions and planning time: Figures 13 and 14"),
        figure_13(collected.serving),
        figure_14(collected.planning),
        *finding_blocks(collected.plans, collected.instances),
        *instance_blocks(collected.instances),
        Heading("Synthetic profiles: Figures 2 and 3"),
        figure_2(collected.latencies),
        figure_3(collected.ratios),
        Heading("How the paper was read"),
        *(Paragraph(text) for text in READINGS),
        *certificate_blocks(collected.certified),
        *_run_blocks(collected, seed),
    ]


def summary(collected: Collected) -> list[Block]:
    """What the run says, plainly."""
    groups = of_groups(collected.serving)
    rows = []
    for arrivals, published in ((POISSON, ("48.0", "32.2")), (BURSTY, ("75.1", "35.8"))):
        loads = mean_loads(groups, arrivals, RESERVATION)
        for base, theirs in zip((NP, DART), published, strict=True):
            m = mean(gains(loads, base))
            row = (arrivals, base, str(m.n), f"{m.value:.1f}", f"{m.low or 0:.1f} to {m.high or 0:.1f}", theirs)
            rows.append(row)
    text = (
        f"On {groups.case.nunique()} clusters of 100 GPUs that serve three models each, all with synthetic layer "
        f"profiles, PPipe's pooled pipelines serve {rows[0][3]} % more Poisson load than whole models (NP) and "
        f"{rows[1][3]} % more than chains of two GPUs (DART-r) with 99 % of the requests within their SLO; the paper "
        "prints 48.0 and 32.2 %."
    )
    return [
        Paragraph(text),
        Table(
            "Synthetic profiles: gain of PPipe in the highest load with 99 % attainment",
            ("arrivals", "over", "clusters", "mean gain (%)", "95 % interval", "published (%)"),
            tuple(rows),
            frozenset(range(2, 6)),
        ),
        *measured_serving(collected.serving),
    ]


def _run_blocks(collected: Collected, seed: int) -> list[Block]:
    """What was sampled, outcomes without a plan, times per stage."""
    plans, sampling = collected.plans, collected.sampling
    all_plans = pd.concat([plans, collected.planning])
    odd = all_plans[~all_plans.status.isin(["optimal", "feasible"])]
    count = (odd.system + ": " + odd.status).value_counts().sort_index()
    outcome = ", ".join(f"{what} on {n}" for what, n in count.items()) or "none"
    return [
        Heading("Run"),
        Paragraph(
            f"Seed {seed}: {sampling.groups} of 6 groups on each of four clusters, {sampling.models} of 18 models for "
            f"Figure 13, {sampling.seconds:g} simulated seconds per load (30 in the paper), "
            f"{sampling.columns_limit_s:g} s for columns and {sampling.printed_limit_s:g} s for the printed MILP in "
            "Figure 14; `--full` simulates 30 s and waits 120 s. "
            f"{len(plans)} plans, {len(collected.serving)} rows of served load. Without an accepted plan: {outcome}."
        ),
        Table(
            f"Wall time per stage with {collected.jobs} worker process{'es' if collected.jobs > 1 else ''}",
            ("stage", "seconds"),
            tuple(stage_rows(collected.seconds)),
            frozenset({1}),
        ),
    ]
