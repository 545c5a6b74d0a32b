"""Figures 2, 3 and 5 of Scrooge: what goes into its evaluation as it is run here."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter

from euclio.core.figures import PALETTE, PUBLISHED, grid
from euclio.report.drawings import drawn
from euclio.workloads.session.scrooge_sessions import scrooge_data
from euclio.workloads.session.worker_types import worker_types
from studies.scrooge.inputs import WITHIN_S, best_within, curve, full_latency_s

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
    panel.set_xlabel("speed over the slowest (SSD-Inception)")
    panel.set_ylabel("price ($ per hour)")
    panel.set_ylim(0, None)
    grid(panel)
    panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8.5)
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
    axes[1].set_ylabel("throughput (images/s)")
    axes[1].set_ylim(0, None)
    for panel in axes:
        panel.set_xscale("log", base=2)
        panel.set_xticks(batches, [str(b) for b in batches])
        panel.xaxis.set_minor_formatter(NullFormatter())
        panel.set_xlabel("batch")
        panel.legend(loc="best", fontsize=8.5)
        grid(panel)
    return (
        "SSD-Inception on P100, concurrency 1: the profile that goes in, with another GPU kernel from batch 16 on. The "
        "published figure shows GPU utilisation next to the time; nothing here models it."
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
        panel.set_ylim(0, None)
        panel.set_xlabel("allocation decision")
        grid(panel)
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=3, fontsize=8.5)
    return (
        "What is drawn, evenly on a logarithmic scale, for every decision anew: the scaling factor of traffic's "
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
    panel.set_xlabel("worst-case latency at full rate (s)")
    panel.set_ylabel("throughput (images/s)")
    panel.set_ylim(0, None)
    grid(panel)
    panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8.5)
    best = best_within(WITHIN_S)
    return (
        "SSD-Inception on P100, batches 1 to 128 along each curve. Within 0.2 s the best point is batch "
        f"{best.batch}, concurrency {best.concurrency} (published: 4 and 2). In §4 the same profile takes "
        f"{scrooge_data()['time_scale']:g} times as long, as Inception's throughputs of 24.9 and 33.6 (§4.3) mean."
    )


def _latency(batch: int, concurrency: int) -> float:
    return float(full_latency_s(next(c for c in curve(concurrency) if c.batch == batch)))
