"""Session instances in files: schema ``euclio/session/1``."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from euclio.files.boundary import FileModel, Name, Number, Whole, at
from euclio.files.dataclass_files import plain_data
from euclio.files.instance_files import InstanceFormat
from euclio.session.instance import Configuration, Hardware, Module, Session


class _Hardware(FileModel):
    name: Name
    price_per_h: Number
    count: Whole | None = None


class ConfigurationModel(FileModel):
    """A configuration in instance and result files."""

    hardware: Name
    batch: Whole
    concurrency: Whole
    duration_s: Number


class _Module(FileModel):
    name: Name
    rate_rps: Number
    profile: list[ConfigurationModel]


class _Session(FileModel):
    name: Name
    slo_s: Number
    hardware: list[_Hardware]
    modules: list[_Module]
    edges: list[tuple[Name, Name]]


def _session(model: _Session) -> Session:
    hardware: list[Hardware] = []
    for i, h in enumerate(model.hardware):
        with at(f"hardware[{i}]", None):
            hardware.append(Hardware(h.name, h.price_per_h, h.count))
    profiles: _Profiles = {}
    modules = [_module(module, f"modules[{i}]", profiles) for i, module in enumerate(model.modules)]
    return Session(model.name, model.slo_s, hardware, modules, model.edges)


_Profiles = dict[tuple[tuple[str, int, int, int | Decimal], ...], tuple[Configuration, ...]]
"""Profiles by their rows: modules with equal ones share one, which is made, ranked and kept once."""


def _module(model: _Module, field: str, profiles: _Profiles) -> Module:
    rows = tuple((c.hardware, c.batch, c.concurrency, c.duration_s) for c in model.profile)
    if rows not in profiles:
        profiles[rows] = tuple(_configurations(rows, field))
    with at(field, None):
        return Module(model.name, model.rate_rps, profiles[rows])


def _configurations(rows: tuple[tuple[str, int, int, int | Decimal], ...], field: str) -> Iterator[Configuration]:
    for k, row in enumerate(rows):
        with at(f"{field}.profile[{k}]", None):
            yield Configuration(*row)


def _data(session: Session) -> dict[str, Any]:
    """Plain data of a session; what is not known of a machine type stays out."""
    data: dict[str, Any] = plain_data(session)
    data["hardware"] = [{k: v for k, v in h.items() if v is not None} for h in data["hardware"]]
    return data


SESSIONS = InstanceFormat("euclio/session/1", _Session, _session, _data)
load_session, save_session = SESSIONS.load, SESSIONS.save
session_from_text, session_from_json, session_to_text = SESSIONS.from_text, SESSIONS.from_json, SESSIONS.to_text
