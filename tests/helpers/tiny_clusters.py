"""A small cluster, a plan of it and a solver, which the tests of files, checker and command share."""

from euclio.core.registry import Solver
from euclio.core.result import Answer
from euclio.problems.pipeline import BatchBuild, BlockProfile, Cluster, Gpu, Model, Partition, Pipeline, PipelinePlan
from euclio.problems.pipeline.space import FULL_PIPELINE_SPACE

TEXT = """{
 "schema": "euclio/pipeline/1", "name": "tiny",
 "gpus": [
  {"name": "big", "count": 2, "gpus_per_server": 2, "price_per_h": 3},
  {"name": "small", "count": 3, "gpus_per_server": 1, "price_per_h": 1}
 ],
 "max_partitions": 2, "unify_batch": true,
 "models": [
  {"name": "see", "weight": 0.5, "slo_s": 0.1, "margin_s": 0.02, "batch_build": {"factor": 1.5, "rate_rps": 300},
   "rate_rps": 50, "transfer_s_per_request": [0.001],
   "block_latency_s": {
    "big": {"1": [[0.01, 0.016], [0.02, 0.03]], "2": [[0.018], [0.035]]},
    "small": {"1": [[0.03, 0.05], [0.045]]}}},
  {"name": "hear", "weight": 0.5, "slo_s": 0.05, "margin_s": 0, "rate_rps": 20, "transfer_s_per_request": [],
   "block_latency_s": {"big": {"1": [[0.03]]}}}
 ]
}"""


def tiny_cluster():
    """The cluster in `TEXT`."""
    see = Model(
        "see",
        "0.1",
        ["0.001"],
        [
            BlockProfile("big", 1, [["0.01", "0.016"], ["0.02", "0.03"]]),
            BlockProfile("big", 2, [["0.018"], ["0.035"]]),
            BlockProfile("small", 1, [["0.03", "0.05"], ["0.045"]]),
        ],
        weight="0.5",
        margin_s="0.02",
        batch_build=BatchBuild("1.5", 300),
        rate_rps=50,
    )
    hear = Model("hear", "0.05", [], [BlockProfile("big", 1, [["0.03"]])], weight="0.5", rate_rps=20)
    return Cluster("tiny", [Gpu("big", 2, 2, 3), Gpu("small", 3, 1, 1)], [see, hear], max_partitions=2)


def tiny_plan():
    """`see` on two small GPUs and two halves of a big one, `hear` on the other big GPU.

    `see`: latency 30 + 1 + 35 = 66 ms; pools 2 / 0.03 s = 66.7 and 2 / 0.035 s = 57.1 req/s, per weight 114.3.
    `hear`: 1 / 0.03 s = 33.3 req/s, per weight 66.7, the smallest. Cost: 2 big at 3 and 2 small at 1 make 8.
    """
    see = Pipeline("see", (Partition("small", 1, 2, 0, 0, 1), Partition("big", 2, 2, 1, 1, 1)))
    return PipelinePlan((see, Pipeline("hear", (Partition("big", 1, 1, 0, 0, 1),))))


def answering(plan, *, name="fake", space=FULL_PIPELINE_SPACE, **answer):
    """A solver of clusters that always gives this plan."""

    def run(cluster, space, limits):
        return Answer(plan, "done", **answer)

    return Solver(name, "heuristic", "gives a fixed plan", run, space, family="pipeline")
