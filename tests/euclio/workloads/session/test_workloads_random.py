"""Random sessions and long chains."""

import random

import pytest

from euclio.workloads.session.protocol import latency_range
from euclio.workloads.session.random_sessions import SHAPES, chain_from_modules, random_session, shape_edges


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(30))
def test_random_sessions_are_valid_and_deterministic(shape, seed):
    """A seed that a search reports is of use only if it draws the same session again."""
    session = random_session(seed, 1 + seed % 6, 5, shape=shape)
    assert session == random_session(seed, 1 + seed % 6, 5, shape=shape)
    assert len(session.modules) == 1 + seed % 6


def test_all_shapes_are_drawn():
    assert {random_session(seed).name.split("-")[1] for seed in range(60)} == set(SHAPES)


def test_n_shape_is_not_series_parallel():
    assert shape_edges("n", 4, random.Random(0)) == ((0, 2), (0, 3), (1, 3))


def test_slo_goes_from_infeasible_to_loose():
    places = [float(s.slo_s) / latency_range(s)[0] for s in map(random_session, range(80))]
    assert min(places) < 1 < 4 < max(places)


def test_rates_go_from_below_one_to_hundreds():
    rates = [float(m.rate_rps) for seed in range(80) for m in random_session(seed).modules]
    assert min(rates) < 1
    assert max(rates) > 200


@pytest.mark.parametrize("tightness", [0.2, 0.6])
def test_chain_has_the_asked_tightness(tightness):
    chain = chain_from_modules(1, 40, tightness)
    least, useful = latency_range(chain)
    assert len(chain.modules) == 40
    assert (float(chain.slo_s) - least) / (useful - least) == pytest.approx(tightness, abs=1e-3)
