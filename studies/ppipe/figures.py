"""Figures 2, 3, 6 to 10 and 12 to 14 of PPipe from our runs, and the plan of Figure 11."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from euclio.core.figures import (
    INK,
    MUTED,
    PALETTE,
    PUBLISHED,
    figure_style,
    grid,
    hardware_looks,
    legend_beside,
    log_axes,
    svg_text,
)
from euclio.core.words import percent
from euclio.report import Figure, Table
from euclio.report.analysis.charts import legend_below, one_scale, side_by_side
from euclio.report.drawings import drawn
from euclio.report.drawn_data import drawn_data
from euclio.serving.pipeline.setup import Setup
from euclio.serving.pipeline.simulation import simulate
from euclio.serving.requests import TARGET
from euclio.serving.timeline_figure import draw as draw_timeline
from studies.ppipe import inputs
from studies.ppipe.cases import (
    ABLATION,
    ABLATION_MARGIN,
    ABLATION_PARTITIONS,
    BY_COUNT,
    BY_TYPES,
    LARGE,
    MARGINS,
    RATIOS,
    REACTIVE_ON,
    SCALES,
    SMALLS,
    ClusterCase,
)
from studies.ppipe.inputs import BATCH, GPUS, SHOWN, SLO_S, WINDOW
from studies.ppipe.measures import (
    BURSTY,
    CURVE_OF,
    POISSON,
    REACTIVE,
    RESERVATION,
    highest_loads,
    mean_loads,
    of_study,
    sensitivity,
    setup_of,
    small_gains,
    small_loads,
    utilization,
)
from studies.ppipe.systems import DART, NP, PPIPE, PRINTED, SERVED, SYSTEMS
from studies.proof_sample import made_again

PUBLISHED_LOW_CLASS = {NP: 8.1, DART: 29.5, PPIPE: 73.6}
PUBLISHED_MEANS = {POISSON: {NP: 66.8, DART: 74.9, PPIPE: 96.5}, BURSTY: {NP: 61.1, DART: 69.4, PPIPE: 90.3}}
PUBLISHED_TESTBED = {NP: (42.6, 52.8), DART: (16.7, 34.1)}
"""Least and most printed gain over the clusters of Figure 9, in per cent."""
PUBLISHED_GAINS = {SCALES: {2: 0.0}, RATIOS: {0: 64.03, 5: 5.64}, MARGINS: {20: 24.9, 40: 52.8, 60: 16.4}}
"""Printed gains by place on the axis."""
LOAD = 0.95
"""Load factor of this plan on the paper's testbed."""
SECONDS = 4.0
PUBLISHED_PLAN = (
    ("published", "1", "V100", "1 × 1/1", "2", "all", "12.3", "162"),
    ("published", "2", "P4", "12 × 1/1", "1", "first part", "", "1082"),
    ("published", "2", "V100", "6 × 1/2", "1", "second part", "", "1050"),
)


@drawn("figure-2", "Figure 2. How much slower are low-class GPUs?", height=3.9)
def figure_2(axes: Sequence[Axes], latencies: pd.DataFrame, of: str) -> str:
    """Latency of every model on every GPU type, with a sentence on their source."""
    places = np.arange(len(latencies))
    looks = hardware_looks(GPUS)
    for k, gpu in enumerate(GPUS):
        values = 1000 * latencies[f"{gpu}_{BATCH}"]
        axes[0].bar(places + (k - 1.5) * 0.2, values, 0.19, color=looks[gpu].colour, label=gpu)
    axes[0].axhline(1000 * SLO_S, color=MUTED, linewidth=1.0, linestyle="--", label="200 ms")
    axes[0].set_xticks(places, list(latencies.index), rotation=45, ha="right")
    axes[0].set_ylabel(f"latency, batch {BATCH} (ms)")
    legend_beside(axes[0])
    return (
        f"{of} Whole models on whole GPUs. Published: 3.0 to 7.9 times longer on P4 than on L4, and 22 % "
        "of the models within 200 ms on P4."
    )


@drawn("figure-3", "Figure 3. Where in a model is the low-class GPU nearly as fast?", height=2.9)
def figure_3(axes: Sequence[Axes], ratios: pd.DataFrame) -> str:
    """Latency ratios along the depth of EfficientNet-B8."""
    for k, name in enumerate(ratios):
        axes[0].plot(ratios.index, ratios[name], color=PALETTE[k], label=str(name))
    axes[0].set(xlabel=f"layer of {SHOWN} (middle of {WINDOW} layers)", ylabel="latency ratio", ylim=(0, None))
    grid(axes[0])
    legend_beside(axes[0])
    return (
        "Synthetic profile. As published, the early layers favour P4 next to L4 (ratio about 1.7), and the late ones "
        "next to V100."
    )


@drawn("figure-13", "Figure 13. When does partitioning pay?", panels=3, height=3.6)
def figure_13(axes: Sequence[Axes], serving: pd.DataFrame) -> str:
    """Highest loads and gain over NP by SLO scale, GPU ratio and margin."""
    tables = [sensitivity(serving, study) for study in (SCALES, RATIOS, MARGINS)]
    tables[1] = tables[1].assign(ratio=[f"{h}:{low}" for h, low in zip(tables[1].high, tables[1].low, strict=True)])
    tables[2] = tables[2].assign(percent=(100 * tables[2].margin).round())
    columns = (
        ("slo_scale", "SLO scale", SCALES),
        ("ratio", "high:low GPUs", RATIOS),
        ("percent", "margin (%)", MARGINS),
    )
    for panel, table, (column, label, study) in zip(axes, tables, columns, strict=True):
        order = table.sort_values("high")[column].unique() if column == "ratio" else sorted(table[column].unique())
        loads = table.groupby(column)[[PPIPE, NP]].mean().reindex(order)
        # If NP serves nothing, there is no gain and no point.
        gain = 100.0 * (loads[PPIPE] / loads[NP].where(loads[NP] > 0) - 1.0)
        x = np.arange(len(order)) if column == "ratio" else np.array(order, dtype=float)
        panel.plot(x, gain, color=PALETTE[2], marker="o", markersize=3.5, label="measured gain over NP")
        for k, value in PUBLISHED_GAINS[study].items():
            panel.plot([k], [value], color=PUBLISHED, marker="D", linestyle="", label="published")
        if column == "ratio":
            panel.set_xticks(x, list(order))
        panel.set_xlabel(label)
        grid(panel)
        panel.axhline(0, color=MUTED, linewidth=0.8)
    axes[0].set_ylabel("PPipe's load over NP's, less 1 (%)\n(higher is better)")
    legend_below(axes)
    return (
        f"Gain in the highest load with 99 % attainment, averaged over the {tables[0].group.nunique()} models, each "
        "served alone on HC1-S, Poisson arrivals. SLO over the latency on L4; 16 GPUs; margin of the plans."
    )


@drawn("figure-14", "Figure 14. Does planning time grow with the cluster?", panels=2, height=3.8)
def figure_14(axes: Sequence[Axes], planning: pd.DataFrame) -> str:
    """Planning time by number of GPUs and of GPU types."""
    shown = planning[planning.study.isin([BY_COUNT, BY_TYPES])]
    own = shown[shown.system == PPIPE]
    gap = 100.0 * (own.bound_rps / own.planned_rps - 1.0).max()
    for panel, study, column in ((axes[0], BY_COUNT, "gpus"), (axes[1], BY_TYPES, "gpu_types")):
        for k, (system, label) in enumerate(((PPIPE, "columns"), (PRINTED, "printed MILP, HiGHS"))):
            rows = shown[(shown.study == study) & (shown.system == system)].sort_values(column)
            panel.plot(rows[column], rows.wall_s, color=PALETTE[k], marker="o", markersize=3.5, label=label)
            open_ = rows[rows.status != "optimal"]
            panel.plot(open_[column], open_.wall_s, color=PALETTE[k], marker="^", markersize=8, linestyle="")
        log_axes(panel, "y")
        panel.set_ylim(10 ** np.floor(np.log10(shown.wall_s.min())), 200.0)
        grid(panel)
    log_axes(axes[0], "x", form="{x:,.0f}")
    axes[0].set_xlabel("GPUs")
    axes[1].set_xlabel("GPU types (100 GPUs)")
    axes[1].set_xticks([2, 3, 4])
    axes[1].plot([3, 4], [35.3, 77.0], color=PALETTE[5], marker="D", linestyle="", label="published (Gurobi)")
    axes[0].axhline(3.5, color=PALETTE[5], linewidth=1.0, linestyle="--", label="published mean, 3.5 s")
    axes[0].set_ylabel("planning time (s), lower is better")
    for panel in axes:
        panel.legend(loc="upper center", bbox_to_anchor=(0.45, -0.2), ncols=2, fontsize=8.5)
    return (
        f"Group G1, {shown.blocks.max()} blocks per model, 2 partitions. Triangles: "
        f"stopped at the time limit without a proof; columns then left at most {gap:.3f} % open."
    )


def figure_6(groups: pd.DataFrame, arrivals: str) -> Figure:
    """Highest load factor by cluster and group."""
    question = f"Figure 6, {arrivals.capitalize()} arrivals. Which share of PPipe's planned load can each system serve?"
    return drawn(f"figure-6-{arrivals}", question, panels=4, height=3.6)(_highest_loads)(groups, arrivals)


def _highest_loads(axes: Sequence[Axes], groups: pd.DataFrame, arrivals: str) -> str:
    loads = mean_loads(groups, arrivals, RESERVATION)
    labels = groups.drop_duplicates("case").set_index("case").group
    for panel, setup in zip(axes, LARGE, strict=True):
        own = loads[setup_of(loads.index) == setup]
        side_by_side(panel, [labels[case] for case in own.index], {s: own[s].to_numpy() for s in SERVED})
        panel.set_title(setup)
    one_scale(axes, "highest load factor, higher is better")
    legend_below(axes)
    means = ", ".join(f"{s} {100 * loads[s].mean():.1f} % ({PUBLISHED_MEANS[arrivals][s]})" for s in SERVED)
    return (
        "Highest load factor with 99 % of the requests within the SLO, averaged over the three models of a group. 1 is "
        f"the planned throughput of PPipe. Means over all, published in brackets: {means}."
    )


@drawn("figure-7", "Figure 7. How does attainment fall as the load rises?", panels=4, height=3.6)
def figure_7(axes: Sequence[Axes], groups: pd.DataFrame) -> str:
    """Attainment of the first group over the load."""
    shown = groups[(groups.group == CURVE_OF) & (groups.arrivals == POISSON) & (groups.scheduler == RESERVATION)]
    means = shown.groupby(["setup", "system", "load"]).attainment.mean()
    for panel, setup in zip(axes, LARGE, strict=True):
        for k, system in enumerate(SERVED):
            curve = 100.0 * means[setup, system]
            panel.plot(curve.index, curve, color=PALETTE[k], label=system, marker="o", markersize=2.5)
            reached = curve[curve >= 100.0 * TARGET]
            if len(reached):
                panel.axvline(reached.index.max(), color=PALETTE[k], linewidth=1.0, linestyle=":")
        panel.set(title=setup, xlabel="load factor")
        grid(panel)
    one_scale(axes, "SLO attainment (%), higher is better")
    legend_below(axes)
    return (
        "Group G1 (EfficientNet-B8, EncNet, RTMDet), Poisson arrivals, mean over its models. Dotted: highest load with "
        "99 %; published for HC1-L: NP 0.45, DART-r 0.55, PPipe 0.95."
    )


@drawn("figure-8", "Figure 8. How busy are high- and low-class GPUs?", panels=2, height=3.4)
def figure_8(axes: Sequence[Axes], groups: pd.DataFrame) -> str:
    """Utilisation of both classes."""
    used = utilization(groups).groupby(["setup", "system"])[["high_class", "low_class"]].mean()
    for panel, column, title in (
        (axes[0], "high_class", "high-class GPUs"),
        (axes[1], "low_class", "low-class GPUs"),
    ):
        values = {s: np.array([used[column].get((setup, s), 0.0) for setup in LARGE]) for s in SERVED}
        side_by_side(panel, list(LARGE), values)
        panel.set(title=title, ylim=(0, 103))
    for k, system in enumerate(SERVED):
        axes[1].axhline(PUBLISHED_LOW_CLASS[system], color=PALETTE[k], linewidth=1.0, linestyle="--")
    one_scale(axes, "busy time (%)")
    legend_below(axes)
    return (
        "Share of the time that GPUs are busy, each model at its highest load with 99 % attainment (Poisson), mean "
        "over the groups. Dashed: published means of low-class GPUs, 8.1, 29.5 and 73.6 %."
    )


@drawn("figure-9", "Figure 9. Which load can each system serve on 16 GPUs?", panels=2, height=3.6)
def figure_9(axes: Sequence[Axes], serving: pd.DataFrame) -> str:
    """Highest load factors on the small clusters, and PPipe's gains."""
    loads = small_loads(serving)
    means = loads.groupby("setup").mean().reindex(list(SMALLS))
    side_by_side(axes[0], list(SMALLS), {s: means[s].to_numpy() for s in SERVED})
    axes[0].set_ylabel("highest load factor")
    gains_over = {base: small_gains(serving, base) for base in (NP, DART)}
    for k, (base, gain) in enumerate(gains_over.items()):
        places = np.arange(len(SMALLS)) + (k - 0.5) * 0.36
        axes[1].bar(places, [m.value for m in gain.values()], 0.33, color=PALETTE[k], label=f"over {base}")
        low, high = zip(*((m.low or 0.0, m.high or 0.0) for m in gain.values()), strict=True)
        axes[1].vlines(places, low, high, color=INK, linewidth=1)
        axes[1].axhspan(*PUBLISHED_TESTBED[base], color=PALETTE[k], alpha=0.2, linewidth=1.5, zorder=0)
    axes[1].set_xticks(range(len(SMALLS)), list(SMALLS))
    axes[1].set_ylabel("PPipe's gain in load (%)")
    for panel in axes:
        panel.tick_params(axis="x", length=0)
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3, fontsize=8.5)
    return (
        f"Higher is better. Highest load factor with 99 % attainment, averaged over {loads.index.unique('group').size} "
        "of the 18 models, each served alone, Poisson arrivals. Simulated here, measured on a testbed in the paper. "
        "Bands: published gains over the four clusters, 42.6 to 52.8 % over NP and 16.7 to 34.1 % over DART-r. Lines: "
        "95 % intervals."
    )


@drawn("figure-10", "Figure 10. What does reserving resources gain over reacting?", height=3.8)
def figure_10(axes: Sequence[Axes], serving: pd.DataFrame) -> str:
    """Highest load of each model under the two schedulers."""
    loads = highest_loads(of_study(serving, ABLATION)).reset_index()
    means = loads.groupby("scheduler").load.mean()
    table = loads.pivot(index="model", columns="scheduler", values="load").sort_values(REACTIVE)
    values = {name: table[name].to_numpy() for name in (REACTIVE, RESERVATION)}
    side_by_side(axes[0], list(table.index), values)
    axes[0].set_xticks(range(len(table)), list(table.index), rotation=40, ha="right")
    for k, value in ((0, 0.71), (1, 0.92)):
        axes[0].axhline(value, color=PALETTE[k], linewidth=1.0, linestyle="--")
    one_scale(axes, "highest load factor, higher is better")
    legend_beside(axes[0])
    return (
        f"PPipe's plans on {REACTIVE_ON}, Poisson arrivals, each model alone, with a margin of "
        f"{percent(float(ABLATION_MARGIN), 0)} and up to {ABLATION_PARTITIONS} partitions, as in the authors' "
        "published plans for this figure. Dashed: published means, 0.71 and 0.92. Means of ours: "
        f"{means[REACTIVE]:.2f} and {means[RESERVATION]:.2f}."
    )


def on_synthetic(figure: Figure) -> Figure:
    """A figure on synthetic layers next to the same one on measured blocks, under a name of its own."""
    key = figure.key + inputs.OF_SYNTHETIC
    # Ids of a page are its figures' keys with ids of the drawing, so that none occurs twice.
    svg = figure.svg.replace(f'"{figure.key}-', f'"{key}-').replace(f"#{figure.key}-", f"#{key}-")
    return replace(figure, key=key, svg=svg, caption=f"On synthetic layers. {figure.caption}")


def plan_table(partitions: pd.DataFrame, of: str) -> Table:
    """The plan of Figure 11 next to the published one.

    Args:
        partitions: a row per partition (`studies.ppipe.experiment`).
        of: a sentence on the source of the blocks.
    """
    found = partitions.to_dict("records")
    first = found[0]
    rows = [
        (
            "ours",
            str(row["pipeline"]),
            str(row["gpu"]),
            f"{row['gpus']} × 1/{row['share']}",
            str(row["batch"]),
            f"{row['first_block']} to {row['last_block']}",
            f"{1000 * row['latency_s']:.1f}",
            f"{row['rps']:.0f}",
        )
        for row in found
    ]
    return Table(
        f"Figure 11. The plan for {first['model']} on {first['setup']}, SLO {1000 * first['slo_s']:.1f} ms; ours "
        f"serves {first['planned_rps']:.0f} requests per second, the published one 162 + 1050. {of}",
        ("plan", "pipeline", "GPU", "pool", "batch", "blocks", "latency (ms)", "requests/s"),
        (*rows, *PUBLISHED_PLAN),
        frozenset({1, 4, 6, 7}),
    )


def figure_12(case: ClusterCase) -> Figure:
    """A stretch of the timeline of the plan of Figure 11."""
    cluster = case.cluster()
    result = made_again(cluster, SYSTEMS[PPIPE])
    assert result.plan is not None
    found = simulate(cluster, result.plan, Setup(load=LOAD, seconds=SECONDS, seed=case.seed, full_load_rps=result.cost))
    drawing = draw_timeline(found)
    with figure_style():
        svg = svg_text(drawing, "figure-12", "Figure 12. Timeline of batched inferences")
    caption = (
        "Figure 12. How do batches pass through the pools? Each row is a virtual GPU, each box a batched inference; "
        f"Poisson arrivals at load factor {LOAD:g}, synthetic layers."
    )
    return Figure("figure-12", svg, caption, data=drawn_data(drawing))
