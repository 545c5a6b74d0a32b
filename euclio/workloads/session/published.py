"""Profiles of real models on real GPUs, typed in from public performance tables (`data/profiles/nvidia.json`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

from euclio.core.errors import InputError
from euclio.core.folders import data_dir
from euclio.core.numbers import Number
from euclio.problems.session import Configuration, Hardware, Module, Session

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A row of a published table: batch, latency per batch in seconds, throughput in requests per second if printed."""

    batch: int
    latency_s: float
    throughput_rps: float | None


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A published table: short name of the GPU, the device as named there, the heading and the rows."""

    hardware: str
    device: str
    heading: str
    rows: tuple[PublishedRow, ...]


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """A model of the library.

    Attributes:
        name: name to ask for it.
        what: what it is.
        source: repository and path of the page with its tables.
        tables: one per GPU.
        profile: one configuration per row, concurrency 1; all sessions that use the model on all its GPUs share it.
    """

    name: str
    what: str
    source: str
    tables: tuple[PublishedTable, ...]
    profile: tuple[Configuration, ...]


@cache
def published_models() -> dict[str, PublishedModel]:
    """The library, by name."""
    library: dict[str, Any] = json.loads((data_dir() / "profiles" / "nvidia.json").read_text(encoding="utf-8"))
    return {entry["name"]: _model(entry, library["repository"]) for entry in library["models"]}


@cache
def gpu_prices() -> dict[str, Hardware]:
    """GPU types of the library with an on-demand price per hour, by name (`data/prices.json`)."""
    entries = json.loads((data_dir() / "prices.json").read_text(encoding="utf-8"))["hardware"]
    return {e["name"]: Hardware(e["name"], e["price_per_h"]) for e in entries}


def published_session(
    models: Sequence[str], rate_rps: Number, slo_s: Number, gpus: Sequence[str] | None = None, name: str | None = None
) -> Session:
    """A chain of published models, every one at the same request rate.

    Args:
        models: names of the models, first to last; a model may occur more than once.
        rate_rps: request rate in requests per second.
        slo_s: latency objective in seconds.
        gpus: names of the GPU types to choose from; by default all.
        name: name of the instance; by default made of the models' names.

    Raises:
        InputError: unknown model or GPU, or a model that has no table for any of the GPUs.
    """
    hardware = tuple(_find(gpu_prices(), gpu, "gpus") for gpu in gpus or gpu_prices())
    allowed = {h.name for h in hardware}
    modules: list[Module] = []
    for k, wanted in enumerate(models):
        model = _find(published_models(), wanted, "models")
        profile = model.profile
        if not {c.hardware for c in profile} <= allowed:
            profile = tuple(c for c in profile if c.hardware in allowed)
        if not profile:
            known = ", ".join(table.hardware for table in model.tables)
            raise InputError(f"{wanted} has no published numbers on {', '.join(allowed)}; it has {known}", field="gpus")
        again = list(models[:k]).count(wanted)
        modules.append(Module(f"{wanted}_{again + 1}" if again else wanted, rate_rps, profile))
    edges = tuple((a.name, b.name) for a, b in pairwise(modules))
    return Session(name or "-".join(m.name for m in modules), slo_s, hardware, modules, edges)


def _find(known: dict[str, T], name: str, field: str) -> T:
    if name not in known:
        raise InputError(f"unknown name {name!r}; choose from {', '.join(known)}", field=field)
    return known[name]


def _model(entry: dict[str, Any], repository: str) -> PublishedModel:
    tables = tuple(
        PublishedTable(
            table["hardware"],
            table["device"],
            table["heading"],
            tuple(PublishedRow(r["batch"], r["latency_s"], r.get("throughput_rps")) for r in table["rows"]),
        )
        for table in entry["tables"]
    )
    profile = tuple(Configuration(t.hardware, r.batch, 1, r.latency_s) for t in tables for r in t.rows)
    return PublishedModel(entry["name"], entry["what"], f"{repository}: {entry['path']}", tables, profile)
