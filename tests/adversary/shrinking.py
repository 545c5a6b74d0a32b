"""Greedy shrinking of a case while the same failure remains: leave parts out, then simplify numbers."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

Data = dict[str, Any]

SPACE_DEFAULTS = {
    "session": {
        "hardware": None,
        "single_hardware": False,
        "batching": True,
        "concurrency": True,
        "max_allocations": None,
        "policy": "tc",
        "dummy": "machine",
    },
    "pipeline": {
        "batch_build": True,
        "virtual_gpus": True,
        "unify_batch": None,
        "max_partitions": None,
        "one_per_sequence": False,
        "whole_gpus": True,
        "objective": "throughput",
    },
    "fragments": {"sharing": "realigned", "budgets": "least", "max_members": None, "max_instances": None},
}


def shrink(data: Data, fails: Callable[[Data], bool], attempts: int = 400, seconds: float = 30.0) -> Data:
    """A smaller case that fails alike.

    Args:
        data: the case as plain data (`cases.to_data`).
        fails: whether a candidate, which need not be legal, fails in the same way.
        attempts: candidates to try at most.
        seconds: time after which no other is tried.
    """
    deadline = time.monotonic() + seconds
    best, improved = data, True
    while improved:
        improved = False
        for candidate in _smaller(best):
            if attempts <= 0 or time.monotonic() > deadline:
                return best
            attempts -= 1
            if fails(candidate):
                best, improved = candidate, True
                break
    return best


def _smaller(data: Data) -> Iterator[Data]:
    """Candidates, the boldest first."""
    yield from STRUCTURAL[data["family"]](data)
    for name, value in SPACE_DEFAULTS[data["family"]].items():
        if data["space"][name] != value:
            yield _changed(data, ("space", name), value)
    yield from _simpler_numbers(data)


def _changed(data: Data, place: tuple[Any, ...], value: Any) -> Data:
    """A copy with one value in another way."""
    found = copy.deepcopy(data)
    node = found
    for key in place[:-1]:
        node = node[key]
    node[place[-1]] = value
    return found


def _dropped(data: Data, place: tuple[Any, ...]) -> Data:
    """A copy without one entry of a list or an object."""
    found = copy.deepcopy(data)
    node = found
    for key in place[:-1]:
        node = node[key]
    del node[place[-1]]
    return found


def _without_session_parts(data: Data) -> Iterator[Data]:
    instance = data["instance"]
    if len(instance["modules"]) > 1:
        for i, module in enumerate(instance["modules"]):
            found = _dropped(data, ("instance", "modules", i))
            found["instance"]["edges"] = [e for e in instance["edges"] if module["name"] not in _ends(e)]
            for name in ("objectives", "applications"):
                rows = instance.get(name, [])
                left = [row for row in rows if module["name"] not in (row.get("to"), *row.get("modules", ()))]
                found["instance"].update({name: left} if rows else {})
            yield found
    for i in range(len(instance["edges"])):
        yield _dropped(data, ("instance", "edges", i))
        if isinstance(instance["edges"][i], dict):
            yield _changed(data, ("instance", "edges", i), list(_ends(instance["edges"][i])))
    for name in ("objectives", "applications"):
        for i in range(len(instance.get(name, ()))):
            yield _dropped(data, ("instance", name, i))
    for i, module in enumerate(instance["modules"]):
        if len(module["profile"]) > 1:
            for k in range(len(module["profile"])):
                yield _dropped(data, ("instance", "modules", i, "profile", k))
    used = {c["hardware"] for module in instance["modules"] for c in module["profile"]}
    for i, hardware in enumerate(instance["hardware"]):
        if hardware["name"] not in used and len(instance["hardware"]) > 1:
            found = _dropped(data, ("instance", "hardware", i))
            if hardware["name"] in (data["space"]["hardware"] or ()):
                found["space"]["hardware"] = [h for h in data["space"]["hardware"] if h != hardware["name"]]
            yield found
    for i, module in enumerate(instance["modules"]):
        for k, c in enumerate(module["profile"]):
            for field in ("concurrency", "batch"):
                if c[field] > 1:
                    yield _changed(data, ("instance", "modules", i, "profile", k, field), 1)


def _ends(edge: Any) -> tuple[str, str]:
    """The modules of an edge, which is a pair or has a delay."""
    return (edge["from"], edge["to"]) if isinstance(edge, dict) else (edge[0], edge[1])


def _without_cluster_parts(data: Data) -> Iterator[Data]:
    instance = data["instance"]
    if len(instance["models"]) > 1:
        for i in range(len(instance["models"])):
            yield _dropped(data, ("instance", "models", i))
    for i, gpu in enumerate(instance["gpus"]):
        if len(instance["gpus"]) > 1 and all(set(m["block_latency_s"]) != {gpu["name"]} for m in instance["models"]):
            found = _dropped(data, ("instance", "gpus", i))
            for model in found["instance"]["models"]:
                model["block_latency_s"].pop(gpu["name"], None)
            yield found
    for i, model in enumerate(instance["models"]):
        yield from _without_model_parts(data, i, model)
    for i, gpu in enumerate(instance["gpus"]):
        for count in range(1, gpu["count"]):
            yield _changed(data, ("instance", "gpus", i, "count"), count)
        if gpu["gpus_per_server"] > 1:
            yield _changed(data, ("instance", "gpus", i, "gpus_per_server"), 1)
    for most in range(1, instance["max_partitions"]):
        yield _changed(data, ("instance", "max_partitions"), most)


def _without_model_parts(data: Data, i: int, model: Data) -> Iterator[Data]:
    place = ("instance", "models", i)
    for gpu, by_share in model["block_latency_s"].items():
        if len(model["block_latency_s"]) > 1:
            yield _dropped(data, (*place, "block_latency_s", gpu))
        for share in by_share:
            if share != "1":
                yield _dropped(data, (*place, "block_latency_s", gpu, share))
    for block in range(len(model["transfer_s_per_request"]) + 1):
        if model["transfer_s_per_request"]:
            found = _dropped(
                data, (*place, "transfer_s_per_request", min(block, len(model["transfer_s_per_request"]) - 1))
            )
            for by_share in found["instance"]["models"][i]["block_latency_s"].values():
                for rows in by_share.values():
                    del rows[block]
            yield found
    for gpu, by_share in model["block_latency_s"].items():
        for share, rows in by_share.items():
            for block, row in enumerate(rows):
                if len(row) > 1:
                    yield _changed(data, (*place, "block_latency_s", gpu, share, block), row[:-1])
    if model.get("batch_build") is not None:
        yield _dropped(data, (*place, "batch_build"))
    if data["space"]["objective"] != "cost" and "rate_rps" in model:
        yield _dropped(data, (*place, "rate_rps"))


def _without_fleet_parts(data: Data) -> Iterator[Data]:
    network, fragments = data["instance"]["network"], data["instance"]["fragments"]
    for field in ("server", "layer_memory_mb", "instance_memory_mb"):
        if field in network:
            yield _dropped(data, ("instance", "network", field))
    if len(fragments) > 1:
        for i in range(len(fragments)):
            yield _dropped(data, ("instance", "fragments", i))
    for i, layer in enumerate(network["layer_latency_s"]):
        if len(network["layer_latency_s"]) > 1:
            found = _dropped(data, ("instance", "network", "layer_latency_s", i))
            if "layer_memory_mb" in network:
                del found["instance"]["network"]["layer_memory_mb"][i]
            for fragment in found["instance"]["fragments"]:
                fragment["partition_point"] -= fragment["partition_point"] > i
            yield found
            if layer != network["layer_latency_s"][0]:
                first = network["layer_latency_s"][0]
                yield _changed(data, ("instance", "network", "layer_latency_s", i), first)
    for j in range(len(network["batches"])):
        if len(network["batches"]) > 1:
            found = _dropped(data, ("instance", "network", "batches", j))
            for layer in found["instance"]["network"]["layer_latency_s"]:
                del layer[j]
            yield found
    for k in range(len(network["shares_pct"])):
        if len(network["shares_pct"]) > 1:
            found = _dropped(data, ("instance", "network", "shares_pct", k))
            for layer in found["instance"]["network"]["layer_latency_s"]:
                for row in layer:
                    del row[k]
            yield found


STRUCTURAL = {
    "session": _without_session_parts,
    "pipeline": _without_cluster_parts,
    "fragments": _without_fleet_parts,
}
"""What leaves parts of an instance out, by family."""


def _simpler_numbers(data: Data) -> Iterator[Data]:
    """One number (all equal ones at once, then each alone) with fewer digits, or 0 or 1."""
    places = list(_numbers(data["instance"], ("instance",)))
    values = sorted({value for _, value in places}, key=lambda v: -len(str(v)))
    for value in values:
        same = [place for place, other in places if other == value]
        for simpler in _simpler(value):
            found = data
            for place in same:
                found = _changed(found, place, simpler)
            yield found
            if len(same) > 1:
                for place in same:
                    yield _changed(data, place, simpler)


def _numbers(node: Any, place: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], int | Decimal]]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _numbers(value, (*place, key))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from _numbers(value, (*place, i))
    elif isinstance(node, int | Decimal) and not isinstance(node, bool):
        yield place, node


def _simpler(value: int | Decimal) -> Iterator[int | Decimal]:
    """Numbers that are shorter to write, none of which leads back."""
    number = Decimal(value)
    size = len(number.normalize().as_tuple().digits) + abs(number.adjusted())
    candidates = [Decimal(1), Decimal(0)]  # 1 first: a price of 0 is a case of its own
    candidates += [Decimal(f"{number:.{digits - 1}e}") for digits in (1, 2, 3, 6, 12) if number]
    for simpler in candidates:
        shorter = len(simpler.normalize().as_tuple().digits) + abs(simpler.adjusted())
        if simpler != number and (shorter < size or simpler in (0, 1)) and not (number == 0 or number == 1):
            yield int(simpler) if simpler == int(simpler) else simpler
