"""Clusters with synthetic models, as PPipe sets them up (PPipe §7.1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from euclio.pipeline import Cluster
from euclio.pipeline.workloads.assembly import FASTEST, BlockedModel, Terms, assembled
from euclio.pipeline.workloads.blocks import NANOSECONDS, block_profiles, boundary_bytes, pre_partition
from euclio.pipeline.workloads.layers import layer_profile
from euclio.pipeline.workloads.setups import Setup


@dataclass(frozen=True, slots=True)
class ClusterRequest:
    """What cluster to make.

    Attributes:
        setup: GPUs and links.
        models: names of the models served together.
        weights: their parts of the load.
        seed: seed of the layer profiles.
        blocks: number of blocks that the layers are merged into.
        layers: layers of every model; None: each model's own number.
        terms: SLO, margin and the like.
    """

    setup: Setup
    models: tuple[str, ...]
    weights: tuple[Fraction, ...]
    seed: int = 0
    blocks: int = 10
    layers: int | None = None
    terms: Terms = field(default_factory=Terms)

    @property
    def name(self) -> str:
        """Name of the instance."""
        return f"{self.setup.name}-{'+'.join(self.models)}-{self.seed}"


def pipeline_cluster(request: ClusterRequest) -> Cluster:
    """Make a cluster; the same request makes the same one.

    Raises:
        InputError: unknown model, or numbers out of range.
    """
    models = [blocked_model(name, request.seed, request.blocks, request.layers) for name in request.models]
    return assembled(request.name, request.setup, models, request.weights, request.terms)


def blocked_model(name: str, seed: int = 0, blocks: int = 10, layers: int | None = None) -> BlockedModel:
    """A synthetic model, pre-partitioned by its latencies on L4 at batch 1.

    Args:
        name: a model of PPipe's Table 2.
        seed: seed of its layers.
        blocks: number of blocks wanted.
        layers: number of layers; None: the model's own.

    Raises:
        InputError: unknown model, or no blocks.
    """
    profile = layer_profile(name, seed, layers)
    cut = pre_partition([row[0] for row in profile.latency_ns[FASTEST, 1]], blocks)
    return BlockedModel(
        name,
        Fraction(profile.whole_ns(FASTEST), NANOSECONDS),
        tuple(block_profiles(profile, cut)),
        tuple(boundary_bytes(profile, cut)),
    )
