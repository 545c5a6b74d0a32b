"""The independent prover of sessions on machines that are charged whole, against plain enumeration and `exact`."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product

import pytest
from whole_enumeration import MOST, cheapest

from euclio import solve
from euclio.core.result import Status
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session
from euclio.problems.session.evaluate import evaluate
from euclio.problems.session.policies import POLICIES, Form
from euclio.proving.session.certifying import find_better
from tests.drawn.close_sessions import close_session
from tests.drawn.small_sessions import small_session

NEVER = math.inf
LEAST = Fraction(1, 10**18)
WHOLE = PlanSpace(charging="whole")
SPACES = [
    PlanSpace(policy, rule, most, charging="whole", single_hardware=single)
    for policy, rule, most, single in product(POLICIES, ("machine", "continuous"), (None, 1, 2), (False, True))
    if PlanSpace(policy).policy.form is not Form.GENERAL
]


def _tiny(seed: int) -> tuple[Session, PlanSpace]:
    """A small session of few machines and a plan space; `rr` at one batch at a time, as the prover covers it."""
    session, space = small_session(seed), random.Random(seed).choice(SPACES)
    modules = []
    for module in session.modules:
        most = 3 * max(c.throughput_rps for c in module.profile)
        rows = [Configuration(c.hardware, c.batch, 1, c.duration_s) for c in module.profile[:4]]
        profile = rows if space.policy.name == "rr" else module.profile[:4]
        distinct = {(c.hardware, c.batch, c.concurrency): c for c in profile}
        modules.append(Module(module.name, min(module.rate_rps, most), list(distinct.values())))
    return Session(session.name, session.slo_s, session.hardware, modules, session.edges), space


def _single(rate: object, slo: str, profile: list[tuple[object, ...]], price: object = 1) -> Session:
    """One module on one machine type; the profile holds triples of batch, concurrency and duration."""
    configurations = [Configuration("h", *row) for row in profile]
    return Session("one", slo, [Hardware("h", price)], [Module("m", rate, configurations)])


def _limited(seed: int) -> tuple[Session, PlanSpace]:
    """A session with running machines, spare machines, a stock or largest shares, and a plan space, also by share."""
    session, rng = close_session(seed), random.Random(seed)
    charging, policy = (
        rng.choice(["whole", "whole", "share"]),
        rng.choice(["tc", "tc-shared", "machine-rate", "rr-even"]),
    )
    return session, PlanSpace(policy, "machine", rng.choice([None, 1, 2]), charging=charging)


@pytest.mark.parametrize("seed", range(80))
def test_limits_on_machines_never_make_it_say_what_is_false(seed: int) -> None:
    """Below the optimum nothing may be found, and above it a plan has to be; the rest is shown, by share too."""
    session, space = _limited(seed)
    truth = solve(session, "plan-bruteforce", space=space, time_limit_s=20)
    if truth.status not in (Status.OPTIMAL, Status.INFEASIBLE):
        pytest.skip("too many plans to list")
    below = find_better(session, space, truth.value, NEVER)
    assert below.plan is None
    if truth.value is not None:
        # An infeasible session without a stock may have too many plans to list.
        assert below.exhausted
        above = find_better(session, space, truth.value + max(truth.value, Fraction(1)) * LEAST, NEVER)
        assert above.plan is not None
        assert evaluate(session, above.plan, space).cost_per_h == truth.value


def test_spare_machines_are_charged_by_the_types_that_a_plan_uses() -> None:
    """The optimum mixes no types where the second type's spare machine costs more than mixing saves."""
    decided = 0
    for seed in range(200):
        session = close_session(seed)
        if not session.spare_machines or session.stock or session.running or session.share_groups:
            continue
        truth = solve(session, "exact", space=WHOLE)
        if truth.value:
            assert find_better(session, WHOLE, truth.value, NEVER).exhausted
            assert find_better(session, WHOLE, truth.value * (1 + LEAST), NEVER).plan is not None
            decided += 1
    assert decided >= 3


@pytest.mark.parametrize("seed", range(60))
def test_it_agrees_with_an_enumeration_at_and_above_the_optimum(seed: int) -> None:
    """A prover that misses a plan certifies what is false, and one that invents one refutes what is true."""
    session, space = _tiny(seed)
    truth = solve(session, "exact", space=space)
    listed = cheapest(session, space)
    assert listed is None or (truth.value is not None and truth.value <= listed)
    if truth.value is None:
        assert truth.status is Status.INFEASIBLE
        assert find_better(session, space, None, NEVER).exhausted
        return
    counts = [sum(a.machines for a in module.allocations) for module in truth.plan.modules]
    assert truth.value == listed or max(counts) > MOST
    assert find_better(session, space, None, NEVER).plan is not None
    below = find_better(session, space, truth.value, NEVER)
    assert below.plan is None
    assert below.exhausted or truth.value == 0
    above = find_better(session, space, truth.value + max(truth.value, Fraction(1)) * LEAST, NEVER)
    assert above.plan is not None
    assert evaluate(session, above.plan, space).cost_per_h == truth.value


def test_machines_that_only_collect_faster_are_counted() -> None:
    """One machine takes 0.8 s and two take 0.6 s (docs/model/whole-machines.md): by share there is no such plan."""
    session = _single(10, "0.7", [(4, 1, "0.4")])
    assert find_better(session, WHOLE, Fraction(2), NEVER).exhausted
    assert find_better(session, WHOLE, Fraction(2) + LEAST, NEVER).plan is not None


def test_a_budget_just_longer_than_the_duration_takes_millions_of_machines() -> None:
    """4/(0.4000001 − 0.4) requests per second are what 4,000,000 machines take: they are not counted one by one."""
    session = _single(10, "0.4000001", [(4, 1, "0.4")], "0.5")
    assert find_better(session, WHOLE, Fraction(2_000_000), NEVER).exhausted
    assert find_better(session, WHOLE, Fraction(2_000_001), NEVER).plan is not None
    assert find_better(session, WHOLE, None, NEVER).plan is not None


def test_a_duration_as_long_as_the_slo_has_no_plan() -> None:
    """Latencies come as near to the duration as one likes, and never reach it."""
    found = find_better(_single(10, "0.4", [(4, 1, "0.4")]), WHOLE, None, NEVER)
    assert (found.plan, found.exhausted) == (None, True)


@pytest.mark.parametrize("rate", ["26.666666666666668", "26.666666666666664", "13.333333333333334", "40"])
def test_a_rate_that_is_a_rounded_multiple_of_a_throughput_is_taken_as_written(rate: str) -> None:
    """A hair more than two machines' rate takes a third one."""
    session = _single(rate, "0.75", [(4, 1, "0.3"), (1, 1, "0.3")])
    truth = solve(session, "exact", space=WHOLE).value
    assert truth is not None
    assert find_better(session, WHOLE, truth, NEVER).exhausted
    assert find_better(session, WHOLE, truth + LEAST, NEVER).plan is not None


@pytest.mark.parametrize("rate", ["39.9", "20", "0.001"])
def test_without_dummies_a_machine_that_is_not_full_is_charged_whole(rate: str) -> None:
    """As many machines as serve the rate, 40/3 requests per second each; one at 0.001 collects for 4000 s."""
    space = PlanSpace("rr", "none", charging="whole")
    session = _single(rate, "4000.3", [(4, 1, "0.3")], "0.7")
    least = math.ceil(Fraction(rate) / Fraction(40, 3)) * Fraction("0.7")
    assert find_better(session, space, least, NEVER).exhausted
    above = find_better(session, space, least + LEAST, NEVER)
    assert above.plan is not None
    assert evaluate(session, above.plan, space).cost_per_h == least


def test_without_dummies_a_rest_that_is_collected_too_late_leaves_no_plan() -> None:
    """One full machine leaves 0.1 requests per second, of which a batch of 4 takes 40 s."""
    space = PlanSpace("rr", "none", charging="whole")
    for slo, exhausted in (("40.3", True), ("40.4", False)):
        found = find_better(_single("10.1", slo, [(4, 1, "0.4")]), space, None, NEVER)
        assert (found.exhausted, found.plan is None) == (exhausted, exhausted)


RR = [PlanSpace("rr", rule, charging="whole") for rule in ("machine", "continuous")]


def test_a_machine_for_several_batches_that_is_nearly_full_takes_less_than_a_full_one() -> None:
    """It takes 0.4 s and a little more than 0.1 s, and 0.8 s full; nothing attains the sum."""
    profile = [(4, 4, "0.4")]
    machine, continuous = RR
    assert find_better(_single(5, "0.5", profile), continuous, None, NEVER).exhausted
    for slo in ("0.50000000001", "0.7"):
        session = _single(5, slo, profile)
        assert find_better(session, continuous, Fraction(1), NEVER).exhausted
        above = find_better(session, continuous, 1 + LEAST, NEVER)
        assert above.plan is not None
        assert evaluate(session, above.plan, continuous).feasible
        # Without dummies it takes 0.4 + 4/5 s, and with them it is full.
        assert find_better(session, machine, None, NEVER).exhausted
    assert find_better(_single(5, "0.8", profile), machine, 1 + LEAST, NEVER).plan is not None
    assert find_better(_single(32, "0.525", profile), machine, 1 + LEAST, NEVER).plan is not None


def test_next_to_a_machine_that_is_nearly_full_the_others_take_more_than_the_rest() -> None:
    """What serves exactly the rate with all machines full needs one machine more where one of them must not be."""
    session = _single(80, "0.8", [(4, 4, "0.4")])
    assert find_better(session, RR[1], Fraction(2), NEVER).exhausted
    assert find_better(session, RR[1], 2 + LEAST, NEVER).plan is not None
    # A second module's time leaves this one 0.75 s, in which no full machine is done; one alone takes less than 40.
    faster = _single(40, "0.75", [(4, 4, "0.4")])
    assert find_better(faster, RR[1], None, NEVER).exhausted
    assert find_better(_single("39.999", "0.75", [(4, 4, "0.4")]), RR[1], 1 + LEAST, NEVER).plan is not None
