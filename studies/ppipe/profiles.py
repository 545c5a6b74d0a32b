"""The synthetic layer profiles as Figures 2 and 3 show the measured ones."""

from __future__ import annotations

from functools import cache

import pandas as pd

from euclio.report.analysis.statistics import Measured, exactly, share
from euclio.workloads.pipeline.layer_models import layer_models, layer_profile

GPUS = ("L4", "V100", "T4", "P4")
BATCH, SLO_S = 4, 0.2
"""Batch size and usual SLO of Figure 2."""
SHOWN = "EfficientNet-B8"
WINDOW = 128
"""Layers of Figure 3's moving window."""
DEFAULT_SCALE = 5
S = 1e-9
MAPS_OF, ALONE = "CenterNet", "FCN"
"""The models whose feature maps §4 gives, and whose latency on L4 §7.5 does."""
CLAIMED_BITS_PER_S = 32e9
"""Bandwidth of an instance with P4 (§4)."""


@cache
def model_latencies(seed: int) -> pd.DataFrame:
    """One row per model: layers, seconds on each GPU type at batch 1 (`L4_1`) and at batch 4 (`L4_4`)."""
    rows = []
    for name in layer_models():
        profile = layer_profile(name, seed)
        times = {f"{gpu}_{b}": profile.whole_ns(gpu, batch=b) * S for gpu in GPUS for b in (1, BATCH)}
        rows.append({"model": name, "layers": profile.layers, **times})
    return pd.DataFrame(rows).set_index("model")


@cache
def ratios_along_depth(seed: int) -> pd.DataFrame:
    """EfficientNet-B8's latency on P4 over L4 and over V100, moving over 128 layers; indexed by the window's middle."""
    profile = layer_profile(SHOWN, seed)
    ratios = {f"P4 over {fast}": profile.moving_ratio("P4", fast, WINDOW) for fast in ("L4", "V100")}
    return pd.DataFrame(ratios, range(WINDOW // 2, WINDOW // 2 + len(ratios["P4 over L4"])))


def profile_measures(latencies: pd.DataFrame, ratios: pd.DataFrame, sizes: tuple[int, int]) -> dict[str, Measured]:
    """What the profiles come to, by key of the published number.

    Args:
        latencies: seconds by model and GPU type.
        ratios: latency ratios along the depth of EfficientNet-B8.
        sizes: least and most bytes of CenterNet's feature maps, in float16 as they are sent.
    """
    # The paper's sizes are those before it halves the numbers for sending (§4, §6).
    least, most = (2 * 8 * size / CLAIMED_BITS_PER_S for size in sizes)
    over_l4 = latencies[f"P4_{BATCH}"] / latencies[f"L4_{BATCH}"]
    slos = DEFAULT_SCALE * latencies.L4_1
    return {
        "layers_mean": exactly(latencies.layers.mean(), len(latencies)),
        "p4_over_l4_least": exactly(over_l4.min(), len(over_l4)),
        "p4_over_l4_most": exactly(over_l4.max(), len(over_l4)),
        "p4_within_200ms": share(latencies[f"P4_{BATCH}"] <= SLO_S),
        "transfer_least": exactly(least, 1),
        "transfer_most": exactly(most, 1),
        "early_ratio": exactly(ratios["P4 over L4"].iloc[0]),
        "slo_least": exactly(slos.min(), len(slos)),
        "slo_most": exactly(slos.max(), len(slos)),
    }


@cache
def sizes_of_maps(seed: int) -> tuple[int, int]:
    """Least and most bytes that one request of CenterNet sends between two layers."""
    sizes = layer_profile(MAPS_OF, seed).transfer_bytes
    return min(sizes), max(sizes)


def single_measures(l4_s: pd.Series[float]) -> dict[str, Measured]:
    """What is printed of single models, by key of the published number, from seconds of each on L4 at batch 1."""
    return {"fcn_l4": exactly(l4_s[ALONE], 1)}
