"""Pooled pipelines on mixed GPUs: clusters, plans and their throughput (PPipe)."""

from euclio.problems.pipeline.evaluate import ModelEvaluation, PipelineEvaluation, PlanEvaluation, evaluate
from euclio.problems.pipeline.instance import BatchBuild, BlockProfile, Cluster, Gpu, Model
from euclio.problems.pipeline.plan import Partition, Pipeline, PipelinePlan
from euclio.problems.pipeline.space import Objective, PipelineSpace

__all__ = [
    "BatchBuild",
    "BlockProfile",
    "Cluster",
    "Gpu",
    "Model",
    "ModelEvaluation",
    "Objective",
    "Partition",
    "Pipeline",
    "PipelineEvaluation",
    "PipelinePlan",
    "PipelineSpace",
    "PlanEvaluation",
    "evaluate",
]
