"""What changes of a session do to it, exactly, and what is refused."""

from dataclasses import replace
from fractions import Fraction

import pytest
from tiny_sessions import tiny_session

from euclio.core.errors import InputError
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.changes import SessionChanges, source_rate

PROFILE = [Configuration("x", 2, 1, "0.1")]


def forked():
    """Two sources and a child of both; 10 + 5 requests per second come in, and 30 reach the child."""
    modules = [Module("a", 10, PROFILE), Module("b", 5, PROFILE), Module("c", 30, PROFILE)]
    return Session("forked", 1, [Hardware("x", 1), Hardware("y", 2)], modules, [("a", "c"), ("b", "c")])


def rates(session):
    return [module.rate_rps for module in session.modules]


def test_sources_are_the_modules_without_parents():
    assert source_rate(forked()) == 15


def test_a_rate_scales_all_modules_in_ratio_to_the_sum_over_the_sources():
    found = SessionChanges(rate_rps=Fraction(100)).applied_to(forked())
    assert rates(found) == [Fraction(200, 3), Fraction(100, 3), 200]
    assert source_rate(found) == 100


def test_headroom_multiplies_all_rates_exactly_after_the_rate():
    assert rates(SessionChanges(headroom=Fraction("0.2")).applied_to(forked())) == [12, 6, 36]
    both = SessionChanges(rate_rps=Fraction(30), headroom=Fraction("0.1"))
    assert rates(both.applied_to(forked())) == [22, 11, 66]


def test_slo_and_named_prices_are_replaced_and_nothing_else():
    changes = SessionChanges(slo_s=Fraction("0.3"), price_per_h={"y": Fraction(0)})
    hardware = [Hardware("x", 1), Hardware("y", 0)]
    expected = Session("forked", "0.3", hardware, forked().modules, forked().edges)
    assert changes.applied_to(forked()) == expected


def test_a_stock_limits_the_named_hardware_and_keeps_other_limits():
    session = SessionChanges(stock={"x": 4, "y": 1}).applied_to(forked())
    assert session.stock == {"x": 4, "y": 1}
    assert SessionChanges(stock={"y": 0}).applied_to(session).stock == {"x": 4, "y": 0}


def test_no_changes_leave_an_equal_session():
    assert SessionChanges().applied_to(tiny_session()) == tiny_session()
    assert SessionChanges(headroom=Fraction(0)).applied_to(tiny_session()) == tiny_session()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"price_per_h": {"P10": Fraction(1)}}, r"price_per_h\.P10: unknown hardware 'P10'; did you mean P100\?"),
        ({"price_per_h": {"T4": Fraction(1)}}, r"unknown hardware 'T4'; known: V100, P100"),
        ({"stock": {"V10": 1}}, r"stock\.V10: unknown hardware 'V10'; did you mean V100\?"),
        ({"rate_rps": Fraction(10**12)}, "rate_rps: is too high for this session: a module's rate is 1000000000000"),
        ({"headroom": Fraction(10**12)}, "headroom: is too high for this session"),
    ],
)
def test_a_change_that_does_not_go_with_the_session_names_field_and_remedy(changes, words):
    with pytest.raises(InputError, match=words):
        SessionChanges(**changes).applied_to(tiny_session())


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"rate_rps": Fraction(0)}, "rate_rps"),
        ({"slo_s": Fraction(-1)}, "slo_s"),
        ({"headroom": Fraction(-1, 10)}, "headroom"),
        ({"price_per_h": {"V100": Fraction(-1)}}, r"price_per_h\.V100"),
        ({"stock": {"V100": -1}}, r"stock\.V100: is -1; give a whole number of machines"),
    ],
)
def test_numbers_out_of_range_are_refused(changes, field):
    with pytest.raises(InputError, match=field):
        SessionChanges(**changes)


@pytest.mark.parametrize("changes", [{}, {"stock": {}}, {"price_per_h": {}}, {"largest_share": {}}])
def test_changes_of_nothing_have_words_too(changes):
    """A file may state them; every verb that read it ended in an internal error."""
    assert SessionChanges(**changes).in_words() == "nothing changed"


def test_changes_in_words():
    changes = SessionChanges(Fraction(300), Fraction("0.5"), {"V100": Fraction(2)}, Fraction("0.2"), {"V100": 4})
    assert changes.in_words() == (
        "rate 300 req/s, SLO 0.5 s, price of V100 2 per hour, 4 machines of V100 in stock and headroom 20.0 %"
    )
    assert replace(changes, slo_s=None, price_per_h=None, headroom=None, stock=None).in_words() == "rate 300 req/s"
