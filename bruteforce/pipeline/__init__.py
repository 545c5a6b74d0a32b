"""Enumeration of the plans of pooled pipelines."""

from __future__ import annotations

from functools import partial

from euclio.core import literature
from euclio.core.lazy import late
from euclio.core.registry import AnySolver, Solver
from euclio.problems.pipeline import PipelineSpace

BY_PIPELINES = late("bruteforce.pipeline.enumeration", "solve_by_pipeline_enumeration")

SOLVERS: tuple[AnySolver, ...] = (
    Solver(
        "pipeline-bruteforce",
        "brute force",
        "every plan of pooled pipelines, for tiny clusters (ours)",
        BY_PIPELINES,
        PipelineSpace(),
        family="pipeline",
        rests_on=(literature.PPIPE,),
    ),
    Solver(
        "pipeline-bruteforce:every-sequence",
        "brute force",
        "the same with a pipeline on every sequence of GPU types, as PPipe's MILP is printed (ours)",
        partial(BY_PIPELINES, every_sequence=True),
        PipelineSpace(one_per_sequence=True, whole_gpus=False),
        family="pipeline",
        rests_on=(literature.PPIPE,),
    ),
)
