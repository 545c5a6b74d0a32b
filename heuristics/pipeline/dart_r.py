"""DART-r: replicated chains of one low- and one high-class GPU; the other GPUs run whole models (PPipe §7.1)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.pipeline import Cluster, Model, Partition, Pipeline, PipelinePlan, PipelineSpace, evaluate
from heuristics.pipeline import dart_space
from heuristics.pipeline.gpu_counts import Gpus, Rates, no_partitioning_counts, whole_model_pipeline, whole_models

# Chains on a pair of GPUs of two types, the unit that DART-r replicates (PPipe §7.1).


@dataclass(frozen=True, slots=True)
class Chain:
    """Two partitions of a model, each on one whole GPU.

    Attributes:
        gpus: types of the first and the second GPU.
        split: first block of the second partition.
        batch: batch size of both partitions.
        rate_rps: requests per second, links included.
    """

    gpus: tuple[str, str]
    split: int
    batch: int
    rate_rps: Fraction

    def pipeline(self, model: Model, copies: int) -> Pipeline:
        """The pipeline of so many copies of the chain."""
        first, second = self.gpus
        return Pipeline(
            model.name,
            (
                Partition(first, 1, copies, 0, self.split - 1, self.batch),
                Partition(second, 1, copies, self.split, model.blocks - 1, self.batch),
            ),
        )


def best_chain(cluster: Cluster, model: Model, pair: tuple[str, str], space: PipelineSpace) -> Chain | None:
    """The chain of one GPU of each type with most throughput within the SLO; None if none meets it.

    Both orders, all split points and all batch sizes are tried; ties go to the one tried first.
    """
    chains = list(_chains(cluster, model, pair, space)) + list(_chains(cluster, model, pair[::-1], space))
    return max(chains, key=lambda chain: chain.rate_rps, default=None)


def _chains(cluster: Cluster, model: Model, gpus: tuple[str, str], space: PipelineSpace) -> Iterator[Chain]:
    servers = max(cluster.gpu(name).gpus_per_server for name in gpus)
    batch = 1
    while (times := _block_times(model, gpus, batch)) is not None:
        delay = model.batch_build.delay_s(batch) if space.batch_build and model.batch_build else Fraction(0)
        before, after = Fraction(0), sum(times[1], Fraction(0))
        for split in range(1, model.blocks):
            before += times[0][split - 1]
            after -= times[1][split - 1]
            transfer = model.transfer_s_per_request[split - 1]
            if before + after + transfer * batch + delay <= model.budget_s:
                # A request takes its turn on the busier of the two links, shared by the GPUs of the server.
                turn = max(before / batch, after / batch, transfer * servers)
                yield Chain(gpus, split, batch, 1 / turn)
        batch += 1


def _block_times(model: Model, gpus: tuple[str, str], batch: int) -> list[list[Fraction]] | None:
    """Latency of each block at a batch on both types; None if not measured."""
    found = []
    for name in gpus:
        profile = model.profile(name, 1)
        if profile is None or any(len(row) < batch for row in profile.latency_s):
            return None
        found.append([row[batch - 1] for row in profile.latency_s])
    return found


NAME = "dart-r"


def solve_dart_r(cluster: Cluster, space: PipelineSpace, limits: Limits[PipelinePlan]) -> Answer[PipelinePlan]:
    """Divide the GPUs between the models, pair them up, and replicate each model's best use of a pair.

    NP's allocation divides the high-class GPUs. Low-class ones stay with models that need them for NP's throughput; the
    others are divided in proportion to the high-class ones (ours; the authors' plans divide them evenly). So DART-r
    never serves less than NP. A pair runs a chain, or the whole model on each GPU if that serves more. The paper has
    two types. With more of them (ours), the high class is the type with least whole-model latency, the low class the
    most numerous of the others, and the rest run whole models as in NP. With one type it is NP. It has a plan only if
    NP has.

    Args:
        cluster: the instance.
        space: plan space.
        limits: limits of the run.
    """
    own = dart_space(cluster, space)
    high, low = gpu_classes(cluster)
    rates = whole_models(cluster, own)
    counts = no_partitioning_counts(cluster, own, rates, limits.time_limit_s)
    if counts.gpus is None:
        proven = counts.infeasible and own.most_partitions(cluster) == 1  # a chain may serve what no whole model does
        return Answer(None, counts.raw_status, infeasible=proven, reason=counts.reason)
    gpus = dict(counts.gpus)
    if low is not None:
        _divide(cluster, rates, gpus, high, low)
    plan = PipelinePlan(tuple(p for m in cluster.models for p in _pipelines(cluster, m, gpus, rates, (high, low), own)))
    value = evaluate(cluster, plan, own).value
    return Answer(plan, "finished", None if value is None else float(value))


def gpu_classes(cluster: Cluster) -> tuple[str, str | None]:
    """The high- and the low-class GPU type; None if there is only one type.

    The high class has the least whole-model latency at batch 1 on a whole GPU, summed over the models; a type without a
    measurement of some model comes behind those with all.
    """

    def slowness(name: str) -> tuple[int, Fraction]:
        found = [model.latency_s(name, 1, 0, model.blocks - 1, 1) for model in cluster.models]
        return found.count(None), sum((x for x in found if x is not None), Fraction(0))

    high = min((gpu.name for gpu in cluster.gpus), key=slowness)
    rest = [gpu for gpu in cluster.gpus if gpu.name != high]
    return high, max(rest, key=lambda gpu: gpu.count).name if rest else None


def _divide(cluster: Cluster, rates: Rates, gpus: Gpus, high: str, low: str) -> None:
    """Divide the low-class GPUs: the need of NP's throughput, and the rest in proportion to the high-class ones."""
    shares = {m.name: gpus.get((m.name, high), 0) for m in cluster.models}
    # No high-class GPU is in use, so there is nothing to pair with.
    if not any(shares.values()):
        return
    needed = _needed(cluster, rates, gpus, low)
    given = proportional(cluster.gpu(low).count - sum(needed.values()), shares)
    for name, n in needed.items():
        gpus[name, low] = n + given[name]


def _needed(cluster: Cluster, rates: Rates, gpus: Gpus, low: str) -> dict[str, int]:
    """Low-class GPUs without which a model would fall below NP's smallest throughput per weight."""
    # An allocation from a stopped run names no pair without a GPU.
    served = {
        m.name: {g.name: rates[p].rate_rps * gpus.get(p, 0) for g in cluster.gpus if (p := (m.name, g.name)) in rates}
        for m in cluster.models
    }
    least = min(sum(served[m.name].values(), Fraction(0)) / m.weight for m in cluster.models)
    needed = {}
    for m in cluster.models:
        missing = least * m.weight - sum((x for name, x in served[m.name].items() if name != low), Fraction(0))
        needed[m.name] = math.ceil(missing / rates[m.name, low].rate_rps) if missing > 0 else 0
    return needed


def proportional(count: int, shares: dict[str, int]) -> dict[str, int]:
    """Whole numbers in proportion to shares that sum to a count: largest remainders first, ties in order."""
    exact = {name: Fraction(count * share, sum(shares.values())) for name, share in shares.items()}
    given = {name: int(share) for name, share in exact.items()}
    for name in sorted(exact, key=lambda n: given[n] - exact[n])[: count - sum(given.values())]:
        given[name] += 1
    return given


def _pipelines(
    cluster: Cluster,
    model: Model,
    gpus: Gpus,
    rates: Rates,
    pair: tuple[str, str | None],
    space: PipelineSpace,
) -> list[Pipeline]:
    """A model's pipelines on its GPUs: chains on pairs of GPUs, whole models on the rest."""
    high, low = pair
    own = {gpu.name: gpus.get((model.name, gpu.name), 0) for gpu in cluster.gpus}
    found = []
    if low is not None and space.max_partitions != 1 and (copies := min(own[high], own[low])):
        chain = best_chain(cluster, model, (low, high), space)
        alone = sum(rates[model.name, name].rate_rps for name in (low, high) if (model.name, name) in rates)
        # A pair runs a chain only if that serves more than the two GPUs by themselves.
        if chain is not None and chain.rate_rps > alone:
            found.append(chain.pipeline(model, copies))
            own[high] -= copies
            own[low] -= copies
    found += [
        whole_model_pipeline(model, name, rates[model.name, name], n)
        for name, n in own.items()
        if n and (model.name, name) in rates
    ]
    return found
