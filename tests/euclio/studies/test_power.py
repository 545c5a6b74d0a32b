"""How often verdicts' rules say yes of figures that mean nothing, and where that forbids to give one."""

import math

import pytest

from euclio.analysis.statistics import Measured
from euclio.papers.published import Published
from euclio.posterior.moving import Moved
from euclio.studies.power import (
    DEALT,
    ROUGHLY,
    SETTINGS,
    Lift,
    lift,
    power_frame,
    says_yes,
    summed,
    weighed,
    withdrawn,
    without,
)
from euclio.studies.power_blocks import power_blocks, power_rows
from euclio.studies.scorecard import Score
from euclio.studies.verdicts import Evidence, OtherReading, Predicted, Verdict


def predicted(chance=0.5, low=8.0, high=20.0):
    return Predicted(low, high, low / 2, 2 * high, 1.0, 90.0, chance, chance)


def figure(key, value, role="check"):
    return Published(key, value, "%", "Harpagon §IV", role, f"figure {key}")


EVIDENCE = Evidence(
    predicted(),
    (Moved("gain", 0.6, 5.0, 30.0, 6.0, 25.0),),
    (OtherReading("What is compared", "plans", Measured(100.0, 99.0, 101.0, 1000)),),
)
SCORE = Score(figure("a", 10.0), Measured(50.0, 48.0, 52.0, 1000), "", EVIDENCE)


@pytest.mark.parametrize(
    ("rule", "yes", "no"),
    [
        (Verdict.AGREES, 50.0, 60.0),
        (Verdict.UNDECIDED, 55.0, 50.0),
        (Verdict.WITHIN, 20.0, 21.0),
        (ROUGHLY, 21.0, 41.0),
        (Verdict.OTHER_READING, 100.0, 50.0),
        # 28 lies between what the parameter gives at its ends, but no setting was seen there.
        (Verdict.PROFILES, 24.0, 28.0),
    ],
)
def test_every_rule_says_yes_of_some_values_and_no_of_others(rule, yes, no):
    assert says_yes(rule, SCORE, yes)
    assert not says_yes(rule, SCORE, no)


def test_a_rule_without_evidence_says_no():
    bare = Score(SCORE.published, SCORE.measured)
    assert not any(says_yes(rule, bare, 10.0) for rule in (Verdict.WITHIN, ROUGHLY, Verdict.OTHER_READING))


def test_rules_are_tried_on_random_settings_and_on_the_printed_figure():
    """Of 10, 30, 50 and 70 the settings' interval holds one, the measure agrees with one; the printed 10 is within."""
    frame = power_frame([SCORE], {"a": [10.0, 30.0, 50.0, 70.0]}).set_index("rule")
    assert set(frame.tried_on) == {SETTINGS}
    assert frame.tried[Verdict.WITHIN] == 4
    assert (frame.chance[Verdict.WITHIN], frame.chance[Verdict.AGREES]) == (0.25, 0.25)
    assert (frame.printed[Verdict.WITHIN], frame.printed[Verdict.AGREES]) == (True, False)


def test_a_paper_without_draws_has_its_other_figures_dealt():
    other, time = Score(figure("b", 52.0), Measured(5.0)), Score(figure("c", 50.0, "time"), Measured(5.0))
    frame = power_frame([SCORE, other, time], {})
    assert set(frame.key) == {"a", "b"}
    assert set(frame.tried_on) == {DEALT}
    agrees = frame[(frame.key == "a") & (frame.rule == Verdict.AGREES)].iloc[0]
    # 52 lies so near to the measured 50 ± 2 that a figure of something else agrees.
    assert (agrees.tried, agrees.chance, agrees.printed) == (1, 1.0, False)


def test_the_lift_is_over_checked_figures_with_a_known_chance():
    """Of two checks one is covered, by intervals that hold 25 % of random settings: twice as often as by chance."""
    figures = [figure("a", 10.0), figure("b", 50.0), figure("c", 10.0, "fit"), figure("d", 10.0)]
    given = {key: predicted(0.25) for key in "abc"} | {"d": predicted(math.nan)}
    found = lift(figures, given)
    assert (found.figures, found.covered, found.chance, found.lift) == (2, 0.5, 0.25, 2.0)


@pytest.mark.parametrize(("chance", "telling"), [(0.4, True), (0.5, False), (0.65, False), (math.nan, False)])
def test_to_lie_within_is_withdrawn_where_random_settings_are_covered_as_often(chance, telling):
    """Half of the checks are covered; without a known chance nothing is known of the lift."""
    figures = [figure("a", 10.0), figure("b", 50.0)]
    found = weighed(figures, {key: predicted(chance) for key in "ab"})
    assert {one.telling for one in found.values()} == {telling}
    assert not any(one.error_telling for one in found.values()) or telling


@pytest.mark.parametrize(("tried", "gone"), [([10.0, 10.0], True), ([10.0, 90.0], False)])
def test_what_names_a_cause_is_withdrawn_where_chance_is_explained_as_often(tried, gone):
    """The gain moves the figure across the printed 10, and across 10 but not 90 of those that were tried."""
    moved = Score(SCORE.published, SCORE.measured, "", Evidence(moved=EVIDENCE.moved))
    found = withdrawn(power_frame([moved], {"a": tried}))
    assert (Verdict.PROFILES in found) == gone
    (after,) = without([moved], found)
    assert after.judged.verdict == (Verdict.UNEXPLAINED if gone else Verdict.PROFILES)


def test_no_lift_is_known_of_nothing():
    assert math.isnan(lift([], {}).lift)
    assert math.isnan(Lift(1, 0.0, 0.0, 0.0, 0.0).lift)


def test_a_page_sums_rules_up_and_leaves_out_those_that_say_nothing():
    frame = power_frame([SCORE], {"a": [10.0, 30.0, 50.0, 70.0]})
    assert summed(frame).lift[Verdict.WITHIN] == 4.0
    rows = {row[0]: row for row in power_rows(frame)}
    assert rows[Verdict.WITHIN] == (Verdict.WITHIN, "1", "100 %", "25 %", "4.00")
    assert Verdict.OTHER_READING not in rows
    assert power_blocks(frame)[0].summary == "How much a verdict tells"
    assert power_blocks(power_frame([], {})) == []
