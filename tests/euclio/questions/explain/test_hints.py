"""Sessions whose SLO and durations seem to be in different units."""

from dataclasses import replace

import pytest
from tiny_sessions import tiny_session

from euclio.problems.session.doubts import slo_hint

# The fastest: a P100 takes 0.125 + 1/16 s where two share 16 req/s, a V100 0.1 + 2/20 s; then 0.2 + 1/10 s.
LEAST_S = 0.1875 + 0.3


@pytest.mark.parametrize("slo_s", [LEAST_S / 2, LEAST_S, 1, LEAST_S * 99])
def test_a_usual_slo_is_no_matter(slo_s):
    assert slo_hint(tiny_session(slo_s)) == ""


def test_an_slo_in_milliseconds_is_asked_about():
    assert slo_hint(tiny_session(600)) == (
        "the SLO is 600 s, 1,231 times the least latency that plans have, about 0.488 s; if it is meant in "
        "milliseconds, give 0.6"
    )


def test_durations_in_milliseconds_are_asked_about():
    hint = slo_hint(replace(tiny_session(), slo_s=tiny_session().slo_s / 1000))
    assert hint.startswith("the SLO is 0.001 s, and plans take at least about 0.488 s; SLO and durations have to be in")
