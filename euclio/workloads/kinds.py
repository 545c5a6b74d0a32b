"""The kinds of instances that `euclio generate` and experiment files draw, with the settings that each takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from euclio.core.errors import InputError
from euclio.core.numbers import exact
from euclio.pipeline.workloads.commands import PipelineOptions, cluster_requests
from euclio.pipeline.workloads.instances import pipeline_cluster
from euclio.pipeline.workloads.setups import SETUPS
from euclio.session.workloads.acceptance import accept_by
from euclio.session.workloads.applications import applications, find_application
from euclio.session.workloads.protocol import judged_draws
from euclio.session.workloads.published import published_models, published_session
from euclio.session.workloads.random_sessions import SHAPES, chain_from_modules, random_session
from euclio.workloads.settings import Setting, name_in, names, not_negative, part, positive, whole

MOST_MODULES = 1000
MOST_LAYERS = 10_000
MOST_CONFIGURATIONS = 500
MOST_TYPES = 26


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of instance.

    Attributes:
        name: its name.
        settings: the settings that it takes.
        draw: settings as read, count and seed in, instances out; checks them before it returns.
        single: one instance only, with nothing drawn.
    """

    name: str
    settings: tuple[Setting, ...]
    draw: Callable[[dict[str, Any], int, int], Iterator[Any]]
    single: bool = False


def _application(settings: dict[str, Any], count: int, seed: int) -> Iterator[Any]:
    chosen = find_application(_needed(settings, "application", ", ".join(applications())))
    rate, slo = _rate(settings), _slo(settings)
    return iter([chosen.session(chosen.name, exact(rate), exact(slo))])


def _published(settings: dict[str, Any], count: int, seed: int) -> Iterator[Any]:
    named = _needed(settings, "models", ", ".join(published_models()))
    return iter([published_session(named, _rate(settings), _slo(settings), settings.get("gpus"))])


def _workloads(settings: dict[str, Any], count: int, seed: int) -> Iterator[Any]:
    judged = judged_draws(accept_by(), count, seed)
    return (workload.session for workload, against in judged if not against)


def _random(settings: dict[str, Any], count: int, seed: int) -> Iterator[Any]:
    return (random_session(seed + k, **settings) for k in range(count))


def _chain(settings: dict[str, Any], count: int, seed: int) -> Iterator[Any]:
    return (chain_from_modules(seed + k, **settings) for k in range(count))


def _pipelines(settings: dict[str, Any], count: int, seed: int) -> Iterator[Any]:
    rest = dict(settings)
    models, rate = rest.pop("models", None), rest.pop("rate", None)
    asked = cluster_requests(PipelineOptions(**rest), count=count, seed=seed, models=models, rate_rps=rate)
    return map(pipeline_cluster, asked)


def _needed(settings: dict[str, Any], name: str, hint: str) -> Any:
    if name not in settings:
        raise InputError(f"is missing; choose from {hint}", field=name)
    return settings[name]


def _rate(settings: dict[str, Any]) -> float:
    if "rate" not in settings:
        raise InputError("is missing; give a request rate in requests per second", field="rate")
    return float(settings["rate"])


def _slo(settings: dict[str, Any]) -> float:
    if "slo" not in settings:
        raise InputError("is missing; give a latency objective in seconds", field="slo")
    return float(settings["slo"])


_RATE, _SLO = Setting("rate", positive), Setting("slo", positive)
_MODELS = Setting("models", names, listed=True)
_MODULES, _TIGHTNESS = Setting("modules", whole(1, MOST_MODULES)), Setting("tightness", not_negative)

KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "application",
            (Setting("application", name_in(lambda: tuple(applications()))), _RATE, _SLO),
            _application,
            single=True,
        ),
        Kind("workloads", (), _workloads),
        Kind(
            "random",
            (
                _MODULES,
                _TIGHTNESS,
                Setting("configurations", whole(1, MOST_CONFIGURATIONS)),
                Setting("hardware", whole(1, MOST_TYPES)),
                Setting("concurrency", whole(1, MOST_TYPES)),
                Setting("shape", name_in(lambda: SHAPES)),
            ),
            _random,
        ),
        Kind("chain", (_MODULES, _TIGHTNESS), _chain),
        Kind("published", (_MODELS, Setting("gpus", names, listed=True), _RATE, _SLO), _published, single=True),
        Kind(
            "pipelines",
            (
                Setting("cluster", name_in(lambda: tuple(SETUPS))),
                Setting("high", whole()),
                Setting("low", whole()),
                Setting("group", whole()),
                _MODELS,
                _RATE,
                Setting("slo_scale", positive),
                Setting("margin", part),
                Setting("blocks", whole(1, MOST_LAYERS)),
                Setting("layers", whole(1, MOST_LAYERS)),
                Setting("max_partitions", whole()),
            ),
            _pipelines,
        ),
    )
}
"""All kinds by name."""


def find_kind(name: str) -> Kind:
    """The kind of this name.

    Raises:
        InputError: there is none; names them all.
    """
    if name not in KINDS:
        raise InputError(f"unknown kind {name!r}; choose from {', '.join(KINDS)}", field="kind")
    return KINDS[name]
