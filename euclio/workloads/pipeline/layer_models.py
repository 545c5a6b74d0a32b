"""PPipe's models as synthetic layers, and groups of them: ours, within what it prints (`ppipe-layers.json`)."""

from __future__ import annotations

import json
import math
import random
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate, pairwise
from typing import Any

from euclio.core.errors import InputError
from euclio.core.folders import data_dir
from euclio.core.numbers import exact


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


# Groups of models that are served together, and how the load divides between them (PPipe §7.1, §7.2).

FIRST_GROUP = ("EfficientNet-B8", "EncNet", "RTMDet")
"""G1, the only group that PPipe names (§7.2)."""
GROUP_SIZE = 3
FUNCTIONS = 20000
"""Serverless functions of the trace that gives the load; those of Azure's are tens of thousands, few of them busy."""
BUSYNESS = 2.5
"""Standard deviation of the logarithm of a function's rate."""


def groups(seed: int = 0) -> tuple[tuple[str, ...], ...]:
    """The 18 models in six groups of three: the published first one, the others at random."""
    rest = [name for name in layer_models() if name not in FIRST_GROUP]
    random.Random(f"groups/{seed}").shuffle(rest)
    return (FIRST_GROUP, *(tuple(rest[k : k + GROUP_SIZE]) for k in range(0, len(rest), GROUP_SIZE)))


def weights(count: int, seed: int = 0) -> tuple[Fraction, ...]:
    """Each model's part of the load, summing to 1: functions with uneven rates, given to the models round robin.

    The rates are drawn (ours; PPipe takes them from Azure's functions of 2019), rounded to hundredths.
    """
    stream = random.Random(f"weights/{seed}")
    loads = [0.0] * count
    for k in range(FUNCTIONS):
        loads[k % count] += stream.lognormvariate(0, BUSYNESS)
    parts = [exact(f"{load / sum(loads):.2f}") for load in loads[:-1]]
    return (*parts, 1 - sum(parts, Fraction(0)))


# Synthetic layer profiles: latency ratios between GPU types vary along the depth (ours; PPipe §2, Figures 2 and 3).

LAYER_SPREAD = 0.9
"""Standard deviation of the logarithm of a layer's share of the latency."""
RATIO_SPREAD = 0.2
"""Standard deviation of the logarithm of a layer's latency ratio around the curve."""
STEEPNESS = 12.0
"""Of the change from early to late ratios: nine tenths of it take about half of the depth."""
TURNS = (0.4, 0.6)
"""Depths between which the change has its middle."""
STAGES = 5
"""Feature maps shrink by stages, as in ResNet and EfficientNet."""
INNER_MAPS = (1.0, 1.0, 0.5)
"""Size of a feature map over the largest of its stage; bottlenecks have smaller ones inside. The last is the least."""
REFERENCE_MS = 15.0
"""Latency on L4 of the model that `GpuModel` speaks of."""


@dataclass(frozen=True, slots=True)
class LayerProfile:
    """Latencies and feature maps of a model's layers.

    Attributes:
        name: the model.
        latency_ns: by GPU type and share: per layer, in order, the nanoseconds of batch 1, 2, and so on.
        transfer_bytes: bytes that one request sends between layers i and i + 1, for each i, in float16 (PPipe §6).
    """

    name: str
    latency_ns: dict[tuple[str, int], tuple[tuple[int, ...], ...]]
    transfer_bytes: tuple[int, ...]

    @property
    def layers(self) -> int:
        """Number of layers."""
        return len(self.transfer_bytes) + 1

    def whole_ns(self, gpu: str, share: int = 1, batch: int = 1) -> int:
        """Nanoseconds of the whole model."""
        return sum(row[batch - 1] for row in self.latency_ns[gpu, share])

    def moving_ratio(self, slow: str, fast: str, window: int) -> list[float]:
        """Latency on one GPU type over that on another at batch 1, for each run of `window` layers (PPipe Figure 3)."""
        sums = []
        for gpu in (slow, fast):
            ends = list(accumulate((row[0] for row in self.latency_ns[gpu, 1]), initial=0))
            sums.append([b - a for a, b in zip(ends, ends[window:], strict=False)])
        return [a / b for a, b in zip(*sums, strict=True)]


def layer_profile(name: str, seed: int = 0, layers: int | None = None) -> LayerProfile:
    """Draw a model's layer profile; the same arguments give the same one.

    Args:
        name: a model of PPipe's Table 2.
        seed: seed of the layers; the whole model's latencies at batch 1 do not depend on it.
        layers: number of layers; None means the model's own.

    Raises:
        InputError: unknown model.
    """
    model = find_model(name)
    count = layers or model.layers
    stream = random.Random(f"layers/{seed}/{name}/{count}")
    drawn = [stream.lognormvariate(0, LAYER_SPREAD) for _ in range(count)]
    l4 = [model.l4_ms * x / sum(drawn) for x in drawn]
    p4 = _scaled(stream, l4, model.early_p4_over_l4, model.p4_over_l4)
    # The ratio P4 over V100 has its curve; V100 is what it leaves.
    v100 = _scaled(stream, p4, 1 / model.early_p4_over_v100, 1 / model.p4_over_v100)
    t4 = _scaled(stream, p4, model.t4_over_p4, model.t4_over_p4)
    latency = {
        (gpu.name, share): _batches(model, gpu, share, single)
        for gpu, single in ((gpu_models()[n], x) for n, x in (("L4", l4), ("V100", v100), ("T4", t4), ("P4", p4)))
        for share in range(1, gpu.shares + 1)
    }
    return LayerProfile(name, latency, _transfers(model, count, stream))


def _scaled(stream: random.Random, base: list[float], early: float, whole: float) -> list[float]:
    """Layer latencies that begin at `early` times the base and are `whole` times it in sum."""
    count = len(base)
    turn = stream.uniform(*TURNS)
    curve = [1 / (1 + math.exp(-STEEPNESS * ((k + 0.5) / count - turn))) for k in range(count)]
    noisy = [x * stream.lognormvariate(0, RATIO_SPREAD) for x in base]
    noisy = [x * sum(base) / sum(noisy) for x in noisy]
    total = sum(noisy)
    rise = (whole - early) * total / sum(x * s for x, s in zip(noisy, curve, strict=True))
    # A ratio may fall to a fraction of the early one, never below.
    ratios = [max(early + rise * s, min(early, whole) / 4) for s in curve]
    found = [x * r for x, r in zip(noisy, ratios, strict=True)]
    return [x * whole * total / sum(found) for x in found]


def _batches(model: LayerModel, gpu: GpuModel, share: int, single_ms: list[float]) -> tuple[tuple[int, ...], ...]:
    """Nanoseconds per layer and batch on the part 1/share of a GPU."""
    unchanging = min(0.6, gpu.unchanging * (REFERENCE_MS / model.l4_ms) ** 0.5)
    slower = 1 + gpu.contention * (model.l4_ms / REFERENCE_MS) ** 0.25 * (share - 1)
    factors = [slower * (unchanging + (1 - unchanging) * b) for b in range(1, gpu.batches // share + 1)]
    columns = [_rounded([x * factor * 1e6 for x in single_ms]) for factor in factors]
    return tuple(zip(*columns, strict=True))


def _rounded(values: list[float]) -> list[int]:
    """Whole numbers of at least 1 whose partial sums are those of the values, rounded."""
    ends = [round(x) for x in accumulate(values, initial=0.0)]
    return [max(1, b - a) for a, b in pairwise(ends)]


def _transfers(model: LayerModel, count: int, stream: random.Random) -> tuple[int, ...]:
    first, last = model.feature_map_mb
    sizes = []
    for k in range(count - 1):
        stage = STAGES * k // max(1, count - 1)
        largest = first * (last / first) ** (stage / (STAGES - 1))
        sizes.append(round(max(largest * stream.choice(INNER_MAPS), last) * 1e6 / 2))
    return tuple(sizes)
