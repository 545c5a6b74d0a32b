from fractions import Fraction

import pytest

from euclio.core.errors import InputError
from euclio.workloads.session.scrooge_sessions import MOST_CLIENTS, draw_scrooge, scrooge_applications


@pytest.mark.parametrize("application", scrooge_applications())
@pytest.mark.parametrize("number", range(1, 4))
def test_rates_are_those_of_up_to_twelve_clients(application, number):
    workload = draw_scrooge(application, 1, number)
    low, high = scrooge_applications()[application].client_rps
    assert low <= workload.rate_rps <= MOST_CLIENTS * high


def test_objectives_of_traffic_are_those_of_the_paper():
    found = [draw_scrooge("traffic", 1, 1, k).session.slo_s for k in range(4)]
    assert (found[0], found[-1]) == (Fraction("0.4"), 1)


def test_same_seed_same_session():
    assert draw_scrooge("face", 1, 3) == draw_scrooge("face", 1, 3)
    assert draw_scrooge("face", 1, 3) != draw_scrooge("face", 2, 3)


def test_clients_and_factors_do_not_depend_on_the_objective():
    tight, loose = (draw_scrooge("caption", 1, 2, k).session for k in (0, 3))
    assert tight.modules == loose.modules
    assert tight.slo_s < loose.slo_s


def test_recurrent_modules_balloon_and_others_do_not():
    plain = {m.name: m.profile for m in scrooge_applications()["caption"].application.modules}
    factors = set()
    for number in range(1, 20):
        for module in draw_scrooge("caption", 1, number).session.modules:
            factor = float(module.profile[0].duration_s / plain[module.name][0].duration_s)
            assert module.name == "text" or factor == 1
            factors.add(round(factor, 3))
    assert 0.767 <= min(factors) < 0.9 < 1.1 < max(factors) <= 1.233


def test_unknown_application_is_refused_by_name():
    with pytest.raises(InputError, match="choose from traffic, face, tracker"):
        draw_scrooge("weather", 1, 1)
