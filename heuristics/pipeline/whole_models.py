"""Whole models on whole GPUs: what one GPU of a type serves of a model that is not partitioned (PPipe §7.1, NP)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from euclio.problems.pipeline import Cluster, Gpu, Model, Partition, Pipeline, PipelineSpace


@dataclass(frozen=True, slots=True)
class WholeModel:
    """The best way to run a whole model on one whole GPU.

    Attributes:
        batch: batch size.
        latency_s: latency of a batch in seconds.
    """

    batch: int
    latency_s: Fraction

    @property
    def rate_rps(self) -> Fraction:
        """Requests per second of one GPU."""
        return self.batch / self.latency_s


Rates = dict[tuple[str, str], WholeModel]
"""By names of model and GPU type; a pair that cannot meet the SLO is absent."""


def whole_models(cluster: Cluster, space: PipelineSpace) -> Rates:
    """The batch with most throughput that meets the SLO, for each model and GPU type.

    Ties go to the smaller batch. Neither links nor transfers limit a single partition.
    """
    rates: Rates = {}
    for model in cluster.models:
        for gpu in cluster.gpus:
            best = _best(model, gpu, space)
            if best is not None:
                rates[model.name, gpu.name] = best
    return rates


def _best(model: Model, gpu: Gpu, space: PipelineSpace) -> WholeModel | None:
    best: WholeModel | None = None
    batch = 1
    while (latency := model.latency_s(gpu.name, 1, 0, model.blocks - 1, batch)) is not None:
        delay = model.batch_build.delay_s(batch) if space.batch_build and model.batch_build else 0
        found = WholeModel(batch, latency)
        # Strictly more: ties go to the smaller batch.
        if latency + delay <= model.budget_s and (best is None or found.rate_rps > best.rate_rps):
            best = found
        batch += 1
    return best


def whole_model_pipeline(model: Model, gpu: str, whole: WholeModel, gpus: int) -> Pipeline:
    """The pipeline of one partition that runs a whole model on some GPUs."""
    return Pipeline(model.name, (Partition(gpu, 1, gpus, 0, model.blocks - 1, whole.batch),))
