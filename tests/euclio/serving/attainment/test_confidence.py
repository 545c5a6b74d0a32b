"""Bounds on an attainment hold as often as they say, however late requests come together."""

import numpy as np
import pytest
from scipy import stats

from euclio.serving.attainment.confidence import FEWEST_BLOCKS, estimate, goes_on, memory
from euclio.serving.attainment.long_run import AT_SLO, LEVELS, Latencies
from euclio.serving.attainment.trials import part_of_error

WINDOWS = 1024


def found(late, arrived=1000):
    """Windows with so many late requests; requests come closer to the SLO where others are late."""
    late = np.asarray(late)
    below = [np.minimum(arrived, late * (AT_SLO - k + 1)) for k in range(AT_SLO)]
    return Latencies(np.full(len(late), arrived), np.array([*below, *[late] * (len(LEVELS) - AT_SLO)]))


def clusters(stream, mean, size, windows=WINDOWS):
    """Late requests by window: a Poisson number of clusters of random size, each over some windows."""
    late = np.zeros(windows)
    for first in stream.integers(0, windows, stream.poisson(mean)):
        length = 1 + stream.geometric(0.25)
        late[first : first + length] += size(stream) / length
    return np.minimum(np.round(late), 1000).astype(int)


SIZES = {
    "alike": (lambda stream: 200.0, 200.0),
    "exponential": (lambda stream: stream.exponential(200), 200.0),
    "lognormal": (lambda stream: 200 * np.exp(stream.normal() - 0.5), 200.0),
}


@pytest.mark.fifth("mean")
@pytest.mark.parametrize("kind", SIZES)
@pytest.mark.parametrize("mean", [3, 10, 30, 100])
def test_the_bound_holds_as_often_as_it_says_where_few_clusters_have_all_that_is_late(kind, mean):
    """Student's bound of 20 parts holds 63 to 79 times in 100 with three clusters, 80 to 90 with ten."""
    stream = np.random.default_rng(7)
    size, average = SIZES[kind]
    true = 1 - mean * average / (WINDOWS * 1000)
    held = sum(estimate(found(clusters(stream, mean, size)), 0.95).lower <= true for _ in range(200))
    # With 95 % a run of 200 has fewer than 175 once in 100,000.
    assert held >= 175


def test_many_clusters_make_the_bound_tight():
    stream = np.random.default_rng(3)
    true = 300 * 200 / (WINDOWS * 1000)
    bounds = [estimate(found(clusters(stream, 300, SIZES["exponential"][0])), 0.95).lower for _ in range(20)]
    assert 1.0 < (1 - np.median(bounds)) / true < 1.5


@pytest.mark.slow
def test_a_bound_comes_closer_as_one_over_the_root_of_the_length():
    """Sixteen times as long, the bound is about a quarter as far from the share, and no more than a third."""
    stream, size = np.random.default_rng(5), SIZES["exponential"][0]

    def apart(times):
        answers = [estimate(found(clusters(stream, 100 * times, size, times * WINDOWS)), 0.975) for _ in range(12)]
        return np.median([answer.share - answer.lower for answer in answers])

    assert apart(16) < apart(1) / 3


@pytest.mark.slow
@pytest.mark.parametrize("kind", SIZES)
@pytest.mark.parametrize("mean", [12, 60])
def test_looks_at_longer_and_longer_runs_are_wrong_no_more_often_than_they_say(kind, mean):
    """Looking until the bound is at the true share itself: the worst that stopping by what is seen can do."""
    stream, size, average = np.random.default_rng(11), *SIZES[kind]
    true, looks, wrong = 1 - mean * average / (WINDOWS * 1000), 4, 0
    for _ in range(120):
        longest = clusters(stream, mean * 2 ** (looks - 1), size, WINDOWS * 2 ** (looks - 1))
        runs = (found(longest[: WINDOWS * 2**look]) for look in range(looks))
        wrong += any(estimate(run, part_of_error(0, 1, look, looks)).lower > true for look, run in enumerate(runs))
    # With 2.5 % a row of 120 has more than 10 once in 5,000.
    assert wrong <= 10


def test_it_is_likely_to_be_no_more_than_the_upper_bound():
    """Nine times in ten the true share is at most that, so that a run gives up a plan that holds one time in ten."""
    stream = np.random.default_rng(13)
    true = 1 - 60 * 200 / (WINDOWS * 1000)
    answers = [estimate(found(clusters(stream, 60, SIZES["exponential"][0])), 0.95) for _ in range(100)]
    assert sum(answer.upper >= true for answer in answers) >= 80
    assert all(answer.lower <= answer.share <= answer.upper for answer in answers)


def test_windows_alike_are_bounded_as_poisson_counts_are():
    """One window in eight has one late request: 128 of them, each a cluster by itself."""
    late = np.zeros(WINDOWS, int)
    late[np.random.default_rng(0).permutation(WINDOWS)[:128]] = 1
    answer = estimate(found(late), 0.95)
    poisson = stats.gamma.ppf(0.95, 129) / (WINDOWS * 1000)
    assert 1 - answer.lower == pytest.approx(poisson, rel=0.35)
    assert answer.share == 1 - 128 / (WINDOWS * 1000)


def test_without_anything_late_the_largest_cluster_that_nearly_was_decides():
    """Rule of three: if clusters of 50 requests nearly were late, ln 20 * 50 of all may be."""
    nothing = found(np.zeros(WINDOWS, int))
    near = np.zeros((len(LEVELS), WINDOWS), int)
    near[:AT_SLO, ::64] = 50
    answer = estimate(Latencies(nothing.arrived, near), 0.95)
    assert answer.share == 1.0
    assert np.log(20) * 50 * (1 - 1e-9) <= (1 - answer.lower) * WINDOWS * 1000 <= np.log(20) * 50 * 4


def test_what_never_forgets_is_no_evidence():
    """A queue at full use is a random walk: there is no share that it keeps, however long it is looked at."""
    said = 0
    for seed in range(40):
        walk = np.abs(np.cumsum(np.random.default_rng(seed).normal(size=WINDOWS)))
        late = np.clip(40 * (walk - 10), 0, 1000).astype(int)
        said += estimate(found(late), 0.95).lower > 0.5
    assert said <= 2


def test_memory_is_that_of_the_process():
    """An autoregressive process of order one with coefficient r has the time (1 + r) / (1 - r): 19 for 0.9."""
    stream, times = np.random.default_rng(1), []
    for _ in range(20):
        value, late = 0.0, []
        for noise in stream.normal(size=4 * WINDOWS):
            value = 0.9 * value + noise
            late.append(round(300 + 40 * value))
        times.append(memory(found(late)))
    assert np.mean(times) == pytest.approx(19, rel=0.2)


def test_too_few_blocks_say_nothing():
    late = np.repeat([0, 200], WINDOWS // 2)
    answer = estimate(found(late), 0.95)
    assert answer.blocks < FEWEST_BLOCKS
    assert (answer.share, answer.lower) == (0.9, 0.0)


def test_where_nothing_is_random_a_slow_drift_that_makes_no_difference_is_none():
    """Latencies that rise within the SLO and fall again, once in the whole simulation."""
    slower = np.zeros((len(LEVELS), WINDOWS), int)
    slower[:10] = np.where(np.arange(WINDOWS) % 512 < 256, 1000, 0)
    still = Latencies(np.full(WINDOWS, 1000), slower)
    assert estimate(still, 0.95).lower == 0.0
    assert goes_on(still, 0.95).lower == pytest.approx(1 - np.log(20) / (WINDOWS * 1000))


def test_where_nothing_is_random_a_queue_that_grows_says_nothing():
    growing = found(np.clip(np.arange(WINDOWS) - 900, 0, 1000))
    assert goes_on(growing, 0.95).lower == 0.0


@pytest.mark.parametrize("bounded", [estimate, goes_on])
def test_without_requests_nothing_is_said(bounded):
    nothing = np.zeros(WINDOWS, int)
    assert bounded(Latencies(nothing, np.zeros((len(LEVELS), WINDOWS), int)), 0.95).lower == 0.0
