"""The time scale of Scrooge's evaluation is what its two printed throughputs mean, and nothing else."""

from math import prod, sqrt

import pytest

from euclio.workloads.session.scrooge_sessions import scrooge_data
from studies.papers.published import printed_values
from studies.scrooge import time_scale
from studies.scrooge.time_scale import averages, derived_scale

PRINTED = 24.9, 33.6


def test_under_the_scale_the_averages_are_the_printed_ones():
    """Over ten decisions their geometric mean is within a twentieth of √(24.9·33.6); at 2.79 (Table 2) it is not."""
    assert sqrt(prod(averages(scrooge_data()["time_scale"], 10)) / prod(PRINTED)) == pytest.approx(1, abs=0.05)
    assert sqrt(prod(averages(40.98 / 14.69, 10)) / prod(PRINTED)) < 0.85


def test_no_other_number_of_the_paper_has_a_part_in_the_scale(monkeypatch):
    """Averages of 60/s and 65/s: √(60·65)/s = √(24.9·33.6) at s = 2.159; there is no other printed number to take."""
    kept = {f"inception_rps_{ms}": value for ms, value in zip((400, 1000), PRINTED, strict=True)}
    assert {key: printed_values("scrooge")[key] for key in kept} == kept
    monkeypatch.setattr(time_scale, "printed_values", lambda _: kept)
    monkeypatch.setattr(time_scale, "averages", lambda scale: (60 / scale, 65 / scale))
    assert derived_scale() == pytest.approx(sqrt(60 * 65 / prod(PRINTED)), abs=0.006)


@pytest.mark.slow
def test_the_field_of_the_data_file_is_the_derived_scale():
    assert scrooge_data()["time_scale"] == derived_scale()
