"""PPipe's MILP, its CP-SAT twin and the literal print: worked numbers, and what tolerances must not let through."""

import json

import pytest
from places import SHARED
from ppipe_clusters import almost_in_time, thirds, two_classes, unservable

from euclio import evaluate, load, solve
from euclio.cli import main
from euclio.core.result import Status, WarmStart
from euclio.problems.pipeline import Cluster, Gpu, Model, PipelineSpace
from euclio.problems.pipeline.files import save_cluster
from formulations.pipeline import PPIPE_SPACE
from formulations.pipeline.ppipe.cpsat import cpsat_model, rate_scale
from formulations.pipeline.ppipe.milp import milp_model
from formulations.pipeline.ppipe.problem import ppipe_problem

MODELS = ("ppipe", "ppipe-cpsat")
measured = pytest.mark.skipif(not SHARED.is_dir(), reason="the measured clusters are not next to the checkout")


@pytest.mark.parametrize("name", MODELS)
def test_pooled_pipeline_and_left_over_gpu_are_proven_best(name):
    """B -> A at 100 req/s and B alone at 20: 120."""
    result = solve(two_classes(), name)
    assert (result.status, result.value) == (Status.OPTIMAL, 120)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("rate", "cost"), [(90, 4), (110, 5)])
def test_least_cost_serves_the_load(name, rate, cost):
    """90 req/s: one A and one B as B -> A, $4; 110: the other B besides, $5."""
    result = solve(two_classes(rate_rps=rate), name, objective="cost")
    assert (result.status, result.value) == (Status.OPTIMAL, cost)


@pytest.mark.parametrize("name", MODELS)
def test_load_beyond_the_cluster_is_infeasible(name):
    assert solve(two_classes(rate_rps=121), name, objective="cost").status is Status.INFEASIBLE


@pytest.mark.parametrize("name", MODELS)
def test_pipelines_late_by_less_than_a_tolerance_are_forbidden(name):
    result = solve(almost_in_time(), name)
    best = solve(almost_in_time(), "pipeline-bruteforce", one_per_sequence=True)
    assert (result.status, result.value) == (Status.OPTIMAL, best.value)
    assert result.stats["refused"] > 0


@pytest.mark.parametrize("name", MODELS)
def test_cluster_that_cannot_serve_a_model_is_infeasible(name):
    assert solve(unservable(), name).status is Status.INFEASIBLE


@pytest.mark.parametrize("name", [*MODELS, "ppipe-literal"])
def test_a_limit_that_ends_while_options_are_listed_ends_the_run(name):
    """Of the largest clusters, listing options in fractions takes seconds, before any engine looks at the clock."""
    result = solve(two_classes(), name, time_limit_s=1e-9)
    assert (result.status, result.raw_status) == (Status.UNKNOWN, "limit")
    assert result.reason == "the time limit was hit while the model was made"


def two_models(*weights):
    """Two models with these weights on two A and three B, cut like the one of `two_classes`."""
    first = two_classes().models[0]
    models = [Model(name, first.slo_s, [0], first.profiles, weight=w) for name, w in zip("mn", weights, strict=True)]
    return Cluster("two models", [Gpu("A", 2), Gpu("B", 3)], models, max_partitions=2)


@pytest.mark.fifth("weight")
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("weight", ["1e12", "1e-12"])
def test_a_common_factor_of_the_weights_divides_the_optimum(name, weight):
    """B -> A for each model: 100 req/s."""
    result = solve(two_models(weight, weight), name)
    assert (result.status, result.value) == (Status.OPTIMAL, pytest.approx(100 / float(weight)))


@pytest.mark.parametrize("weights", [("1e12", "1e-12"), ("1e-12", "1e12")])
def test_a_model_of_next_to_no_weight_is_served_too(weights):
    """Two A and two B as B -> A serve 200 req/s of the other, the third B serves it."""
    result = solve(two_models(*weights), "ppipe")
    assert (result.status, result.value) == (Status.OPTIMAL, pytest.approx(2e-10))


@pytest.mark.parametrize("name", MODELS)
def test_several_pipelines_per_sequence_are_not_for_ppipe(name):
    result = solve(two_classes(), name, one_per_sequence=False)
    assert result.status is Status.INAPPLICABLE
    assert "does not cover several pipelines per model and sequence" in result.reason


def test_literal_print_forces_every_sequence():
    """Five of each: 50 + 20 + 100 + 25 + 100 + 25 = 320 req/s on all six sequences; five B -> A would be 500."""
    literal, corrected = (solve(two_classes(5, 5), name) for name in ("ppipe-literal", "ppipe"))
    assert (literal.value, corrected.value) == (320, 500)


def test_literal_print_claims_no_bound():
    """Its optimum bounds no plan space: the same space holds plans worth 500."""
    result = solve(two_classes(5, 5), "ppipe-literal")
    assert result.bound is None
    assert result.stats["printed_bound"] == pytest.approx(320)


def test_literal_print_has_no_plan_for_few_gpus():
    """One A for the four places that six pipelines have on A; a plan that leaves pipelines unused there is."""
    found = solve(two_classes(), "ppipe-literal")
    assert (found.status, found.stats["printed_infeasible"]) == (Status.UNKNOWN, 1.0)
    assert solve(two_classes(), "ppipe").status is Status.OPTIMAL


def test_command_says_why_the_print_has_no_plan(capsys, tmp_path):
    file = tmp_path / "two-classes.json"
    save_cluster(two_classes(3, 3), file)
    assert main(["solve", str(file), "--solver", "ppipe-literal"]) == 4
    assert "as printed, all pipelines together need more GPUs than there are" in capsys.readouterr().err


def test_literal_print_names_the_pipeline_that_misses_the_slo():
    """Without block latencies on C, no pipeline through it is in time."""
    cluster = two_classes(5, 5)
    too_slow = type(cluster)("slow", [*cluster.gpus, type(cluster.gpus[0])("C", 5)], cluster.models, 2)
    result = solve(too_slow, "ppipe-literal")
    assert result.status is Status.UNKNOWN
    assert "a pipeline of m on C" in result.reason


def test_literal_print_adds_up_fractions_of_gpus():
    """Three thirds for A and A -> A make one GPU as (23) counts; counted whole per place they need two."""
    result = solve(thirds(), "ppipe-literal")
    assert result.value is not None
    assert not evaluate(thirds(), result.plan, PPIPE_SPACE).feasible


def test_literal_print_does_not_count_whole_gpus():
    assert solve(thirds(), "ppipe-literal", whole_gpus=True).status is Status.INAPPLICABLE


@pytest.mark.parametrize("name", MODELS)
def test_fractions_of_gpus_can_be_added_up_without_forcing(name):
    """A at three thirds: 3 / 20 ms = 150 req/s; A -> A at one and two thirds, no more than 100 besides nothing."""
    assert solve(thirds(), name, whole_gpus=False).value == 150


def test_engines_agree():
    assert solve(two_classes(), "ppipe", engine="cbc").value == 120


@pytest.mark.parametrize("name", MODELS)
def test_plan_without_partitioning_is_taken_as_start(name):
    assert solve(two_classes(), name, warm_start="no-partitioning").warm_start is WarmStart.USED


def test_twins_have_the_same_variables():
    problem = ppipe_problem(two_classes(), PPIPE_SPACE)
    twin = cpsat_model(problem, rate_scale(problem, 1 << 22))
    assert {variable.name for variable in milp_model(problem).model.variables()} == set(twin.variables)


def test_exported_model_has_the_names_of_the_paper(tmp_path):
    file = tmp_path / "ppipe.lp"
    solve(two_classes(), "ppipe", export_lp=file)
    text = file.read_text(encoding="utf-8")
    assert all(
        name in text for name in ("p_m_B_A_0_v1_b1_0_1", "g_m_B_A_1_v1_b1_1_2", "follow_m_B_A_0_b1_1", "count_A")
    )


def test_rows_of_cuts_join_batches_where_they_are_not_unified():
    problem = ppipe_problem(two_classes(), PipelineSpace(one_per_sequence=True, unify_batch=False))
    assert milp_model(problem).model.get_constraint_by_name("follow_m_B_A_0_1") is not None


def test_virtual_gpus_are_limited_by_what_the_pipeline_can_use():
    """A -> B with one A lets at most 100 req/s through: four B at 25 req/s each, of the nine there are."""
    problem = ppipe_problem(two_classes(1, 9), PPIPE_SPACE)
    slot = next(slot for slot in problem.slots if slot.gpus == ("A", "B"))
    assert [option.most_gpus for option in slot.places[1]] == [4]


@pytest.mark.slow
@measured
def test_measured_trio_equals_the_authors_plan():
    expected = json.loads((SHARED / "pipelines_expected.json").read_text(encoding="utf-8"))
    name = "ppipe-trio-V100-P4-02"
    result = solve(load(SHARED / "pipelines" / f"{name}.json"), "ppipe", time_limit_s=60)
    assert result.status is Status.OPTIMAL
    assert float(result.value) == pytest.approx(expected[name]["reference_gurobi"], rel=1e-5)


@pytest.mark.slow
@measured
def test_literal_print_is_infeasible_on_15_of_21_measured_clusters():
    spaces = PipelineSpace(one_per_sequence=True, whole_gpus=False)
    clusters = [load(file) for file in sorted((SHARED / "pipelines").glob("*.json"))]
    impossible = [cluster.name for cluster in clusters if ppipe_problem(cluster, spaces, literal=True).impossible]
    assert (len(impossible), len(clusters)) == (15, 21)
