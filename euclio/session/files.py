"""Session instances in files: schema ``euclio/session/1``."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from euclio.files.boundary import FileModel, Name, Number, Whole, at, validated, without_schema
from euclio.files.json_reading import parse_json, read_json
from euclio.files.json_writing import json_text, write_text
from euclio.files.reading_limit import reading
from euclio.session.instance import Configuration, Hardware, Module, Session

SCHEMA = "euclio/session/1"


class _Hardware(FileModel):
    name: Name
    price_per_h: Number


class _Configuration(FileModel):
    hardware: Name
    batch: Whole
    concurrency: Whole
    duration_s: Number


class _Module(FileModel):
    name: Name
    rate_rps: Number
    profile: list[_Configuration]


class _Session(FileModel):
    name: Name
    slo_s: Number
    hardware: list[_Hardware]
    modules: list[_Module]
    edges: list[tuple[Name, Name]]


def load_session(path: str | Path) -> Session:
    """The session in a file.

    Raises:
        InputError: naming the file, the field and the remedy.
    """
    with reading(str(path)):
        return session_from_json(read_json(path), str(path))


def session_from_text(text: str, *, file: str | None = None) -> Session:
    """The session in a JSON text; `file` is named in errors.

    Raises:
        InputError: naming the field and the remedy.
    """
    return session_from_json(parse_json(text, file=file), file)


def save_session(session: Session, path: str | Path) -> None:
    """Write a session; reading it back gives an equal one.

    Raises:
        InputError: the file cannot be written.
    """
    write_text(session_to_text(session), path)


def session_to_text(session: Session) -> str:
    """The JSON text of a session, numbers as exact decimals."""
    return json_text(_data(session)) + "\n"


def _data(session: Session) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "name": session.name,
        "slo_s": session.slo_s,
        "hardware": [{"name": h.name, "price_per_h": h.price_per_h} for h in session.hardware],
        "modules": [
            {
                "name": module.name,
                "rate_rps": module.rate_rps,
                "profile": [
                    {
                        "hardware": c.hardware,
                        "batch": c.batch,
                        "concurrency": c.concurrency,
                        "duration_s": c.duration_s,
                    }
                    for c in module.profile
                ],
            }
            for module in session.modules
        ],
        "edges": [list(edge) for edge in session.edges],
    }


def session_from_json(value: Any, file: str | None) -> Session:
    """The session in parsed JSON; `file` is named in errors.

    Raises:
        InputError: naming the field and the remedy.
    """
    model = validated(_Session, without_schema(value, SCHEMA, file), file)
    hardware: list[Hardware] = []
    for i, h in enumerate(model.hardware):
        with at(f"hardware[{i}]", file):
            hardware.append(Hardware(h.name, h.price_per_h))
    profiles: _Profiles = {}
    modules = [_module(module, f"modules[{i}]", file, profiles) for i, module in enumerate(model.modules)]
    with at("", file):
        return Session(model.name, model.slo_s, hardware, modules, model.edges)


_Profiles = dict[tuple[tuple[str, int, int, int | Decimal], ...], tuple[Configuration, ...]]
"""Profiles by their rows: modules with equal ones share one, which is made, ranked and kept once."""


def _module(model: _Module, field: str, file: str | None, profiles: _Profiles) -> Module:
    rows = tuple((c.hardware, c.batch, c.concurrency, c.duration_s) for c in model.profile)
    if rows not in profiles:
        profiles[rows] = tuple(_configurations(rows, field, file))
    with at(field, file):
        return Module(model.name, model.rate_rps, profiles[rows])


def _configurations(
    rows: tuple[tuple[str, int, int, int | Decimal], ...], field: str, file: str | None
) -> Iterator[Configuration]:
    for k, row in enumerate(rows):
        with at(f"{field}.profile[{k}]", file):
            yield Configuration(*row)
