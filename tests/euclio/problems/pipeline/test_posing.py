"""Clusters as programs that leave nothing out: the optimum is that of enumeration, plans go to points and back."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

import pytest
from tiny_clusters import tiny_cluster, tiny_plan

from euclio.core.certificate import NoProofError
from euclio.core.numbers import short
from euclio.core.solving import solve
from euclio.experiments.bench_set import best, entries, load
from euclio.problems.pipeline import Pipeline, PipelinePlan, PipelineSpace
from euclio.problems.pipeline.evaluate import evaluate
from euclio.proving.files.text import mps_text
from euclio.proving.pipeline.program import cluster_program, templates_of
from tests.drawn.clusters import cluster_case
from tests.drawn.reference_clusters import cluster_truth

NEAR = 1e-6
"""What HiGHS tolerates, as a share of a value."""


def tame(cluster):
    """Whether floating point loses nothing of the numbers: times, prices, weights and loads are near 1."""
    times = [x for model in cluster.models for p in model.profiles for row in p.latency_s for x in row]
    others = [x for model in cluster.models for x in (model.weight, model.rate_rps)]
    others += [gpu.price_per_h or Fraction(1) for gpu in cluster.gpus if gpu.price_per_h != 0]
    return min(times) > Fraction(1, 100) and all(Fraction(1, 100) < x < 100 for x in others)


def away_from_ties(cluster):
    """The same cluster with loads that no plan serves just so: HiGHS would take a little less for enough."""
    models = tuple(replace(m, rate_rps=short(0.937 * float(m.rate_rps))) for m in cluster.models)
    return replace(cluster, models=models)


def drawn(seed):
    """A cluster that HiGHS can be asked about, and a plan space whose program leaves nothing out."""
    draw = random.Random(seed)
    while True:
        cluster, found = cluster_case(draw)
        space = PipelineSpace(
            found.objective, unify_batch=True, virtual_gpus=draw.random() < 0.8, batch_build=seed % 2 == 0
        )
        if tame(cluster):
            return away_from_ties(cluster), space


def solved(posed, folder):
    """The optimum of a program by HiGHS, and its point by the names of the variables."""
    highspy = pytest.importorskip("highspy")
    path = folder / "program.mps"
    path.write_text(mps_text(posed.model, "p", maximised=posed.maximised), encoding="ascii", newline="\n")
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("mip_rel_gap", 0.0)
    assert solver.readModel(str(path)) == highspy.HighsStatus.kOk
    solver.run()
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    values = solver.getSolution().col_value
    names = [variable.name for variable in posed.model.variables]
    return solver.getObjectiveValue(), dict(zip(names, values, strict=True))


def plan_of(cluster, space, values):
    """The pipelines that a point of the program has."""
    templates = [t for m in range(len(cluster.models)) for t in templates_of(cluster, space, m)]
    found = []
    for t, template in enumerate(templates):
        gpus = tuple(round(values[f"n_{t}_{k}"]) for k in range(len(template.pools)))
        if min(gpus):
            found.append(Pipeline(cluster.models[template.model].name, template.partitions(gpus)))
    return PipelinePlan(tuple(found))


@pytest.mark.parametrize("seed", range(60))
def test_the_optimum_is_that_of_enumeration_and_its_point_a_plan_of_that_value(seed, tmp_path):
    """Both objectives, with and without divided GPUs; the templates that are left out cost nothing."""
    cluster, space = drawn(seed)
    known = cluster_truth(cluster, space).lower
    if known is None:
        return
    plan = solve(cluster, "columns", space=space).plan
    posed = cluster_program(cluster, space, plan, None, math.inf)
    value, point = solved(posed, tmp_path)
    assert value == pytest.approx(float(known), rel=NEAR, abs=NEAR)
    back = evaluate(cluster, plan_of(cluster, space, point), space)
    assert back.value == pytest.approx(float(known), rel=NEAR, abs=NEAR)


@pytest.mark.parametrize("seed", range(60))
def test_a_plan_is_a_point_that_has_its_value(seed):
    """In fractions: the program counts as the checker does."""
    cluster, space = drawn(seed)
    result = solve(cluster, "columns", space=space)
    if result.plan is None:
        return
    posed = cluster_program(cluster, space, result.plan, None, math.inf)
    checked = evaluate(cluster, result.plan, space)
    assert posed.model.problems(posed.point) == []
    assert abs(posed.model.cost(posed.point)) == checked.value


@pytest.mark.fifth("name")
@pytest.mark.parametrize("name", [entry.name for entry in entries("easy", "pipeline")][::7])
def test_the_plan_of_a_cluster_of_the_set_is_a_point_that_has_its_value(name):
    cluster, known = load(name), best(name)
    posed = cluster_program(cluster, known.space, known.plan, None, math.inf)
    assert posed.model.problems(posed.point) == []
    assert abs(posed.model.cost(posed.point)) == evaluate(cluster, known.plan, known.space).value


@pytest.mark.parametrize(
    "space", [PipelineSpace(one_per_sequence=True), PipelineSpace(whole_gpus=False), PipelineSpace(unify_batch=False)]
)
def test_other_plan_spaces_have_none(space):
    with pytest.raises(NoProofError, match="covers pipelines of one batch"):
        cluster_program(tiny_cluster(), space, tiny_plan(), None, math.inf)


def test_a_deadline_that_is_past_leaves_none():
    with pytest.raises(NoProofError, match="time limit"):
        cluster_program(tiny_cluster(), PipelineSpace(), tiny_plan(), None, -math.inf)


def test_a_program_that_is_too_large_is_none():
    with pytest.raises(NoProofError, match="more than 3 variables"):
        cluster_program(tiny_cluster(), PipelineSpace(), tiny_plan(), None, math.inf, 3)


def test_a_file_says_what_its_templates_are():
    """Whoever reads a point reads a plan: the first lines say types, shares, cuts and batches."""
    posed = cluster_program(tiny_cluster(), PipelineSpace(), tiny_plan(), None, math.inf)
    assert posed.model.notes[0] == "cluster tiny; models: 0 is see; 1 is hear; GPU types: 0 is big; 1 is small"
    assert posed.model.notes[1].startswith("template 0: model 0, batch ")
