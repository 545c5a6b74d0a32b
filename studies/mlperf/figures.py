"""The picture that the page opens with, largest loads, rules side by side, and Triton's clients."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from euclio.core.figures import MUTED, PALETTE, grid, legend_beside, log_axes
from euclio.report.drawings import drawn
from studies.mlperf.class_text import ORDINALS, ordered, trust_text
from studies.mlperf.inputs import PERCENTILES
from studies.mlperf.measures import reached

AIM = 25.0
"""Largest median error of our aim, in per cent."""
MARKERS = {"p50": "o", "p90": "s", "p99": "^"}


@drawn("signed-errors", "When to trust a predicted latency: its error by class of server", panels=2, height=4.8)
def signed_errors(axes: Sequence[Axes], left: pd.DataFrame) -> str:
    """Signed errors by class, and predicted against measured; each accelerator predicted without its own results."""
    kinds = ordered(left)
    color = {kind: PALETTE[k] for k, kind in enumerate(kinds)}
    for name in PERCENTILES:
        axes[1].scatter(
            1000 * left[f"measured_{name}"],
            1000 * left[name],
            marker=MARKERS[name],
            s=26,
            color=[color[kind] for kind in left.kind],
            edgecolors="none",
            alpha=0.9,
        )
        axes[1].plot([], [], marker=MARKERS[name], linestyle="", color=MUTED, label=f"{ORDINALS[name]} percentile")
    _diagonal(axes[1], 2.0, 1500.0)
    axes[1].set(xlabel="measured latency (ms)", ylabel="predicted (ms)")
    axes[1].legend(loc="upper left", fontsize=8.5)
    axes[0].axvspan(-AIM, AIM, color=MUTED, alpha=0.15, linewidth=0)
    axes[0].axvline(0.0, color=MUTED, linewidth=1.0)
    for k, kind in enumerate(kinds):
        own = left[left.kind == kind]
        for m, name in enumerate(PERCENTILES):
            errors = 100.0 * own[f"error_{name}"]
            place = k + 0.26 * (m - 1)
            axes[0].scatter(
                errors, np.full(len(own), place), marker=MARKERS[name], s=26, color=color[kind], edgecolors="none"
            )
            axes[0].plot([errors.median()] * 2, [place - 0.11, place + 0.11], color="black", linewidth=1.4)
    broken = [kind.replace(", ", ",\n").replace(" on a ", "\non a ") for kind in kinds]
    labels = [f"{name} ({(left.kind == kind).sum()})" for name, kind in zip(broken, kinds, strict=True)]
    axes[0].set_yticks(np.arange(len(kinds)), labels, fontsize=8.5)
    axes[0].invert_yaxis()
    axes[0].set_xlabel("predicted over measured, less 1 (%), nearer 0 is better")
    axes[0].tick_params(axis="y", length=0)
    grid(axes[0])
    return (
        f"{trust_text(left, AIM)} {len(left)} servers of MLPerf Inference under the submitted Poisson load, "
        "each accelerator predicted with numbers fitted to the others. Grey: a quarter more or less. Left: a mark per "
        "server and percentile, by class (servers); black: median."
    )


def _diagonal(axes: Axes, low: float, high: float) -> None:
    """Lines of equality, and of a quarter more and less, on logarithmic axes."""
    ends = np.array([low, high])
    axes.plot(ends, ends, color=MUTED, linewidth=1.0)
    axes.fill_between(ends, 0.75 * ends, 1.25 * ends, color=MUTED, alpha=0.15, linewidth=0)
    log_axes(axes, "x", "y")
    axes.set(xlim=(low, high), ylim=(low, high))
    grid(axes)


@drawn("largest-loads", "When to trust the largest load that the simulator finds: is it an upper limit?", height=4.4)
def largest_loads(axes: Sequence[Axes], held: pd.DataFrame) -> str:
    """The largest load over the one that was reached, by server."""
    places = np.arange(len(held))
    axes[0].barh(places, held.over_reached, height=0.62, color=PALETTE[0], alpha=0.85)
    for place, ratio in enumerate(held.over_reached):
        axes[0].text(ratio + 0.01, place, f"{ratio:.2f}", va="center", fontsize=8.5)
    axes[0].axvline(1.0, color=MUTED, linewidth=1.2)
    axes[0].set_yticks(places, list(held.case), fontsize=8.5)
    axes[0].invert_yaxis()
    axes[0].set(
        xlim=(0.0, 1.12 * float(held.over_reached.max())),
        xlabel="largest load with the 99th percentile within its bound, over the load that was submitted",
    )
    axes[0].tick_params(axis="y", length=0)
    return (
        f"On {reached(held)} of {len(held)} servers the hardware reached no more than the simulator's "
        "largest load: their bars end at the line or right of it; nearer is better. Loads are accurate to a "
        "thousandth of the machine's capacity."
    )


@drawn("rules", "How much do the ways to form and to execute batches matter?", height=5.2)
def rules_figure(axes: Sequence[Axes], errors: pd.DataFrame) -> str:
    """Median errors of all rules; `errors` has a row per rule and a column per percentile, in per cent."""
    places = np.arange(len(errors))
    for k, name in enumerate(PERCENTILES):
        axes[0].barh(places + 0.26 * (k - 1), errors[name], height=0.24, color=PALETTE[k], label=ORDINALS[name])
    axes[0].axvline(AIM, color=MUTED, linewidth=1.0, linestyle="--")
    axes[0].set_yticks(places, list(errors.index), fontsize=9)
    axes[0].invert_yaxis()
    axes[0].set_xlabel("median over the servers of the absolute error (%), lower is better")
    axes[0].tick_params(axis="y", length=0)
    legend_beside(axes[0], title="percentile", title_fontsize=8.5)
    return (
        "Each rule is applied to all servers, all in view. The second is the previous rule; each other rule changes "
        "one thing. Dashed: the target."
    )


@drawn(
    "clients",
    "When to trust a profile of the saturated server: not with fewer clients than instances",
    panels=2,
    height=4.0,
)
def clients_figure(axes: Sequence[Axes], compared: pd.DataFrame) -> str:
    """Mean latencies of Triton's clients, and the errors by number of clients."""
    models = sorted(compared.model.unique())
    for k, model in enumerate(models):
        own = compared[compared.model == model]
        for busy, filled in ((True, PALETTE[k]), (False, "none")):
            part = own[(own.clients >= own.instances) == busy]
            label = model if busy else f"{model}, idle instances"
            axes[0].scatter(
                part.latency_mean_ms,
                1000 * part.simulated_mean,
                s=14,
                facecolors=filled,
                edgecolors=PALETTE[k],
                linewidths=0.8,
                label=label,
            )
    _diagonal(axes[0], 3.0, 4000.0)
    axes[0].set(xlabel="measured mean latency (ms)", ylabel="simulated (ms)")
    axes[0].legend(loc="upper left", fontsize=8.5)
    by_clients = 100.0 * compared.assign(error=compared.error_mean.abs()).pivot_table(
        index="clients", columns="instances", values="error", aggfunc="median"
    )
    for k, instances in enumerate(by_clients):
        axes[1].plot(
            by_clients.index, by_clients[instances], color=PALETTE[k], marker="o", markersize=3.5, label=str(instances)
        )
    axes[1].set_xscale("log", base=2)
    axes[1].xaxis.set_major_formatter("{x:g}")
    log_axes(axes[1], "y")
    axes[1].set(xlabel="clients", ylabel="median error of the mean (%), lower is better")
    axes[1].legend(loc="upper right", fontsize=8.5, title="instances", title_fontsize=8.5)
    grid(axes[1])
    return (
        f"{len(compared)} measurements of LibTorch models on Triton and a TITAN RTX, from profiles that were read from "
        "the runs with the most clients. Open circles: fewer clients than instances."
    )
