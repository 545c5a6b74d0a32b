"""The most requests within a budget: held against enumeration just below and above, and by application."""

from dataclasses import replace
from fractions import Fraction

import pytest
from drawn.small_sessions import small_session

from euclio import most, solve
from euclio.cli import main
from euclio.core.errors import InputError
from euclio.files import save_instance
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.objectives import Application

PROFILE = [Configuration("g", b, 1, d) for b, d in ((1, "0.01"), (2, "0.015"), (4, "0.025"))]
TWO = Session(
    "two",
    "0.2",
    [Hardware("g", 1)],
    [Module("a", 100, PROFILE), Module("b", 80, PROFILE)],
    applications=[Application("first", ["a"]), Application("second", ["b"])],
)


@pytest.mark.parametrize("seed", range(10))
def test_enumeration_is_within_the_budget_at_the_answer_and_beyond_it_just_above(seed):
    """Guards the jump to breakpoints, and the claim that nothing just above is within the budget."""
    session = small_session(seed)
    own = solve(session, "plan-bruteforce", machines="whole")
    if own.value is None:
        pytest.skip("no plan at its own rates")
    budget = own.value * Fraction(5, 4)
    found = most(session, budget=budget)
    assert found.proven
    assert found.best.factor >= 1
    for tried, within in ((found.best, True), (found.above, False)):
        listed = solve(tried.session, "plan-bruteforce", machines="whole", time_limit=20)
        assert (listed.value is not None and listed.value <= budget) == within


def test_one_application_varies_alone():
    """Seven machines in all: b needs 1 at 80 req/s, and 6 machines of 160 req/s take 960 of a's requests."""
    found = most(TWO, budget=7, of="first")
    assert (found.rate_rps, found.best.result.value, found.proven) == (960, 7, True)
    assert found.above.factor <= found.best.factor * (1 + Fraction(3, 10**9))


def test_what_the_own_rates_lack_is_said_by_the_month(tmp_path, capsys):
    """100 and 80 req/s need a machine each, 2 per hour: 0.5 per hour more than 1.5 are 365 per month of 730 hours."""
    assert most(TWO, budget="1.5").lacking_per_h == Fraction(1, 2)
    file = tmp_path / "two.json"
    save_instance(replace(TWO, applications=()), file)
    assert main(["most", str(file), "--budget", "1.5"]) == 4
    assert "needs 365 per month more" in capsys.readouterr().out


def test_bad_input_is_one_line():
    with pytest.raises(InputError, match="unknown application 'third'; known: first, second"):
        most(TWO, budget=7, of="third")
    with pytest.raises(InputError, match="greater than 0"):
        most(TWO, budget=0)
    with pytest.raises(InputError, match="proves no least cost"):
        most(TWO, budget=7, solver="harpagon")


def test_rates_and_objectives_are_changed_by_name():
    changed = solve(TWO, rate={"first": 200})
    assert [m.rate_rps for m in changed.of_instance.modules] == [200, 80]
    with pytest.raises(InputError, match="one objective without a name"):
        solve(TWO, slo={"x": 1})
