"""Chains on a pair of GPUs, one of each of two types: the unit that DART-r replicates (PPipe §7.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from euclio.problems.pipeline import Cluster, Model, Partition, Pipeline, PipelineSpace


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
    """The chain of one GPU of each type with most throughput within the SLO; None: none meets it.

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
    """Latency of each block at a batch on both types; None: not measured."""
    found = []
    for name in gpus:
        profile = model.profile(name, 1)
        if profile is None or any(len(row) < batch for row in profile.latency_s):
            return None
        found.append([row[batch - 1] for row in profile.latency_s])
    return found
