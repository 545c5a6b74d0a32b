"""Draws what Graft's fleets are made of: `python docs/tools/fleets.py`.

Latency against share and batch, uplinks and partition points over time, and where clients cut. Everything is drawn from
`euclio.workloads.fragments`; the same code gives the same bytes. It writes `docs/figures/fleets.svg`.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from pasting import FIGURES, OPEN, draw_plain

from euclio.workloads.fragments.clients import draw_clients, fleet_now
from euclio.workloads.fragments.networks import Device, Model, find_model, model_names
from euclio.workloads.fragments.uplink import seeded_trace

LINES = ("#a3c4e4", "#82addb", "#6496cc", "#3f79b8", "#255c9a", "#123f73")
"""From the smallest batch to the largest."""
DEVICES = {Device.NANO: ("Jetson Nano", "#2f6fb5"), Device.TX2: ("Jetson TX2", "#d9822b")}
CLIENTS = ("#2f6fb5", "#d9822b", "#3c9a5f")
FLEETS, FLEET = 10, 20
SNIPPET_S = 100


def drawing() -> Figure:
    """The figure: a row of latencies, a row of partition points, a row over time."""
    figure = Figure(figsize=(13, 9.5), layout="constrained")
    grid = figure.add_gridspec(3, 10)
    for k, key in enumerate(model_names()):
        model = find_model(key)
        _latency(figure.add_subplot(grid[0, 2 * k : 2 * k + 2]), model, k == 0)
        _points(figure.add_subplot(grid[1, 2 * k : 2 * k + 2]), model, k == 0)
    _uplinks(figure.add_subplot(grid[2, :5]))
    _moving(figure.add_subplot(grid[2, 5:]))
    return figure


def _latency(axes: Any, model: Model, first: bool) -> None:
    network = model.network
    for batch, colour in zip(network.batches, LINES, strict=True):
        latencies = [network.latency_s(0, model.layers, batch, share) or 0 for share in network.shares_pct]
        axes.plot(network.shares_pct, [float(1000 * x) for x in latencies], color=colour, label=f"batch {batch}")
    printed = float(1000 * sum(model.reference_s))
    axes.plot([30], [printed], "o", color="black", markersize=4)
    axes.set(yscale="log", title=f"{model.name}\nprinted (dot): {printed:g} ms", xlabel="GPU share (%)")
    axes.title.set_fontsize(9)
    if first:
        axes.set_ylabel("latency of the network (ms)")
        axes.legend(fontsize=7, frameon=False)


def _points(axes: Any, model: Model, first: bool) -> None:
    for side, (device, (label, colour)) in zip((-0.2, 0.2), DEVICES.items(), strict=True):
        points: Counter[int] = Counter()
        for seed in range(FLEETS):
            clients = draw_clients(model, FLEET, seed, tx2=FLEET if device is Device.TX2 else 0)
            points.update(fragment.partition_point for fragment in fleet_now("drawn", clients).fragments)
        shares = [100 * count / points.total() for count in points.values()]
        axes.bar([point + side for point in points], shares, 0.4, color=colour, label=label)
    axes.set(xlim=(-0.6, model.layers - 0.4), ylim=(0, 105), xlabel="partition point")
    if first:
        axes.set_ylabel("fragments (%)")
        axes.legend(fontsize=8, frameon=False)


def _uplinks(axes: Any) -> None:
    for seed, colour in enumerate(CLIENTS):
        axes.plot([float(mbps) for mbps in seeded_trace(random.Random(seed))], color=colour, linewidth=0.9)
    axes.set(title="Uplinks of three seeded clients", xlabel="seconds", ylabel="Mbit/s", xlim=(0, 300))
    axes.set_ylim(bottom=0)


def _moving(axes: Any) -> None:
    """Partition points of three clients; a gap where a client leaves nothing that can be served."""
    clients = draw_clients(find_model("inc"), len(CLIENTS), 0)
    for k, (client, colour) in enumerate(zip(clients, CLIENTS, strict=True)):
        found = [client.after(second) for second in range(SNIPPET_S)]
        points = [float("nan") if f is None else f.partition_point + 0.12 * (k - 1) for f in found]
        axes.step(range(SNIPPET_S), points, where="post", color=colour, linewidth=1.3)
    axes.set(title="Inception-v3: partition points of three clients as their bandwidth changes", xlabel="seconds")
    axes.set(ylabel="partition point", yticks=range(7), ylim=(-0.4, 6.4), xlim=(0, SNIPPET_S))


def write(out: Path = FIGURES / "fleets.svg") -> None:
    """Write the figure."""
    draw_plain(out, drawing, {**OPEN, "savefig.dpi": 80}, salt="fleets")


if __name__ == "__main__":
    write(*map(Path, sys.argv[1:2]))
