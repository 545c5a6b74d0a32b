"""Parameters of the synthetic layer profiles (`data/profiles/ppipe-layers.json`): ours, within what PPipe prints."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from euclio.core.data_files import data_dir
from euclio.core.errors import InputError


@dataclass(frozen=True, slots=True)
class GpuModel:
    """A GPU type.

    Attributes:
        name: its name.
        batches: largest batch on a whole GPU; the part 1/v of it takes batches // v.
        shares: it can be divided by 1 to this many.
        unchanging: part of the latency that batching leaves alone, of a model of 15 ms on L4.
        contention: how much longer each further virtual GPU makes a batch, of a model of 15 ms on L4.
    """

    name: str
    batches: int
    shares: int
    unchanging: float
    contention: float


@dataclass(frozen=True, slots=True)
class LayerModel:
    """A DNN model (PPipe Table 2).

    Attributes:
        name: its name.
        task: what it does.
        layers: number of layers.
        l4_ms: milliseconds of the whole model on L4 at batch 1.
        p4_over_l4: latency on P4 over that on L4, whole model.
        p4_over_v100: the same over V100.
        t4_over_p4: latency on T4 over that on P4.
        early_p4_over_l4: the ratio P4 over L4 of its first layers.
        early_p4_over_v100: the same over V100.
        feature_map_mb: megabytes of the first and the last feature map in float32.
    """

    name: str
    task: str
    layers: int
    l4_ms: float
    p4_over_l4: float
    p4_over_v100: float
    t4_over_p4: float
    early_p4_over_l4: float
    early_p4_over_v100: float
    feature_map_mb: tuple[float, float]


@cache
def gpu_models() -> dict[str, GpuModel]:
    """The GPU types by name."""
    return {g["name"]: GpuModel(**g) for g in _data()["gpus"]}


@cache
def layer_models() -> dict[str, LayerModel]:
    """The 18 models by name."""
    data = _data()
    return {entry["name"]: _model(entry, data["early_over_whole"]) for entry in data["models"]}


def find_model(name: str) -> LayerModel:
    """The model of this name.

    Raises:
        InputError: there is none.
    """
    if name not in layer_models():
        raise InputError(f"unknown model {name!r}; choose from {', '.join(layer_models())}", field="models")
    return layer_models()[name]


def _data() -> dict[str, Any]:
    text = (data_dir() / "profiles" / "ppipe-layers.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def _model(entry: dict[str, Any], early_over_whole: dict[str, dict[str, float]]) -> LayerModel:
    over_l4 = entry["p4_over_l4"]
    over_v100 = over_l4 / entry["v100_over_l4"]
    parts = early_over_whole[entry["task"]]
    early = entry.get("early", {})
    return LayerModel(
        entry["name"],
        entry["task"],
        entry["layers"],
        entry["l4_ms"],
        over_l4,
        over_v100,
        entry["t4_over_p4"],
        early.get("p4_over_l4", parts["p4_over_l4"] * over_l4),
        early.get("p4_over_v100", parts["p4_over_v100"] * over_v100),
        (entry["feature_map_mb"][0], entry["feature_map_mb"][1]),
    )
