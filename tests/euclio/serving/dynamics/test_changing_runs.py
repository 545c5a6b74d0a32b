"""Whole runs: worlds served by coordinators, on the simulator of sessions."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from euclio.core.errors import InputError
from euclio.serving.dynamics.__main__ import main
from euclio.serving.dynamics.rules import SCROOGE, Expecting, Planner, nexus
from euclio.serving.dynamics.run import run
from euclio.serving.dynamics.world import Complexity, draw_world
from euclio.serving.units import NS_PER_S

# Not in the quick tier: minutes of a changing world.
pytestmark = pytest.mark.slow

SECONDS = 120
PROMPT = replace(SCROOGE, planner=Planner("scrooge-greedy"))
"""A planner that takes a millisecond."""
STEADY = Complexity(10.0, 0.0)
"""Input complexity that does not vary."""


@pytest.fixture(scope="module")
def face():
    return draw_world("face", 1, seconds=SECONDS)


@pytest.fixture(scope="module")
def record(face):
    return run(face, PROMPT)


def test_every_frame_is_counted_in_the_second_in_which_it_comes(face, record):
    seconds = np.bincount(face.arrival_ns // NS_PER_S, minlength=SECONDS)
    assert np.array_equal(record.frames[:, 0], seconds)
    assert np.all(record.frames[:, 1] <= record.frames[:, 0])
    assert np.array_equal(record.invocations.sum(axis=0), face.counts.sum(axis=0))


def test_most_frames_are_answered_in_time(record):
    assert record.finish_rate > 0.7
    assert record.unplanned == 0


def test_what_is_rented_costs_more_than_what_is_used_and_that_more_than_shares(record):
    assert record.cost > record.used_cost > record.planned_cost > 0
    hours = sum((r.off_ns - r.on_ns) * record.prices_per_h[r.hardware] for r in record.rentals) / NS_PER_S / 3600
    assert record.cost == pytest.approx(hours)


def test_the_same_arguments_give_the_same_run(face, record):
    again = run(face, PROMPT)
    assert again.describe() == record.describe()
    assert np.array_equal(again.frames, record.frames)


def test_a_steady_load_is_allocated_for_once_per_client_that_comes_or_goes():
    world = draw_world("face", 1, clients=2, seconds=60, complexity=STEADY)
    record = run(world, replace(PROMPT, change=Fraction(1, 2)))
    # Once at the beginning, once per client that comes or goes, and once when its scaling factor is first seen.
    assert record.allocations <= 1 + 4 + 4
    assert np.nanmin(record.finish_rates[40:50]) > 0.9


def test_warming_up_loses_frames(face, record):
    ready = run(face, replace(PROMPT, warm_up_s=Fraction(0)))
    assert ready.finish_rate > record.finish_rate
    assert ready.frames[:, 1].sum() > record.frames[:, 1].sum()


def test_without_a_turn_off_delay_more_workers_are_started_and_less_is_paid(face, record):
    at_once = run(face, replace(PROMPT, turn_off_s=Fraction(0)))
    assert len(at_once.rentals) >= len(record.rentals)
    assert at_once.cost < record.cost
    # Workers that are not in use are given back at once, but for those that load.
    assert at_once.cost == pytest.approx(at_once.used_cost, rel=1e-9)


def test_a_worker_that_fails_is_replaced(face, record):
    failed = run(face, replace(PROMPT, failures_ns=(60 * NS_PER_S, 61 * NS_PER_S)))
    assert failed.frames[:, 1].sum() < record.frames[:, 1].sum()
    assert failed.finish_rates[-20:-10].mean() > 0.8


def test_dropping_keeps_an_overloaded_session_going(face):
    late = run(face, replace(nexus(1), expecting=Expecting.NOTHING))
    dropped = run(face, replace(nexus(1), expecting=Expecting.WORST_CASE))
    assert dropped.finish_rate > late.finish_rate


def test_front_ends_that_are_too_few_are_the_bottleneck(face):
    rates = [run(face, nexus(front_ends)).finish_rate for front_ends in (1, 3, 6)]
    assert rates[0] < rates[1] < rates[2]


def test_front_ends_that_come_first_keep_what_they_lose_from_the_detector(face):
    first = run(face, replace(nexus(1), front_ends_first=True))
    assert first.used_cost < run(face, nexus(1)).used_cost
    own = face.with_first([1])
    parents = {module.name: module.parents for module in own.application.application.modules}
    assert parents == {"crop": (), "detector": ("crop",), "keypoints": ("detector",)}
    assert own.session.order == (1, 0, 2)


def test_front_ends_are_paid_from_begin_to_end(face):
    record = run(face, nexus(6))
    own = [rental for rental in record.rentals if rental.hardware == "CPU"]
    assert [(rental.on_ns, rental.off_ns) for rental in own] == [(0, SECONDS * NS_PER_S)] * 6


def test_no_more_workers_are_on_than_there_are(face):
    record = run(face, replace(PROMPT, limits={"P100": 1, "V100": 1}))
    for hardware in ("P100", "V100"):
        times = sorted(
            change
            for rental in record.rentals
            if rental.hardware == hardware
            for change in ((rental.on_ns, 1), (rental.off_ns, -1))
        )
        assert np.max(np.cumsum([change for _, change in times]), initial=0) <= 1
    assert record.sold_out > 0


def test_ballooning_is_followed():
    world = draw_world("audio", 1, seconds=80)
    followed = run(world, PROMPT)
    assert followed.finish_rate > 0.7


def test_any_planner_may_serve_and_unknown_ones_are_refused(face):
    assert run(face, replace(SCROOGE, planner=Planner("harpagon"))).finish_rate > 0.7
    with pytest.raises(InputError, match="no-such-planner"):
        run(face, replace(SCROOGE, planner=Planner("no-such-planner")))


@pytest.fixture(scope="module")
def caption():
    return draw_world("caption", 1, clients=6, seconds=SECONDS)


def test_state_is_charged_by_move_and_less_of_it_moves_where_it_is_weighed(caption):
    """S2VT takes a machine for each frame and a half per second, so that machines come and go all the time."""
    state = {"text": Fraction("0.05")}
    careless = replace(SCROOGE, planner=Planner("exact"), state=state)
    passing, weighed = (run(caption, replace(careless, kept_s=kept)) for kept in (None, Fraction(20)))
    assert passing.state_moves > 2 * weighed.state_moves > 0
    assert passing.state_cost == passing.state_moves * state["text"]
    assert weighed.cost + weighed.state_cost < passing.cost + passing.state_cost
    # Charged or not, what is not weighed changes nothing.
    assert (
        replace(passing, state_moves=0, state_cost=Fraction(0)).describe()
        == run(caption, replace(careless, state={})).describe()
    )


def test_what_a_failed_worker_held_is_moved_too(caption):
    """The worker of a whole machine of S2VT fails; whoever serves in its place gets the state."""
    rules = replace(SCROOGE, planner=Planner("exact"), state={"text": Fraction(1)}, kept_s=Fraction(10**6))
    at = (SECONDS // 2) * NS_PER_S
    assert run(caption, replace(rules, failures_ns=(at,))).state_moves > run(caption, rules).state_moves


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"state": {"nobody": Fraction(1)}}, "unknown module 'nobody'; known: features, order, text"),
        ({"state": {"text": Fraction(1)}, "kept_s": Fraction(0)}, "give the seconds"),
        ({"state": {"text": Fraction(1)}, "kept_s": Fraction(1), "planner": Planner("harpagon")}, "exact"),
    ],
)
def test_state_that_cannot_be_weighed_is_refused(caption, changed, said):
    with pytest.raises(InputError, match=said):
        run(caption, replace(SCROOGE, **changed))


def test_the_command_writes_the_same_bytes_twice(tmp_path, capsys):
    for name in ("a", "b"):
        asked = ["--application", "face", "--planners", "scrooge-greedy", "--nexus", "2", "--seconds", "40"]
        main([*asked, "--fail", "20", "--out", str(tmp_path / name)])
    for name in ("dynamics.json", "dynamics.md", "dynamics.svg"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    found = json.loads((tmp_path / "a" / "dynamics.json").read_text())
    assert [row["run"] for row in found["rows"]] == ["scrooge-greedy", "nexus, 2 front-ends"]
    assert str(tmp_path / "a") in capsys.readouterr().out


REFUSED = (["--planners", "none-such"], ["--warm-up", "-1"], ["--application", "weather"], ["--state-price", "no=1"])


@pytest.mark.parametrize("asked", REFUSED)
def test_the_command_refuses_what_it_cannot_do(asked, capsys):
    with pytest.raises(SystemExit) as ended:
        main(asked)
    assert ended.value.code == 2
    assert "error" in capsys.readouterr().err
