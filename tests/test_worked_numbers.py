"""The papers' worked numbers that are about algorithms: Algorithm 1, latency-cost efficiency, replays, tables."""

from fractions import Fraction

import pytest
from worked_examples import (
    M_1,
    M_3,
    M_4,
    PICCOLO_M_1,
    PICCOLO_M_2,
    PICCOLO_M_3,
    one_module,
    plan,
    scrooge,
    scrooge_best_plan,
)

from euclio.core.solving import solve
from euclio.problems.session import ModulePlan, PlanSpace, Session
from euclio.problems.session.arrays import session_arrays
from heuristics.session.dummy_generator import generator_of
from heuristics.session.latency_splitting import Units, single_units
from heuristics.session.module_scheduler import schedule_module
from heuristics.session.schedule import new_schedule, plan_of


def algorithm_1(session: Session, space: PlanSpace) -> ModulePlan:
    """What Algorithm 1 and the dummy generator make of a session of one module, with the SLO as its budget."""
    arrays = session_arrays(session, space)
    schedule = new_schedule(arrays)
    assert schedule_module(arrays, 0, arrays.rate[0], arrays.slo, generator_of(space.dummy), schedule)
    return plan_of(session, arrays, schedule, space.dummy).modules[0]


def efficiency(units: Units, before: int, after: int) -> float:
    """Cost saved per second of budget when moving between two options."""
    return (units.cost[before] - units.cost[after]) / (units.latency[after] - units.latency[before])


def options(session: Session) -> dict[int, int]:
    """Option of each batch in a session of one module."""
    return {int(b): k for k, b in enumerate(session_arrays(session, PlanSpace()).batch)}


# Algorithm 1 on the papers' examples.


@pytest.mark.parametrize(("policy", "rows"), [("rr", [(4, 5)]), ("tc", [(8, 4)])])
def test_algorithm_1_on_m1(policy, rows):
    """Harpagon §II, 100 req/s within 0.4 s: round robin 100/20 = 5 of batch 4, batch-aware 100/25 = 4 of batch 8."""
    session = one_module(M_1, 100, "0.4")
    assert algorithm_1(session, PlanSpace(policy, "none")) == plan(session, *rows).modules[0]


@pytest.mark.parametrize(
    ("space", "rows", "partial", "dummy"),
    [
        (PlanSpace("rr", "none", 2), [(8, 6), (2, 0)], 6, 0),
        (PlanSpace("tc", "none", 2), [(32, 4), (2, 1)], 18, 0),
        (PlanSpace("tc", "none"), [(32, 4), (8, 1), (2, 0)], 6, 0),
        (PlanSpace("tc", "machine"), [(32, 5)], 0, 2),
    ],
    ids=["S1", "S2", "S3", "S4"],
)
def test_algorithm_1_on_m3(space, rows, partial, dummy):
    """Harpagon Table II, 198 req/s within 1.0 s: 192 + 6, 160 + 38, 160 + 32 + 6, and 198 + 2 = 200 = 5·40."""
    session = one_module(M_3, 198, 1)
    assert algorithm_1(session, space) == plan(session, *rows, partial=partial, dummy=dummy).modules[0]


@pytest.mark.parametrize(
    ("space", "rows", "partial", "dummy"),
    [
        (PlanSpace("rr", "none", 2), [(100, 2), (5, 1)], 35, 0),
        (PlanSpace("tc", "none"), [(100, 2), (20, 1), (5, 0)], 5, 0),
        (PlanSpace("tc", "machine"), [(100, 3)], 0, 15),
        (PlanSpace("tc", "continuous"), [(100, 3)], 0, 15),
    ],
    ids=["3.7", "3.1", "3.0", "3.0 as Piccolo fills"],
)
def test_algorithm_1_on_piccolo_m1(space, rows, partial, dummy):
    """Piccolo §II, 285 req/s within 2.0 s: 200 + 85 with 85 = 50 + 35; 200 + 80 + 5; 285 + 15 = 300.

    §III-D: a partial machine of batch 100 needs 100/(2.0 − 1.0) = 100 req/s, 15 more than the 85 that are left over.
    """
    session = one_module(PICCOLO_M_1, 285, 2)
    assert algorithm_1(session, space) == plan(session, *rows, partial=partial, dummy=dummy).modules[0]


def test_piccolo_costs_3_on_its_own_example():
    assert solve(one_module(PICCOLO_M_1, 285, 2), "piccolo").value == 3


@pytest.mark.parametrize(("profile", "rate", "slo"), [(M_1, 100, "0.4"), (M_3, 198, 1), (PICCOLO_M_1, 285, 2)])
def test_harpagon_finds_the_plan_optimum_of_the_examples(profile, rate, slo):
    session = one_module(profile, rate, slo)
    assert solve(session, "harpagon").value == solve(session, "plan-bruteforce").value


# Latency-cost efficiency.


@pytest.mark.parametrize(("batch", "value"), [(4, 50.0), (8, 18.2)])
def test_latency_cost_efficiency_of_harpagon_m1(batch, value):
    """From batch 2 at 100 req/s: (8 − 5)/(0.24 − 0.18) = 50.0; (8 − 4)/(0.40 − 0.18) = 18.2."""
    session = one_module(M_1, 100, "0.4")
    at = options(session)
    assert efficiency(single_units(session_arrays(session, PlanSpace())), at[2], at[batch]) == pytest.approx(
        value, abs=0.05
    )


@pytest.mark.parametrize(("batch", "value"), [(20, 2.50), (100, 0.54)])
def test_latency_cost_efficiency_of_piccolo_m1(batch, value):
    """From batch 5 at 100 req/s: (2 − 1.25)/(0.45 − 0.15) = 2.50; (2 − 1)/(2.0 − 0.15) = 0.54."""
    session = one_module(PICCOLO_M_1, 100, 2)
    at = options(session)
    assert efficiency(single_units(session_arrays(session, PlanSpace())), at[5], at[batch]) == pytest.approx(
        value, abs=0.005
    )


# Piccolo Table II: p·T/t of M_2 at 50 req/s and M_3 at 40 req/s; t = b/d rounded as the paper does (30 and 12 req/s).


@pytest.mark.parametrize(
    ("batch_2", "batch_3", "total"),
    [(2, 8, 4.73), (4, 4, 4.00), pytest.param(8, 2, 5.01, id="printed 4.67, which is an erratum")],
)
def test_piccolo_table_ii(batch_2, batch_3, total):
    """50/16 + 40/25 = 4.73; 50/25 + 40/20 = 4.00; 50/29.96 + 40/11.98 = 5.01 (5.00 with 30 and 12; printed: 4.67)."""
    costs = []
    for profile, rate, batch in ((PICCOLO_M_2, 50, batch_2), (PICCOLO_M_3, 40, batch_3)):
        session = one_module(profile, rate, "0.9")
        costs.append(single_units(session_arrays(session, PlanSpace())).cost[options(session)[batch]])
    assert sum(costs) == pytest.approx(total, abs=0.0051)


def test_piccolo_table_ii_third_sum_with_the_printed_throughputs():
    """50/30 + 40/12 = 1.667 + 3.333 = 5.00, not 4.67: an erratum."""
    assert Fraction(50, 30) + Fraction(40, 12) == 5


# Harpagon Figure 4: requests 1-16 of M_4 at 8 req/s; A, B = (6, 2.0 s), C = (2, 1.0 s).


def replay(machine_of: list[str], interval_s: Fraction) -> Fraction:
    """Largest collection time plus duration; collection begins one interval before a batch's first request."""
    settings = {"A": M_4[0], "B": M_4[0], "C": M_4[1]}
    worst = Fraction(0)
    for name, (batch, duration) in settings.items():
        arrivals = [(k + 1) * interval_s for k, machine in enumerate(machine_of) if machine == name]
        for i in range(0, len(arrivals), batch):
            collecting = arrivals[i + batch - 1] - (arrivals[i] - interval_s)
            worst = max(worst, collecting + Fraction(duration))
    return worst


@pytest.mark.parametrize(
    ("machine_of", "worst"),
    [("AAAAAABBBBBBCCCC", "2.75"), ("ABABABABABABCCCC", "3.375")],
    ids=["throughput-cost", "round robin"],
)
def test_figure_4_replay(machine_of, worst):
    """6/8 = 0.75 s to collect a batch in sequence, 11/8 = 1.375 s every other request; 2.0 s to run it."""
    assert replay(list(machine_of), Fraction(1, 8)) == Fraction(worst)


# Theorem 1 read literally: M_3 at 198 req/s on five machines of batch 32, batch by batch in turn.


def rotation() -> tuple[list[Fraction], list[Fraction]]:
    """Latencies of 40 batches, and the idle times of a machine between its batches."""
    interval, duration, machines = Fraction(1, 198), Fraction("0.8"), 5
    ready = [(k + 1) * 32 * interval for k in range(40)]
    free = [Fraction(0)] * machines
    latencies, idle = [], []
    for k, collected in enumerate(ready):
        start = max(collected, free[k % machines])
        if k >= machines:
            idle.append(start - free[k % machines])
        free[k % machines] = start + duration
        latencies.append(free[k % machines] - (collected - 32 * interval))
    return latencies, idle


def test_five_machines_in_rotation_hold_the_literal_bound():
    """Every batch collects 32/198 s and runs at once: 0.8 + 32/198 = 0.9616 s."""
    assert set(rotation()[0]) == {Fraction("0.8") + Fraction(32, 198)}


def test_five_machines_in_rotation_are_busy_for_4_95_of_5():
    """A machine gets a batch every 5·32/198 = 0.8081 s and runs 0.8 s: 0.99 of the time, 5·0.99 = 4.95 machines."""
    (idle,) = set(rotation()[1])
    assert 5 * Fraction("0.8") / (Fraction("0.8") + idle) == Fraction("4.95")


# Scrooge §3, with the throughputs as Tables 3 and 4 print them (81 for 80, 160 for 153.8).


def test_scrooge_first_allocation_arithmetic():
    """80/84·3 + 320/160·3 = 2.857 + 6 = 8.86 (the paper rounds to 9)."""
    assert float(Fraction(80, 84) * 3 + Fraction(320, 160) * 3) == pytest.approx(8.86, abs=0.005)


def test_scrooge_first_allocation_latency():
    """95 + 4/80 = 145 ms, 13 + 2/160 = 25.5 ms: 170.5 ms (the paper: 171)."""
    total = Fraction("0.095") + Fraction(4, 80) + Fraction("0.013") + Fraction(2, 160)
    assert float(total) == pytest.approx(0.171, abs=0.0006)


def test_scrooge_optimal_allocation_arithmetic():
    """2 + 20/81·3 + 320/200·3 = 2 + 0.741 + 4.8 = 7.54 (the paper: 7.55)."""
    assert float(2 + Fraction(20, 81) * 3 + Fraction(320, 200) * 3) == pytest.approx(7.54, abs=0.005)


def test_scrooge_optimal_allocation_latency():
    """133 + 4/60 = 199.7 ms, 40 + 4/120 = 73.3 ms: 273 ms."""
    total = Fraction("0.133") + Fraction(4, 60) + Fraction("0.040") + Fraction(4, 120)
    assert float(total) == pytest.approx(0.273, abs=0.0005)


@pytest.mark.parametrize(
    "solver",
    [
        "plan-bruteforce",
        "exact",
        "milp",
        "cpsat",
        "milp-split",
        "cpsat-split",
        "scrooge-bruteforce",
        "scrooge-milp",
        "scrooge-greedy",
    ],
)
def test_scrooge_optimal_allocation_is_optimal(solver):
    """$7.5444 at 272.8 ms under machine-rate without dummies."""
    result = solve(scrooge(), solver, space=PlanSpace("machine-rate", "none"))
    assert [m.allocations for m in result.plan.modules] == [m.allocations for m in scrooge_best_plan().modules]
