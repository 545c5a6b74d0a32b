"""The kinds of sessions that can be drawn, with the settings that each takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from euclio.core.lazy import late, late_value
from euclio.core.numbers import exact
from euclio.core.parts import Kind, Setting
from euclio.core.values import NOT_NEGATIVE, POSITIVE, count, names, positive, seconds, whole
from euclio.workloads.kinds import name_in, needed
from euclio.workloads.kinds import names as list_of_names
from euclio.workloads.populations import PROTOCOL_SEED

MOST_MODULES = 1000
MOST_CONFIGURATIONS = 500
MOST_TYPES = 26

accept_by = late("euclio.workloads.session.acceptance", "accept_by")
judged_draws = late("euclio.workloads.session.protocol", "judged_draws")
published_session = late("euclio.workloads.session.published", "published_session")
random_session = late("euclio.workloads.session.random_sessions", "random_session")
chain_from_modules = late("euclio.workloads.session.random_sessions", "chain_from_modules")
applications = late("euclio.workloads.session.applications", "applications")
find_application = late("euclio.workloads.session.applications", "find_application")
published_models = late("euclio.workloads.session.published", "published_models")
library_sessions = late("euclio.workloads.session.profile_libraries", "library_sessions")


def _application(settings: dict[str, Any], count: int, seed: int) -> Iterator[Any]:
    chosen = find_application(needed(settings, "application", f"choose from {', '.join(applications())}"))
    rate, slo = _rate(settings), _slo(settings)
    return iter([chosen.session(chosen.name, exact(rate), exact(slo))])


def _published(settings: dict[str, Any], count: int, seed: int) -> Iterator[Any]:
    named = needed(settings, "models", f"choose from {', '.join(published_models())}")
    return iter([published_session(named, _rate(settings), _slo(settings), settings.get("gpus"))])


def _profiled(settings: dict[str, Any], count: int, seed: int) -> Iterator[Any]:
    sessions: Iterator[Any] = library_sessions(settings.get("library", "nvidia"), count, seed)
    return sessions


def _workloads(settings: dict[str, Any], count: int, seed: int) -> Iterator[Any]:
    judged = judged_draws(accept_by(), count, seed)
    return (workload.session for workload, against in judged if not against)


def _random(settings: dict[str, Any], count: int, seed: int) -> Iterator[Any]:
    return (random_session(seed + k, **settings) for k in range(count))


def _chain(settings: dict[str, Any], count: int, seed: int) -> Iterator[Any]:
    return (chain_from_modules(seed + k, **settings) for k in range(count))


def _rate(settings: dict[str, Any]) -> float:
    return float(needed(settings, "rate", "give a request rate in requests per second"))


def _slo(settings: dict[str, Any]) -> float:
    return float(needed(settings, "slo", "give a latency objective in seconds"))


_APPLICATION = Setting(
    "application", name_in(lambda: tuple(applications())), "application: traffic, face, pose, caption or actdet"
)
_RATE = Setting("rate", POSITIVE.read, "request rate in requests per second", positive, "R")
_SLO = Setting("slo", POSITIVE.read, "latency objective in seconds", seconds, "S")
_MODULES = Setting("modules", whole(1, MOST_MODULES).read, "modules per session", count, "N")
_TIGHTNESS = Setting("tightness", NOT_NEGATIVE.read, "SLO between least (0) and most useful latency (1)", positive, "X")
_CONFIGURATIONS = Setting(
    "configurations", whole(1, MOST_CONFIGURATIONS).read, "most configurations of a random module", count, "N"
)
_HARDWARE = Setting("hardware", whole(1, MOST_TYPES).read, "hardware types of a random session", count, "N")
_CONCURRENCY = Setting("concurrency", whole(1, MOST_TYPES).read, "largest concurrency of a random session", count, "N")
_SHAPE = Setting(
    "shape",
    name_in(late_value("euclio.workloads.session.random_sessions", "SHAPES")),
    "shape of a random session; a wrong one lists them all",
)
_MODELS = Setting("models", list_of_names, "models of published profiles", names, "A,B", listed=True)
_LIBRARY = Setting(
    "library",
    name_in(late_value("euclio.workloads.session.profile_libraries", "LIBRARIES")),
    "measured profiles: nvidia (the default) or parvagpu",
)
_GPUS = Setting("gpus", list_of_names, "GPUs of published profiles", names, "A,B", listed=True)

KINDS = (
    Kind(
        "application",
        (_APPLICATION, _RATE, _SLO),
        _application,
        {"application": "traffic", "rate": 30.0, "slo": 0.6},
        single=True,
        about="one session of an application: traffic, face, pose, caption, actdet",
    ),
    Kind(
        "workloads",
        (),
        _workloads,
        seed=PROTOCOL_SEED,
        about="sessions of the applications over fixed profiles by a seeded protocol, those that 20 systems plan",
    ),
    Kind(
        "random",
        (_MODULES, _TIGHTNESS, _CONFIGURATIONS, _HARDWARE, _CONCURRENCY, _SHAPE),
        _random,
        {"modules": 4},
        about="small random sessions",
    ),
    Kind(
        "chain",
        (_MODULES, _TIGHTNESS),
        _chain,
        {"modules": 6, "tightness": 0.3},
        about="long chains of the applications' modules",
    ),
    Kind(
        "published",
        (_MODELS, _GPUS, _RATE, _SLO),
        _published,
        {"models": ["ssd_resnet50", "resnet50"], "rate": 50.0, "slo": 0.5},
        single=True,
        about="a chain of real models with NVIDIA's printed profiles",
    ),
    Kind(
        "profiled",
        (_LIBRARY,),
        _profiled,
        about="the applications with other networks in them, drawn from a library of measured profiles",
    ),
)
