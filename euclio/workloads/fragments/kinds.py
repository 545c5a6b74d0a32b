"""The kinds of fleets that can be drawn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from euclio.core.errors import InputError
from euclio.core.lazy import late
from euclio.core.parts import Kind, Setting
from euclio.core.values import POSITIVE, Values, count, positive, whole
from euclio.workloads.kinds import name_in, needed

MOST_FRAGMENTS = 100_000
CLIENTS = 20
"""Clients of a fleet where no number is given: Graft's large scale (Graft §5.1)."""

_model_names = late("euclio.workloads.fragments.networks", "model_names")
_find_model = late("euclio.workloads.fragments.networks", "find_model")
_fleets_of = late("euclio.workloads.fragments.clients", "fleets_of")
_random_fleets = late("euclio.workloads.fragments.random_fleets", "random_fleets")
_on = late("euclio.workloads.fragments.random_fleets", "on")
_server = late("euclio.problems.fragments.memory", "Server")
_RATIO = Values("a number greater than 0 and at most 1", float, lambda number: 0 < number <= 1)


def _path(value: Any) -> Path:
    """Reads the path of a trace."""
    if not isinstance(value, str) or not value:
        raise InputError(f"is {value!r}; it must be the path of a file or folder")
    return Path(value)


def _fleets(settings: dict[str, Any], number: int, seed: int) -> Iterator[Any]:
    named = needed(settings, "model", f"choose from {', '.join(_model_names())}")
    clients = settings.get("clients", CLIENTS)
    tx2 = settings.get("tx2", 0)
    if tx2 > clients:
        raise InputError(f"is {tx2}; there are {clients} clients", field="tx2")
    others = {name: settings[name] for name in ("slo_ratio", "bandwidth", "trace") if name in settings}
    found: Iterator[Any] = _fleets_of(_model(named, settings), clients, tx2, number, seed, **others)
    return found


def _model(name: str, settings: dict[str, Any]) -> Any:
    """The network of this short name, on a server with the limits that are asked for."""
    model, server = _find_model(name), _limits(settings)
    return model if server is None else model.on(server, settings.get("instance_memory_mb"))


def _random(settings: dict[str, Any], number: int, seed: int) -> Iterator[Any]:
    server, drawn = _limits(settings), _random_fleets(settings, number, seed)
    if server is None:
        return iter(drawn)
    besides = None
    if server.gpu_memory_mb is not None:
        besides = needed(settings, "instance_memory_mb", "give the megabytes of an instance: random layers have none")
    return (_on(fleet, server, besides) for fleet in drawn)


def _limits(settings: dict[str, Any]) -> Any:
    """The server with the given limits; None if no limit is given."""
    limits = {name: settings[name] for name in ("gpu_memory_mb", "gpu_instances") if name in settings}
    if "instance_memory_mb" in settings and "gpu_memory_mb" not in settings:
        raise InputError("limits nothing without gpu_memory_mb; give that too", field="instance_memory_mb")
    return _server(**limits) if limits else None


_FRAGMENTS = Setting("fragments", whole(1, MOST_FRAGMENTS).read, "fragments of a fleet; default: 10", count, "N")
_LAYERS = Setting("layers", whole(1, 1000).read, "layers of the network; default: 8", count, "N")
_MODEL = Setting("model", name_in(_model_names), "network of Graft's clients: inc, res, vgg, mob or vit")
_CLIENTS = Setting("clients", whole(1, MOST_FRAGMENTS).read, f"mobile clients; default: {CLIENTS}", count, "N")
_TX2 = Setting("tx2", whole(0, MOST_FRAGMENTS).read, "how many of the clients are Jetson TX2; default: 0", int, "N")
_SLO_RATIO = Setting(
    "slo_ratio", _RATIO.read, "latency objective over mobile latency; default: 0.95", _RATIO.parse, "X"
)
_BANDWIDTH = Setting(
    "bandwidth",
    name_in(lambda: ("now", "mean")),
    "where clients cut: at the bandwidth of a second (now, the default), or at their mean, as Static has it",
    metavar="WHEN",
)
_LIMITS = (
    Setting(
        "gpu_memory_mb",
        POSITIVE.read,
        "memory of a GPU in megabytes, of which an instance takes at most its share; default: no limit",
        positive,
        "MB",
    ),
    Setting(
        "instance_memory_mb",
        POSITIVE.read,
        "megabytes that an instance takes besides its layers' parameters; default: none",
        positive,
        "MB",
    ),
    Setting("gpu_instances", whole().read, "most instances on a GPU; default: any", count, "N"),
)
_TRACE = Setting("trace", _path, "file or folder of measured bandwidths; default: seeded traces", metavar="PATH")

KINDS = (
    Kind(
        "random-fleets",
        (_FRAGMENTS, _LAYERS, *_LIMITS),
        _random,
        {"fragments": 4, "layers": 3},
        about="random fleets with shares in steps of 1 %",
    ),
    Kind(
        "fleets",
        (_MODEL, _CLIENTS, _TX2, _SLO_RATIO, _BANDWIDTH, _TRACE, *_LIMITS),
        _fleets,
        {"model": "mob", "clients": 6, "tx2": 2},
        about="mobile clients that run one of Graft's networks and cut it as their bandwidth has it",
    ),
)
