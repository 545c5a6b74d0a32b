"""Small clusters and plans whose simulation can be followed by hand."""

import numpy as np

from euclio.problems.pipeline import BlockProfile, Cluster, Gpu, Model, Partition, Pipeline, PipelinePlan


def two_stage_cluster(transfer="0.002", slow_per_server=2, slo="0.1"):
    """Model "see": block 0 on `slow` takes 20 ms (batch 2: 32 ms), block 1 on `fast` 10 ms (16 ms)."""
    see = Model(
        "see",
        slo,
        [transfer],
        [
            BlockProfile("slow", 1, [["0.02", "0.032"], ["0.04", "0.07"]]),
            BlockProfile("fast", 1, [["0.008", "0.012"], ["0.01", "0.016"]]),
            BlockProfile("fast", 2, [["0.014", "0.02"], ["0.018", "0.03"]]),
        ],
    )
    return Cluster("two-stage", [Gpu("slow", 4, slow_per_server), Gpu("fast", 2, 1)], [see], max_partitions=2)


def two_stage_plan(batch=2, slow=4, fast=2):
    stages = (Partition("slow", 1, slow, 0, 0, batch), Partition("fast", 1, fast, 1, 1, batch))
    return PipelinePlan((Pipeline("see", stages),))


def two_model_cluster():
    """Two models on one GPU type, alone on their GPUs."""
    models = [
        Model(name, "0.1", [], [BlockProfile("fast", 1, [["0.01"]]), BlockProfile("fast", 2, [["0.015"]])], weight=w)
        for name, w in (("see", 1), ("hear", 2))
    ]
    return Cluster("two-models", [Gpu("fast", 4, 1)], models)


def two_model_plan():
    return PipelinePlan(
        (
            Pipeline("hear", (Partition("fast", 1, 2, 0, 0, 1),)),
            Pipeline("see", (Partition("fast", 2, 2, 0, 0, 1),)),
        )
    )


def overlaps(keys, start, end):
    """Pairs of uses of one resource (by key) that overlap in time."""
    order = np.lexsort((start, keys))
    keys, start, end = keys[order], start[order], end[order]
    return int(((keys[1:] == keys[:-1]) & (start[1:] < end[:-1])).sum())
