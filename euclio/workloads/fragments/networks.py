"""The five networks of Graft's evaluation, with latencies on mobile devices and on shares of the server's GPU.

`data/profiles/graft.json` says number by number what is printed (Graft Tables I and II) and what is ours. A network's
latency on a device is the printed one to the digit; how it divides among layers follows from their kernels and
floating-point operations.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import Any

from euclio.core.folders import data_dir
from euclio.core.numbers import Number
from euclio.problems.fragments.instance import Network
from euclio.problems.fragments.memory import WHOLE_GPU_PCT, Server

MICROSECONDS = 1_000_000
US_PER_MS = 1000
BYTES_PER_PARAMETER = 4
"""Parameters are 32-bit floats."""
BYTES_PER_MB = 1_000_000


class Device(StrEnum):
    """Mobile devices (Graft Table I)."""

    NANO = "nano"
    """Jetson Nano."""
    TX2 = "tx2"
    """Jetson TX2."""


@dataclass(frozen=True, slots=True)
class Model:
    """A network of Graft's evaluation.

    Attributes:
        key: its short name: inc, res, vgg, mob or vit.
        name: its name.
        rate_rps: requests per second of a client (Graft §5.1).
        sent_bytes: what a client sends that cuts the network before layer p, for p from 0.
        mobile_s: per device the seconds of each layer on it, batch 1.
        network: latencies on the server.
        reference_s: seconds of each layer on the server at the share and batch of Table II.
        weights_mb: megabytes of each layer's parameters, four bytes each.
    """

    key: str
    name: str
    rate_rps: int
    sent_bytes: tuple[int, ...]
    mobile_s: dict[Device, tuple[Fraction, ...]]
    network: Network
    reference_s: tuple[Fraction, ...]
    weights_mb: tuple[Fraction, ...]

    @property
    def layers(self) -> int:
        """Number of layers."""
        return len(self.reference_s)

    def mobile_latency_s(self, device: Device) -> Fraction:
        """Seconds that the whole network takes on a device (Graft Table II)."""
        return sum(self.mobile_s[device], Fraction(0))

    def on(self, server: Server, instance_memory_mb: Number | None = None) -> Model:
        """The same on a server with limits, where instances take their layers' parameters and their process's memory.

        Activations are not counted (ours): Graft prints nothing of memory but that Res and ViT lack it (Graft §5.3).

        Args:
            server: limits of its GPUs.
            instance_memory_mb: megabytes of a process; None if there is none.

        Raises:
            InputError: no GPU has room for an instance of some layer.
        """
        own = self.network
        return replace(
            self,
            network=Network(
                own.name,
                own.batches,
                own.shares_pct,
                own.layer_latency_s,
                self.weights_mb,
                instance_memory_mb,
                server,
            ),
        )


@cache
def model_names() -> tuple[str, ...]:
    """Short names of the networks, in Graft's order."""
    return tuple(_data()["networks"])


@cache
def find_model(key: str) -> Model:
    """The network of this short name.

    Raises:
        KeyError: there is none.
    """
    return model_of(key)


def model_of(
    key: str,
    *,
    fixed: float | None = None,
    once: float | None = None,
    sent_part: float | None = None,
) -> Model:
    """A network on a server with other parameters than the fitted ones.

    Args:
        key: short name of the network.
        fixed: part of the kernels' launches that no share makes shorter; None means the fitted one.
        once: part of the rest that a batch pays once; None means the fitted one.
        sent_part: part of the bytes of a layer's output that is sent; None means the fitted one.
    """
    data = _data()
    own = data["networks"][key]
    fixed = data["server"]["fixed"] if fixed is None else fixed
    once = data["server"]["once"] if once is None else once
    layers, total = own["layers"], own["latency_ms"]
    server_us = _layers_us(layers, data["devices"]["server"], total["server"])
    network = _served(own["name"], layers, server_us, data, fixed, once)
    mobile = {
        device: tuple(Fraction(us, MICROSECONDS) for us in _layers_us(layers, data["devices"][device], total[device]))
        for device in Device
    }
    part = data["sent_part"]["value"] if sent_part is None else sent_part
    sent = (data["printed"]["input_bytes"]["value"], *(round(part * layer["output_bytes"]) for layer in layers[:-1]))
    reference = tuple(Fraction(us, MICROSECONDS) for us in server_us)
    weights = tuple(Fraction(BYTES_PER_PARAMETER * layer["parameters"], BYTES_PER_MB) for layer in layers)
    return Model(key, own["name"], own["rate_rps"], sent, mobile, network, reference, weights)


@cache
def _data() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((data_dir() / "profiles" / "graft.json").read_text(encoding="utf-8"))
    return found


def _layers_us(layers: Sequence[dict[str, Any]], device: dict[str, float], total_ms: int) -> tuple[int, ...]:
    """Whole microseconds per layer on a device, with the printed latency as their sum."""
    launches, work = zip(*(_parts(layer, device) for layer in layers), strict=True)
    return apportioned([a + b for a, b in zip(launches, work, strict=True)], total_ms * US_PER_MS)


def _parts(layer: dict[str, Any], device: dict[str, float]) -> tuple[float, float]:
    """What launches and work of a layer weigh on a device."""
    return layer["kernels"] * device["launch_ms"], layer["gflop"] * device["work_ms"]


def apportioned(weights: Sequence[float], total: int) -> tuple[int, ...]:
    """A total in whole numbers, at least 1 each, as close to proportion as their sum allows (largest remainders)."""
    scale = (total - len(weights)) / sum(weights)
    wanted = [1 + weight * scale for weight in weights]
    found = [int(x) for x in wanted]
    by_remainder = sorted(range(len(wanted)), key=lambda k: (found[k] - wanted[k], k))
    for k in by_remainder[: total - sum(found)]:
        found[k] += 1
    return tuple(found)


def _served(
    name: str,
    layers: Sequence[dict[str, Any]],
    reference_us: Sequence[int],
    data: dict[str, Any],
    fixed: float,
    once: float,
) -> Network:
    """Latencies on the server by layer, batch size and share in steps of 1 %, in whole microseconds."""
    batches, reference_pct = data["server"]["batches"], data["printed"]["server_share_pct"]["value"]
    rows = []
    for layer, us in zip(layers, reference_us, strict=True):
        launches, work = _parts(layer, data["devices"]["server"])
        kept = us * fixed * launches / (launches + work)
        rows.append([_latencies(us, kept, once, batch, reference_pct) for batch in batches])
    return Network(name, batches, range(1, WHOLE_GPU_PCT + 1), rows)


def _latencies(us: int, kept: float, once: float, batch: int, reference_pct: int) -> list[Fraction]:
    """Seconds of a layer by share, from 1 %; at batch 1 and the reference share the layer's printed part."""
    growth = once + (1 - once) * batch
    return [
        Fraction(max(1, round(kept + (us - kept) * growth * reference_pct / share)), MICROSECONDS)
        for share in range(1, WHOLE_GPU_PCT + 1)
    ]
