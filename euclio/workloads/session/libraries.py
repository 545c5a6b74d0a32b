"""Libraries of measured profiles that sessions are drawn from: real models on real machines, from the data files."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from euclio.core.data_files import data_dir
from euclio.core.errors import InputError
from euclio.core.numbers import exact
from euclio.problems.session import Configuration, Hardware
from euclio.workloads.session.applications import Profile
from euclio.workloads.session.published import gpu_prices, published_models

SLICES = 7
"""Slices that an A100 is divided into (NVIDIA's Multi-Instance GPU)."""


@dataclass(frozen=True, slots=True)
class Library:
    """Measured profiles of models over common machine types.

    Attributes:
        name: name to ask for it.
        what: what was measured, by whom, in a line.
        hardware: machine types with their prices per hour.
        profiles: configurations of every model, by its name.
    """

    name: str
    what: str
    hardware: tuple[Hardware, ...]
    profiles: Mapping[str, Profile]


@cache
def nvidia() -> Library:
    """The models of `data/profiles/nvidia.json`, one stream each, on A100, V100 and T4 at prices of a cloud."""
    return Library(
        "nvidia",
        "15 models on A100, V100 and T4, from NVIDIA's tables (NVIDIA/DeepLearningExamples)",
        tuple(gpu_prices().values()),
        {name: model.profile for name, model in published_models().items()},
    )


@cache
def parvagpu() -> Library:
    """The models of `data/profiles/parvagpu.csv` on slices of an A100, with one to five processes on a slice.

    A process's batch takes the batch over its measured throughput, as the measured latencies are rounded to
    milliseconds. A slice costs its share of the A100 (ours: clouds do not sell slices by themselves).
    """
    whole = gpu_prices()["A100"].price_per_h
    profiles: dict[str, list[Configuration]] = {}
    kinds = set()
    with (data_dir() / "profiles" / "parvagpu.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            slices, batch = int(row["slices"]), int(row["batch"])
            kinds.add(slices)
            seconds = float(Fraction(batch) / exact(row["throughput_per_process_rps"]))
            configuration = Configuration(_slice(slices), batch, int(row["processes"]), f"{seconds:.6f}")
            profiles.setdefault(row["model"], []).append(configuration)
    return Library(
        "parvagpu",
        "11 models on slices of an A100 with one to five processes, measured for ParvaGPU (SC'24)",
        tuple(Hardware(_slice(n), f"{float(whole * n / SLICES):.4f}") for n in sorted(kinds)),
        {name: tuple(configurations) for name, configurations in profiles.items()},
    )


def _slice(count: int) -> str:
    """Name of a machine type that has so many slices of an A100."""
    return f"A100-{count}g"


LIBRARIES: Mapping[str, Callable[[], Library]] = {"nvidia": nvidia, "parvagpu": parvagpu}
"""The libraries that there are; none is read before it is asked for."""


def find_library(name: str) -> Library:
    """The library of this name.

    Raises:
        InputError: there is none; names them all.
    """
    if name not in LIBRARIES:
        raise InputError(f"unknown library {name!r}; choose from {', '.join(LIBRARIES)}", field="library")
    return LIBRARIES[name]()
