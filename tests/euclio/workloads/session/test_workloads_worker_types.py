import pytest

from euclio.workloads.session.protocol import SEED, draw
from euclio.workloads.session.scrooge_sessions import draw_scrooge
from euclio.workloads.session.worker_types import MODULE_VARIATION, PRICE_RATIO, SPEED_RATIO, on_worker_types


@pytest.fixture(scope="module")
def session():
    return on_worker_types(draw(SEED, 2).session, 30, 1)


def test_every_module_has_every_configuration_on_every_type(session):
    plain = draw(SEED, 2).session
    for module, before in zip(session.modules, plain.modules, strict=True):
        kept = [c for c in before.profile if c.hardware == plain.hardware[0].name]
        assert len(module.profile) == 30 * len(kept)


def test_prices_and_speeds_stay_in_the_published_ratios(session):
    prices = [h.price_per_h for h in session.hardware]
    assert max(prices) / min(prices) <= PRICE_RATIO * 1.02
    base = draw(SEED, 2).session.modules[0].profile[0].duration_s
    first = [c.duration_s for c in session.modules[0].profile if (c.batch, c.concurrency) == (1, 1)]
    low, high = MODULE_VARIATION
    assert all(low * 0.999 <= base / d <= SPEED_RATIO * high * 1.001 for d in first)


def test_same_seed_same_session_and_shared_profiles(session):
    again = on_worker_types(draw(SEED, 2).session, 30, 1)
    assert again == session
    assert again.modules[0].profile is session.modules[0].profile


def test_another_seed_gives_other_prices(session):
    assert on_worker_types(draw(SEED, 2).session, 30, 2).hardware != session.hardware


def test_modules_for_other_machines_keep_their_profiles():
    plain = draw_scrooge("face", 1, 1).session
    many = on_worker_types(plain, 30, 1)
    assert many.modules[1] is plain.modules[1]
    assert [h.name for h in many.hardware[30:]] == ["CPU"]
