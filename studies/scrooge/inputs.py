"""Inputs of Scrooge's evaluation as it runs here, next to those printed in Tables 1 and 2 and Figures 2, 3 and 5.

Nothing here is a result, since profiles and ranges of `data/scrooge.json` were made to agree with these numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd

from euclio.core.numbers import exact
from euclio.problems.session import Configuration
from euclio.report.analysis.statistics import Measured, exactly
from euclio.serving.dynamics.world import client_counts
from euclio.workloads.session.protocol import Workload
from euclio.workloads.session.scrooge_sessions import (
    MOST_CLIENTS,
    draw_scrooge,
    find_scrooge_application,
    scrooge_data,
    scrooge_profile,
)
from euclio.workloads.session.worker_types import worker_types

SHOWN = "ssd_inception"
BASE, FASTER = "P100", "V100"
WITHIN_S = exact("0.2")
"""The budget of the example that goes with Figure 5 (§3.2)."""
FRAMES = 200
"""Frames of §2's window for a video's range of scaling factors, and decisions drawn for Figure 3."""
IN_PROPORTION = 0.1
"""Tolerance, as a share of twice the time, within which a doubled batch takes almost twice as long (ours)."""


def curve(concurrency: int) -> list[Configuration]:
    """SSD-Inception's configurations on P100 at one concurrency, at the time scale of Figure 5, by batch."""
    profile = scrooge_profile(SHOWN, as_evaluated=False)
    return [c for c in profile if (c.hardware, c.concurrency) == (BASE, concurrency)]


def full_latency_s(configuration: Configuration) -> Fraction:
    """Worst-case latency of a machine at full rate: a batch waits b/t for its last request, then takes d (§3.3)."""
    return configuration.duration_s + configuration.batch / configuration.throughput_rps


def best_within(seconds: Fraction) -> Configuration:
    """The point of Figure 5 with the highest throughput within a latency in seconds."""
    points = [c for e in scrooge_data()["concurrency"] for c in curve(e) if full_latency_s(c) <= seconds]
    return max(points, key=lambda c: c.throughput_rps)


def linear_from() -> int:
    """The batch of SSD-Inception from which on latency grows almost linearly (§2, Figure 2a).

    The paper does not define almost linearly. A base time and a slope are linear from batch 1 on. It means that a
    larger batch has no gain any more ("diminishing returns"), so time grows in proportion to the batch. We take the
    least batch from which on every doubling takes twice the time, within a tenth (ours).
    """
    alone = curve(1)
    least = alone[-1].batch
    for smaller, larger in reversed(list(pairwise(alone))):
        proportional = larger.batch / smaller.batch
        if abs(float(larger.duration_s / smaller.duration_s) - proportional) > IN_PROPORTION * proportional:
            break
        least = smaller.batch
    return least


def widest_window(seed: int, frames: int = FRAMES) -> tuple[int, int]:
    """Least and most vehicles in a frame of one video, in the window with the widest range (§2).

    Videos are the clients of the changing workload of traffic (`euclio.serving.dynamics.world`), each with a random
    walk of its own. The paper gives the range of one of three videos in a window that it does not name, so we take the
    widest one of all clients (ours).

    Args:
        seed: seed of the workload.
        frames: frames of a window.
    """
    modules = find_scrooge_application("traffic").application.modules
    vehicle = [module.name for module in modules].index("vehicle")
    found: list[tuple[int, int]] = []
    for number in range(MOST_CLIENTS):
        vehicles = client_counts("traffic", seed, number)[:, vehicle]
        windows = np.lib.stride_tricks.sliding_window_view(vehicles, min(frames, vehicles.size))
        low, high = windows.min(axis=1), windows.max(axis=1)
        widest = int(np.argmax(high - low))
        found.append((int(low[widest]), int(high[widest])))
    return max(found, key=lambda ends: ends[1] - ends[0])


def complexity(seed: int) -> pd.DataFrame:
    """Vehicles per frame of traffic and S2VT's seconds per frame on P100, one row per drawn decision (Figure 3)."""
    traffic = [draw_scrooge("traffic", seed, number) for number in range(1, FRAMES + 1)]
    caption = [draw_scrooge("caption", seed, number) for number in range(1, FRAMES + 1)]
    return pd.DataFrame(
        {
            "vehicles": [float(_rate(w, "vehicle") / _rate(w, "detector")) for w in traffic],
            "s2vt_s": [float(_alone(w, "text").duration_s) for w in caption],
        }
    )


def input_measures(seed: int, types: int) -> dict[str, Measured]:
    """Every input by key of the published number.

    Args:
        seed: seed of decisions and worker types.
        types: number of worker types.
    """
    alone, four = curve(1), curve(4)
    at = {c.batch: c for c in alone}
    prices = {h["name"]: h["price_per_h"] for h in scrooge_data()["hardware"]}
    drawn = complexity(seed)
    hardware, speeds = worker_types(types, seed)
    best, window = best_within(WITHIN_S), widest_window(seed)
    evaluated = {c.hardware: c for c in scrooge_profile(SHOWN) if (c.batch, c.concurrency) == (1, 1)}
    costs = [float(h.price_per_h) for h in hardware]
    found = {
        "types_price_ratio": max(costs) / min(costs),
        "types_speed_ratio": max(speeds) / min(speeds),
        "price_ratio": prices[FASTER] / prices[BASE],
        "ssd_speed_ratio": _speed_ratio(SHOWN),
        "yolo_speed_ratio": _speed_ratio("face_detector"),
        "ssd_evaluated_rps": float(evaluated[BASE].throughput_rps),
        "ssd_b1_rps": float(at[1].throughput_rps),
        "ssd_b8_rps": float(at[8].throughput_rps),
        "ssd_b8_e4_rps": float(next(c for c in four if c.batch == 8).throughput_rps),
        "ssd_b8_worst_s": float(full_latency_s(at[8])),
        "ssd_best_batch": float(max(alone, key=lambda c: c.throughput_rps).batch),
        "ssd_linear_batch": float(linear_from()),
        "ssd_within_02_batch": float(best.batch),
        "ssd_within_02_concurrency": float(best.concurrency),
        "scaling_least": drawn.vehicles.min(),
        "scaling_most": drawn.vehicles.max(),
        "scaling_window_least": float(window[0]),
        "scaling_window_most": float(window[1]),
        "s2vt_least_s": drawn.s2vt_s.min(),
        "s2vt_most_s": drawn.s2vt_s.max(),
    }
    return {key: exactly(value) for key, value in found.items()}


def _speed_ratio(module: str) -> float:
    """Speed of a module on V100 over that on P100, alone at batch 1."""
    profile = [c for c in scrooge_profile(module) if (c.batch, c.concurrency) == (1, 1)]
    return float(_on(profile, BASE).duration_s / _on(profile, FASTER).duration_s)


def _on(profile: Sequence[Configuration], hardware: str) -> Configuration:
    return next(c for c in profile if c.hardware == hardware)


def _rate(workload: Workload, module: str) -> Fraction:
    return workload.session.modules[workload.session.index[module]].rate_rps


def _alone(workload: Workload, module: str) -> Configuration:
    """A module's first configuration, with batch 1 and no concurrency on P100."""
    return workload.session.modules[workload.session.index[module]].profile[0]
