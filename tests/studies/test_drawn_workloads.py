"""Draws that are tried together are those that the protocol makes one by one."""

import pandas as pd
import pytest

from euclio.workloads.session.protocol import workloads
from studies import sessions
from studies.sessions import draw_workloads

LABELS = ("one", "two")


class ThirdCollector:
    """Every third draw has a plan from both solvers, the others from the first."""

    def __init__(self):
        self.asked = []

    def runs(self, drawn, settings):
        """The results frame of some sessions."""
        first = len(self.asked)
        self.asked += [session.name for session in drawn]
        rows = []
        for k, session in enumerate(drawn, first + 1):
            rows.append({"instance": session.name, "label": "one", "value": 1.0})
            rows.append({"instance": session.name, "label": "two", "value": None if k % 3 else 2.0})
        return pd.DataFrame(rows)


@pytest.mark.parametrize("at_once", [1, 4, 64])
def test_drawing_ahead_yields_what_the_protocol_draws_one_by_one(monkeypatch, at_once):
    monkeypatch.setattr(sessions, "DRAWN_AT_ONCE", at_once)
    steps = []
    drawn, frame = draw_workloads(ThirdCollector(), LABELS, 10, 7, steps.append)
    number = iter(range(1, 1000))
    assert drawn == workloads(lambda _: () if next(number) % 3 == 0 else ("two",), 10, 7)
    assert list(frame.instance) == [w.session.name for w in drawn.workloads for _ in LABELS]
    assert (sum(steps), len(steps)) == (10, 30)
