"""The picture of Graft's distance from the optimum, and Figures 7, 11 and 13 to 20."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter

from euclio.core.figures import INK, MUTED, PALETTE, PUBLISHED, grid, legend_beside
from euclio.report.analysis.charts import legend_below, side_by_side
from euclio.report.drawings import drawn
from studies.graft.cases import NETWORKS, SCALES
from studies.graft.inputs import BUDGETS_MS, FIGURE_4_RPS, figure_4_tables
from studies.graft.measures import Tables, merged_parts, of, over_optimum, weight_gaps
from studies.graft.scales import savings
from studies.graft.serving import SECONDS, SERVED
from studies.graft.systems import GRAFT, GSLICE, GSLICE_PLUS, REGROUP, STATIC, STATIC_PLUS
from studies.graft.variants import FIFTY, HUNDRED, STRATEGIES, TWENTY_FIVE

NAMES = list(NETWORKS.values())
MARKS = {GRAFT: "o", GSLICE_PLUS: "s", GSLICE: "^", STATIC: "D", REGROUP: "v"}
TICKS = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
"""Of the logarithmic axis of shares over the optimum."""

Printed = Mapping[str, float]
"""Published numbers by key."""


@drawn("over-optimum", "How near is Graft to the least share that serves its clients?", panels=4, height=3.9)
def over_optimum_figure(axes: Sequence[Axes], tables: Tables) -> str:
    """Share of every system over the optimum, by network and scale."""
    over = over_optimum(tables)
    for panel, scale in zip(axes, SCALES, strict=True):
        means = of(over, scale=scale.key).groupby("network")[list(MARKS)].mean().reindex(list(NETWORKS))
        panel.vlines(range(len(NAMES)), 1.0, 1.0 + means.max(axis=1) / 100.0, color=MUTED, linewidth=0.7, alpha=0.5)
        for k, (system, mark) in enumerate(MARKS.items()):
            values = 1.0 + means[system] / 100.0
            # The grey of the palette would not be seen on the line of the optimum.
            colour = PALETTE[k + (system == REGROUP)]
            panel.plot(range(len(NAMES)), values, mark, color=colour, markersize=6, label=system, alpha=0.9)
        panel.set(yscale="log", ylim=(0.93, 9.0))
        labels = [f"{tick:g}" if panel is axes[0] else "" for tick in TICKS]
        panel.set_yticks(TICKS, labels)
        panel.yaxis.set_minor_formatter(NullFormatter())
        panel.tick_params(axis="y", which="minor", length=0)
        panel.set_xticks(range(len(NAMES)), NAMES)
        panel.set_xlim(-0.5, len(NAMES) - 0.5)
        panel.axhline(1.0, color=INK, linewidth=0.8)
        panel.set_title(scale.words)
        grid(panel)
    axes[0].set_ylabel("share over the least possible\n(lower is better)")
    legend_below(axes)
    open_ = tables["optima"][tables["optima"].status != "optimal"]
    return (
        f"Lower is better. Mean over {tables['optima'].draw.nunique()} fleets per network and number of clients; 1 is "
        f"the proven least share, or its bound where the proof was not finished ({len(open_)} of "
        f"{len(tables['optima'])} fleets). Static serves the partition points of the mean bandwidth, which may need "
        "less than those of the moment. regroup is ours."
    )


@drawn("figure-7", "Figure 7. Which share does each system take?", panels=3, height=3.9)
def figure_7(axes: Sequence[Axes], tables: Tables) -> str:
    """Shares by network and scale."""
    for panel, scale in zip(axes, SCALES[:3], strict=True):
        suffix = " capped" if scale.key == "large_homo" else ""
        own = of(tables["shares"], scale=scale.key).groupby("network").mean(numeric_only=True).reindex(list(NETWORKS))
        systems = (GRAFT, GSLICE, GSLICE_PLUS, STATIC, STATIC_PLUS)
        values = {system: own[system + suffix].to_numpy() for system in systems}
        side_by_side(panel, NAMES, {**values, REGROUP: own[REGROUP].to_numpy()})
        panel.set_title(scale.words)
        grid(panel)
    axes[0].set_ylabel("GPU share (%), lower is better")
    legend_below(axes)
    return (
        "Mean over the draws. At 20 clients stages have at most five instances, as printed, except for regroup, which "
        "is ours. We do not read off the paper's bars; the scorecard has the numbers of its text."
    )


@drawn("figures-8-10", "Figures 8 to 10. Which requests come too late, from end to end?", panels=4, height=3.9)
def figure_8(axes: Sequence[Axes], tables: Tables) -> str:
    """Requests beyond their objective by network, scale and device."""
    rows = tables["latencies"]
    panels = (
        ("4 Nano", "small_homo", "nano"),
        ("Nano next to TX2", "small_heter", "nano"),
        ("TX2 next to Nano", "small_heter", "tx2"),
        ("20 Nano", "large_homo", "nano"),
    )
    for panel, (title, scale, device) in zip(axes, panels, strict=True):
        own = of(rows, scale=scale, device=device)
        late = 100.0 * (1.0 - own.pivot_table(index="network", columns="system", values="kept").reindex(list(NETWORKS)))
        side_by_side(panel, NAMES, {system: late[system].to_numpy() for system in SERVED})
        panel.set(title=title, ylim=(0, max(1.0, 1.05 * float(np.nanmax(late.to_numpy())))))
        grid(panel)
    axes[0].set_ylabel("late requests (%), lower is better")
    legend_below(axes)
    return (
        f"Mean over {rows.draw.nunique()} fleets per network and scale, {SECONDS:g} s each, requests evenly spaced at "
        "random phases; scales of the axes differ. Latency is that of the device, the uplink and the server. The paper "
        "draws distributions and prints no number."
    )


@drawn("figure-11", "Figure 11. What does re-partitioning save of five fragments?", height=3.2)
def figure_11(axes: Sequence[Axes], tables: Tables, printed: Printed) -> str:
    """Largest and mean saving by network."""
    rows = tables["repartitioning"]
    saved = savings(rows[GSLICE], rows[GRAFT]).groupby(rows.network)
    values = {"mean": saved.mean(), "largest": saved.max()}
    side_by_side(axes[0], NAMES, {name: own.reindex(list(NETWORKS)).to_numpy() for name, own in values.items()})
    _published(axes[0], [printed[f"repartition_{key}"] for key in NETWORKS], "published (up to)")
    axes[0].set_ylabel("share saved (%), higher is better")
    _legend(axes[0])
    return f"Five random fragments of Nano clients, nothing merged; {rows.draw.nunique()} draws per network."


@drawn("figure-13", "Figures 13 and 14. How much merging is enough?", panels=3, height=3.9)
def figure_13(axes: Sequence[Axes], tables: Tables, printed: Printed) -> str:
    """Share by strategy, parts by strategy, share over numbers of fragments."""
    rows = tables["merging"]
    fifty = of(rows, fragments=FIFTY)
    shares = fifty.pivot_table(index=["network", "draw"], columns="strategy", values="share")
    relative = shares.div(shares["uniform+"], axis=0).groupby("network").mean().reindex(list(NETWORKS))
    side_by_side(axes[0], NAMES, {name: relative[name].to_numpy() for name in STRATEGIES})
    axes[0].set_title("share over uniform+")
    fewer = merged_parts(fifty).groupby("network").mean().reindex(list(NETWORKS))
    side_by_side(axes[1], NAMES, {name: fewer[name].to_numpy() for name in STRATEGIES})
    _published(axes[1], [printed[f"merged_{key}"] for key in NETWORKS], "published (uniform+)")
    axes[1].set_title("fewer fragments (%)")
    own = of(rows, network="res").pivot_table(index="fragments", columns="strategy", values="share")
    for k, name in enumerate(STRATEGIES):
        axes[2].plot(own.index, own[name] / own["no merging"], color=PALETTE[k], marker="o", markersize=3.5)
    axes[2].set(title="Res: share over no merging", xlabel="fragments")
    for panel in axes:
        grid(panel)
    legend_below([axes[1]])
    return (
        f"Left and right: lower is better. {FIFTY} fragments of Nano clients, merging threshold 0.2; "
        f"{rows.draw.nunique()} draws per network."
    )


@drawn("figure-15", "Figure 15. Does the merging threshold matter?", panels=2, height=3.6)
def figure_15(axes: Sequence[Axes], tables: Tables) -> str:
    """Share and number of parts by threshold."""
    rows = tables["thresholds"]
    for column, panel in (("share", axes[0]), ("parts", axes[1])):
        means = rows.groupby(["network", "threshold"])[column].mean()
        for k, (key, name) in enumerate(NETWORKS.items()):
            own = means[key]
            values = own / own[0.1] if column == "share" else own
            panel.plot(own.index, values, color=PALETTE[k], marker="o", markersize=3.5, label=name)
        panel.set_xlabel("merging threshold")
        grid(panel)
    axes[0].set(ylabel="share over that at 0.1", ylim=(0, None))
    axes[1].set(ylabel="fragments after merging", ylim=(0, None))
    legend_below(axes)
    return (
        f"Left: lower is better. {TWENTY_FIVE} fragments. The paper prints that Res takes 2.9 times the share at 0.4 "
        "of that at 0.2; none of ours comes near that."
    )


@drawn("figure-16", "Figure 16. Group sizes, factor weights and weights of edges", panels=3, height=3.7)
def figure_16(axes: Sequence[Axes], tables: Tables) -> str:
    """Share and time by group size; share at equal weights over the best ones; edges as printed over ours."""
    rows = tables["grouping"]
    size = of(rows, study="size")
    means = size.assign(value=size.value.astype(int)).groupby("value")[["share", "cpu_s"]].mean()
    for k, (column, label) in enumerate((("share", "share"), ("cpu_s", "time"))):
        axes[0].plot(means.index, means[column] / means[column][5], color=PALETTE[k], marker="o", label=label)
    axes[0].set(xlabel="most fragments of a group (Inc)", ylabel="over that of five", ylim=(0, None))
    axes[0].legend(loc="lower right", fontsize=8.5)
    gaps = weight_gaps(rows).groupby("network").mean().reindex(list(NETWORKS))
    side_by_side(axes[1], NAMES, {"measured": gaps.to_numpy()})
    axes[1].axhline(4.1, color=PUBLISHED, linestyle="--", linewidth=1.2, label="published")
    axes[1].set_title("equal over best weights (%)")
    edges = of(rows, study="edges").pivot_table(index=["network", "draw"], columns="value", values="share")
    extra = (100.0 * (edges["distance"] / edges["similarity"] - 1.0)).groupby("network").mean()
    side_by_side(axes[2], NAMES, {"measured": extra.reindex(list(NETWORKS)).to_numpy()})
    axes[2].set_title("printed edges: more (%)")
    for panel in axes:
        grid(panel)
    legend_below([axes[1]])
    return (
        f"Lower is better. {TWENTY_FIVE} fragments. Best of nine weights of partition point and time budget, fleet by "
        "fleet. Right: the cost of keeping distant fragments together, as the weights of edges are printed "
        "(graft:literal)."
    )


@drawn("figure-17", "Figure 17. How many more clients does Graft serve within a share?", panels=3, height=3.7)
def figure_17(axes: Sequence[Axes], tables: Tables, printed: Printed) -> str:
    """Ratios of throughput by network."""
    rows = tables["throughput"]
    for panel, (name, system) in zip(
        axes, (("gslice_plus", GSLICE_PLUS), ("gslice", GSLICE), ("static", STATIC)), strict=True
    ):
        ratio = (rows[GRAFT] / rows[system].where(rows[system] > 0)).groupby(rows.network).mean()
        side_by_side(panel, NAMES, {"measured": ratio.reindex(list(NETWORKS)).to_numpy()})
        _published(panel, [printed[f"throughput_{name}_{key}"] for key in NETWORKS], "published")
        panel.axhline(1.0, color=MUTED, linewidth=0.8, linestyle="--")
        panel.set_title(f"over {system}")
        grid(panel)
    axes[0].set_ylabel("clients served, Graft over other\n(higher is better)")
    legend_below(axes)
    amounts = " and ".join(str(n) for n in sorted(rows.amount.unique()))
    return (
        f"Clients arrive one by one until their share exceeds that of GSLICE for {amounts} clients (our choice: the "
        f"paper's amounts are not printed). Ours, regroup, serves {(rows[REGROUP] / rows[GRAFT]).mean():.2f} times as "
        "many as Graft."
    )


@drawn("figure-18", "Figure 18. Does realigning pay for hundreds of clients and more?", panels=2, height=3.7)
def figure_18(axes: Sequence[Axes], tables: Tables, printed: Printed) -> str:
    """GSLICE over Graft, and what Graft saves over GSLICE+."""
    rows = tables["massive"]
    numbers = sorted(rows.clients.unique())
    own = rows.set_index(["network", "clients"])
    ratio, saved = own[GSLICE] / own[GRAFT], savings(own[GSLICE_PLUS], own[GRAFT])
    for panel, values, key in ((axes[0], ratio, "massive_gslice"), (axes[1], saved, "massive_gslice_plus")):
        series = {f"{number} clients": np.array([values[net, number] for net in NETWORKS]) for number in numbers}
        side_by_side(panel, NAMES, series)
        _published(panel, [printed[f"{key}_{net}"] for net in NETWORKS], "published")
        grid(panel)
    axes[0].set_title("share of GSLICE over Graft's")
    axes[1].set_title("share saved over GSLICE+ (%)")
    legend_below(axes)
    return (
        "Higher is better. Merging threshold 0.01, as printed for this scale; one fleet of Nano clients per network "
        "and number."
    )


@drawn("figure-19", "Figure 19. How long does planning take?", panels=2, height=3.6)
def figure_19(axes: Sequence[Axes], tables: Tables) -> str:
    """Seconds by number of fragments, and by processes."""
    rows = tables["planning"]
    means = rows[rows.fragments < HUNDRED].groupby(["network", "fragments"]).cpu_s.mean()
    for k, (key, name) in enumerate(NETWORKS.items()):
        axes[0].plot(means[key].index, 1000 * means[key], color=PALETTE[k], marker="o", markersize=3.5, label=name)
    axes[0].set(xlabel="fragments", ylabel="processor time (ms)", ylim=(0, None))
    axes[0].legend(loc="upper left", fontsize=8.5, ncols=2)
    pools = tables["pools"].groupby("pool").seconds.mean()
    axes[1].plot(pools.index, 1000 * pools, color=PALETTE[0], marker="o", markersize=3.5)
    axes[1].set(xlabel="processes (ViT, 50 fragments)", ylabel="longest of them (ms)", ylim=(0, None))
    for panel in axes:
        grid(panel)
    return (
        "Lower is better. Left: whole plans, one process. Right: groups realigned by the given number of processes, "
        "without the time to start them. Starting one takes longer than the whole plan, so ours has no pool."
    )


@drawn("figure-20", "Figure 20. Do tighter objectives bring Graft away from the optimum?", height=3.4)
def figure_20(axes: Sequence[Axes], tables: Tables) -> str:
    """Graft's share over the optimum by SLO ratio."""
    rows = tables["ratios"]
    means = (rows[GRAFT] / rows.bound).groupby([rows.network, rows.ratio]).mean()
    for k, (key, name) in enumerate(NETWORKS.items()):
        if key in means.index.get_level_values(0):
            axes[0].plot(means[key].index, means[key], color=PALETTE[k], marker="o", markersize=4, label=name)
    axes[0].axhline(1.0, color=INK, linewidth=0.8)
    axes[0].set(
        xlabel="SLO over mobile latency", ylabel="share over the least possible\n(lower is better)", ylim=(0.9, None)
    )
    grid(axes[0])
    legend_beside(axes[0])
    missing = tables["partition_points"]
    none = missing[~missing.drawn]
    words = (
        ", ".join(
            sorted({f"{NETWORKS[key]} at {ratio:g}" for key, ratio in zip(none.network, none.ratio, strict=True)})
        )
        or "none"
    )
    ours = 100.0 * (rows[REGROUP] / rows.bound - 1.0)
    return (
        f"Ten Nano clients. Without a feasible partition point: {words}. Ours, regroup, is at most "
        f"{ours.max():.1f} % above the least possible, at any ratio."
    )


def _published(panel: Axes, values: Sequence[float], label: str) -> None:
    """Published values as diamonds at the networks' places."""
    panel.plot(range(len(values)), values, "D", color=PUBLISHED, markeredgecolor=INK, markersize=5, label=label)


def _legend(panel: Axes) -> None:
    legend_beside(panel)


@drawn("figure-2", "Figure 2. What does hybrid inference save while bandwidth moves?", panels=3, height=3.3)
def figure_2(axes: Sequence[Axes], rows: pd.DataFrame) -> str:
    """Share, partition point and bandwidth of one client by second."""
    for k, (column, label) in enumerate((("server", "server only"), ("hybrid", "hybrid"))):
        axes[0].step(rows.second, rows[column].where(np.isfinite(rows[column])), color=PALETTE[k], label=label)
    axes[1].step(rows.second, rows.point, color=PALETTE[2])
    axes[2].plot(rows.second, rows.mbps, color=PALETTE[3])
    for panel, title in zip(axes, ("share (%)", "partition point", "Mbit/s"), strict=True):
        panel.set(title=title, xlabel="second", ylim=(0, None))
        grid(panel)
    axes[0].legend(loc="upper left", fontsize=8.5)
    late = int((~np.isfinite(rows.server)).sum())
    return (
        f"Left: lower is better. Inc on a Nano, 30 requests per second, a seeded 5G-like trace. On {late} of "
        f"{len(rows)} seconds (gaps) no share serves all layers in time. Published: up to 3 times the share."
    )


@drawn("figure-4", "Figure 4. Is the share needed discrete?", panels=2, height=3.2)
def figure_4(axes: Sequence[Axes]) -> str:
    """Share by time budget, and by rate."""
    by_budget, by_rate = figure_4_tables()
    axes[0].step(by_budget.index, by_budget.where(np.isfinite(by_budget)), color=PALETTE[0], where="post")
    axes[0].set(xlabel=f"time budget (ms), {FIGURE_4_RPS} requests per second", xlim=(BUDGETS_MS[0], BUDGETS_MS[-1]))
    axes[1].step(by_rate.index, by_rate, color=PALETTE[0])
    axes[1].set_xlabel("requests per second, executed within 25 ms")
    for panel in axes:
        panel.set(ylabel="least share (%)", ylim=(0, None))
        grid(panel)
    return "The whole of Inc. As published, less time or more load do not always take more share."


@drawn("figure-6", "Figure 6. Where do clients cut, and what time do they leave?", panels=2, height=3.7)
def figure_6(axes: Sequence[Axes], fragments: pd.DataFrame) -> str:
    """Least, median and largest partition point and time budget by network and scale."""
    for k, scale in enumerate((SCALES[0], SCALES[2], SCALES[3])):
        own = of(fragments, scale=scale.key)
        for panel, column in zip(axes, ("point", "budget_ms"), strict=True):
            found = own.groupby("network")[column].agg(["min", "median", "max"]).reindex(list(NETWORKS))
            places = np.arange(len(NETWORKS)) + (k - 1) * 0.22
            panel.vlines(places, found["min"], found["max"], color=PALETTE[k], linewidth=2, label=scale.words)
            panel.plot(places, found["median"], "o", color=PALETTE[k], markersize=5)
    for panel, label in zip(axes, ("first layer on the server", "time budget (ms)"), strict=True):
        panel.set_xticks(range(len(NETWORKS)), list(NETWORKS.values()))
        panel.set_ylabel(label)
        grid(panel)
    axes[1].set_yscale("log")
    axes[1].set_yticks([10, 30, 100, 300], ["10", "30", "100", "300"])
    legend_below(axes)
    return (
        "Lines: least to largest, dots: median. In the paper Res, Mob and ViT are polarised, and Inc stays at layer "
        "3 as the bandwidth grows."
    )


@drawn("figure-12", "Figure 12. How does one fragment of five change the plan?", panels=2, height=3.4)
def figure_12(axes: Sequence[Axes], rows: pd.DataFrame) -> str:
    """Share and re-partition point by bandwidth and rate of the fifth fragment."""
    for panel, study, label in ((axes[0], "bandwidth", "Mbit/s"), (axes[1], "rate", "requests per second")):
        own = of(rows, study=study)
        panel.step(own.value, own.share, color=PALETTE[0], where="mid", label="share (%)")
        panel.step(own.value, own.repartition, color=PALETTE[1], where="mid", label="re-partition point")
        panel.step(own.value, own.point, color=PALETTE[2], where="mid", linestyle="--", label="its partition point")
        panel.set(xlabel=f"{label} of the fifth client (Inc)", ylim=(0, None))
        grid(panel)
    legend_below(axes)
    return (
        "Four Inc fragments stay as they are. Published: the share falls a little with bandwidth and grows with the "
        "rate."
    )
