"""The models of PPipe's Table 2 as its published artifact names, groups and times them (`ppipe-networks.json`)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from euclio.core.data_files import data_dir
from euclio.core.numbers import exact


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
