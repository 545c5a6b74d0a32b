"""How requests come."""

import numpy as np
import pytest

from euclio.core.errors import InputError
from euclio.pipeline.simulation import Setup, load_trace
from euclio.simulation.arrivals import arrivals_of

KINDS = ("uniform", "poisson", "bursty", "trace")


def setup(kind, seconds=50.0, seed=1):
    recorded = tuple(np.cumsum(np.random.default_rng(0).exponential(3.0, 400)).tolist())
    return Setup(arrivals=kind, seconds=seconds, seed=seed, trace_s=recorded if kind == "trace" else ())


def dispersion(times, window_s):
    counts = np.histogram(times, np.arange(0, 50 + window_s, window_s) * 1e9)[0]
    return counts.var() / counts.mean()


@pytest.mark.parametrize("kind", KINDS)
def test_the_mean_rate_is_as_asked(kind):
    (times,) = arrivals_of(setup(kind), [400.0])
    assert len(times) == pytest.approx(20000, rel=0.06)


@pytest.mark.parametrize("kind", KINDS)
def test_arrivals_ascend_within_the_time(kind):
    (times,) = arrivals_of(setup(kind), [400.0])
    assert times[0] >= 0
    assert times[-1] < 50e9
    assert (np.diff(times) >= 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_arrivals(kind):
    assert np.array_equal(arrivals_of(setup(kind), [400.0])[0], arrivals_of(setup(kind), [400.0])[0])


@pytest.mark.parametrize("kind", KINDS[1:])
def test_models_have_streams_of_their_own(kind):
    one, other = arrivals_of(setup(kind), [400.0, 400.0])
    assert not np.array_equal(one[:100], other[:100])


def test_uniform_arrivals_are_evenly_spaced():
    (times,) = arrivals_of(setup("uniform", seconds=1), [4.0])
    assert times.tolist() == [0, 250_000_000, 500_000_000, 750_000_000]


def test_poisson_counts_have_a_dispersion_of_one():
    (times,) = arrivals_of(setup("poisson"), [1000.0])
    assert dispersion(times, 0.1) == pytest.approx(1, abs=0.2)


def test_bursty_counts_have_a_larger_dispersion():
    (times,) = arrivals_of(setup("bursty"), [1000.0])
    assert dispersion(times, 0.1) > 2.5


def test_a_model_without_load_has_no_requests():
    idle, _ = arrivals_of(setup("poisson"), [0.0, 5.0])
    assert len(idle) == 0


def test_dates_are_read_as_seconds(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text("TIMESTAMP,Tokens\n2023-11-16 18:17:03.9799600,3\n2023-11-16 18:17:04.0319600,5\n")
    first, second = load_trace(path)
    assert second - first == pytest.approx(0.052, abs=1e-6)


def test_numbers_are_read_in_order(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text("3.5\n1\n\n2\n")
    assert load_trace(path) == (1.0, 2.0, 3.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\nsoon\n", "line 2: 'soon' is no timestamp"),
        ("time\n1\n", "has 1 timestamps; give 2 to"),
        ("1\n1\n", "not all the same"),
        ("1\nnan\n", "line 2: 'nan' is no timestamp"),
    ],
)
def test_a_wrong_trace_is_refused_in_one_line(tmp_path, text, message):
    path = tmp_path / "trace.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        load_trace(path)
