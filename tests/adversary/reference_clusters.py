"""A plain exact reference for clusters."""

from __future__ import annotations

from euclio.pipeline import Cluster, PipelineSpace

from .truth import Truth


def cluster_truth(cluster: Cluster, space: PipelineSpace) -> Truth:
    """The optimum of a cluster in a plan space."""
    raise NotImplementedError
