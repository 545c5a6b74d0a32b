"""The seven applications of Scrooge (Figure 1) with its CPU modules, from `data/scrooge.json`.

They are apart from the five of the protocol workloads, which have no CPU modules: a module on machines without a GPU
takes one input at a time, and a recurrent network takes batch 1 only (Scrooge §3.3 footnote 5, §4.4).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from euclio.core.data_files import data_dir
from euclio.core.numbers import exact
from euclio.session import Configuration, Hardware
from euclio.session.workloads.applications import Application, ApplicationModule, Profile, named
from euclio.session.workloads.synthesis import DURATION_DIGITS, duration

CPU = "CPU"
"""Name of the worker without a GPU."""
EVEN = (1.0, 1.0)


@dataclass(frozen=True, slots=True)
class ScroogeApplication:
    """An application of Scrooge's evaluation.

    Attributes:
        application: its DAG with profiles and worker types.
        client_rps: frames per second of one client, least and most.
        objectives_s: the latency objectives that Figure 12 goes through, in seconds, tightest first.
        ballooning: range of each module's execution time over the profiled one (Scrooge §3.2), by name of the module;
            (1, 1) where input does not change it.
    """

    application: Application
    client_rps: tuple[int, int]
    objectives_s: tuple[Fraction, ...]
    ballooning: dict[str, tuple[float, float]]


@cache
def scrooge_data() -> dict[str, Any]:
    """The data file."""
    found: dict[str, Any] = json.loads((data_dir() / "scrooge.json").read_text(encoding="utf-8"))
    return found


@cache
def scrooge_applications() -> dict[str, ScroogeApplication]:
    """The seven applications, by name; made once, so that all their sessions share profiles and hardware."""
    data = scrooge_data()
    hardware = tuple(Hardware(h["name"], str(h["price_per_h"])) for h in data["hardware"])
    return {entry["name"]: _application(entry, hardware, data) for entry in data["applications"]}


def find_scrooge_application(name: str) -> ScroogeApplication:
    """The application of this name.

    Raises:
        InputError: there is none; names them all.
    """
    return named(scrooge_applications(), name)


def _application(entry: dict[str, Any], hardware: tuple[Hardware, ...], data: dict[str, Any]) -> ScroogeApplication:
    modules = tuple(
        ApplicationModule(
            m["name"], scrooge_profile(m["profile"]), tuple(m.get("parents", ())), tuple(m.get("scaling", EVEN))
        )
        for m in entry["modules"]
    )
    ballooning = {m["name"]: tuple(data["modules"][m["profile"]].get("ballooning", EVEN)) for m in entry["modules"]}
    factor = exact(str(entry.get("objective_factor", 1)))
    used = {c.hardware for m in modules for c in m.profile}
    return ScroogeApplication(
        Application(entry["name"], tuple(h for h in hardware if h.name in used), modules),
        tuple(entry["client_rps"]),
        tuple(factor * exact(str(s)) for s in data["objectives_s"]),
        ballooning,
    )


@cache
def scrooge_profile(name: str, as_evaluated: bool = True) -> Profile:
    """The configurations of a module.

    Args:
        name: its name in the data file.
        as_evaluated: at the time scale of §4; False: at that of Figure 5.
    """
    return profile_of(scrooge_data()["modules"][name], as_evaluated)


def profile_of(entry: dict[str, Any], as_evaluated: bool = True, levels: Sequence[int] = ()) -> Profile:
    """The configurations that a module's entry of the data file means.

    Args:
        entry: the entry; its fields are those of the file's `model`.
        as_evaluated: at the time scale of §4, which `euclio.studies.scrooge.time_scale` derives; False: at that of
            Figure 5. Modules whose time is printed are as printed under both.
        levels: concurrency levels; none: those of the data file.
    """
    data = scrooge_data()
    scale = data["time_scale"] if as_evaluated and not entry.get("as_printed") else 1.0
    if "alone_s" in entry:
        return (Configuration(CPU, 1, 1, f"{scale * entry['alone_s']:.{DURATION_DIGITS}f}"),)
    parameters = _parameters(entry)
    return tuple(
        Configuration(h["name"], b, e, f"{scale * duration(parameters, h['name'], b, e):.{DURATION_DIGITS}f}")
        for h in data["hardware"]
        if h["name"] != CPU
        for b in entry.get("batches", data["batches"])
        for e in levels or data["concurrency"]
    )


def _parameters(entry: dict[str, Any]) -> dict[str, Any]:
    """A module's parameters as `euclio.session.workloads.synthesis` takes them."""
    kernels = [{"from_batch": 1, "base_s": entry["base_s"], "slope_s": entry["slope_s"]}]
    if "from_batch_16" in entry:
        kernels.append({"from_batch": 16, **entry["from_batch_16"]})
    speed = {"P100": {"base": 1.0, "slope": 1.0}, "V100": {"base": entry["V100"], "slope": entry["V100"]}}
    return {**entry, "kernels": kernels, "speed": speed}
