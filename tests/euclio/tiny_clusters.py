"""A small cluster that the tests of files, checker and command share."""

from euclio.pipeline import BatchBuild, BlockProfile, Cluster, Gpu, Model

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
