"""PRISM: the drawn instances, the checker, the greedy rule, and the exact method against enumeration."""

import json
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from euclio.core.errors import InputError
from euclio.proving.prism import broken_certificate
from formulations.prism import Case, PlacedModel, draw_cases, exact, greedy, price, public_score

SHARED = Path(__file__).parents[3] / "shared" / "instances" / "prism_50.json"


def small(seed):
    """At most six models on two or three GPUs of little memory, with ties, sizes of 0 and rates of 0."""
    stream = np.random.default_rng(seed)
    gpus, memory = int(stream.integers(1, 4)), int(stream.integers(3, 12))
    models = [
        PlacedModel(int(stream.integers(0, 6)), int(stream.integers(0, 4)), int(stream.integers(1, 4)))
        for _ in range(int(stream.integers(1, 7)))
    ]
    return Case(seed, gpus, memory, tuple(models))


def enumerated(case):
    """The least pressure of all placements; None if none leaves memory free."""
    least = None
    for placement in product(range(case.gpus), repeat=len(case.models)):
        try:
            own = price(case, placement)
        except InputError:
            continue
        least = own if least is None else min(least, own)
    return least


@pytest.mark.skipif(not SHARED.exists(), reason="needs the shared instances")
def test_the_drawn_instances_are_those_of_the_benchmark():
    """A bound for other instances would say nothing about printed scores."""
    assert [case.as_data() for case in draw_cases()] == json.loads(SHARED.read_text(encoding="utf-8"))


def test_the_score_of_the_public_greedy_rule():
    """The benchmark prints 21.8916 for its greedy rule: our reading of rule and score gives the same."""
    pressures = [price(case, greedy(case)) for case in draw_cases()]
    assert f"{float(public_score(pressures)):.4f}" == "21.8916"


def test_all_instances_are_proven_and_the_best_score_follows():
    """Each certificate is checked by the part that shares no code with the search."""
    cases = draw_cases()
    found = [exact(case) for case in cases]
    errors = [broken_certificate(case.as_data(), own.as_data()) for case, own in zip(cases, found, strict=True)]
    assert errors == [None] * 50
    assert f"{float(public_score([own.pressure for own in found])):.12f}" == "26.255971749535"


@pytest.mark.parametrize("seed", range(150))
def test_small_instances_agree_with_enumeration(seed):
    """Ties, empty models and models without load are where strict and weak limits part."""
    case = small(seed)
    found, least = exact(case), enumerated(case)
    assert (found and found.pressure) == least
    if found and found.prices:
        assert broken_certificate(case.as_data(), found.as_data()) is None


@pytest.mark.parametrize(("seed", "number"), [(0, 32), (1, 38), (2, 6)])
def test_a_model_that_reaches_the_pressure_alone_is_the_proof(seed, number):
    """The linear program covers every model, also one that fits nowhere: it found no prices on these."""
    case = draw_cases(seed=seed)[number]
    found = exact(case)
    assert found.prices is not None
    assert broken_certificate(case.as_data(), found.as_data()) is None


def test_spoilt_certificates_are_refused():
    """A checker that accepts anything would accept the right ones too."""
    case = draw_cases(1)[0]
    data, right = case.as_data(), dict(exact(case).as_data())
    worse = greedy(case)
    spoilt = [
        {"placement": list(worse)},
        {"placement": list(worse), "pressure": str(price(case, worse))},
        {"placement": right["placement"][:-1]},
        {"placement": [0] * len(case.models)},
        {"placement": [99, *right["placement"][1:]]},
        {"pressure": str(Fraction(right["pressure"]) * Fraction(999, 1000))},
        {"prices": [1] * len(case.models)},
        {"prices": [0] * len(case.models)},
        {"prices": right["prices"][:-1]},
        {"prices": [float(price) for price in right["prices"]]},
        {"prices": None},
        {"pressure": None},
        {"placement": None},
        {"prices": [-1, *right["prices"][1:]]},
    ]
    assert broken_certificate(data, right) is None
    for change in spoilt:
        assert broken_certificate(data, {**right, **change}) is not None, change


@pytest.mark.parametrize(
    ("placement", "words"),
    [
        ("01", "is a list"),
        ([0], "2 models"),
        ([0, 2], "is no GPU"),
        ([0, -1], "is no GPU"),
        ([0, True], "is no GPU"),
        ([0, 1.0], "is no GPU"),
        ([0, "1"], "is no GPU"),
        ([0, 0], "leave memory free"),
    ],
)
def test_a_placement_that_breaks_a_rule_is_refused_in_words(placement, words):
    """A program that is scored sends anything, and no mistake of it may count as a placement."""
    case = Case(0, 2, 10, (PlacedModel(5, 1, 1), PlacedModel(5, 1, 1)))
    with pytest.raises(InputError, match=words):
        price(case, placement)
