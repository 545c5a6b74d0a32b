"""What a stored posterior says of a figure: intervals, and parameters that move it across the published value."""

import numpy as np
import pandas as pd
import pytest

from euclio.posterior import moving
from euclio.posterior.moving import moved
from euclio.posterior.prior import NAMES
from euclio.posterior.store import PLACE, Stored, save_stored
from euclio.studies.consistent import predicted, stored_posterior

GAIN, OTHERS = "gain", [name for name in NAMES if name != "gain"]
KEY = "2d_mean_extra"
FIGURE = f"harpagon:{KEY}"


def drawn(figure, rows=400, low=0.0, high=1.0):
    """Settings whose places are uniform between two ends, with a figure made of the place of one parameter."""
    rng = np.random.default_rng(7)
    places = {PLACE + name: rng.random(rows) for name in NAMES} | {PLACE + GAIN: rng.uniform(low, high, rows)}
    frame = pd.DataFrame({**places, "wave": 0, "distance": 0.5, "distance_again": 0.1})
    return frame.assign(**{FIGURE: figure(frame, rng.normal(0, 0.02, rows))})


def stored(figure, low=0.2, high=0.8):
    return Stored(drawn(figure), drawn(figure, 100, low, high), {"paper": "harpagon"})


def rising(frame, noise):
    """From 10 to 30 over the range of the gain."""
    return np.exp(np.log(11) + np.log(31 / 11) * frame[PLACE + GAIN] + noise) - 1


def test_intervals_of_settings_are_nested_in_those_with_the_models_error_and_of_the_prior():
    found = predicted(stored(rising), "harpagon", KEY)
    assert found.error_low < found.low < found.high < found.error_high
    assert found.prior_low < found.low < found.high < found.prior_high


def test_a_figure_that_no_setting_shows_is_not_predicted():
    assert predicted(stored(rising), "harpagon", "dt_mean_extra") is None


def test_the_parameter_that_moves_a_figure_is_named_with_its_posterior_range():
    (found,) = moved(stored(rising), "harpagon", KEY, 20.0)
    assert found.parameter.startswith("gain (")
    assert found.correlation > 0.9
    # Posterior places 0.2 to 0.8 of the way from 10 to 30, on the logarithmic scale.
    assert (found.low, found.high) == pytest.approx((12.8, 24.6), rel=0.05)


@pytest.mark.parametrize("value", [11.0, 28.0])
def test_a_value_that_only_settings_outside_the_posterior_range_reach_is_not_explained(value):
    assert moved(stored(rising), "harpagon", KEY, value) == ()


def test_a_figure_that_no_parameter_moves_is_not_explained():
    assert moved(stored(lambda frame, noise: 20 + 50 * noise), "harpagon", KEY, 20.0) == ()


def test_few_draws_show_nothing():
    """Of 12 draws a correlation of 0.9 might be chance among so many parameters; of 9 no interval is made."""
    both = stored(rising)
    few = Stored(both.draws.head(12), both.accepted.head(9), both.provenance)
    assert moved(few, "harpagon", KEY, 20.0) == ()
    assert predicted(few, "harpagon", KEY) is None


def test_shares_end_at_a_hundred():
    def share(frame, noise):
        return 100 * np.clip(0.2 + 1.6 * frame[PLACE + GAIN] + noise, 0, 1)

    renamed = stored(share)
    frames = (frame.rename(columns={FIGURE: "harpagon:dummy_share"}) for frame in (renamed.draws, renamed.accepted))
    (found,) = moved(Stored(*frames, renamed.provenance), "harpagon", "dummy_share", 70.0)
    assert found.high == 100.0


def test_what_only_accepted_settings_know_is_asked_of_them():
    both = stored(rising)
    only = Stored(both.draws.drop(columns=FIGURE), both.accepted, both.provenance)
    assert moved(only, "harpagon", KEY, 20.0)[0].parameter.startswith("gain (")


def test_the_draw_is_the_one_that_has_the_papers_figures(tmp_path):
    both = stored(rising)
    save_stored(both, tmp_path / "some.parquet")
    assert len(stored_posterior("harpagon", tmp_path).accepted) == 100
    assert stored_posterior("piccolo", tmp_path) is None


def test_readings_are_left_out_of_the_parameters(monkeypatch):
    monkeypatch.setattr(moving, "NAMES", ("gain", READINGS[0], "slo"))
    assert parameters("harpagon") == ("gain", "slo")
