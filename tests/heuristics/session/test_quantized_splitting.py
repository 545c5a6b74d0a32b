"""Quantized splitting where the steps are far too many."""

from euclio import solve
from euclio.core.result import Status
from euclio.problems.session import Configuration, Hardware, Module, Session


def test_an_slo_of_years_in_steps_of_milliseconds_is_inapplicable_and_no_crash():
    session = Session("years", 10**9, [Hardware("h", 1)], [Module("m", 5, [Configuration("h", 1, 1, "0.1")])])
    found = solve(session, "nexus")
    assert found.status is Status.INAPPLICABLE
    assert "at most 20000 steps" in found.reason
