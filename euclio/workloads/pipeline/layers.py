"""Synthetic layer profiles: latency ratios between GPU types vary along the depth (ours; PPipe §2, Figures 2 and 3)."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from itertools import accumulate, pairwise

from euclio.workloads.pipeline.layer_models import GpuModel, LayerModel, find_model, gpu_models

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
        layers: number of layers; None: the model's own.

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
