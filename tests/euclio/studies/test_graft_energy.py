"""Graft's Figure 21 by a model of power."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest

from euclio.fragments import Fleet, Fragment, FragmentPlan, Head, Network, RealignedSet, Stage
from euclio.papers.published import published_figures
from euclio.studies.graft.cases import NETWORKS, SCALES, drawn
from euclio.studies.graft.energy import (
    LESS_THAN_GRAFT,
    busy,
    energy,
    energy_block,
    energy_measures,
    energy_reasons,
    watts,
)
from euclio.studies.graft.systems import GRAFT, GSLICE, GSLICE_PLUS, SYSTEMS


def _case(fragments: int) -> tuple[Fleet, Network]:
    """Fragments of a layer that takes 10 ms on any share, or 20 ms for two, with 30 requests per second each."""
    latencies = [[Fraction(1, 100)] * 100, [Fraction(1, 50)] * 100]
    network = Network("one layer", (1, 2), range(1, 101), [latencies])
    return Fleet("f", network, [Fragment(f"f{k}", 0, Fraction(1), Fraction(30)) for k in range(fragments)]), network


def test_a_share_is_busy_for_the_time_that_its_batches_execute():
    """30 requests of 10 ms keep an instance busy for 0.3 of the time: 12 % of a GPU if it has 40 %."""
    fleet, _ = _case(1)
    plan = FragmentPlan((RealignedSet(0, Stage(1, 40, 1), (Head((0,)),)),))
    assert busy(fleet, plan) == pytest.approx(12.0)


def test_power_is_that_of_the_gpus_needed_and_of_what_is_busy():
    """Two GPUs at 35 W, and half of one busy: 70 W and half of 271 W."""
    rows = pd.DataFrame({"gpus": [2], "busy": [50.0]})
    assert watts(rows).tolist() == [70.0 + 135.5]
    assert watts(rows, 0.0, 100.0).tolist() == [50.0]


@pytest.fixture(scope="module")
def rows():
    cases = [(scale.key, drawn(key, scale, 0, 0)) for scale in (SCALES[0], SCALES[2]) for key in NETWORKS]
    return energy([*cases, (SCALES[1].key, drawn("vgg", SCALES[1], 0, 0))], lambda _: None)


def test_every_system_of_both_scales_has_power_and_no_more_is_busy_than_set_aside(rows):
    """Guards that Figure 21 leaves out the mixed fleets, and that a plan is never busier than what it holds."""
    assert len(rows) == 2 * len(NETWORKS) * len(SYSTEMS)
    assert rows.notna().all(axis=None)
    assert (rows.busy <= rows.share).all()
    assert (100 * rows.gpus >= rows.share).all()
    assert len(energy_block(rows).rows) == 2 * len(NETWORKS)


def test_energy_is_compared_as_it_is_printed(rows):
    """GSLICE+ below Graft in per cent of Graft's; what is saved over GSLICE and Static, the most of any network."""
    found = energy_measures(rows)
    printed = {figure.key for figure in published_figures("graft") if figure.key.startswith("energy_")}
    assert set(found) == set(energy_reasons(rows)) == printed
    inc = rows[(rows.scale == "large_homo") & (rows.network == "inc")]
    power = watts(inc).set_axis(inc.system)
    assert found["energy_gslice_plus_inc"].value == pytest.approx(100 * (1 - power[GSLICE_PLUS] / power[GRAFT]))
    small = rows[(rows.scale == "small_homo") & (rows.network == "mob")]
    power = watts(small).set_axis(small.system)
    assert found["energy_small"].value >= 100 * (1 - power[GRAFT] / power[GSLICE])
    assert found["energy_small"].low is None
    assert LESS_THAN_GRAFT == ("inc", "vgg", "vit")
