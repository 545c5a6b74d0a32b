"""Fleets and their fragments in files: schema ``euclio/fragments/1``."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from euclio.core.errors import InputError
from euclio.core.numbers import count_number, exact, whole_number
from euclio.core.parts import PlanFiles
from euclio.files.boundary import FileModel, Name, Number, Text, Whole, at
from euclio.files.dataclass_files import plain_data
from euclio.files.instance_files import InstanceFormat
from euclio.files.plan_files import options_model, space_reader
from euclio.problems.fragments.evaluate import FleetEvaluation
from euclio.problems.fragments.instance import Fleet, Fragment, Network
from euclio.problems.fragments.memory import Server
from euclio.problems.fragments.plan import FragmentPlan, Head, RealignedSet, Stage
from euclio.problems.fragments.space import FragmentSpace


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


class _Stage(FileModel):
    batch: Whole
    share_pct: Whole
    instances: Whole


class _PlanHead(FileModel):
    fragments: list[Name]
    stage: _Stage | None = None


class _PlanSet(FileModel):
    repartition_point: Whole
    latency_s: Number
    shared: _Stage
    heads: list[_PlanHead]


class _FleetPlan(FileModel):
    sets: list[_PlanSet]


def _plan(model: _FleetPlan, fleet: Fleet) -> FragmentPlan:
    places = {fragment.name: k for k, fragment in enumerate(fleet.fragments)}
    return FragmentPlan(tuple(_set(own, places, f"plan.sets[{i}]") for i, own in enumerate(model.sets)))


def _set(model: _PlanSet, places: dict[str, int], field: str) -> RealignedSet:
    if model.repartition_point < 0:
        raise InputError(f"is {model.repartition_point}; layers are counted from 0", field=f"{field}.repartition_point")
    heads = tuple(_head(head, places, f"{field}.heads[{j}]") for j, head in enumerate(model.heads))
    return RealignedSet(model.repartition_point, _stage(model.shared, f"{field}.shared"), heads)


def _head(model: _PlanHead, places: dict[str, int], field: str) -> Head:
    for k, name in enumerate(model.fragments):
        if name not in places:
            raise InputError(
                f"fragment {name!r} is not in the instance; give the result of this instance",
                field=f"{field}.fragments[{k}]",
            )
    stage = None if model.stage is None else _stage(model.stage, f"{field}.stage")
    return Head(tuple(places[name] for name in model.fragments), stage)


def _stage(model: _Stage, field: str) -> Stage:
    return Stage(
        whole_number(model.batch, f"{field}.batch"),
        whole_number(model.share_pct, f"{field}.share_pct"),
        count_number(model.instances, f"{field}.instances"),
    )


def _written(plan: _FleetPlan, fleet: Fleet) -> dict[str, Fraction]:
    return _figures([exact(own.latency_s) for own in plan.sets])


def _checked(fleet: Fleet, plan: FragmentPlan, evaluation: FleetEvaluation) -> dict[str, Fraction]:
    return _figures([found.latency_s for found in evaluation.sets])


def _figures(latencies_s: list[Fraction]) -> dict[str, Fraction]:
    return {f"plan.sets[{i}].latency_s": latency for i, latency in enumerate(latencies_s)}


def _plan_data(fleet: Fleet, plan: FragmentPlan, evaluation: FleetEvaluation) -> dict[str, Any]:
    found = zip(plan.sets, evaluation.sets, strict=True)
    return {"sets": [_set_data(fleet, own, priced.latency_s) for own, priced in found]}


def _set_data(fleet: Fleet, own: RealignedSet, latency_s: Fraction) -> dict[str, Any]:
    return {
        "repartition_point": own.repartition_point,
        "latency_s": latency_s,
        "shared": plain_data(own.shared),
        "heads": [_head_data(fleet, head) for head in own.heads],
    }


def _head_data(fleet: Fleet, head: Head) -> dict[str, Any]:
    names = [fleet.fragments[k].name for k in head.fragments]
    return {"fragments": names} if head.stage is None else {"fragments": names, "stage": plain_data(head.stage)}


_OPTIONS = options_model(FragmentSpace, objective=(Text, "GPU share"))
FRAGMENT_PLANS = PlanFiles(_OPTIONS, _FleetPlan, space_reader(FragmentSpace), _plan, _written, _checked, _plan_data)
