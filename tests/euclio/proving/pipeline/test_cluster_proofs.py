"""Proof files of clusters: true cutoffs get one, others none, and corners are what is left beyond too few GPUs."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from operator import le

import pytest
from proof_texts import cluster_text
from tiny_clusters import tiny_cluster

import euclio
from euclio.core.certificate import NoProofError
from euclio.problems.pipeline import Objective
from euclio.problems.pipeline.evaluate import evaluate
from euclio.problems.pipeline.space import FULL_PIPELINE_SPACE
from euclio.proving.effort import GivenUpError
from euclio.proving.files.checker import check_text
from euclio.proving.pipeline.certifying import find_better
from euclio.proving.pipeline.proof import NothingToDivideError, corners_beyond
from tests.drawn.clusters import cluster_case
from tests.drawn.reference_clusters import cluster_truth

BILLIONTH = Fraction(1, 10**9)


@cache
def drawn(seed):
    """A cluster, a plan space and the best value by enumeration, which some seeds take seconds for."""
    cluster, space = cluster_case(random.Random(seed))
    return cluster, space, cluster_truth(cluster, space).lower


def worse(value, space, part):
    """A value that is worse by a part of it."""
    return value * (1 - part if space.objective is Objective.THROUGHPUT else 1 + part)


@pytest.mark.parametrize("seed", range(60))
def test_a_true_cutoff_gets_a_file_that_its_checker_accepts(seed):
    """The best by enumeration, at ties and with prices of 0: either a proof or one line on why there is none."""
    cluster, space, best = drawn(seed)
    if best == 0:
        return
    try:
        shown = check_text(cluster_text(cluster, space, None, best, math.inf))
    except NothingToDivideError:
        return
    assert shown.infeasible or shown.bound is not None


@pytest.mark.parametrize("seed", range(60))
def test_a_false_cutoff_gets_none(seed):
    """One billionth short of the best there is a better plan, which no list of corners may hide."""
    cluster, space, best = drawn(seed)
    if best is None or best == 0:
        return
    with pytest.raises(NoProofError):
        cluster_text(cluster, space, None, worse(best, space, BILLIONTH), math.inf)
    with pytest.raises(NoProofError):
        cluster_text(cluster, space, None, None, math.inf)


def test_a_small_program_of_all_plans_is_proven_with_the_plan_as_a_point():
    """The file then says more than that nothing is better: what the best plan is worth, and that it is one."""
    cluster = tiny_cluster()
    result = euclio.solve(cluster, "pipeline-bruteforce")
    shown = check_text(cluster_text(cluster, FULL_PIPELINE_SPACE, result.plan, result.value, math.inf))
    assert shown.bound == shown.solved == -result.value


@pytest.mark.parametrize("seed", range(40))
def test_corners_are_the_least_numbers_that_are_not_too_few(seed):
    """What is within no number that falls short, has one of the corners within itself, and nothing else has."""
    rng = random.Random(seed)
    most = tuple(rng.randrange(1, 6) for _ in range(rng.randrange(1, 4)))
    short = [tuple(rng.randrange(n + 1) for n in most) for _ in range(rng.randrange(6))]
    corners = corners_beyond(short, most)
    for counts in product(*(range(n + 1) for n in most)):
        beyond = not any(all(map(le, counts, one)) for one in short)
        assert beyond == any(all(map(le, corner, counts)) for corner in corners)
    assert not any(all(map(le, a, b)) for a in corners for b in corners if a != b)


def test_too_many_corners_are_given_up(monkeypatch):
    monkeypatch.setattr("euclio.proving.pipeline.proof.MOST_CORNERS", 3)
    with pytest.raises(GivenUpError, match="more than 3 least numbers"):
        corners_beyond([(i, 5 - i) for i in range(6)], (6, 6))


def test_the_same_cluster_gives_the_same_bytes():
    cluster, space, best = drawn(7)
    texts = set()
    for _ in range(2):
        try:
            texts.add(cluster_text(cluster, space, None, best, math.inf))
        except NoProofError as error:
            texts.add(str(error))
    assert len(texts) == 1


def test_a_deadline_that_is_past_leaves_no_file():
    with pytest.raises(NoProofError, match="time limit"):
        cluster_text(tiny_cluster(), FULL_PIPELINE_SPACE, None, Fraction(1), -math.inf)


def test_certify_writes_it(tmp_path):
    cluster = tiny_cluster()
    certificate = euclio.certify(cluster, euclio.solve(cluster), proof=tmp_path / "p.vipr")
    assert certificate.evidence == "file"
    assert euclio.check_proof(tmp_path / "p.vipr").accepted


def test_a_model_that_nothing_serves_in_time_leaves_nothing_to_divide():
    """Its own enumeration of pipelines says so, and no program could say more."""
    see, hear = tiny_cluster().models
    cluster = replace(tiny_cluster(), models=(see, replace(hear, slo_s=Fraction(1, 1000))))
    assert find_better(cluster, FULL_PIPELINE_SPACE, None, math.inf).exhausted
    with pytest.raises(NothingToDivideError, match="no pipeline in time"):
        cluster_text(cluster, FULL_PIPELINE_SPACE, None, None, math.inf)


def test_a_better_plan_than_claimed_is_no_point_of_a_proof():
    """The checker's own price of a plan decides what is better; the program is made for that price."""
    cluster = tiny_cluster()
    result = euclio.solve(cluster)
    checked = evaluate(cluster, result.plan, FULL_PIPELINE_SPACE)
    with pytest.raises(NoProofError, match="better plan"):
        cluster_text(cluster, FULL_PIPELINE_SPACE, result.plan, checked.value / 2, math.inf)
