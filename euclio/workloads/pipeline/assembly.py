"""Put models that are cut into blocks on a setup: SLO, margin, transfer times and batch-build delay (PPipe §7.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from euclio.core.errors import InputError
from euclio.core.numbers import Number, exact_number
from euclio.core.registry import find_solver
from euclio.core.solver import Limits
from euclio.problems.pipeline.evaluate import evaluate
from euclio.problems.pipeline.instance import BatchBuild, BlockProfile, Cluster, Model
from euclio.problems.pipeline.space import PipelineSpace
from euclio.workloads.pipeline.setups import Setup

FASTEST = "L4"
"""The type whose latency at batch 1 sets the SLO and the blocks (PPipe §5.2, §7.1)."""


@dataclass(frozen=True, slots=True)
class BlockedModel:
    """A model cut into blocks.

    Attributes:
        name: its name.
        reference_s: seconds of the whole model on L4 at batch 1.
        profiles: block latencies; those of GPU types that a setup lacks are left out of its cluster.
        boundary_bytes: bytes that one request sends between blocks i and i + 1, for each i.
    """

    name: str
    reference_s: Fraction
    profiles: tuple[BlockProfile, ...]
    boundary_bytes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms models are served; the defaults are PPipe's.

    Attributes:
        slo_scale: SLO over the latency on L4 at batch 1.
        margin: part of the SLO that plans leave free.
        max_partitions: most partitions of a pipeline; None: 3 for one model and 2 for more, as in the authors' runs.
        batch_build_factor: factor of the batch-build delay, 1.3 in the authors' runs; None means no delay.
        rate_rps: load of all models together for the least-cost objective; None if there is none.
    """

    slo_scale: Number = 5
    margin: Number = "0.4"
    max_partitions: int | None = None
    batch_build_factor: Number | None = "1.3"
    rate_rps: Number | None = None


def assembled(
    name: str, setup: Setup, models: Sequence[BlockedModel], weights: Sequence[Fraction], terms: Terms
) -> Cluster:
    """A cluster that serves some models.

    The rate of a model's batch-build delay is what NP serves of it without that delay, as in the authors' runs.

    Args:
        name: name of the instance.
        setup: GPUs and links.
        models: the models.
        weights: their parts of the load.
        terms: SLO, margin and the like.

    Raises:
        InputError: numbers out of range, or a model without a profile on any GPU type of the setup.
    """
    served = [_model(setup, model, weight, terms) for model, weight in zip(models, weights, strict=True)]
    partitions = terms.max_partitions or (3 if len(models) == 1 else 2)
    cluster = Cluster(name, setup.gpus, served, partitions)
    if terms.batch_build_factor is None:
        return cluster
    rates = _served_whole(cluster)
    delayed = [_with_batch_build(m, terms.batch_build_factor, rate) for m, rate in zip(served, rates, strict=True)]
    return Cluster(name, setup.gpus, delayed, partitions)


def _model(setup: Setup, model: BlockedModel, weight: Fraction, terms: Terms) -> Model:
    margin = exact_number(terms.margin, "margin", zero=True)
    if margin >= 1:
        raise InputError(f"is {terms.margin}; it must be less than 1", field="margin")
    gpus = [gpu.name for gpu in setup.gpus]
    slo_s = exact_number(terms.slo_scale, "slo_scale") * model.reference_s
    per_byte_s = 8 / (setup.bandwidth_gbps * 10**9)
    return Model(
        model.name,
        slo_s,
        [size * per_byte_s for size in model.boundary_bytes],
        [profile for profile in model.profiles if profile.gpu in gpus],
        weight=weight,
        margin_s=margin * slo_s,
        rate_rps=None if terms.rate_rps is None else exact_number(terms.rate_rps, "rate") * weight,
    )


def _served_whole(cluster: Cluster) -> list[Fraction]:
    """Requests per second of each model under NP, without a batch-build delay.

    Where NP cannot serve them all: an even part of what it serves of each alone, 0 where that is nothing (ours).
    """
    together = _served_by_np(cluster)
    if together:
        return together
    count = len(cluster.models)
    alone = [_served_by_np(Cluster(model.name, cluster.gpus, [model])) for model in cluster.models]
    return [served[0] / count if served else Fraction(0) for served in alone]


def _served_by_np(cluster: Cluster) -> list[Fraction]:
    """NP's smallest throughput per weight on a cluster, alone in a list; empty: NP has no plan."""
    solver = find_solver("no-partitioning")
    space = solver.space_on(cluster, replace(PipelineSpace(), batch_build=False))
    plan = solver.run(cluster, space, Limits()).plan
    return [] if plan is None else [model.throughput_rps for model in evaluate(cluster, plan, space).models]


def _with_batch_build(model: Model, factor: Number, rate_rps: Fraction) -> Model:
    """The model with a delay for batches that gather at a rate, rounded to millionths; none where it is 0."""
    return replace(model, batch_build=BatchBuild(factor, f"{float(rate_rps):.6f}") if rate_rps else None)
