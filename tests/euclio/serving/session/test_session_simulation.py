"""Simulations of sessions: what they count, at which load, and what their figures and tables say."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from euclio.core.errors import InputError
from euclio.core.tables import to_text
from euclio.problems.session import Allocation, Configuration, Hardware, Module, ModulePlan, Plan, PlanSpace, Session
from euclio.report.figure_files import save_figure
from euclio.serving import latency_figure, timeline_figure
from euclio.serving.session.metrics import describe
from euclio.serving.session.setup import Setup
from euclio.serving.session.simulation import highest_loads, simulate
from euclio.serving.tables import session_table

FOUR, TWO = Configuration("gpu", 4, 1, "0.1"), Configuration("gpu", 2, 2, "0.08")
SESSION = Session(
    "two in a row",
    "0.5",
    [Hardware("gpu", 2)],
    [Module("first", 100, [FOUR, TWO]), Module("second", 50, [FOUR, TWO])],
    [("first", "second")],
)
PLAN = Plan((ModulePlan((Allocation(TWO, 2),)), ModulePlan((Allocation(FOUR, 1, Fraction(10)),))))


@pytest.fixture(scope="module")
def even():
    return simulate(SESSION, PLAN, Setup("uniform", seconds=20))


def test_evenly_spaced_requests_at_the_planned_rate_are_answered_in_time(even):
    assert (even.arrived, even.late, even.dropped) == (2000, 0, 0)
    assert even.attainment == 1.0
    assert even.windows.sum(axis=0).tolist() == [2000, 2000]


def test_machines_are_as_busy_as_planned(even):
    planned = [float(machine.busy) for machine in even.system.machines]
    assert even.machines.busy == pytest.approx(planned, abs=0.02)


def test_latencies_are_within_what_the_checker_says(even):
    found = describe(even)
    for module in found["modules"]:
        assert module["latency_max_s"] <= module["worst_case_s"]
        assert module["within_worst_case"] == 1.0
    assert found["latency_p50_s"] <= found["latency_p99_s"] <= found["latency_max_s"] <= found["worst_case_s"]


def test_requests_in_a_module_are_its_rate_times_its_latency(even):
    first = describe(even)["modules"][0]
    assert first["mean_present"] == pytest.approx(100 * first["latency_mean_s"], rel=1e-6)


def test_the_same_input_gives_the_same_figures():
    setup = Setup("gamma", 0.8, 20, cv=2, noise=0.1, seed=5)
    one, other = (describe(simulate(SESSION, PLAN, setup)) for _ in range(2))
    assert one == other
    assert one != describe(simulate(SESSION, PLAN, replace(setup, seed=6)))


def test_random_arrivals_at_the_planned_rate_are_late():
    assert simulate(SESSION, PLAN, Setup("poisson", seconds=60)).attainment < 0.9


def test_load_is_a_share_of_the_rate_that_is_given():
    found = simulate(SESSION, PLAN, Setup("uniform", 0.5, 10, full_load_rps=40))
    assert (found.arrived, found.offered_rps) == (200, 20.0)


def test_clients_wait_for_their_answers():
    found = simulate(SESSION, PLAN, Setup(seconds=20, clients=3))
    # A client after the other, in about three latencies per round.
    assert found.arrived == pytest.approx(3 * 20 / found.latencies.mean_s, rel=0.05)
    assert found.offered_rps == 0


def test_progress_is_said_up_to_the_end():
    reached = []
    simulate(SESSION, PLAN, Setup("uniform", seconds=5), progress=reached.append)
    assert reached[-1] == pytest.approx(5, abs=0.1)


def test_highest_load_keeps_99_per_cent():
    setup = Setup("poisson", seconds=60)
    (load,) = highest_loads(SESSION, PLAN, setup).values()
    assert 0.3 < load < 1
    assert simulate(SESSION, PLAN, replace(setup, load=load)).attainment >= 0.99


def test_dummies_can_be_left_out():
    plan = Plan((ModulePlan((Allocation(TWO, 3),), Fraction(50)), PLAN.modules[1]))
    sent, none = (
        simulate(SESSION, plan, Setup("uniform", seconds=20, dummies=kept), PlanSpace(dummy="continuous"))
        for kept in (True, False)
    )
    assert sent.machines.busy[:3].mean() == pytest.approx(1, abs=0.02)
    assert none.machines.busy[:3].mean() == pytest.approx(2 / 3, abs=0.02)
    assert none.machines.served[:3].sum() == none.arrived
    # Batches still fill up: they wait for what really comes.
    assert describe(none)["modules"][0]["mean_batch"] == 2


def test_a_plan_that_cannot_be_priced_is_refused():
    plan = Plan((ModulePlan((Allocation(TWO, 9),)), PLAN.modules[1]))
    with pytest.raises(InputError, match=r"^plan: module first: 350 req/s of dummies"):
        simulate(SESSION, plan, Setup(), PlanSpace(dummy="none"))


def test_executions_are_kept_for_the_middle_only(even):
    done = even.executions
    assert (done.begin_s, done.length_s) == (10, 0.75)
    assert (done.end_ns > 10e9).all()
    assert (done.start_ns < 10.75e9).all()
    # Two machines of two slots, each batch of 2 takes 80 ms: about 9 per slot in 750 ms.
    assert np.bincount(done.module).tolist() == pytest.approx([4 * 0.75 / 0.08, 50 * 0.75 / 4], abs=4)


def test_slots_of_a_machine_have_rows_of_their_own(even):
    done, slots = even.executions, timeline_figure._slots(even)
    for slot in np.unique(slots):
        own = np.flatnonzero(slots == slot)
        own = own[np.argsort(done.start_ns[own])]
        assert (done.start_ns[own][1:] >= done.end_ns[own][:-1]).all()


@pytest.mark.fifth("draw")
@pytest.mark.parametrize("draw", [timeline_figure.draw, latency_figure.draw])
def test_figures_are_the_same_every_time(even, tmp_path, draw):
    pictures = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for picture in pictures:
        save_figure(draw(even), picture)
    first, second = (picture.read_text() for picture in pictures)
    assert first == second
    assert "two in a row" in first


def test_the_table_says_how_requests_are_served():
    setup = Setup("on-off", 0.5, 5, timeout_s=float("inf"), hold=True, dropping="hopeless", partial="shared")
    text = to_text(session_table(simulate(SESSION, PLAN, setup)), 140)
    assert "dispatch rounds, no time-out, dummies sent, partial machines shared, modules hold requests" in text
    assert "hopeless requests dropped" in text
    assert "end to end" in text
