"""The two inputs of the study: blocks that the authors measured, and synthetic layers.

Tables of measured blocks have names of their own. The artifact has no licence, so its files are not here. The results
computed from them are in ``data/ppipe``, with the hash of the clusters that they make.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from euclio.core.folders import data_dir
from euclio.experiments.results.tables import joined, load, save
from euclio.report.analysis.statistics import Measured, exactly, share
from euclio.serving.requests import TARGET
from euclio.workloads.pipeline.assembly import BlockedModel
from euclio.workloads.pipeline.layer_models import layer_models, layer_profile
from euclio.workloads.populations import Identity
from studies.ppipe.cases import ABLATION, GROUPS
from studies.study import Collected

MEASURED = "ppipe-measured"
"""Population: the authors' groups on the clusters of Table 1, with the blocks that they measured."""
INSTANCES = "measured"
"""Population: the authors' own instances, with published plans."""
SYNTHETIC = "ppipe"
"""Population: groups of models with synthetic layers."""
PREFIX = "measured-"
"""Prefix of the names of tables on measured blocks."""
ON_MEASURED = ", measured blocks"
"""Suffix of the names of stages on measured blocks."""
ARRIVAL_SEED = "arrival_seed"
"""Column of served plans with the seed of their arrivals."""
NAMES = ("plans", "serving", "planning", "partitions", "bursts", "models")
"""Tables on measured blocks, without the prefix."""
ONLY_OF_GROUPS = (
    *("high_class", "low_class", "high_class_own", "low_class_own"),
    *("batches", "probes_per_batch", "seconds_per_batch", "requests"),
    *("transfer_mean_s", "transfer_p99_s", "transfer_alone_s"),
)
"""Columns of served plans that nothing reads for single models on 16 GPUs."""
OF_SYNTHETIC = "-synthetic"
"""Suffix of a figure on synthetic layers if one on measured blocks has the same key."""
OF_GROUPS = ("figure-7", "figure-8")
"""Figures of the groups of models, next to Figure 6."""


def named(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Tables on measured blocks under the study's names."""
    return {PREFIX + name: table for name, table in tables.items()}


def on_measured(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The tables on measured blocks by their names without the prefix."""
    return {name: tables[PREFIX + name] for name in NAMES if PREFIX + name in tables}


def model_table(measured: Mapping[str, BlockedModel]) -> pd.DataFrame:
    """The stored values of measured blocks, one row per model.

    Args:
        measured: the models by name.

    Returns:
        Number of blocks, seconds of the whole model on L4, and seconds of all blocks together on each whole GPU type
        by batch (`P4_4`).
    """
    rows = []
    for name, model in measured.items():
        row: dict[str, Any] = {"model": name, "blocks": len(model.profiles[0].latency_s)}
        row["reference_s"] = float(model.reference_s)
        for profile in model.profiles:
            if profile.share == 1:
                batches = min(len(block) for block in profile.latency_s)
                row |= {
                    f"{profile.gpu}_{b + 1}": float(sum(block[b] for block in profile.latency_s))
                    for b in range(batches)
                }
        rows.append(row)
    return pd.DataFrame(rows)


def reduced(serving: pd.DataFrame) -> pd.DataFrame:
    """Rows of served plans for storage; for models on 16 GPUs, of which the page shows highest loads only, the ends.

    The ends are the highest load with 99 % of the requests in time and the lowest without, with the attainment alone.
    """
    of_groups = serving.studies.isin([GROUPS, ABLATION])
    alone = serving[~of_groups]
    run = ["case", "system", "arrivals", "scheduler", ARRIVAL_SEED, "model"]
    reached = alone.attainment >= TARGET
    ends = alone[reached].groupby(run).load.transform("max"), alone[~reached].groupby(run).load.transform("min")
    shown = alone[alone.load == pd.concat(ends).reindex(alone.index)]
    blank = {name: None for name in ONLY_OF_GROUPS if name in shown}
    return joined([serving[of_groups], shown.assign(**blank)])


def folder() -> Path:
    """The folder of the stored rows."""
    return data_dir() / "ppipe"


def load_stored() -> tuple[dict[str, pd.DataFrame], list[Identity]]:
    """The stored tables on measured blocks, and their clusters; nothing if none are stored."""
    files = {name: folder() / f"{name}.parquet" for name in NAMES}
    if not all(path.exists() for path in files.values()):
        return {}, []
    found = {name: load(path) for name, path in files.items()}
    known = [Identity(**one) for one in found["serving"][1]["populations"]]
    return {name: table for name, (table, _) in found.items()}, known


def store(tables: Mapping[str, pd.DataFrame], known: Sequence[Identity], how: Mapping[str, Any]) -> Path:
    """Keep tables on measured blocks as the stored rows.

    Args:
        tables: by name without the prefix.
        known: their clusters.
        how: provenance of the run.

    Returns:
        The folder.
    """
    folder().mkdir(exist_ok=True)
    for name in NAMES:
        save(tables[name], folder() / f"{name}.parquet", {**how, "populations": [asdict(one) for one in known]})
    return folder()


def keep(collected: Collected, how: Mapping[str, Any]) -> None:
    """Keep results computed from an artifact as the stored rows."""
    known = [one for one in collected.populations if one.name == MEASURED]
    store(on_measured(collected.tables), known, how)


def shown(key: str) -> Sequence[str] | None:
    """The populations of a figure (by key) or a table (by caption): groups, the authors' instances, or none of them."""
    if key.startswith("Weighted requests per second"):
        return (INSTANCES,)
    own = SYNTHETIC if key.endswith(OF_SYNTHETIC) else MEASURED
    plain = key.removesuffix(OF_SYNTHETIC)
    return (own,) if plain.startswith("figure-6-") or plain in OF_GROUPS else ()


GPUS = ("L4", "V100", "T4", "P4")
BATCH, SLO_S = 4, 0.2
"""Batch size and usual SLO of Figure 2."""
SHOWN = "EfficientNet-B8"
WINDOW = 128
"""Layers of Figure 3's moving window."""
DEFAULT_SCALE = 5
S = 1e-9
MAPS_OF, ALONE = "CenterNet", "FCN"
"""The models with feature maps in §4, and with a latency on L4 in §7.5."""
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
    """Measures of the profiles, by key of the published number.

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
    """Printed numbers of single models, by key of the published number, from seconds of each on L4 at batch 1."""
    return {"fcn_l4": exactly(l4_s[ALONE], 1)}
