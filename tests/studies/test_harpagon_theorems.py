from fractions import Fraction

import pytest

from euclio.problems.session import Configuration, Hardware, Module, Session, evaluate
from studies.harpagon.theorems import (
    cheapest_obeying,
    counterexample_text,
    find_counterexample,
    replay,
    replay_text,
)


def test_replay_of_m3_on_five_machines() -> None:
    """198 req/s in batches of 32 to five machines in turn: 0.8 + 32/198 s, 198/40 = 4.95 machines' worth of work."""
    worst, machines = replay(198, 5, 32, Fraction("0.8"), 198 * 60)
    assert worst == Fraction("0.8") + Fraction(32, 198)
    assert machines == Fraction("4.95")


def test_replay_with_too_few_machines_queues() -> None:
    worst, _ = replay(198, 4, 32, Fraction("0.8"), 198 * 60)
    assert worst > 1


def test_replay_is_printed_in_ten_lines() -> None:
    assert len(replay_text().splitlines()) == 10


def test_cheapest_obeying_plan_of_m3() -> None:
    """Table II's S4, five machines at batch 32 with 2 req/s of dummies, obeys Theorem 2 and costs 5."""
    profile = [Configuration("m", b, 1, d) for b, d in ((2, "0.1"), (8, "0.25"), (32, "0.8"))]
    session = Session("m3", 1, [Hardware("m", 1)], [Module("m3", 198, profile)])
    assert cheapest_obeying(session) == 5


@pytest.mark.parametrize("seed", [1, 2])
def test_counterexample_is_accepted_and_beats_every_obeying_plan(seed: int) -> None:
    """The finding that Theorem 2 excludes optima stands on plans that the checker accepts."""
    found = find_counterexample(seed)
    checked = evaluate(found.session, found.plan)
    assert checked.feasible
    assert checked.cost_per_h is not None
    assert found.leftover_rps >= found.plan.modules[0].allocations[found.at].configuration.throughput_rps
    assert found.obeying_cost_per_h is None or checked.cost_per_h < found.obeying_cost_per_h
    assert "accepted by the checker" in counterexample_text(found)
