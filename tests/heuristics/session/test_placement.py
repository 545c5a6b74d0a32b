from dataclasses import replace
from fractions import Fraction

import pytest
from worked_examples import module_plan, plan, scrooge, scrooge_best_plan

from euclio import solve
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.workloads.session.random_sessions import random_session
from heuristics.session.placement import place


def share_of(session_name, rate_rps, whole=0):
    """A session of one module on a worker that takes 100 req/s, and its plan: whole machines and a partial one."""
    module = Module("M", 100 * whole + rate_rps, [Configuration("gpu", 10, 1, "0.1")])
    session = Session(session_name, 10, [Hardware("gpu", 1)], [module])
    return session, plan(session, (10, whole), partial=rate_rps)


def test_worked_example_shares_one_y():
    """A takes 19.85/80 of a Y, B 120/200: 4 workers become 3, and 15.2 % of the shared Y are left."""
    placement = place([(scrooge(), scrooge_best_plan())])
    assert (placement.machines_before, placement.machines_after) == (4, 3)
    assert placement.whole == {"X": 1, "Y": 1}
    (worker,) = placement.shared
    assert [(t.module, round(float(t.share), 5)) for t in worker.tenants] == [("A", 0.24812), ("B", 0.6)]
    assert float(worker.residual) == pytest.approx(1 - 0.24812 - 0.6, abs=1e-5)


def test_worked_example_with_the_printed_throughputs_fits_too():
    """20/81 + 120/200 = 0.847 of one Y."""
    assert Fraction(20, 81) + Fraction(120, 200) < 1


def test_best_fit_takes_the_fullest_worker_that_has_room():
    placement = place([share_of("a", 40), share_of("b", 70), share_of("c", 25)])
    assert [[t.session for t in w.tenants] for w in placement.shared] == [["a"], ["b", "c"]]


def test_a_partial_that_fits_nowhere_gets_a_new_worker():
    assert place([share_of("a", 60), share_of("b", 60)]).machines_after == 2


def test_a_worker_is_filled_to_the_last_share():
    placement = place([share_of("a", 60), share_of("b", 40)])
    assert (len(placement.shared), placement.shared[0].residual) == (1, 0)


def test_worker_types_are_not_mixed():
    """A alone leaves X and Y whole or partial; a partial on X never joins one on Y."""
    session = scrooge()
    a, _ = session.modules
    on_x = module_plan(a, (4, 1, "X"), (2, 0, "X"), partial=80 - Fraction(8) / Fraction("0.133"))
    on_y = scrooge_best_plan().modules[1]
    placement = place([(session, replace(scrooge_best_plan(), modules=(on_x, on_y)))])
    assert [w.hardware for w in placement.shared] == ["X", "Y"]


def test_whole_machines_are_never_shared():
    placement = place([share_of("a", 10, whole=3), share_of("b", 10, whole=2)])
    assert (placement.whole, placement.machines_before, placement.machines_after) == ({"gpu": 5}, 7, 6)


def test_no_worker_takes_more_than_it_has():
    """Thirty random sessions: no residual below 0, every partial allocation placed once."""
    results = [(s, solve(s, "exact", policy="machine-rate", dummy="none").plan) for s in map(random_session, range(30))]
    planned = [(s, p) for s, p in results if p is not None]
    placement = place(planned)
    assert all(w.residual >= 0 for w in placement.shared)
    partials = sum(m.allocations[-1].partial_rps > 0 for _, p in planned for m in p.modules)
    assert sum(len(w.tenants) for w in placement.shared) == partials
