"""Profiles of three of Graft's networks from what others measured, which can take the place of the common ones (ours).

Graft prints nothing of how latency changes with batch and share but what one pair of parameters is fitted to, for all
networks (`data/profiles/graft.json`). `data/profiles/graft-measured.json` has measurements of others: how the time of
Inception-v3, ResNet-101 and VGG16 grows with the batch, and how that of Inception-v3 and of ResNet's blocks divides
among layers. MobileNet's and ViT's profiles are the common ones always: nobody's measurements of them are here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import Any

from euclio.core.data_files import data_dir

US_PER_S = 1_000_000


class Profiles(StrEnum):
    """What of a network's profile is measured; each holds what those before it hold."""

    COMMON = "common"
    """Nothing: both parameters are those of all networks."""
    BATCHING = "batching"
    """How work grows with the batch."""
    LAYERS = "layers"
    """How work divides among layers, on devices and server."""
    OVERLAP = "overlap"
    """Launches run during the work before them, so that a layer takes the longer of both."""


ORDER = tuple(Profiles)


def holds(profiles: Profiles, what: Profiles) -> bool:
    """Whether profiles hold a measured part."""
    return ORDER.index(profiles) >= ORDER.index(what)


def once_of(key: str, profiles: Profiles, common: float) -> float:
    """Part of the work that a batch pays once: the measured one where it is asked for and there is one."""
    own = _networks().get(key)
    return common if own is None or not holds(profiles, Profiles.BATCHING) else float(own["once"])


def layers_of(key: str, layers: Sequence[dict[str, Any]], profiles: Profiles) -> list[dict[str, Any]]:
    """A network's layers, whose work is divided among them as was measured where it is asked for and was."""
    own = _networks().get(key, {})
    if "layers_ms" not in own or not holds(profiles, Profiles.LAYERS):
        return list(layers)
    per_ms = sum(layer["gflop"] for layer in layers) / sum(own["layers_ms"])
    return [{**layer, "gflop": ms * per_ms} for layer, ms in zip(layers, own["layers_ms"], strict=True)]


def overlapping(key: str, layers: Sequence[dict[str, Any]], profiles: Profiles) -> list[tuple[float, float]] | None:
    """Milliseconds of launches and of work of each layer on the server's reference share, batch 1, side by side.

    Args:
        key: short name of the network.
        layers: its layers, with the work that they are to have.
        profiles: what is measured; None is returned where launches are not to run during work, or nothing was measured.
    """
    own = _networks().get(key)
    if own is None or not holds(profiles, Profiles.OVERLAP):
        return None
    launch_ms = _data()["launch_ms_per_kernel"]
    work_ms = own["work_ms"] / sum(layer["gflop"] for layer in layers)
    return [(launch_ms * layer["kernels"], work_ms * layer["gflop"]) for layer in layers]


def longer_of(us: int, parts: tuple[float, float], growth: float, reference_pct: int, shares: range) -> list[Fraction]:
    """Seconds of a layer by share, where it takes the longer of launches and work.

    Args:
        us: microseconds that it takes at the reference share and batch 1.
        parts: what launches and work take there, of which the longer stands for `us`.
        growth: how many times the work of batch 1 a batch is.
        reference_pct: the reference share in per cent.
        shares: shares in per cent.
    """
    launch, work = (part * us / max(parts) for part in parts)
    return [Fraction(max(1, round(max(launch, work * growth * reference_pct / share))), US_PER_S) for share in shares]


def _networks() -> Mapping[str, dict[str, Any]]:
    found: Mapping[str, dict[str, Any]] = _data()["networks"]
    return found


@cache
def _data() -> dict[str, Any]:
    text = (data_dir() / "profiles" / "graft-measured.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
