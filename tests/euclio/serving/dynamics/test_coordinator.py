"""What workers see: rates and execution times by module."""

from __future__ import annotations

import numpy as np
import pytest

from euclio.serving.dynamics.coordinator import Monitor
from euclio.serving.dynamics.simulator import Counted
from euclio.serving.dynamics.world import draw_world


def counted(ready, ended, dropped, worked=(0, 0, 0), expected=(0, 0, 0)):
    return Counted(*(np.array(column, np.int64) for column in (ready, ended, dropped, worked, expected)))


@pytest.fixture
def face():
    """Detector, crop (CPU), keypoints."""
    return draw_world("face", 1, seconds=2).session


def test_it_begins_with_the_middle_of_the_ranges(face):
    monitor = Monitor(face, (0, 1, 2))
    assert monitor.factors.tolist() == [1.0, 1.0, 4.0]
    assert monitor.balloons.tolist() == [1.0, 1.0, 1.0]


def test_scaling_factors_are_seen_even_where_frames_are_dropped(face):
    monitor = Monitor(face, (0, 1, 2))
    monitor.look(counted([100, 100, 120], [100, 40, 120], [0, 60, 0]))
    assert monitor.factors.tolist() == [1.0, 1.0, 3.0]


def test_what_modules_that_are_not_planned_for_lose_is_not_planned_for_further_down(face):
    monitor = Monitor(face, (0, 2))
    monitor.look(counted([100, 100, 120], [100, 40, 120], [0, 60, 0]))
    assert monitor.factors.tolist() == pytest.approx([1.0, 1.0, 1.2])


def test_every_look_is_at_what_came_since_the_last_one(face):
    monitor = Monitor(face, (0, 1, 2))
    monitor.look(counted([10, 10, 20], [10, 10, 20], [0, 0, 0], [50, 0, 12], [50, 0, 10]))
    monitor.look(counted([20, 20, 70], [20, 20, 70], [0, 0, 0], [90, 0, 36], [100, 0, 20]))
    assert monitor.factors.tolist() == [1.0, 1.0, 5.0]
    assert monitor.balloons.tolist() == pytest.approx([0.8, 1.0, 2.4])


def test_what_nothing_has_reached_keeps_its_factors(face):
    monitor = Monitor(face, (0, 1, 2))
    monitor.look(counted([10, 10, 20], [10, 10, 20], [0, 0, 0], [5, 5, 9], [5, 5, 6]))
    monitor.look(counted([10, 10, 20], [10, 10, 20], [0, 0, 0], [5, 5, 9], [5, 5, 6]))
    assert monitor.factors.tolist() == [1.0, 1.0, 2.0]
    assert monitor.balloons.tolist() == pytest.approx([1.0, 1.0, 1.5])
