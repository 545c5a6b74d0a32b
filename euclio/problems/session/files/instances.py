"""Session instances in files: schema ``euclio/session/1``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, TypeVar

from pydantic import ValidatorFunctionWrapHandler, WrapValidator, create_model, model_validator

from euclio.core.errors import InputError
from euclio.core.numbers import exact_decimal_text, exact_number
from euclio.files.boundary import ExactNumber, FileModel, Name, Number, Whole, at, shown, validated
from euclio.files.dataclass_files import exact_data, file_model, made, plain_data
from euclio.files.instance_files import InstanceFormat
from euclio.problems.session.instance import Configuration, Hardware, Module, Session, machine_number
from euclio.problems.session.largest_shares import LargestShare
from euclio.problems.session.objectives import Application, Objective
from euclio.problems.session.running import Running

RecordT = TypeVar("RecordT", Objective, Application, LargestShare)


class _Hardware(FileModel):
    name: Name
    price_per_h: Number
    count: Whole | None = None
    memory_mb: Number | None = None
    largest_share: Number | None = None
    takes: dict[Name, Number] | None = None
    price_source: Name | None = None
    at_least: Whole | None = None
    slices: dict[Name, Name] | None = None


FAILED = re.compile(
    r"fail|error|timeouts|timed out|dropped|rejected|\bshed\b|non-2xx|[45]xx\b|^\[[45]\d\d\]$|"
    r"(status|code)\w*[^a-z0-9]*[45]\d\d$",
    re.IGNORECASE,
)
"""Names of numbers of failed requests."""


class _Configuration(FileModel):
    hardware: Name
    batch: Whole
    concurrency: Whole
    # One of these two has to be there, which `Configuration` checks, and null is no number.
    duration_s: ExactNumber = None  # type: ignore[assignment]
    memory_mb: Number | None = None
    quantiles_s: dict[Name, Number] | None = None
    throughput_rps: ExactNumber = None  # type: ignore[assignment]

    @model_validator(mode="before")
    @classmethod
    def _refuse_failures(cls, value: Any) -> Any:
        """Refuse a row whose requests failed; to remove its count alone would remove the evidence."""
        unknown = value.keys() - cls.model_fields.keys() if isinstance(value, dict) else ()
        for name in filter(FAILED.search, unknown):
            if value[name]:
                message = f"is {shown(value[name])}; answers that fail say nothing of a batch: remove the whole row"
                raise InputError(message, field=name)
        return value


class _SessionModule(FileModel):
    name: Name
    rate_rps: ExactNumber
    profile: list[_Configuration]
    state_price_per_change_per_h: Number | None = None
    longest_duration_s: Number | None = None
    least_machines: Whole | None = None


_RUNNING = file_model(Running)
STATE = "state_price_per_change_per_h"
"""Field of a module whose machines hold state; `Session.state` has these fields of all modules."""


_EDGE: dict[str, Any] = {"from": (Name, ...), "to": (Name, ...), "delay_s": (Number, 0)}
_Edge: Any = create_model("_Edge", __base__=FileModel, **_EDGE)
"""An edge with a delay; "from" is no name that a class of Python can have."""


def _either_edge(value: Any, pair: ValidatorFunctionWrapHandler) -> Any:
    """An edge as an object with a delay, or as a pair of names."""
    return validated(_Edge, value, None) if isinstance(value, dict) else pair(value)


class _Objective(FileModel):
    name: Name
    to: Name
    slo_s: Number


class _Application(FileModel):
    name: Name
    modules: list[Name]
    rate_rps: Number | None = None


class _LargestShare(FileModel):
    hardware: list[Name]
    share: Number


class _Session(FileModel):
    name: Name
    # Without objectives it has to be there, and null is no number.
    slo_s: Number = None  # type: ignore[assignment]
    objectives: list[_Objective] | None = None
    applications: list[_Application] | None = None
    hardware: list[_Hardware]
    modules: list[_SessionModule]
    edges: list[Annotated[tuple[Name, Name], WrapValidator(_either_edge)]]
    currency: Name | None = None
    running: _RUNNING | None = None  # type: ignore[valid-type]
    spare_machines: Whole = 0
    resources: dict[Name, Number] | None = None
    largest_shares: list[_LargestShare] | None = None


def _session(model: _Session) -> Session:
    hardware: list[Hardware] = []
    for i, h in enumerate(model.hardware):
        with at(f"hardware[{i}]", None):
            limits = (h.count, h.memory_mb, h.largest_share)
            hardware.append(Hardware(h.name, h.price_per_h, *limits, h.takes, h.price_source, h.at_least, h.slices))
    profiles: _Profiles = {}
    modules = [_module(module, f"modules[{i}]", profiles) for i, module in enumerate(model.modules)]
    if model.slo_s is not None and model.objectives:
        raise InputError("stands next to objectives; keep one of them", field="slo_s")
    running = None if model.running is None else made(Running, model.running, "running")
    return Session(
        model.name,
        model.slo_s,
        hardware,
        modules,
        [_ends_of(edge) for edge in model.edges],
        model.currency,
        running,
        model.spare_machines,
        model.resources,
        dict(_state(model.modules)),
        list(_made(Objective, model.objectives or (), "objectives")),
        {_ends_of(edge): edge.delay_s for edge in _objects(model.edges)},
        list(_made(Application, model.applications or (), "applications")),
        dict(_least_machines(model.modules)),
        list(_made(LargestShare, model.largest_shares or (), "largest_shares")),
    )


def _objects(edges: list[Any]) -> list[Any]:
    """The edges that are objects, with their delays."""
    return [edge for edge in edges if not isinstance(edge, tuple)]


def _ends_of(edge: Any) -> tuple[str, str]:
    """Parent and child of an edge."""
    return edge if isinstance(edge, tuple) else (getattr(edge, "from"), edge.to)


def _made(record: type[RecordT], models: Sequence[FileModel], field: str) -> Iterator[RecordT]:
    """Records made of models, whose fields have the same names."""
    for i, model in enumerate(models):
        with at(f"{field}[{i}]", None):
            yield record(**dict(model))


def _state(modules: list[_SessionModule]) -> Iterator[tuple[str, Fraction]]:
    """The modules whose machines hold state, with the price of moving it."""
    for i, module in enumerate(modules):
        price = module.state_price_per_change_per_h
        if price is not None:
            yield module.name, exact_number(price, f"modules[{i}].{STATE}", zero=True)


def _least_machines(modules: list[_SessionModule]) -> Iterator[tuple[str, int]]:
    """The modules that state their least number of machines."""
    for i, module in enumerate(modules):
        if module.least_machines is not None:
            yield module.name, machine_number(module.least_machines, f"modules[{i}].least_machines")


_Exact = int | Decimal | Fraction
_Row = tuple[str, int, int, _Exact | None, _Exact | None, tuple[tuple[str, _Exact], ...], _Exact | None]
_Profiles = dict[tuple[_Row, ...], tuple[Configuration, ...]]
"""Profiles by their rows: modules with equal rows share one profile, which is made, ranked and kept once."""


def _module(model: _SessionModule, field: str, profiles: _Profiles) -> Module:
    rows = tuple(
        (
            *(c.hardware, c.batch, c.concurrency, c.duration_s, c.memory_mb),
            *(tuple((c.quantiles_s or {}).items()), c.throughput_rps),
        )
        for c in model.profile
    )
    if rows not in profiles:
        profiles[rows] = tuple(_configurations(rows, field))
    with at(field, None):
        return Module(model.name, model.rate_rps, profiles[rows], model.longest_duration_s)


def _configurations(rows: tuple[_Row, ...], field: str) -> Iterator[Configuration]:
    for k, row in enumerate(rows):
        with at(f"{field}.profile[{k}]", None):
            hardware, batch, concurrency, duration_s, memory_mb, quantiles_s, throughput_rps = row
            quantiles = dict(quantiles_s)
            yield Configuration(hardware, batch, concurrency, duration_s, memory_mb, quantiles, throughput_rps)


LEFT_OUT = (
    *("spare_machines", "resources", "takes", "slices", "quantiles_s", "objectives", "applications", "largest_shares"),
)
"""Fields that stay out of files if they are empty or 0."""


def _data(session: Session) -> dict[str, Any]:
    """Plain data of a session; unstated fields of it, of a machine type or of a configuration stay out."""
    data = _said(plain_data(session))
    delays = data.pop("delay_s")
    data["edges"] = [
        {"from": edge[0], "to": edge[1], "delay_s": delays[edge]} if edge in delays else edge for edge in session.edges
    ]
    for name in ("objectives", "applications"):
        data[name] = [_said(one) for one in data[name]]
    if session.objectives:
        del data["slo_s"]
    data["hardware"] = [_said(h) for h in data["hardware"]]
    state, least = data.pop("state"), data.pop("least_machines")
    data["modules"] = [_said(module) for module in data["modules"]]
    for module in data["modules"]:
        if module["name"] in state:
            module[STATE] = state[module["name"]]
        if module["name"] in least:
            module["least_machines"] = least[module["name"]]
        for place, c in module.pop("left_out"):
            module["profile"].insert(place, c)
        module["rate_rps"] = exact_data(module["rate_rps"])
        module["profile"] = [_said(_configuration_data(c)) for c in module["profile"]]
    rows = [c for module in data["modules"] for c in module["profile"]]
    for said in (data, *data["hardware"], *rows):
        for name in LEFT_OUT:
            if name in said and not said[name]:
                del said[name]
    if session.running is not None:
        data["running"] = _said(data["running"])
    return data


def _configuration_data(fields: dict[str, Any]) -> dict[str, Any]:
    """A configuration by its throughput if that is a decimal and its duration is none, as 1/140 s is none."""
    duration_s = fields["duration_s"]
    if exact_decimal_text(duration_s) is not None:
        return fields
    throughput_rps = fields["batch"] * fields["concurrency"] / duration_s
    if exact_decimal_text(throughput_rps) is None:
        return fields | {"duration_s": exact_data(duration_s)}
    return {("throughput_rps" if name == "duration_s" else name): value for name, value in fields.items()} | {
        "throughput_rps": throughput_rps
    }


def _said(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


SESSIONS = InstanceFormat("euclio/session/1", _Session, _session, _data)
load_session, save_session = SESSIONS.load, SESSIONS.save
session_from_text, session_from_json, session_to_text = SESSIONS.from_text, SESSIONS.from_json, SESSIONS.to_text
