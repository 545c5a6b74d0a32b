"""The test of equivalence: what is shown to agree, what is shown not to, and what an interval does not decide."""

import pytest

from euclio.report.analysis.statistics import Measured, exactly
from studies.agreement import NumberKind, Verdict, agreement, interval_of, near, tolerated, widening

YES, OPEN, NO = Verdict.AGREES, Verdict.UNDECIDED, Verdict.OFF
MANY = 1000


@pytest.mark.parametrize(
    ("value", "kind", "ends"),
    [
        (10.0, NumberKind.NUMBER, (9.0, 11.0)),
        (-10.0, NumberKind.NUMBER, (-11.0, -9.0)),
        # A share that is small is a number; of a large one a tenth of what it lacks: 97.7 lacks 2.3.
        (40.0, NumberKind.SHARE, (36.0, 44.0)),
        (97.7, NumberKind.SHARE, (97.47, 97.93)),
        (97.0, NumberKind.LEAST, (97.0, float("inf"))),
        (4.0, NumberKind.MOST, (float("-inf"), 4.0)),
        (100.0, NumberKind.ALL, (100.0, 100.0)),
    ],
)
def test_the_tolerance_is_as_the_figure_is(value, kind, ends):
    assert tolerated(value, kind) == pytest.approx(ends)


@pytest.mark.parametrize(
    ("value", "measured", "kind", "found"),
    [
        (10.0, Measured(10.0, 9.2, 10.8, MANY), "", YES),
        (10.0, Measured(10.0, 8.0, 12.0, MANY), "", OPEN),
        (10.0, Measured(12.0, 11.5, 12.5, MANY), "", NO),
        # An interval that holds nearly everything shows nothing, though the printed value lies within.
        (10.0, Measured(30.0, 1.0, 90.0, MANY), "", OPEN),
        # 94.2 and 97.7 are within a tenth of each other, but 5.8 failures are 2.5 times 2.3.
        (97.7, Measured(94.2, 94.0, 94.4, MANY), NumberKind.SHARE, NO),
        (97.7, Measured(97.7, 97.6, 97.8, MANY), NumberKind.SHARE, YES),
        (97.7, Measured(97.7, 97.0, 98.4, MANY), NumberKind.SHARE, OPEN),
        # "Over 97" and "within 4": by the end of the interval that might break it.
        (97.0, Measured(97.5, 97.1, 97.9, MANY), NumberKind.LEAST, YES),
        (97.0, Measured(97.5, 96.9, 98.1, MANY), NumberKind.LEAST, OPEN),
        (97.0, Measured(96.0, 95.5, 96.5, MANY), NumberKind.LEAST, NO),
        (4.0, Measured(3.0, 2.1, 3.9, MANY), NumberKind.MOST, YES),
        (4.0, Measured(3.0, 1.9, 4.1, MANY), NumberKind.MOST, OPEN),
        (4.0, Measured(5.0, 4.1, 5.9, MANY), NumberKind.MOST, NO),
        # "All" holds of what was measured, or does not.
        (100.0, Measured(100.0, 99.7, 100.0, MANY), NumberKind.ALL, YES),
        (100.0, Measured(99.9, 99.5, 100.0, MANY), NumberKind.ALL, NO),
        # A maximum and a single run have no interval, and cannot show that they agree.
        (10.0, Measured(10.0, n=MANY), "", OPEN),
        (10.0, Measured(10.0, 10.0, 10.0, 1), "", OPEN),
        (10.0, Measured(20.0, n=MANY), "", NO),
        (10.0, exactly(10.5), "", YES),
        (10.0, exactly(11.5), "", NO),
        (10.0, Measured(float("nan")), "", OPEN),
        # Nothing lies around 0 but 0.
        (0.0, Measured(0.0, 0.0, 0.0, MANY), "", YES),
        (0.0, Measured(0.1, 0.05, 0.15, MANY), "", NO),
    ],
)
def test_every_answer_can_be_given(value, measured, kind, found):
    assert agreement(value, measured, kind) == found


def test_intervals_of_few_observations_are_widened_to_students():
    """Of two observations t is 12.7, where the normal has 1.96, and the bootstrap's error is 0.71 of theirs."""
    assert widening(2) == pytest.approx(12.706 / 1.96 * 2**0.5, rel=1e-3)
    assert widening(1000) == pytest.approx(1.0, abs=0.003)
    assert interval_of(Measured(10.0, 9.9, 10.1, 2)) == pytest.approx((9.08, 10.92), abs=0.01)
    assert agreement(10.0, Measured(10.0, 9.8, 10.2, 2)) == OPEN


def test_the_number_alone_may_be_near_where_nothing_is_shown():
    assert near(10.0, Measured(10.9))
    assert not near(10.0, Measured(11.1))
    assert not near(97.7, Measured(94.2), NumberKind.SHARE)
