from fractions import Fraction

import pytest

from euclio.session.workloads.scrooge_sessions import CLIENT_RATES, MOST_CLIENTS, draw_scrooge


@pytest.mark.parametrize("number", range(1, 9))
def test_rates_are_those_of_up_to_twelve_clients(number):
    workload = draw_scrooge(1, number)
    low, high = CLIENT_RATES[workload.application]
    assert low <= workload.rate_rps <= MOST_CLIENTS * high
    assert workload.session.slo_s == Fraction("0.4")


def test_same_seed_same_session():
    assert draw_scrooge(1, 3) == draw_scrooge(1, 3)
    assert draw_scrooge(1, 3) != draw_scrooge(2, 3)
