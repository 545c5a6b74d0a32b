"""Clusters worked by hand, for the tests of PPipe's models and of the enumeration next to them."""

from euclio.problems.pipeline import BlockProfile, Cluster, Gpu, Model

FAST = BlockProfile("A", 1, [["0.010"], ["0.010"]])
SLOW = BlockProfile("B", 1, [["0.010"], ["0.040"]])


def two_classes(a=1, b=2, rate_rps=None):
    """Two blocks on A (10 and 10 ms, $3) and B (10 and 40 ms, $1), SLO 50 ms, at most two partitions.

    On one GPU each: A 50 req/s, B 20, A -> A 100, A -> B 25, B -> A 100, B -> B 25. With one A and two B the best is
    B -> A (100) and the other B alone (20): 120 req/s. At 90 req/s, B -> A is cheapest ($4); A and both B would be $5.
    """
    model = Model("m", "0.050", [0], [FAST, SLOW], rate_rps=rate_rps)
    return Cluster("two classes", [Gpu("A", a, 1, 3), Gpu("B", b, 1, 1)], [model], max_partitions=2)


def thirds():
    """Two blocks of 10 ms each on a third of the only GPU, SLO 20 ms: pipelines A and A -> A fill it with thirds."""
    model = Model("m", "0.020", [0], [BlockProfile("A", 3, [["0.010"], ["0.010"]])])
    return Cluster("thirds", [Gpu("A", 1)], [model], max_partitions=2)


def almost_in_time():
    """Halves slower than whole GPUs by a picosecond, and an SLO that takes one half but not two.

    Halves at both places would serve 2 · 100 req/s on two GPUs, and miss the SLO by a picosecond: far less than any
    engine's tolerance. Whole GPUs at one place leave 100 req/s.
    """
    whole, half = [["0.010"], ["0.010"]], [["0.010000000001"], ["0.010000000001"]]
    model = Model("m", "0.020000000001", [0], [BlockProfile("A", 1, whole), BlockProfile("A", 2, half)])
    return Cluster("almost in time", [Gpu("A", 2)], [model], max_partitions=2)


def two_cuts():
    """Three A and three B, three blocks, SLO 30 ms: A has to begin and B to end, and either cut is in time.

    Cut after block 0: A 100 req/s, B 50; after block 1: A 50, B 100. One pipeline serves 150 req/s; one A and two B
    on the first cut and two A and one B on the second serve 100 each.
    """
    on_a = BlockProfile("A", 1, [["0.010"], ["0.010"], ["0.050"]])
    on_b = BlockProfile("B", 1, [["0.050"], ["0.010"], ["0.010"]])
    return Cluster("two cuts", [Gpu("A", 3), Gpu("B", 3)], [Model("m", "0.030", [0, 0], [on_a, on_b])], 2)


def unservable():
    """One GPU for two models: one of them gets nothing."""
    models = [Model(name, "0.050", [0], [FAST]) for name in ("m", "n")]
    return Cluster("unservable", [Gpu("A", 1)], models, max_partitions=2)
