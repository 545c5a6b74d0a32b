"""Workers: reuse, best fit, turn-off delay, warm-up, types that are sold out (Scrooge §3.4, §3.6)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from euclio.serving.dynamics.workers import Cloud, Need, Rental, SoldOutError


def cloud(limit=8, turn_off_ns=30):
    return Cloud({"gpu": limit}, {"gpu": 5}, turn_off_ns)


def need(module, share=1, hardware="gpu"):
    return Need(module, hardware, Fraction(share))


def placed(where, needs, now=0):
    """Place machines, and let their workers serve them."""
    workers = where.place(needs, now)
    where.use([(w.number, n.module) for w, n in zip(workers, needs, strict=True)], now)
    return [worker.number for worker in workers]


def test_a_whole_machine_has_a_worker_to_itself_and_partial_ones_share():
    found = placed(cloud(), [need(0), need(1, "0.4"), need(2, "0.7"), need(3, "0.3")])
    assert found == [0, 1, 2, 2]


def test_best_fit_leaves_the_larger_room():
    assert placed(cloud(), [need(0, "0.5"), need(1, "0.7"), need(2, "0.25")]) == [0, 1, 1]


def test_a_worker_that_has_loaded_the_module_is_taken_again():
    own = cloud()
    assert placed(own, [need(0), need(1)]) == [0, 1]
    assert placed(own, [need(1)], 10) == [1]
    # Worker 0 is idle and still on: the module that it has loaded comes back to it without a warm-up.
    assert placed(own, [need(1), need(0, "0.3")], 20) == [1, 0]
    assert own.workers[0].loaded_ns == {0: 5}


def test_another_module_is_loaded_on_a_worker_that_is_on():
    own = cloud()
    placed(own, [need(0)])
    placed(own, [], 10)
    assert placed(own, [need(1)], 20) == [0]
    assert own.workers[0].loaded_ns == {0: 5, 1: 25}


def test_loaded_workers_are_kept_for_the_modules_that_need_them():
    own = cloud()
    placed(own, [need(0), need(1)])
    # Module 2 comes first, and does not take the worker of module 1.
    assert placed(own, [need(2), need(0), need(1)], 1) == [2, 0, 1]


def test_a_module_stays_where_it_is_served():
    own = cloud()
    placed(own, [need(0), need(0), need(0)])
    placed(own, [need(0), need(0)], 1)
    assert sorted(placed(own, [need(0), need(0)], 2)) == [0, 1]


def test_an_unused_worker_is_given_back_after_the_delay():
    own = cloud()
    placed(own, [need(0)])
    placed(own, [], 100)
    own.turn_off(129)
    assert list(own.workers) == [0]
    own.turn_off(140)
    assert not own.workers
    assert own.rentals == [Rental(0, "gpu", 0, 130)]


def test_all_that_is_on_is_paid_until_the_end():
    own = cloud()
    placed(own, [need(0), need(1, 1, "cpu")], 7)
    assert own.close(50) == [Rental(0, "gpu", 7, 50), Rental(1, "cpu", 7, 50)]


def test_without_a_delay_it_is_given_back_at_once():
    own = cloud(turn_off_ns=0)
    placed(own, [need(0)])
    placed(own, [], 100)
    own.turn_off(100)
    assert own.rentals == [Rental(0, "gpu", 0, 100)]


def test_a_type_that_is_sold_out_is_refused_and_nothing_is_changed():
    own = cloud(limit=2)
    with pytest.raises(SoldOutError, match="no further gpu") as refused:
        own.place([need(0), need(1), need(2)], 0)
    assert refused.value.hardware == "gpu"
    assert not own.workers
    assert own.started == 0
    # Types without a limit are never sold out.
    assert placed(own, [need(0, 1, "cpu")] * 20) == list(range(20))


def test_a_worker_that_fails_is_paid_until_then():
    own = cloud()
    placed(own, [need(0)])
    own.fail(0, 12)
    assert own.rentals == [Rental(0, "gpu", 0, 12)]
    assert placed(own, [need(0)], 13) == [1]


@pytest.mark.parametrize(("stays", "worker"), [(False, 1), (True, 0)])
def test_state_stays_where_it_is_although_another_worker_fits_better(stays, worker):
    """Worker 0 serves module 0; worker 1 has loaded it once and has the less room next to module 1."""
    own = cloud()
    placed(own, [need(0), need(0)])
    assert placed(own, [need(0, "0.6"), need(1, "0.5")], 1) == [0, 1]
    assert placed(own, [need(1, "0.5"), Need(0, "gpu", Fraction("0.4"), stays)], 2) == [1, worker]


def test_where_nobody_serves_what_is_to_stay_a_worker_that_has_loaded_it_will_do():
    own = cloud()
    placed(own, [need(0), need(1)])
    placed(own, [need(1)], 1)
    assert placed(own, [Need(0, "gpu", Fraction(1), stays=True)], 2) == [0]
