"""PPipe's heterogeneous clusters HC1 to HC4, large and small, and the models on them (PPipe Tables 1 and 2)."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

from euclio.core.errors import InputError
from euclio.core.folders import data_dir
from euclio.core.numbers import exact
from euclio.problems.pipeline.instance import Gpu

# The models of PPipe's Table 2 as its published artifact names, groups and times them (`ppipe-networks.json`).


@dataclass(frozen=True, slots=True)
class Network:
    """A model of Table 2 in the artifact.

    Attributes:
        name: its name in Table 2.
        artifact: its name in the artifact's files.
        l4_ns: nanoseconds of the whole model on L4 at batch 1, the mean of the artifact's runs.
    """

    name: str
    artifact: str
    l4_ns: int


@cache
def networks() -> dict[str, Network]:
    """The 18 models by their names in Table 2."""
    return {entry["name"]: Network(**entry) for entry in _data()["networks"]}


@cache
def published_groups() -> tuple[tuple[str, ...], ...]:
    """The models that the artifact's plans for 100 GPUs serve together; the first group is the paper's G1 (§7.2)."""
    return tuple(tuple(group) for group in _data()["groups"])


@cache
def published_weights() -> tuple[Fraction, ...]:
    """The parts of the load of a group's models in the artifact's plans, in the order of the group; they sum to 1."""
    return tuple(Fraction(exact(weight)) for weight in _data()["weights"])


@cache
def effective_gbps() -> dict[str, Fraction]:
    """Bandwidth of a server's link in Gbit/s by the low class of the cluster, as the artifact's plans have it."""
    return {gpu: Fraction(exact(gbps)) for gpu, gbps in _data()["effective_gbps"].items()}


@cache
def _data() -> dict[str, Any]:
    text = (data_dir() / "profiles" / "ppipe-networks.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


EFFECTIVE = Fraction(1, 5)
"""Part of the claimed bandwidth that counts (PPipe §7.1)."""

CLAIMED_GBPS = {"P4": 32, "T4": 50}
"""Bandwidth of a setup by its low class. Table 1 prints 50 in the rows of P4 and 32 in those of T4; §4 (C3) gives the
instances with P4 32 Gbit/s, and §7.4 counts on 10 effective ones, so the column is read the other way round."""

COUNTS = {"L": (25, 75), "S": (4, 12)}
"""High- and low-class GPUs of the large and the small variants."""

PRICES_PER_H = {"L4": "0.71", "P4": "0.6", "T4": "0.35", "V100": "2.48"}
"""US dollars per hour of one GPU at Google Cloud, where the testbed stands (on-demand list prices of 2024, without the
host; L4 with the smallest host that has it). PPipe prints no prices."""


@dataclass(frozen=True, slots=True)
class Setup:
    """A cluster without models.

    Attributes:
        name: such as "HC1-L".
        gpus: its GPU types, high class first; GPUs per server are those of the small variant's instances.
        bandwidth_gbps: effective bandwidth of a server's link in Gbit/s.
    """

    name: str
    gpus: tuple[Gpu, ...]
    bandwidth_gbps: Fraction


def _setup(name: str, size: str, high: tuple[str, int], low: tuple[str, int]) -> Setup:
    gpus = tuple(
        Gpu(gpu, count, per_server, PRICES_PER_H[gpu])
        for (gpu, per_server), count in zip((high, low), COUNTS[size], strict=True)
    )
    return Setup(f"{name}-{size}", gpus, CLAIMED_GBPS[low[0]] * EFFECTIVE)


_CLASSES = {
    "HC1": (("L4", 1), ("P4", 1)),
    "HC2": (("L4", 4), ("T4", 2)),
    "HC3": (("V100", 2), ("P4", 1)),
    "HC4": (("V100", 4), ("T4", 2)),
}
"""High and low class with GPUs per server, as the instances of Table 1 imply."""

SETUPS = {s.name: s for name, classes in _CLASSES.items() for s in (_setup(name, size, *classes) for size in COUNTS)}
"""All eight by name."""


def find_setup(name: str) -> Setup:
    """The setup of this name.

    Raises:
        InputError: there is none.
    """
    if name not in SETUPS:
        raise InputError(f"unknown cluster {name!r}; choose from {', '.join(SETUPS)}", field="cluster")
    return SETUPS[name]


def with_counts(setup: Setup, high: int | None, low: int | None) -> Setup:
    """The setup with other numbers of high- and low-class GPUs; None leaves them unchanged."""
    counts = [gpu.count if n is None else n for gpu, n in zip(setup.gpus, (high, low), strict=True)]
    if [gpu.count for gpu in setup.gpus] == counts:
        return setup
    gpus = tuple(replace(gpu, count=n) for gpu, n in zip(setup.gpus, counts, strict=True))
    return replace(setup, name=f"{setup.name}-{'-'.join(map(str, counts))}", gpus=gpus)
