from fractions import Fraction

import pytest
from tiny_clusters import tiny_cluster, tiny_plan

from euclio.problems.pipeline import (
    BatchBuild,
    BlockProfile,
    Cluster,
    Gpu,
    Model,
    Partition,
    Pipeline,
    PipelinePlan,
    PipelineSpace,
    evaluate,
)

TINY = tiny_cluster()


def plan_of(*pipelines):
    return PipelinePlan(tuple(Pipeline(model, tuple(Partition(*p) for p in parts)) for model, *parts in pipelines))


HEAR = ("hear", ("big", 1, 1, 0, 0, 1))


def fcn():
    """PPipe's Figure 11: FCN on 4 V100 and 12 P4, SLO 5 x 6.66 ms, margin 40 %, 1.4 ms of transfer.

    A V100 takes 12.3 ms for batch 2; the first part takes 11.09 ms on a P4, the second 5.714 ms on half a V100.
    """
    v100 = BlockProfile("V100", 1, [["0.004", "0.007"], ["0.003", "0.0053"]])
    half = BlockProfile("V100", 2, [["0.0075"], ["0.005714"]])
    p4 = BlockProfile("P4", 1, [["0.01109"], ["0.0080"]])
    model = Model("FCN", "0.0333", ["0.0014"], [v100, half, p4], margin_s="0.01332")
    return Cluster("HC3-S", [Gpu("V100", 4), Gpu("P4", 12)], [model], max_partitions=2)


FCN_PLAN = plan_of(
    ("FCN", ("V100", 1, 1, 0, 1, 2)),
    ("FCN", ("P4", 1, 12, 0, 0, 1), ("V100", 2, 6, 1, 1, 1)),
)


def test_fcn_on_a_whole_v100_serves_162_per_second():
    """2 / 0.0123 s = 162.6 req/s; the paper leaves the decimals out."""
    single = evaluate(fcn(), FCN_PLAN).pipelines[0]
    assert (float(single.latency_s), int(single.throughput_rps)) == (0.0123, 162)


def test_fcn_on_p4_and_halves_of_v100_serves_1082_and_1050_per_second():
    """12 / 0.01109 s = 1082.1 and 6 / 0.005714 s = 1050.1 req/s; the pipeline serves the lesser."""
    pooled = evaluate(fcn(), FCN_PLAN).pipelines[1]
    assert [int(rate) for rate in pooled.partition_rps] == [1082, 1050]
    assert pooled.throughput_rps == pooled.partition_rps[1]


def test_fcn_plan_is_feasible_and_takes_every_gpu():
    """11.09 + 1.4 + 5.714 = 18.204 ms of the 19.98 ms that the margin leaves; 1 + 6/2 V100, 12 P4."""
    found = evaluate(fcn(), FCN_PLAN)
    assert found.violations == ()
    assert found.pipelines[1].latency_s == Fraction("0.018204")
    assert found.gpus == {"V100": 4, "P4": 12}


def test_the_value_is_the_least_throughput_per_weight():
    found = evaluate(TINY, tiny_plan())
    assert [m.throughput_rps for m in found.models] == [Fraction(400, 7), Fraction(100, 3)]
    assert [m.weighted_rps for m in found.models] == [Fraction(800, 7), Fraction(200, 3)]
    assert found.value == Fraction(200, 3)


def test_throughputs_of_a_models_pipelines_add_up():
    plan = plan_of(("see", ("small", 1, 1, 0, 1, 1)), ("see", ("big", 1, 1, 0, 1, 1)), HEAR)
    assert evaluate(TINY, plan).models[0].throughput_rps == 1 / Fraction("0.075") + 1 / Fraction("0.03")


def test_batches_wait_for_their_requests():
    """46 ms for batch 2, and 1.5 x 1 / 300 s = 5 ms until the second request is there."""
    plan = plan_of(("see", ("big", 1, 1, 0, 1, 2)), HEAR)
    assert evaluate(TINY, plan).pipelines[0].latency_s == Fraction("0.051")
    assert evaluate(TINY, plan, PipelineSpace(batch_build=False)).pipelines[0].latency_s == Fraction("0.046")


def test_transfers_take_time_for_each_request_of_a_batch():
    """16 ms on one pool, 2 x 1 ms in between, 30 ms on the other, 5 ms of batch building."""
    plan = plan_of(("see", ("big", 1, 1, 0, 0, 2), ("big", 1, 1, 1, 1, 2)))
    assert evaluate(TINY, plan).pipelines[0].latency_s == Fraction("0.053")


@pytest.mark.parametrize(("share", "per_server", "limit"), [(1, 1, 50), (2, 1, 25), (1, 4, Fraction(25, 2))])
def test_links_are_shared_by_the_virtual_gpus_of_a_server(share, per_server, limit):
    """Two pools of one virtual GPU pass 20 ms per request over a link that share x per_server of them have."""
    profiles = [BlockProfile("x", v, [["0.001"], ["0.001"]]) for v in (1, 2)]
    model = Model("m", 1, ["0.02"], profiles)
    cluster = Cluster("c", [Gpu("x", 2, per_server)], [model])
    plan = plan_of(("m", ("x", share, 1, 0, 0, 1), ("x", share, 1, 1, 1, 1)))
    assert evaluate(cluster, plan).value == limit


def test_an_inner_partition_is_held_up_by_either_link():
    profile = BlockProfile("x", 1, [["0.001"]] * 3)
    for transfers in (["0.02", "0.01"], ["0.01", "0.02"]):
        cluster = Cluster("c", [Gpu("x", 3)], [Model("m", 1, transfers, [profile])])
        plan = plan_of(("m", *(("x", 1, 1, i, i, 1) for i in range(3))))
        assert evaluate(cluster, plan).pipelines[0].partition_rps[1] == 50


def test_a_plan_that_leaves_a_model_out_is_refused():
    found = evaluate(TINY, PipelinePlan(tiny_plan().pipelines[:1]))
    assert (found.violations, found.value) == (("model hear is not served",), 0)


def test_no_pipeline_has_more_partitions_than_blocks():
    found = evaluate(TINY, plan_of(("see", *[("big", 1, 1, 0, 0, 1)] * 3)), PipelineSpace(max_partitions=1000))
    assert "1 to 2 are allowed" in found.violations[0]


def halves(*pipelines):
    """GPUs used by pipelines on halves of one type, each given as (model, virtual GPUs by position)."""
    profiles = [BlockProfile("x", v, [["0.001"], ["0.001"]]) for v in (1, 2)]
    models = [Model(name, 1, [0], profiles) for name in ("a", "b")]
    cluster = Cluster("c", [Gpu("x", 9)], models, max_partitions=2)
    plans = []
    for model, *pools in pipelines:
        ends = [(0, 1)] if len(pools) == 1 else [(0, 0), (1, 1)]
        plans.append((model, *(("x", 2, n, *blocks, 1) for n, blocks in zip(pools, ends, strict=True))))
    plan = plan_of(*plans)
    whole = evaluate(cluster, plan).gpus["x"]
    return whole, evaluate(cluster, plan, PipelineSpace(whole_gpus=False)).gpus["x"]


def test_shares_of_one_model_and_position_fill_gpus_together():
    """Two halves of different pipelines make one GPU."""
    assert halves(("a", 1), ("a", 1)) == (1, 1)


def test_shares_of_different_positions_are_rounded_up_apart():
    assert halves(("a", 1, 1)) == (2, 1)


def test_shares_of_different_models_are_rounded_up_apart():
    assert halves(("a", 1), ("b", 1)) == (2, 1)


def test_unequal_shares_add_up():
    """1/2 + 2/3 of a GPU take two whole ones."""
    profiles = [BlockProfile("x", v, [["0.001"]]) for v in (1, 2, 3)]
    cluster = Cluster("c", [Gpu("x", 2)], [Model("m", 1, [], profiles)])
    plan = plan_of(("m", ("x", 2, 1, 0, 0, 1)), ("m", ("x", 3, 2, 0, 0, 1)))
    assert evaluate(cluster, plan).gpus == {"x": 2}
    assert evaluate(cluster, plan, PipelineSpace(whole_gpus=False)).gpus == {"x": Fraction(7, 6)}


VIOLATIONS = {
    "unknown model": (plan_of(("smell", ("big", 1, 1, 0, 0, 1))), {}, "pipeline 0 of smell: the model is not in"),
    "no partitions": (plan_of(("hear",)), {}, "pipeline 0 of hear: has 0 partitions; 1 to 2 are allowed"),
    "too many partitions": (tiny_plan(), {"max_partitions": 1}, "of see: has 2 partitions; 1 to 1 are allowed"),
    "gap": (
        plan_of(("see", ("big", 1, 1, 0, 0, 1), ("big", 1, 1, 2, 2, 1))),
        {},
        "the partitions do not follow on one another",
    ),
    "overlap": (
        plan_of(("see", ("big", 1, 1, 0, 1, 1), ("big", 1, 1, 1, 1, 1))),
        {},
        "the partitions do not follow on one another",
    ),
    "last block missing": (plan_of(("see", ("big", 1, 1, 0, 0, 1))), {}, "do not cover the blocks 0 to 1"),
    "block too many": (plan_of(("hear", ("big", 1, 1, 0, 1, 1))), {}, "do not cover the blocks 0 to 0"),
    "empty pool": (plan_of(("hear", ("big", 1, 0, 0, 0, 1))), {}, "partition 0: has 0 virtual GPUs; at least 1 is"),
    "divided GPU": (tiny_plan(), {"virtual_gpus": False}, "divides a GPU by 2; only whole GPUs are allowed"),
    "batch not measured": (
        plan_of(("see", ("small", 1, 1, 0, 1, 2))),
        {},
        "batch 2 on 1/1 of a small was not measured for every block",
    ),
    "share not measured": (plan_of(("hear", ("big", 2, 1, 0, 0, 1))), {}, "batch 1 on 1/2 of a big was not measured"),
    "type not measured": (plan_of(("hear", ("small", 1, 1, 0, 0, 1))), {}, "on 1/1 of a small was not measured"),
    "type unknown": (plan_of(("hear", ("huge", 1, 1, 0, 0, 1))), {}, "on 1/1 of a huge was not measured"),
    "no batch": (plan_of(("hear", ("big", 1, 1, 0, 0, 0))), {}, "batch 0 on 1/1 of a big was not measured"),
    "batches differ": (
        plan_of(("see", ("big", 1, 1, 0, 0, 2), ("big", 1, 1, 1, 1, 1))),
        {},
        "pipeline 0 of see: the partitions have different batch sizes",
    ),
    "too many GPUs": (
        plan_of(("hear", ("big", 1, 3, 0, 0, 1))),
        {},
        "3 GPUs of type big are used, there are 2",
    ),
    "two on a sequence": (
        plan_of(HEAR, HEAR),
        {"one_per_sequence": True},
        "model hear has two pipelines on big; one per sequence is allowed",
    ),
    "load not served": (plan_of(HEAR), {"objective": "cost"}, "model see is served 0 of 50 requests per second"),
}


@pytest.mark.parametrize("case", VIOLATIONS)
def test_a_broken_rule_is_named(case):
    plan, changes, words = VIOLATIONS[case]
    found = evaluate(TINY, plan, PipelineSpace(**changes))
    assert not found.feasible
    assert words in "; ".join(found.violations)


def test_latency_has_no_tolerance():
    """75 ms on a small GPU: a budget that is less by a femtosecond is missed."""
    exact = Model("see", "0.075", ["0.001"], TINY.models[0].profiles)
    less = Model("see", "0.074999999999999", ["0.001"], TINY.models[0].profiles)
    plan = plan_of(("see", ("small", 1, 1, 0, 1, 1)))
    assert evaluate(Cluster("c", TINY.gpus, [exact]), plan).feasible
    (line,) = evaluate(Cluster("c", TINY.gpus, [less]), plan).violations
    assert line.startswith("pipeline 0 of see: latency 0.075 s exceeds the SLO without its margin")


def test_one_sequence_may_serve_two_models():
    see = plan_of(("see", ("big", 1, 1, 0, 1, 1)), HEAR)
    assert evaluate(TINY, see, PipelineSpace(one_per_sequence=True)).feasible


def test_partitions_have_batches_of_their_own_where_they_may():
    """16 ms for two, 2 x 1 ms of transfer, 20 ms for one; the batch that gathers is the first partition's."""
    plan = plan_of(("see", ("big", 1, 1, 0, 0, 2), ("big", 1, 1, 1, 1, 1)), HEAR)
    space = PipelineSpace(unify_batch=False)
    found = evaluate(with_big_gpus(3), plan, space)
    assert found.feasible
    assert found.pipelines[0].latency_s == Fraction("0.043")
    assert found.pipelines[0].partition_rps == (125, 50)


def with_big_gpus(count):
    gpus = [Gpu("big", count, 2), *TINY.gpus[1:]]
    return Cluster("tiny", gpus, TINY.models, TINY.max_partitions)


def test_the_cluster_decides_about_batches_where_the_space_does_not():
    plan = plan_of(("see", ("big", 1, 1, 0, 0, 2), ("big", 1, 1, 1, 1, 1)))
    apart = Cluster("tiny", TINY.gpus, TINY.models[:1], 2, unify_batch=False)
    assert evaluate(apart, plan).feasible
    assert not evaluate(apart, plan, PipelineSpace(unify_batch=True)).feasible


def test_least_cost_is_the_price_of_the_gpus_used():
    """Two big ones at 3 and two small ones at 1."""
    found = evaluate(TINY, tiny_plan(), PipelineSpace(objective="cost"))
    assert (found.feasible, found.value) == (True, 8)


def test_least_cost_needs_prices_and_loads():
    model = Model("m", 1, [], [BlockProfile("x", 1, [["0.001"]])])
    cluster = Cluster("c", [Gpu("x", 1)], [model])
    found = evaluate(cluster, plan_of(("m", ("x", 1, 1, 0, 0, 1))), PipelineSpace(objective="cost"))
    assert found.value is None
    assert found.violations == (
        "model m has no rate_rps, which the least-cost objective needs",
        "GPU type x has no price_per_h, which the least-cost objective needs",
    )


def test_values_are_exact():
    """Thirds and sevenths stay fractions."""
    model = Model("m", 1, [], [BlockProfile("x", 1, [["0.3", "0.7"]])], weight="0.9", batch_build=BatchBuild(1, 7))
    cluster = Cluster("c", [Gpu("x", 1)], [model])
    found = evaluate(cluster, plan_of(("m", ("x", 1, 1, 0, 0, 2))))
    assert found.pipelines[0].latency_s == Fraction(7, 10) + Fraction(1, 7)
    assert found.value == Fraction(2) / Fraction("0.7") / Fraction("0.9")
