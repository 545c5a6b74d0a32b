"""Sessions drawn over libraries of measured profiles."""

from fractions import Fraction

import pytest

from euclio.core.errors import InputError
from euclio.workloads.session.applications import applications
from euclio.workloads.session.profile_libraries import LIBRARIES, SLICES, SLO_OVER_LEAST, draw, find_library
from euclio.workloads.session.protocol import latency_range
from euclio.workloads.session.published import gpu_prices


@pytest.mark.parametrize("name", list(LIBRARIES))
def test_a_draw_depends_on_its_seed_and_number_alone(name):
    """Otherwise a study of 300 sessions could not be told from one of 200 and 100 more."""
    library = find_library(name)
    assert draw(library, 7, 3) == draw(library, 7, 3)
    assert draw(library, 7, 3) != draw(library, 8, 3)


@pytest.mark.parametrize("name", list(LIBRARIES))
def test_sessions_have_the_shape_of_an_application_and_networks_of_the_library(name):
    """The applications' DAGs are what the papers say of them; only the networks are others."""
    library = find_library(name)
    for number in range(20):
        session = draw(library, 1, number)
        shape = applications()[session.name.split("-")[1]]
        assert len(session.modules) == len(shape.modules)
        assert len(session.edges) == len(shape.edges)
        assert {m.name for m in session.modules} <= set(library.profiles)
        assert all(m.profile is library.profiles[m.name] for m in session.modules)


def test_objectives_reach_below_what_plans_without_dummy_requests_can_keep():
    """Harpagon finds plans for none of those, so that a draw without them would hide it."""
    ratios = []
    for number in range(100):
        session = draw(find_library("nvidia"), 1, number)
        ratios.append(float(session.slo_s) / latency_range(session)[0])
    assert min(ratios) < 1
    # Objectives are rounded up to milliseconds.
    assert all(SLO_OVER_LEAST[0] <= ratio <= SLO_OVER_LEAST[1] * 1.1 for ratio in ratios)


def test_a_slice_costs_its_share_and_runs_what_was_measured():
    """One process of BERT at batch 16 on three slices next to another one: 140.216 requests per second are printed."""
    library = find_library("parvagpu")
    price = {h.name: h.price_per_h for h in library.hardware}
    assert price["A100-7g"] == gpu_prices()["A100"].price_per_h
    assert float(price["A100-3g"]) == pytest.approx(float(price["A100-7g"]) * 3 / SLICES, abs=1e-4)
    (found,) = [c for c in library.profiles["bert"] if (c.hardware, c.concurrency, c.batch) == ("A100-3g", 2, 16)]
    assert float(found.throughput_rps) == pytest.approx(2 * 140.216, rel=1e-4)
    assert found.duration_s == Fraction(114110, 1_000_000)


def test_an_unknown_library_names_the_known_ones():
    with pytest.raises(InputError, match="nvidia, parvagpu"):
        find_library("mine")
