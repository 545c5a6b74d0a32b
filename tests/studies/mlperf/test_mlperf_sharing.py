"""Streams that slow each other only while several are busy: by hand, and against the simulator of sessions."""

import math

import numpy as np
import pytest

from studies.mlperf.inputs import cases
from studies.mlperf.rules import CONFIGURED
from studies.mlperf.serving import machine_of
from studies.mlperf.sharing import Streams

MS = 10**6


def served(streams: Streams, arrivals_ms: list[float], timeout_s: float = 0.0) -> list[float]:
    found, _ = streams.latencies_ns(np.array([round(MS * one) for one in arrivals_ms]), timeout_s, 0)
    return [latency / MS for latency in found]


def two(*, share: float = 1.0, number: int = 2, ahead: int = 0) -> Streams:
    return Streams(number, (0.010,), (share,), True, 0.0, ahead)


def test_one_batch_alone_is_not_slowed() -> None:
    """Two streams, one request at a time: each takes 10 ms, where streams that always share would take 20."""
    assert served(two(), [0, 50]) == pytest.approx([10, 10])


def test_two_batches_take_twice_as_long_while_both_are_busy() -> None:
    """They come at 0 and 4 ms and take 10 alone.

    The first runs alone for 4 ms, then both at half speed: it has 6 left and ends at 4 + 12 = 16. By then the second
    has had 6 of 10, and ends 4 ms later, alone again, at 20: 16 after it came.
    """
    assert served(two(), [0, 4]) == pytest.approx([16, 16])


def test_what_batches_leave_idle_slows_nobody() -> None:
    """Two batches that use half the machine each take 10 ms; of 0.8 each, 1.6 times as long while both are busy."""
    assert served(two(share=0.5), [0, 4]) == pytest.approx([10, 10])
    assert served(two(share=0.8), [0, 0]) == pytest.approx([16, 16])


def test_a_batch_waits_for_its_timeout_or_until_it_is_full() -> None:
    pair = Streams(1, (0.010, 0.012), (1.0, 1.0), True, 0.0)
    assert served(pair, [0], 0.005) == pytest.approx([15])
    assert served(pair, [0, 3], 0.005) == pytest.approx([15, 12])
    assert served(pair, [0, 3], math.inf) == pytest.approx([15, 12])
    assert served(pair, [0], math.inf) == pytest.approx([10])


def test_a_batch_that_is_formed_ahead_is_not_joined() -> None:
    """The second request is formed while the first is executed; the third, which came before that ended, is alone."""
    batch = (0.010, 0.010)
    assert served(Streams(1, batch, (1.0, 1.0), True, 0.0), [0, 1, 2]) == pytest.approx([10, 19, 18])
    assert served(Streams(1, batch, (1.0, 1.0), True, 0.0, 1), [0, 1, 2]) == pytest.approx([10, 19, 28])


@pytest.mark.parametrize("name", ["resnet50 on A100 1g.10gb, TensorRT v2.1", "bert-99 on A30 1g.6gb, TensorRT v2.0"])
def test_one_stream_is_what_the_simulator_of_sessions_gives(name: str) -> None:
    """The same arrivals, time-outs and durations, without variation: equal to the width of that one's bins."""
    (case,) = [one for one in cases() if one.name == name]
    machine = machine_of(case, CONFIGURED, 0.02)
    durations = tuple(float(c.duration_s) for c in machine.session.modules[0].profile)
    still = type(machine)(machine.session, machine.plan, machine.timeout_s, 0.0, machine.length)
    own = Streams(1, durations, (1.0,) * len(durations), True, 0.0)
    shared = type(machine)(machine.session, machine.plan, machine.timeout_s, 0.0, machine.length, own)
    for load in (0.3, 0.8):
        expected, found = (one.under(load * case.submitted_rps, 3) for one in (still, shared))
        assert found == pytest.approx(expected, rel=1.1e-3)


def test_the_same_seed_gives_the_same_latencies() -> None:
    varying = Streams(2, (0.010,), (1.0,), True, 0.3)
    arrivals = np.arange(0, 200) * 7 * MS
    first, again, other = (varying.latencies_ns(arrivals, 0.0, seed)[0] for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
