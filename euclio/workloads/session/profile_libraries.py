"""Sessions drawn over a library of measured profiles (ours): the papers' applications, with other networks in them.

An application gives the DAG and how often its modules are invoked; the networks are drawn from the library. Rates run
from half a machine to twenty of the busiest module, objectives from below what can be kept without dummy requests to
eight times that. Nothing is asked of any system, so that sessions which a planner has no plan for are among them.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from euclio.core.errors import InputError
from euclio.core.folders import data_dir
from euclio.core.numbers import exact, short
from euclio.problems.session.instance import Configuration, Hardware, Session
from euclio.workloads.session.applications import Application, Profile, applications
from euclio.workloads.session.protocol import latency_range, log_uniform, one_machine_rate, round_up
from euclio.workloads.session.published import gpu_prices, published_models

# Libraries of measured profiles that sessions are drawn from: real models on real machines, from the data files.

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


MACHINES = (0.5, 20.0)
"""Range of the machines that the busiest module needs at its best configuration, drawn on a logarithmic scale."""
SLO_OVER_LEAST = (0.8, 8.0)
"""Range of the objective over the least latency without dummy requests, drawn on a logarithmic scale.

Below 1 the longest path of all modules' least d + b/T is too long, and a plan needs dummy requests, if there is one."""


def draw(library: Library, seed: int, number: int) -> Session:
    """A session over a library's profiles; it depends on its library, seed and number alone.

    Args:
        library: the profiles.
        seed: seed of the draws.
        number: number of the draw, from 0.
    """
    stream = random.Random(f"{library.name}/{seed}/{number}")
    known = tuple(applications().values())
    shape = known[int(stream.random() * len(known))]
    application = _with_networks(shape, library, stream)
    factors = application.factors([stream.random() for _ in application.modules])
    rate = short(log_uniform(stream, MACHINES) * one_machine_rate(application, factors))
    over = log_uniform(stream, SLO_OVER_LEAST)
    session = application.session(f"{library.name}-{shape.name}-{number:04d}", rate, Fraction(1), factors)
    least, _ = latency_range(session)
    return replace(session, slo_s=round_up(over * least))


def library_sessions(name: str, count: int, seed: int) -> Iterator[Session]:
    """The first sessions over a library's profiles, each made when it is asked for.

    Args:
        name: name of the library.
        count: how many.
        seed: seed of the draws.

    Raises:
        InputError: there is no such library.
    """
    library = find_library(name)
    return (draw(library, seed, number) for number in range(count))


def _with_networks(shape: Application, library: Library, stream: random.Random) -> Application:
    """An application's DAG with different networks of the library as its modules, which are named after them."""
    networks = stream.sample(sorted(library.profiles), len(shape.modules))
    named = dict(zip((module.name for module in shape.modules), networks, strict=True))
    modules = tuple(
        replace(
            module,
            name=named[module.name],
            profile=library.profiles[named[module.name]],
            parents=tuple(named[parent] for parent in module.parents),
        )
        for module in shape.modules
    )
    return Application(shape.name, library.hardware, modules)
