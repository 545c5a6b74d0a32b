"""What print fixes of the workloads: machines, speeds, applications and how many there are of each size."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from euclio.posterior.generator import Generator, templates
from euclio.posterior.prior import NAMES, PAPERS, WORKLOADS, from_unit
from euclio.posterior.reference import reference_setting
from euclio.posterior.simulation import accepted, simulate


def middle(paper):
    """The setting in the middle of the cube."""
    return from_unit(paper, np.full(len(NAMES), 0.5))


MIDDLE = middle("harpagon")


def test_machines_cost_and_are_as_fast_as_in_table_2_of_scrooge():
    for session in templates(MIDDLE).values():
        assert [h.price_per_h for h in session.hardware] == [Fraction("2.07"), Fraction("3.06")]
    detector = templates(MIDDLE)["traffic"].modules[0].profile
    slow, fast = (
        next(c.duration_s for c in detector if c.hardware == name and c.batch == 1) for name in ("P100", "V100")
    )
    assert float(slow / fast) == pytest.approx(1.11, rel=1e-3)


def test_no_application_has_more_than_three_modules():
    """A brute force of 35.9 s rules out the five modules of actdet."""
    assert {name: len(own.modules) for name, own in templates(MIDDLE).items()} == {
        "traffic": 3,
        "face": 2,
        "pose": 2,
        "caption": 2,
        "actdet": 3,
    }


@pytest.mark.parametrize("paper", PAPERS)
def test_workloads_of_two_and_three_modules_are_as_many_as_the_percentages_say(paper):
    """94.36 % is 184 of 195 workloads, and no number of 663."""
    count = sum(WORKLOADS[paper].values())
    generator = Generator.of(middle(paper), 7)
    sizes = Counter(len(generator.draw(slot, 0).template.modules) for slot in range(count))
    assert {size: pytest.approx(own, abs=2) for size, own in WORKLOADS[paper].items()} == sizes
    assert round(100 * 184 / WORKLOADS[paper][2], 2) == 94.36


def test_averages_are_over_the_workloads_that_a_system_has_a_plan_for():
    """Harp-1c has none for captions; a share or a mean that counted these would be of something else."""
    solved, _, _ = accepted("harpagon", reference_setting("harpagon"), 3, 40)
    assert any(one.outcomes["harpagon:1c"] is None for one in solved)
    figures = simulate("harpagon", reference_setting("harpagon"), 3, 40).figures
    assert figures["1c_mean_extra"] > 0
    assert 0 <= figures["2c_same_share"] <= 100
