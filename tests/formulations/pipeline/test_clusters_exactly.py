"""Ties and last digits of clusters: what every exact solver has to decide in exact arithmetic, worked by hand."""

from fractions import Fraction

import numpy as np
import pytest

from euclio import solve
from euclio.core.result import Status
from euclio.core.tolerances import PROOF_TOLERANCE
from euclio.problems.pipeline import BatchBuild, BlockProfile, Cluster, Gpu, Model
from formulations.engines.highs_arrays import Linear

SOLVERS = ("columns", "ppipe", "ppipe-cpsat")
every_solver = pytest.mark.parametrize("name", SOLVERS)


def cluster(gpus, blocks, slo="100", *, transfers=None, unify=True, **options):
    """One model on GPUs given as name: (count, price), block latencies by (GPU, share), two partitions at most."""
    profiles = [BlockProfile(gpu, share, rows) for (gpu, share), rows in blocks.items()]
    count = len(profiles[0].latency_s)
    model = Model("m", slo, transfers or ["0"] * (count - 1), profiles, **options)
    types = [Gpu(name, number, 1, price) for name, (number, price) in gpus.items()]
    return Cluster("by hand", types, [model], 2, unify)


def decided(found, name, **changes):
    """Status and value; the space of PPipe's model for all."""
    result = solve(found, name, one_per_sequence=True, time_limit_s=60, **changes)
    return result.status, result.value


# Batches: a partition needs its own blocks measured, whatever the others are.


@every_solver
def test_a_batch_counts_where_a_partition_has_it_measured(name):
    """g1 runs block 0 in batches of 2 (20 req/s), each g0 block 1 (2 / 0.5 s): 8 req/s; in batches of 1, 7.5."""
    blocks = {("g0", 1): [["0.1"], ["0.3", "0.5"]], ("g1", 1): [["0.1", "0.1"], ["0.3"]]}
    found = cluster({"g0": (2, 2), "g1": (1, 2)}, blocks, "4.6")
    assert decided(found, name) == (Status.OPTIMAL, 8)


@every_solver
def test_a_batch_counts_where_a_share_has_it_measured(name):
    """Halves of g0 run block 1 in batches of 2 (10 req/s each), g1 block 0 (2 / 0.3 s): 20/3 req/s."""
    blocks = {
        ("g0", 1): [["0.3"], ["0.1"]],
        ("g0", 2): [["0.5"], ["0.1", "0.2"]],
        ("g1", 1): [["0.3", "0.3"], ["0.2"]],
    }
    found = cluster({"g0": (1, "0.1"), "g1": (1, "0.1")}, blocks, "2.6")
    assert decided(found, name) == (Status.OPTIMAL, Fraction(20, 3))


@every_solver
def test_batches_of_their_own_count_where_a_partition_has_them_measured(name):
    """g0 runs block 0 (5 req/s); two g1 run block 1 in batches of 2 (2 / 0.7 s each): 5 req/s; in batches of 1, 4."""
    blocks = {("g0", 1): [["0.2"], ["0.2"]], ("g1", 1): [["0.5"], ["0.5", "0.7"]]}
    found = cluster({"g0": (1, 0), "g1": (2, "0.1")}, blocks, unify=False)
    assert decided(found, name) == (Status.OPTIMAL, 5)


@every_solver
def test_a_share_that_may_not_be_used_leaves_no_pipeline(name):
    found = cluster({"g0": (1, 0)}, {("g0", 2): [["0.1"]]}, unify=False)
    assert decided(found, name, virtual_gpus=False)[0] is Status.INFEASIBLE


# The SLO: exactly on a latency, and one unit of the last digit next to it.


@every_solver
@pytest.mark.parametrize(("slo", "served"), [("0.3", 10), ("0.30000000000000004", 10), ("0.29999999999999999", 5)])
def test_slo_on_the_latency_is_met_and_next_to_it_is_not(name, slo, served):
    """Batches of 2 take 0.1 + 0.1 + 0.1 s; one request 0.2 s: 2 / 0.2 s where two GPUs share the blocks."""
    blocks = {("a", 1): [["0.1", "0.1"], ["0.1", "0.1"]]}
    batch_build = BatchBuild("1", "10")
    found = cluster({"a": (1, 1)}, blocks, slo, batch_build=batch_build)
    assert decided(found, name) == (Status.OPTIMAL, served)


@every_solver
def test_small_blocks_next_to_large_ones_keep_their_latency(name):
    """1e11 s, then 1e-11 s: sums from the first block on would lose the second, and divide by it."""
    blocks = {("a", 1): [["100000000000"], ["0.00000000001"]], ("b", 1): [["1"], ["0.5"]]}
    found = cluster({"a": (1, 1), "b": (1, 1)}, blocks, "1000000000000")
    assert decided(found, name) == (Status.OPTIMAL, 1)


# Loads: multiples of throughputs as floats print them.


@every_solver
@pytest.mark.parametrize(
    ("rate", "gpus"), [("13.333333333333334", 2), ("13.333333333333332", 1), ("26.666666666666668", 3), ("40", 3)]
)
def test_a_load_next_to_a_multiple_of_a_throughput_is_taken_as_written(name, rate, gpus):
    """4 / 0.3 s is 40/3 req/s on a GPU."""
    found = cluster({"a": (9, "4.2")}, {("a", 1): [["1", "1", "1", "0.3"]]}, rate_rps=rate)
    assert decided(found, name, objective="cost") == (Status.OPTIMAL, gpus * Fraction("4.2"))


@every_solver
def test_thirds_and_halves_serve_a_load_exactly(name):
    """10/3 req/s on a third of b and 5 on half of an a; 8.333333333333334 is more than both, and needs another half."""
    blocks = {("a", 2): [["0.2"]], ("b", 3): [["0.3"]]}
    exact, above = (
        cluster({"a": (1, 2), "b": (1, "0.5")}, blocks, rate_rps=rate) for rate in ("10", "10.000000000000002")
    )
    assert decided(exact, name, objective="cost") == (Status.OPTIMAL, Fraction("0.5"))
    assert decided(above, name, objective="cost") == (Status.OPTIMAL, 2 + Fraction("0.5"))


@every_solver
@pytest.mark.parametrize(("rate", "status"), [("10", Status.OPTIMAL), ("10.000000000000001", Status.INFEASIBLE)])
def test_the_last_digit_of_a_load_decides_whether_there_is_a_plan(name, rate, status):
    found = cluster({"a": (1, 1)}, {("a", 1): [["0.1"]]}, rate_rps=rate)
    assert decided(found, name, objective="cost")[0] is status


# Prices and weights, from nothing to very much.


@every_solver
def test_free_gpus_make_a_plan_proven_best(name):
    found = cluster({"a": (2, 0), "b": (1, 3)}, {("a", 1): [["0.1"]], ("b", 1): [["0.01"]]}, rate_rps=15)
    assert decided(found, name, objective="cost") == (Status.OPTIMAL, 0)


@every_solver
def test_prices_may_differ_by_24_digits(name):
    """Two a at 1e-12 serve 20 req/s; b at 1e12 alone would serve 100."""
    blocks = {("a", 1): [["0.1"]], ("b", 1): [["0.01"]]}
    found = cluster({"a": (2, "1e-12"), "b": (1, "1e12")}, blocks, rate_rps="20")
    assert decided(found, name, objective="cost") == (Status.OPTIMAL, Fraction("2e-12"))


@every_solver
@pytest.mark.parametrize("weights", [("1e12", "1e-12"), ("0.999999999", "1.0000000001"), ("1e-12", "1e-11")])
def test_weights_may_differ_by_24_digits_or_by_next_to_nothing(name, weights):
    """Three GPUs for two models at 10 req/s each: the third goes to the one that is served least."""
    models = [Model(n, 1, [], [BlockProfile("a", 1, [["0.1"]])], weight=w) for n, w in zip("mn", weights, strict=True)]
    a, b = (Fraction(w) for w in weights)
    best = max(min(10 / a, 20 / b), min(20 / a, 10 / b))
    assert decided(Cluster("weights", [Gpu("a", 3)], models, 1), name) == (Status.OPTIMAL, best)


@every_solver
def test_throughputs_that_differ_by_less_than_a_tolerance_are_distinguished(name):
    """A serves 10 req/s, b a billionth of it more: two plans that differ by 2e-9 of their value."""
    blocks = {("a", 1): [["0.1"], ["0.1"]], ("b", 1): [["0.1"], ["0.0999999998"]]}
    found = cluster({"a": (1, 1), "b": (1, 1)}, blocks, "0.25")
    best = solve(found, "pipeline-bruteforce", one_per_sequence=True)
    status, value = decided(found, name)
    assert status is Status.OPTIMAL
    assert abs(value - best.value) <= Fraction(PROOF_TOLERANCE) * best.value


# Numbers beyond those of the machine.


def test_parts_of_gpus_beyond_what_arrays_hold_are_not_miscounted():
    """Shares without common factors: a GPU has about 1e9 parts, thousands of GPUs too many."""
    blocks = {("a", share): [[str(share)]] for share in (997, 991, 983)}
    found = cluster({"a": (2000, 1)}, blocks, "1000", rate_rps="1.9")
    result = solve(found, "columns", objective="cost", time_limit_s=20)
    assert result.status in (Status.OPTIMAL, Status.FEASIBLE)
    assert result.value == 2
    assert result.bound <= 2


def test_bounds_are_within_a_billionth_of_what_is_called_optimal():
    found = cluster({"a": (7, 1)}, {("a", 1): [["0.3"]], ("a", 3): [["0.7"]]}, "1")
    result = solve(found, "columns")
    assert result.status is Status.OPTIMAL
    assert 0 <= result.bound - result.value <= PROOF_TOLERANCE * result.value


def test_rows_without_a_point_are_proven_and_others_are_not():
    """X ≥ 2 and x ≤ 1 has no point; x ≥ 1 and x ≤ 1 has one, whatever HiGHS says."""
    matrix = np.array([[-1.0], [1.0]])
    for least, none in ((2.0, True), (1.0, False)):
        upper = np.array([-least, 1.0])
        linear = Linear(matrix, upper)
        found = linear.solve(np.ones(1))
        assert (found is None and linear.has_none(matrix, upper, np.array([100.0]))) == none
