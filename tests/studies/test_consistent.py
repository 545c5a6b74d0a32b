"""What a stored posterior says of a number: the interval over accepted settings, where enough of them show it."""

import numpy as np
import pandas as pd
import pytest

from studies.inference.prior import NAMES
from studies.inference.store import PLACE, Stored, save_stored
from studies.page_blocks import FEWEST, settings_intervals, stored_posterior

FIGURE = "harpagon:2d_mean_extra"


def saved(folder, accepted=100):
    rng = np.random.default_rng(7)

    def drawn(rows):
        places = {PLACE + name: rng.random(rows) for name in NAMES}
        frame = pd.DataFrame({**places, "wave": 0, "distance": 0.5, "distance_again": 0.1})
        return frame.assign(**{FIGURE: np.linspace(10.0, 30.0, rows)})

    save_stored(
        Stored(drawn(400), drawn(accepted), {"paper": "harpagon", "search": {"size": 24, "readings": {}}}),
        folder / "some.parquet",
    )


def test_the_interval_is_that_of_95_per_cent_of_the_accepted_settings(tmp_path):
    """Of numbers that are uniform from 10 to 30 the ends are 0.5 within."""
    saved(tmp_path)
    assert settings_intervals("harpagon", tmp_path) == {"2d_mean_extra": pytest.approx((10.5, 29.5))}


def test_of_few_settings_no_interval_is_made(tmp_path):
    saved(tmp_path, FEWEST - 1)
    assert settings_intervals("harpagon", tmp_path) == {}


def test_the_draw_is_the_one_that_has_the_papers_figures(tmp_path):
    saved(tmp_path)
    assert len(stored_posterior("harpagon", tmp_path).accepted) == 100
    assert stored_posterior("piccolo", tmp_path) is None
    assert settings_intervals("piccolo", tmp_path) == {}
