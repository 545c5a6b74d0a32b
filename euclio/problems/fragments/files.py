"""Fleets and their fragments in files: schema ``euclio/fragments/1``."""

from __future__ import annotations

from typing import Any

from euclio.files.boundary import FileModel, Name, Number, Text, Whole, at
from euclio.files.dataclass_files import plain_data
from euclio.files.instance_files import InstanceFormat
from euclio.problems.fragments.instance import Fleet, Fragment, Network
from euclio.problems.fragments.memory import Server


class _FleetServer(FileModel):
    gpu_memory_mb: Number | None = None
    gpu_instances: Whole | None = None


class _Network(FileModel):
    name: Name
    batches: list[Whole]
    shares_pct: list[Whole]
    layer_latency_s: list[list[list[Number]]]
    layer_memory_mb: list[Number] | None = None
    instance_memory_mb: Number | None = None
    server: _FleetServer | None = None


class _Fragment(FileModel):
    name: Name
    partition_point: Whole
    budget_s: Number
    rate_rps: Number


class _Fleet(FileModel):
    name: Name
    points: Text | None = None
    network: _Network
    fragments: list[_Fragment]


def _fleet(model: _Fleet) -> Fleet:
    with at("network", None):
        network = _network(model.network)
    fragments: list[Fragment] = []
    for i, f in enumerate(model.fragments):
        with at(f"fragments[{i}]", None):
            fragments.append(Fragment(f.name, f.partition_point, f.budget_s, f.rate_rps))
    return Fleet(model.name, network, fragments, model.points)


def _network(own: _Network) -> Network:
    server = None
    if own.server is not None:
        with at("server", None):
            server = Server(own.server.gpu_memory_mb, own.server.gpu_instances)
    return Network(
        own.name, own.batches, own.shares_pct, own.layer_latency_s, own.layer_memory_mb, own.instance_memory_mb, server
    )


def _data(fleet: Fleet) -> dict[str, Any]:
    """The fields of a fleet, without unknown facts on its partition points and GPU memory."""
    fields: dict[str, Any] = plain_data(fleet)
    points, fields["network"] = fields.pop("points"), _known(fields["network"])
    return fields if points is None else {"name": fields.pop("name"), "points": points, **fields}


def _known(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields without missing ones, at any depth of objects."""
    return {
        name: _known(value) if isinstance(value, dict) else value for name, value in fields.items() if value is not None
    }


FLEETS = InstanceFormat("euclio/fragments/1", _Fleet, _fleet, _data)
load_fleet, save_fleet = FLEETS.load, FLEETS.save
fleet_from_text, fleet_from_json, fleet_to_text = FLEETS.from_text, FLEETS.from_json, FLEETS.to_text
