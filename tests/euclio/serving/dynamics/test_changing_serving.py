"""Machines that come, change, go and fail while the simulator runs."""

from __future__ import annotations

from fractions import Fraction

import pytest

from euclio.serving.dynamics.rules import Expecting, Machine
from euclio.serving.dynamics.simulator import ChangingSimulator, Placed
from euclio.serving.dynamics.world import Complexity, draw_world
from euclio.serving.session.setup import Dispatch
from euclio.serving.session.targets import DEALINGS
from euclio.serving.units import NS_PER_S

ONE = Fraction(1)


@pytest.fixture
def world():
    """One client of pose (OpenPose, a CPU module, an action model) within 40 s."""
    return draw_world("pose", 1, clients=1, seconds=40, complexity=Complexity(10.0, 0.0))


def placed(world, worker, module, batch=1, hardware=None, capacity=ONE):
    """A machine of a module on a worker."""
    profile = world.application.application.modules[module].profile
    c = next(c for c in profile if (c.batch, c.concurrency) == (batch, 1) and hardware in (None, c.hardware))
    return Placed(worker, c.hardware, Machine(module, c, c.throughput_rps, ONE, NS_PER_S // 10, worker), capacity)


def serving(world, expecting=Expecting.NOTHING):
    return ChangingSimulator(world, DEALINGS[Dispatch.REQUESTS], expecting, ONE, NS_PER_S)


def all_three(world):
    return [placed(world, 0, 0, hardware="V100"), placed(world, 1, 1), placed(world, 2, 2)]


def answered(own):
    """Frames that came and frames that were answered in time."""
    came, in_time = own.finish().sum(axis=0)
    return int(came), int(in_time)


def test_machines_serve_what_comes(world):
    own = serving(world)
    own.use(all_three(world), 0)
    came, in_time = answered(own)
    assert came == world.arrival_ns.size
    assert in_time > 0.9 * came
    assert own.counted().ended.tolist() == world.counts.sum(axis=0).tolist()


def test_a_module_without_machines_keeps_what_comes_until_it_has_one(world):
    own = serving(world)
    own.advance(20 * NS_PER_S, [1.0] * 3)
    before = own.counted()
    assert before.ready[0] == (world.arrival_ns < 20 * NS_PER_S).sum()
    assert before.ended.sum() == 0
    own.use(all_three(world), 20 * NS_PER_S)
    came, in_time = answered(own)
    assert own.counted().ended.tolist() == world.counts.sum(axis=0).tolist()
    assert 0 < in_time < came


def test_a_machine_that_leaves_executes_what_it_has(world):
    own = serving(world)
    own.use(all_three(world), 0)
    own.advance(20 * NS_PER_S, [1.0] * 3)
    ready = own.counted().ready[0]
    own.use(all_three(world)[1:], 20 * NS_PER_S)
    own.advance(25 * NS_PER_S, [1.0] * 3)
    # Nothing that was dealt out is lost, and nothing that came later is begun.
    assert own.counted().ended[0] == ready
    assert own.counted().ready[0] > ready
    assert own.counted().dropped.sum() == 0


def test_a_machine_that_stays_with_another_configuration_keeps_its_queue(world):
    own = serving(world)
    own.use(all_three(world), 0)
    for second in range(1, 40):
        own.advance(second * NS_PER_S, [1.0] * 3)
        batch = 1 + second % 2
        own.use([placed(world, 0, 0, batch, "V100"), *all_three(world)[1:]], second * NS_PER_S)
    answered(own)
    assert own.counted().ended.tolist() == world.counts.sum(axis=0).tolist()


def test_what_a_failed_worker_has_is_lost(world):
    own = serving(world)
    own.use(all_three(world), 0)
    when = int(world.arrival_ns[world.arrival_ns.size // 2]) + 1
    own.advance(when, [1.0] * 3)
    own.fail(0, when)
    own.use([placed(world, 3, 0, hardware="V100"), *all_three(world)[1:]], when)
    answered(own)
    counted = own.counted()
    assert counted.dropped[0] >= 1
    assert counted.ended[0] + counted.dropped[0] == world.arrival_ns.size


def test_executions_take_as_much_longer_as_is_said(world):
    own = serving(world)
    own.use(all_three(world), 0)
    own.advance(40 * NS_PER_S, [1.5, 1.0, 1.0])
    counted = own.counted()
    assert counted.worked[0] / counted.expected[0] == pytest.approx(1.5, rel=1e-3)
    assert counted.worked[2] == counted.expected[2]


def test_machines_that_share_a_worker_have_their_part_of_it(world):
    alone, shared = serving(world), serving(world)
    alone.use(all_three(world), 0)
    # OpenPose takes 38 ms on V100 at batch 1: a fifth of a worker is too little for its frames.
    shared.use([placed(world, 0, 0, hardware="V100", capacity=Fraction(1, 5)), *all_three(world)[1:]], 0)
    assert answered(shared)[1] < answered(alone)[1]


@pytest.mark.parametrize("expecting", [Expecting.LEAST, Expecting.EXECUTION, Expecting.WORST_CASE, Expecting.NOTHING])
def test_hopeless_frames_are_dropped_unless_nothing_is(world, expecting):
    own = serving(world, expecting)
    # It takes 57 ms on P100: a third of a worker is too little for its frames.
    own.use([placed(world, 0, 0, hardware="P100", capacity=Fraction(1, 3)), *all_three(world)[1:]], 0)
    answered(own)
    assert bool(own.counted().dropped.sum()) == (expecting is not Expecting.NOTHING)
