"""A fleet that is easy to follow: two layers of 10 ms each on half a GPU, 6 ms on all of it, whatever the batch."""

SPACES = (
    {},
    {"budgets": "own"},
    {"sharing": "uniform"},
    {"sharing": "alone"},
    {"max_members": 2},
    {"max_instances": 2},
)
"""What plan spaces of fragments differ in from the full one, for tests over all of them."""

TEXT = """{
  "schema": "euclio/fragments/1",
  "name": "two-layers",
  "network": {
    "name": "even",
    "batches": [1, 2],
    "shares_pct": [50, 100],
    "layer_latency_s": [[[0.01, 0.006], [0.01, 0.006]], [[0.01, 0.006], [0.01, 0.006]]]
  },
  "fragments": [
    {"name": "a", "partition_point": 0, "budget_s": 0.04, "rate_rps": 50},
    {"name": "b", "partition_point": 1, "budget_s": 0.05, "rate_rps": 100},
    {"name": "c", "partition_point": 1, "budget_s": 0.04, "rate_rps": 50}
  ]
}
"""


def tiny_fleet():
    from euclio.problems.fragments import Fleet, Fragment, Network

    row = ["0.01", "0.006"]
    network = Network("even", [1, 2], [50, 100], [[row, row], [row, row]])
    fragments = [Fragment("a", 0, "0.04", 50), Fragment("b", 1, "0.05", 100), Fragment("c", 1, "0.04", 50)]
    return Fleet("two-layers", network, fragments)
