"""The five applications of Harpagon §IV-A with their profiles on P100 and V100, from the data files."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, TypeVar

from euclio.core.errors import InputError
from euclio.core.folders import data_dir
from euclio.core.numbers import short
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.workloads.session.synthesis import load_model

Profile = tuple[Configuration, ...]
Known = TypeVar("Known")


@dataclass(frozen=True, slots=True)
class ApplicationModule:
    """A module of an application.

    Attributes:
        name: its name in sessions.
        profile: its configurations; every session of the application holds this very object.
        parents: names of the modules that feed it.
        scaling: range of its requests per request of its first parent (Scrooge §2); (1, 1) for the first module.
    """

    name: str
    profile: Profile
    parents: tuple[str, ...]
    scaling: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Application:
    """An application: its DAG, with parents before children, and the machine types it may use."""

    name: str
    hardware: tuple[Hardware, ...]
    modules: tuple[ApplicationModule, ...]

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Pairs of module names, from parent to child."""
        return tuple((parent, module.name) for module in self.modules for parent in module.parents)

    def typical_factors(self) -> dict[str, Fraction]:
        """Requests of each module per request of the application at the geometric middle of every scaling range."""
        return self.factors([0.5] * len(self.modules))

    def factors(self, places: list[float]) -> dict[str, Fraction]:
        """Requests of each module per request of the application.

        Args:
            places: per module where its scaling factor lies in its range, 0 to 1 on a logarithmic scale.
        """
        factor: dict[str, Fraction] = {}
        for module, place in zip(self.modules, places, strict=True):
            low, high = module.scaling
            own = low * (high / low) ** place
            above = factor[module.parents[0]] if module.parents else Fraction(1)
            factor[module.name] = short(float(above) * own)
        return factor

    def session(
        self, name: str, rate_rps: Fraction, slo_s: Fraction, factors: dict[str, Fraction] | None = None
    ) -> Session:
        """A session of this application.

        Args:
            name: name of the instance.
            rate_rps: application's request rate, that of its first module.
            slo_s: latency objective in seconds.
            factors: requests of each module per request of the application; by default the typical ones.
        """
        factors = self.typical_factors() if factors is None else factors
        modules = tuple(Module(m.name, rate_rps * factors[m.name], m.profile) for m in self.modules)
        return Session(name, slo_s, self.hardware, modules, self.edges)


@cache
def profiles() -> dict[str, Profile]:
    """The profiles of `data/profiles/p100-v100.csv`, by name."""
    rows: dict[str, list[Configuration]] = {}
    with (data_dir() / "profiles" / "p100-v100.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            configuration = Configuration(
                row["hardware"], int(row["batch"]), int(row["concurrency"]), row["duration_s"]
            )
            rows.setdefault(row["module"], []).append(configuration)
    return {name: tuple(configurations) for name, configurations in rows.items()}


@cache
def applications() -> dict[str, Application]:
    """The five applications, by name; made once, so that all their sessions share profiles and hardware."""
    hardware = tuple(Hardware(h["name"], h["price_per_h"]) for h in load_model()["hardware"])
    text = (data_dir() / "applications.json").read_text(encoding="utf-8")
    entries: list[dict[str, Any]] = json.loads(text)["applications"]
    return {e["name"]: Application(e["name"], hardware, tuple(map(_module, e["modules"]))) for e in entries}


def find_application(name: str) -> Application:
    """The application of this name.

    Raises:
        InputError: there is none; names them all.
    """
    return named(applications(), name)


def named(known: Mapping[str, Known], name: str) -> Known:
    """The application of this name among some, of this file or of another.

    Raises:
        InputError: there is none; names them all.
    """
    if name not in known:
        raise InputError(f"unknown application {name!r}; choose from {', '.join(known)}", field="application")
    return known[name]


def _module(entry: dict[str, Any]) -> ApplicationModule:
    low, high = entry.get("scaling", (1, 1))
    parents = tuple(entry.get("parents", ()))
    return ApplicationModule(entry["name"], profiles()[entry["profile"]], parents, (low, high))
