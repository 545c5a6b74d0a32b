"""Nasty legal clusters and plan spaces, drawn from a `random.Random`."""

from __future__ import annotations

from random import Random

from euclio.pipeline import Cluster, PipelineSpace


def cluster_case(rng: Random) -> tuple[Cluster, PipelineSpace]:
    """A nasty cluster and a plan space."""
    raise NotImplementedError
