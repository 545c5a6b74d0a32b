"""What `euclio generate` does: write instance files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from euclio.errors import InputError
from euclio.exact import exact
from euclio.session import Session
from euclio.workloads.acceptance import accept_by
from euclio.workloads.applications import applications, find_application
from euclio.workloads.pipelines.commands import PipelineOptions, generated_clusters
from euclio.workloads.protocol import workloads
from euclio.workloads.published import published_models, published_session
from euclio.workloads.random_sessions import chain_from_modules, random_session
from euclio.workloads.writing import write_instances

KINDS = ("application", "workloads", "random", "chain", "published", "pipelines")

T = TypeVar("T")


def generate(
    kind: str,
    out: Path,
    *,
    count: int = 1,
    seed: int = 0,
    application: str | None = None,
    rate: float | None = None,
    slo: float | None = None,
    modules: int | None = None,
    tightness: float | None = None,
    models: list[str] | None = None,
    gpus: list[str] | None = None,
    pipelines: PipelineOptions | None = None,
    accept: Callable[[Session], Iterable[str]] | None = None,
) -> list[Path]:
    """Write sessions or clusters; the same arguments write the same bytes.

    Args:
        kind: "application" (one session of an application), "workloads" (the seeded protocol), "random" (small random
            sessions), "chain" (long chains of the applications' modules), "published" (a chain of published models) or
            "pipelines" (PPipe's clusters with synthetic models).
        out: a folder, or with a name ending in .json the file of a single instance.
        count: number of sessions of the kinds that draw them.
        seed: seed; instance k of "random", "chain" and "pipelines" has seed + k.
        application: name of the application.
        rate: request rate in requests per second; of "pipelines" that of all models for the least-cost objective.
        slo: latency objective in seconds.
        modules: number of modules of "random" and "chain".
        tightness: of "chain": place of the SLO between least (0) and most useful latency (1).
        models: names of published models, first to last; of "pipelines" the models served together.
        gpus: names of the GPU types to choose from.
        pipelines: options of "pipelines"; None: PPipe's own.
        accept: for "workloads": returns the names of the solvers that find no plan; by default Harpagon, its baselines
            and its ablations are asked.

    Returns:
        The files written.

    Raises:
        InputError: unknown kind or name, or a missing argument.
    """
    if count < 1:
        raise InputError(f"is {count}; it must be at least 1", field="count")
    if kind == "pipelines":
        clusters = generated_clusters(
            pipelines or PipelineOptions(), count=count, seed=seed, models=models, rate_rps=rate
        )
        return write_instances(clusters, out)
    if kind == "application":
        chosen = find_application(_needed(application, "application", tuple(applications())))
        sessions: Iterable[Session] = [chosen.session(chosen.name, exact(_rate(rate)), exact(_slo(slo)))]
    elif kind == "published":
        named = _needed(models, "models", tuple(published_models()))
        sessions = [published_session(named, _rate(rate), _slo(slo), gpus)]
    elif kind == "workloads":
        drawn = workloads(accept or accept_by(), count=count, seed=seed)
        sessions = (workload.session for workload in drawn.workloads)
    elif kind in ("random", "chain"):
        sessions = _drawn(kind, count, seed, modules, tightness)
    else:
        raise InputError(f"unknown kind {kind!r}; choose from {', '.join(KINDS)}", field="kind")
    return write_instances(list(sessions), out)


def _drawn(kind: str, count: int, seed: int, modules: int | None, tightness: float | None) -> Iterator[Session]:
    for k in range(count):
        if kind == "random":
            yield random_session(seed + k, 3 if modules is None else modules)
        else:
            yield chain_from_modules(
                seed + k, 40 if modules is None else modules, 0.4 if tightness is None else tightness
            )


def _needed(value: T | None, field: str, known: tuple[str, ...]) -> T:
    if not value:
        raise InputError(f"is missing; choose from {', '.join(known)}", field=field)
    return value


def _rate(value: float | None) -> float:
    if value is None:
        raise InputError("is missing; give a request rate in requests per second", field="rate")
    return value


def _slo(value: float | None) -> float:
    if value is None:
        raise InputError("is missing; give a latency objective in seconds", field="slo")
    return value
