"""Figures 10 to 13 of Scrooge from our runs, and the sources of the extra cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter

from euclio.core.figures import PUBLISHED, grid, legend_beside, log_axes
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.report import PALETTE, Figure
from euclio.report.analysis.charts import bars, distribution, one_scale, published_line
from euclio.report.analysis.statistics import Measured, mean, share
from euclio.report.drawings import drawn
from euclio.serving.dynamics.figure import Line, over_time
from euclio.workloads.session.scrooge_sessions import COMPARED, scrooge_applications, scrooge_data
from euclio.workloads.session.worker_types import worker_types
from studies.papers.published import printed_values
from studies.scrooge.changing import FRONT_ENDS, NEXUS_SYSTEM, SCROOGE_SYSTEM, TURN_OFFS_S
from studies.scrooge.changing_measures import OWN, PERCENT, of_nexus, of_scrooge
from studies.scrooge.inputs import WITHIN_S, best_within, curve, full_latency_s
from studies.scrooge.measures import (
    BRUTE_FORCE,
    FIVE_APPLICATIONS,
    GREEDY,
    MANY_TYPES,
    MILP,
    OPTIMUM,
    OWN_SESSIONS,
    drawn_as,
    on_types,
    ratio,
    wall,
)
from studies.scrooge.objectives import (
    ALONE,
    ENDS_MS,
    SHOWN,
    SPATIAL,
    objective_savings,
    of_shown_module,
    spatial_savings,
)
from studies.sessions import application_of

NAMES = {MILP: "MILP", GREEDY: "greedy", BRUTE_FORCE: "brute force"}
TITLES = ("§4.2, 2 worker types", f"§4.2, {MANY_TYPES} worker types", "protocol workloads, 2")
SHOWN_RATIO = 1.15
"""End of Figure 10's cost axis; the published axis ends early as well."""


@drawn("figure-10", "Figure 10. How much more expensive than the optimum is Scrooge?", panels=3, height=4.4)
def figure_10(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
    """Distribution of cost over the optimum."""
    five, own = drawn_as(runs, FIVE_APPLICATIONS), drawn_as(runs, OWN_SESSIONS)
    panels = (
        {NAMES[name]: ratio(own, name) for name in (MILP, GREEDY)},
        {NAMES[name]: ratio(own, on_types(name), on_types(OPTIMUM)) for name in (MILP, GREEDY)},
        {NAMES[name]: ratio(five, name) for name in (MILP, GREEDY)},
    )
    for panel, title, series in zip(axes, TITLES, panels, strict=True):
        distribution(panel, series, "cost over the optimum")
        panel.set(xlim=(1 - 0.02 * (SHOWN_RATIO - 1), SHOWN_RATIO), title=title)
    published_line(axes[0], 1.03, "paper: MILP at most", 0)
    published_line(axes[0], 1.05, "paper: greedy at most", 1)
    axes[0].plot([1.0], [85.0], marker="o", color=PALETTE[0])
    axes[0].plot([1.0], [80.0], marker="o", color=PALETTE[1])
    return (
        f"Lower is better. Distribution over all decisions, cut at {SHOWN_RATIO:g} (like the published one). Dots: "
        "published shares at the optimum, 85 and 80 %, over the decisions of §4.2 with 2 VM types, which the left "
        "panel draws anew: traffic, face and tracker within 400 ms. Right: the protocol workloads."
    )


@drawn("figure-11", "Figure 11. How long does an allocation decision take?", panels=2, height=4.6)
def figure_11(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
    """Distribution of the latency of allocation decisions."""
    own = drawn_as(runs, OWN_SESSIONS)
    few = {NAMES[name]: 1000 * wall(own, name) for name in (MILP, GREEDY, BRUTE_FORCE)}
    many = {NAMES[name]: 1000 * wall(own, on_types(name)) for name in (MILP, GREEDY)}
    # Brute force with many types is run on a sample of the other workloads.
    many[NAMES[BRUTE_FORCE]] = 1000 * wall(runs, on_types(BRUTE_FORCE))
    for panel, title, series in ((axes[0], TITLES[0], few), (axes[1], TITLES[1], many)):
        distribution(panel, series, "latency of the decision (ms)", log=True)
        panel.set_title(title)
    published_line(axes[0], 100, "paper: MILP at most", 0)
    published_line(axes[0], 10_000, "paper: brute force over", 2)
    published_line(axes[1], 130, "paper: MILP at most", 0)
    return (
        "Lower is better. Distribution over the decisions, model building included; brute force with 30 types on a "
        "seeded sample of the protocol workloads. Dashed: published limits. The paper's brute force does "
        "not end with 30 types."
    )


@drawn("figure-applications", "On which applications does Scrooge's MILP miss the optimum?", panels=2, height=3.8)
def figure_applications(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
    """Shares at the optimum and mean extra cost per application."""
    groups = {
        **_by_application(drawn_as(runs, OWN_SESSIONS), ", §4.2"),
        **_by_application(drawn_as(runs, FIVE_APPLICATIONS), ""),
    }

    shares = {name: share(values <= 1 + OPTIMALITY_TOLERANCE) for name, values in groups.items()}
    means = {name: mean(values - 1, 100.0) for name, values in groups.items()}
    bars(axes[0], shares, {}, "at the optimum (%), higher is better")
    bars(axes[1], means, {}, "mean extra cost (%), lower is better", digits=2)
    for panel, measured in zip(axes, (shares, means), strict=True):
        panel.set_xlim(0, 1.2 * max(max(m.value, m.high or 0.0) for m in measured.values()) + 1e-3)
    axes[1].set_yticklabels([])
    return (
        "Two worker types; lines: 95 % intervals. Scrooge's own decisions of §4.2 above, protocol "
        "workloads below. Published: about 85 % at the optimum over all decisions of §4.2."
    )


def _by_application(runs: pd.DataFrame, suffix: str) -> dict[str, pd.Series[float]]:
    """The MILP's cost over the optimum by application."""
    application, over = application_of(runs), ratio(runs, MILP)
    return {f"{name}{suffix}": over[application[over.index] == name] for name in sorted(application.unique())}


@drawn("figure-12", "Figure 12. What does a looser latency objective save?", panels=2, height=3.9)
def figure_12(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
    """Cost over that of the tightest objective, by application."""
    printed = printed_values("scrooge")
    others = [name for name in scrooge_applications() if name not in COMPARED]
    for panel, names in zip(axes, (COMPARED, others), strict=True):
        for k, name in enumerate(names):
            objectives = [1000 * float(s) for s in scrooge_applications()[name].objectives_s]
            factor = objectives[0] / 400
            costs = [1 - m.value / 100 for m in objective_savings(runs, name)]
            label = name if factor == 1 else f"{name} (objectives × {factor:g})"
            places = [ms / factor for ms in objectives[: len(costs)]]
            panel.plot(places, costs, color=PALETTE[k], marker="o", markersize=3.5, label=label)
            end, least = 1000 + 12 * k, 1 - printed[f"slo_{name}"] / 100
            panel.plot([end], [least], color=PALETTE[k], marker="D", linestyle="", markersize=6)
        panel.set_xlabel("latency objective (ms)")
        grid(panel)
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.19), ncols=2, fontsize=8.5)
    one_scale(axes, "cost over that at 400 ms\n(lower is better)")
    return (
        "Total cost of the same decisions under four objectives, over that under the tightest. Diamonds: published "
        "savings (up to), drawn at 1000 ms. The objectives of caption are longer, since S2VT alone takes up to 1.1 s."
    )


@drawn("figure-13", "Figure 13. What does spatial multiplexing save?", panels=2, height=3.9)
def figure_13(axes: Sequence[Axes], tables: Mapping[str, pd.DataFrame]) -> str:
    """Cost without spatial multiplexing over that with it, and throughput of three modules."""
    printed = printed_values("scrooge")
    for k, name in enumerate(COMPARED):
        savings = spatial_savings(tables["objectives"], name)
        ratios = [1 / (1 - m.value / 100) for m in savings]
        objectives = [1000 * float(s) for s in scrooge_applications()[name].objectives_s][: len(ratios)]
        axes[0].plot(objectives, ratios, color=PALETTE[k], marker="o", markersize=3.5, label=name)
        low, high = (1 / (1 - printed[f"spatial_{name}_{end}"] / 100) for end in ("least", "most"))
        axes[0].axhspan(low, high, color=PALETTE[k], alpha=0.2, linewidth=1.5)
    axes[0].set(ylabel="cost of Scrooge-ns over Scrooge", ylim=(0.9, None))
    for k, shown in enumerate(SHOWN):
        for solver, style in ((SPATIAL, "-"), (ALONE, ":")):
            rates = of_shown_module(tables, shown, solver).rps
            label = f"{shown.label}, {solver}" if solver == ALONE else shown.label
            axes[1].plot(
                1000 * rates.index, rates, color=PALETTE[k], linestyle=style, marker="o", markersize=3, label=label
            )
        ends = [printed[f"{shown.label.lower()}_rps_{ms}"] for ms in ENDS_MS]
        axes[1].plot(ENDS_MS, ends, color=PALETTE[k], marker="D", linestyle="", markersize=6)
    log_axes(axes[1], "y")
    axes[1].set_yticks([10, 20, 50, 100, 200])
    axes[1].set_ylabel("requests/s of a machine\n(higher is better)")
    for panel in axes:
        panel.set_xlabel("latency objective (ms)")
        grid(panel)
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.19), ncols=3, fontsize=8.5)
    return (
        "Left: total cost with concurrency 1 only over that with all levels; bands: the published ranges over the "
        "objectives. Right: average throughput per machine of one module each of traffic, tracker and face; diamonds: "
        "published, with spatial multiplexing; dotted: without."
    )


@drawn("figure-13-others", "Figure 13a, the rest. What does spatial multiplexing save the other four?", height=3.1)
def figure_13_others(axes: Sequence[Axes], tables: Mapping[str, pd.DataFrame]) -> str:
    """Cost without spatial multiplexing over that with it, of the applications that Figure 13a leaves out."""
    panel = axes[0]
    for k, name in enumerate(name for name in scrooge_applications() if name not in COMPARED):
        objectives = [1000 * float(s) for s in scrooge_applications()[name].objectives_s]
        factor = objectives[0] / 400
        ratios = [_over_spatial(m) for m in spatial_savings(tables["objectives"], name)]
        places = [ms / factor for ms in objectives[: len(ratios)]]
        label = name if factor == 1 else f"{name} (objectives × {factor:g})"
        panel.plot(places, [m.value for m in ratios], color=PALETTE[k], marker="o", markersize=3.5, label=label)
        low = [m.value if m.low is None else m.low for m in ratios]
        high = [m.value if m.high is None else m.high for m in ratios]
        panel.fill_between(places, low, high, color=PALETTE[k], alpha=0.15, linewidth=0)
    panel.set(xlabel="latency objective (ms)", ylabel="cost of Scrooge-ns over Scrooge")
    grid(panel)
    legend_beside(panel)
    return (
        "Total cost with concurrency 1 only over that with all levels; bands: 95 % intervals. For these four the paper "
        "prints only that they confirm Figure 13a (§4.4). Their profiles are ours."
    )


def _over_spatial(saved: Measured) -> Measured:
    """A saving in per cent as the ratio of the cost without to the cost with."""
    value, low, high = (None if x is None else 1 / (1 - x / 100) for x in (saved.value, saved.low, saved.high))
    return Measured(float("nan") if value is None else value, low, high, saved.n)


@drawn("figure-10-made", "Figure 10 over the decisions of the changing workloads", panels=2, height=3.9)
def figure_10_made(axes: Sequence[Axes], made: pd.DataFrame) -> str:
    """Distribution of cost over the optimum for Scrooge's allocations while workloads change."""
    for panel, solver in zip(axes, (MILP, GREEDY), strict=True):
        distribution(
            panel, {name: made[made.application == name][solver] for name in COMPARED}, "cost over the optimum"
        )
        panel.set(xlim=(1 - 0.02 * (SHOWN_RATIO - 1), SHOWN_RATIO), title=NAMES[solver], ylabel="decisions (%)")
    return (
        f"Lower is better. Every allocation that Scrooge makes on a changing workload of each application of §4.2 "
        f"({len(made):,} in all), cut at {SHOWN_RATIO:g}."
    )


PRINTED_MS = ((1, 24.0), (8, 118.0))
"""Execution times of SSD-Inception that footnote 1 prints, by batch."""
PRINTED_POINTS = ((1, 1, 40.98), (8, 1, 67.52), (8, 4, 77.51))
"""Batch, concurrency and images per second that §3.2 prints."""
VIDEOS = {"vid1": 8.94, "vid3": 0.37}
"""Average vehicles per frame of two videos (§2)."""
S2VT_S = (0.686, 1.102)
PRINTED_SPEEDS = {"P100": 1.0, "V100": 1.11}
"""Throughput of SSD-Inception over that on P100 (Table 2)."""


@drawn("worker-types", "Tables 1 and 2. Which worker types are there, and what do they cost?", height=3.2)
def worker_types_figure(axes: Sequence[Axes], count: int, seed: int) -> str:
    """Price over speed of the drawn worker types and of the printed ones."""
    panel = axes[0]
    hardware, speeds = worker_types(count, seed)
    prices = [float(h.price_per_h) for h in hardware]
    panel.plot(speeds, prices, color=PALETTE[0], marker="o", markersize=4, linestyle="", label=f"{count} drawn types")
    for k, (name, speed) in enumerate(PRINTED_SPEEDS.items()):
        price = next(h["price_per_h"] for h in scrooge_data()["hardware"] if h["name"] == name)
        panel.plot([speed], [price], color=PUBLISHED, marker="Ds"[k], linestyle="", label=f"{name}, published")
    panel.set(xlabel="speed over the slowest (SSD-Inception)", ylabel="price ($ per hour)", ylim=(0, None))
    grid(panel)
    legend_beside(panel)
    return (
        f"Prices and speeds of all {count} types are ours, drawn within the ratios of Table 1 (at most 8.38 and 2.41, "
        "not correlated). P100 at $2.07 and V100 at $3.06 are Table 2's; workers without a GPU cost $0.83 (§4.2) with "
        "either."
    )


@drawn("figure-2", "Figure 2. What does a larger batch cost SSD-Inception?", panels=2, height=3.4)
def figure_2(axes: Sequence[Axes]) -> str:
    """Execution time and throughput of SSD-Inception by batch."""
    alone = curve(1)
    batches = [c.batch for c in alone]
    axes[0].plot(batches, [1000 * float(c.duration_s) for c in alone], color=PALETTE[0], marker="o", markersize=3.5)
    axes[0].plot(*zip(*PRINTED_MS, strict=True), color=PUBLISHED, marker="D", linestyle="", label="published")
    axes[0].set_ylabel("execution time (ms)")
    axes[1].plot(batches, [float(c.throughput_rps) for c in alone], color=PALETTE[0], marker="o", markersize=3.5)
    printed = [(batch, rps) for batch, concurrency, rps in PRINTED_POINTS if concurrency == 1]
    axes[1].plot(*zip(*printed, strict=True), color=PUBLISHED, marker="D", linestyle="", label="published")
    axes[1].set(ylabel="throughput (images/s)", ylim=(0, None))
    for panel in axes:
        panel.set_xscale("log", base=2)
        panel.set_xticks(batches, [str(b) for b in batches])
        panel.xaxis.set_minor_formatter(NullFormatter())
        panel.set_xlabel("batch")
        panel.legend(loc="best", fontsize=8.5)
        grid(panel)
    return (
        "The input profile of SSD-Inception on P100 at concurrency 1, with another GPU kernel from batch 16 on. The "
        "published figure also shows GPU utilisation, which we do not model."
    )


@drawn("figure-3", "Figure 3. How much does input complexity vary?", panels=2, height=3.2)
def figure_3(axes: Sequence[Axes], drawn_inputs: pd.DataFrame) -> str:
    """Vehicles per frame and S2VT's seconds per frame over decisions."""
    axes[0].plot(drawn_inputs.index, drawn_inputs.vehicles, color=PALETTE[0], linewidth=0.9, label="drawn")
    for name, value in VIDEOS.items():
        axes[0].axhline(value, color=PUBLISHED, linewidth=1.2, linestyle="--", label=f"published mean of {name}")
    axes[0].set_ylabel("vehicles per frame")
    axes[1].plot(drawn_inputs.index, drawn_inputs.s2vt_s, color=PALETTE[0], linewidth=0.9, label="drawn")
    for value, name in zip(S2VT_S, ("least", "largest"), strict=True):
        axes[1].axhline(value, color=PUBLISHED, linewidth=1.2, linestyle="--", label=f"published {name}")
    axes[1].set_ylabel("S2VT (s per frame)")
    for panel in axes:
        panel.set(ylim=(0, None), xlabel="allocation decision")
        grid(panel)
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=3, fontsize=8.5)
    return (
        "Draws for every decision, even on a logarithmic scale: the scaling factor of traffic's "
        "vehicle classifier and the ballooned execution time of S2VT on P100. The published figure follows three "
        "videos frame by frame; only the dashed numbers are in the text."
    )


@drawn("figure-5", "Figure 5. What does SSD-Inception serve within a latency?", height=3.4)
def figure_5(axes: Sequence[Axes]) -> str:
    """Throughput over latency of SSD-Inception, one curve per concurrency."""
    panel = axes[0]
    for k, concurrency in enumerate(scrooge_data()["concurrency"]):
        points = curve(concurrency)
        latencies = [float(full_latency_s(c)) for c in points]
        rates = [float(c.throughput_rps) for c in points]
        label = f"concurrency {concurrency}"
        panel.plot(latencies, rates, color=PALETTE[k], marker="o", markersize=3.5, label=label)
    printed = [(_latency(batch, concurrency), rps) for batch, concurrency, rps in PRINTED_POINTS]
    panel.plot(*zip(*printed, strict=True), color=PUBLISHED, marker="D", linestyle="", label="published")
    panel.axvline(float(WITHIN_S), color=PUBLISHED, linewidth=1.2, linestyle="--", label="0.2 s")
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter("{x:g}")
    panel.set(xlabel="worst-case latency at full rate (s)", ylabel="throughput (images/s)", ylim=(0, None))
    grid(panel)
    legend_beside(panel)
    best = best_within(WITHIN_S)
    return (
        "SSD-Inception on P100, batches 1 to 128 along each curve. Within 0.2 s the best point is batch "
        f"{best.batch}, concurrency {best.concurrency} (published: 4 and 2). In §4 the same profile takes "
        f"{scrooge_data()['time_scale']:g} times as long, as Inception's throughputs of 24.9 and 33.6 (§4.3) mean."
    )


def _latency(batch: int, concurrency: int) -> float:
    return float(full_latency_s(next(c for c in curve(concurrency) if c.batch == batch)))


SHOWN_MODULES = {"traffic": ("vehicle", "face"), "face": ("crop", "keypoints"), "tracker": ("crop", "reid")}
"""Modules with input rates in Figures 7 to 9."""


def named(system: str, front_ends: int) -> str:
    """A system in words."""
    return system if not front_ends else f"{system}, {front_ends} front-end{'s' if front_ends > 1 else ''}"


@drawn("figure-6", "Figure 6. What does a workload of 1000 s cost, and is it served in time?", panels=2, height=4.6)
def figure_6(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
    """Cost and finish rate of Scrooge and Nexus."""
    printed = printed_values("scrooge")
    costs: dict[str, Measured] = {}
    rates: dict[str, Measured] = {}
    marks: tuple[dict[str, float | tuple[float, float]], dict[str, float | tuple[float, float]]] = ({}, {})
    for name in COMPARED:
        own = of_scrooge(runs, name, OWN)
        costs[f"{name}: Scrooge"] = Measured(1.0)
        rates[f"{name}: Scrooge"] = mean(own[OWN.finish], PERCENT)
        if f"finish_{name}" in printed:
            marks[1][f"{name}: Scrooge"] = printed[f"finish_{name}"]
        for front_ends in FRONT_ENDS[name]:
            theirs = of_nexus(runs, name, front_ends, OWN)
            label = f"{name}: {named(NEXUS_SYSTEM, front_ends)}"
            costs[label] = mean(theirs[OWN.cost] / own[OWN.cost])
            rates[label] = mean(theirs[OWN.finish], PERCENT)
            key = f"{name}_{front_ends}" if front_ends else name
            for mark, what in zip(marks, ("cost", "finish"), strict=True):
                if f"nexus_{what}_{key}" in printed:
                    mark[label] = printed[f"nexus_{what}_{key}"]
    bars(axes[0], costs, marks[0], "cost over Scrooge's, lower is better", digits=2)
    bars(axes[1], rates, marks[1], "finish rate (%), higher is better")
    axes[1].set_yticklabels([])
    return (
        "Whole workers in use, over Scrooge's, and the mean of the finish rates of all seconds; vertical lines: "
        "published. Nexus plans for modules with a GPU only; CPU modules run on a fixed number of front-ends."
    )


def figure_over_time(tables: Mapping[str, pd.DataFrame], application: str) -> Figure:
    """An application's input rates, cost and finish rate over time (Figure 7, 8 or 9)."""
    number = 7 + COMPARED.index(application)
    question = f"Figure {number}. How do Scrooge and Nexus follow {application}?"
    return drawn(f"figure-{number}", question, panels=3, height=3.8)(_fill_over_time)(tables, application)


def _fill_over_time(axes: Sequence[Axes], tables: Mapping[str, pd.DataFrame], application: str) -> str:
    seconds, inputs = (tables[name] for name in ("changing_seconds", "changing_inputs"))
    own = inputs[inputs.application == application].set_index("module").sort_values("second")
    lines = {}
    for system, number in ((SCROOGE_SYSTEM, 0), *((NEXUS_SYSTEM, n) for n in FRONT_ENDS[application])):
        rows = seconds[(seconds.application == application) & (seconds.system == system)]
        rows = rows[rows.front_ends == number].sort_values("second")
        lines[named(system, number)] = Line(rows.frames, rows.in_time, rows.used_per_h)
    over_time(axes, lines, {module: own.loc[[module]].invocations for module in SHOWN_MODULES[application]})
    return (
        "Invocations per second of the modules after the first, as they come with the frames (means over 10 s); price "
        "of the workers in use; part of the frames answered in time (means over 10 s), colours as in the middle. One "
        "workload of twelve clients. Nexus has every number of front-ends that the paper names."
    )


@drawn("figure-14", "Figure 14. What does a turn-off delay do for the finish rate?", panels=2, height=3.9)
def figure_14(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
    """Finish rates of all applications at three turn-off delays."""
    others = [name for name in scrooge_applications() if name not in COMPARED]
    for panel, names in zip(axes, (COMPARED, others), strict=True):
        width = 0.8 / len(TURN_OFFS_S)
        for k, seconds in enumerate(TURN_OFFS_S):
            own = [PERCENT * of_scrooge(runs, name, OWN, seconds)[OWN.finish].mean() for name in names]
            places = [place + (k - 1) * width for place in range(len(names))]
            panel.bar(places, own, 0.92 * width, color=PALETTE[k], label=f"{seconds} s")
        panel.set_xticks(range(len(names)), names)
        panel.tick_params(axis="x", length=0)
        panel.set(ylim=(LEAST_SHOWN, 100), ylabel="finish rate (%), higher is better")
        grid(panel, "y")
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3, fontsize=8.5, title="turn-off delay")
    printed = printed_values("scrooge")
    axes[0].axhspan(printed["turn_off_0_least"], printed["turn_off_0_most"], color=PALETTE[0], alpha=0.2)
    axes[0].axhline(printed["turn_off_30"], color=PALETTE[1], linewidth=1.2, linestyle="--")
    axes[0].axhline(printed["turn_off_120"], color=PALETTE[2], linewidth=1.2, linestyle="--")
    axes[1].axhline(printed["turn_off_30_others"], color=PALETTE[1], linewidth=1.2, linestyle="--")
    axes[1].axhline(printed["turn_off_120_others"], color=PALETTE[2], linewidth=1.2, linestyle="--")
    return (
        f"Mean finish rates of Scrooge; the axis begins at {LEAST_SHOWN} %. Band and dashed lines: published (0 s: "
        "from, to; 30 and 120 s: over). For pose the paper prints no number."
    )


LEAST_SHOWN = 60
"""Begin of Figure 14's axis in per cent."""
