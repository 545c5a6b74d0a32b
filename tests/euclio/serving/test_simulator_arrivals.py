"""How requests come."""

import numpy as np
import pytest

from euclio.core.errors import InputError
from euclio.serving.arrivals import arrival_chunks, arrivals_of
from euclio.serving.pipeline import Setup, load_trace

KINDS = ("uniform", "poisson", "bursty", "gamma", "trace")
ALL_KINDS = (*KINDS, "on-off")


def setup(kind, seconds=50.0, seed=1, **more):
    recorded = tuple(np.cumsum(np.random.default_rng(0).exponential(3.0, 400)).tolist())
    return Setup(arrivals=kind, seconds=seconds, seed=seed, trace_s=recorded if kind == "trace" else (), **more)


def dispersion(times, window_s):
    counts = np.histogram(times, np.arange(0, 50 + window_s, window_s) * 1e9)[0]
    return counts.var() / counts.mean()


@pytest.mark.parametrize("kind", KINDS)
def test_the_mean_rate_is_as_asked(kind):
    (times,) = arrivals_of(setup(kind), [400.0])
    assert len(times) == pytest.approx(20000, rel=0.06)


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_arrivals_ascend_within_the_time(kind):
    (times,) = arrivals_of(setup(kind), [400.0])
    assert times[0] >= 0
    assert times[-1] < 50e9
    assert (np.diff(times) >= 0).all()


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_the_same_seed_gives_the_same_arrivals(kind):
    assert np.array_equal(arrivals_of(setup(kind), [400.0])[0], arrivals_of(setup(kind), [400.0])[0])


@pytest.mark.parametrize("kind", ALL_KINDS[1:])
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


@pytest.mark.fifth("most")
@pytest.mark.parametrize("kind", ALL_KINDS)
@pytest.mark.parametrize("most", [1, 7, 1000])
def test_pieces_of_every_size_are_the_same_arrivals(kind, most):
    asked = setup(kind, seconds=3.0)
    (whole,) = arrivals_of(asked, [400.0])
    (pieces,) = arrival_chunks(asked, [400.0], most)
    pieces = list(pieces)
    assert max(map(len, pieces)) <= most
    assert np.array_equal(np.concatenate(pieces), whole)


# Those at random are of the version that drew all at once; of the uniform ones, k comes at k · 2.5 ms exactly.
@pytest.mark.parametrize(
    ("kind", "count", "last", "total"),
    [
        ("uniform", 20000, 49997500000, 499975000000000),
        ("poisson", 19970, 49995952415, 499127845883117),
        ("bursty", 19989, 49999551297, 502904009509505),
        ("trace", 19998, 49998552654, 500041257658644),
    ],
)
def test_arrivals_are_those_that_were_drawn_at_once(kind, count, last, total):
    (times,) = arrivals_of(setup(kind), [400.0])
    assert (times.size, times[-1], times.sum()) == (count, last, total)


def test_gamma_gaps_vary_as_asked():
    (times,) = arrivals_of(setup("gamma", cv=3.0, seconds=500.0), [1000.0])
    gaps = np.diff(times)
    assert gaps.std() / gaps.mean() == pytest.approx(3, rel=0.03)
    assert times.size == pytest.approx(500_000, rel=0.02)


def test_a_poisson_process_that_is_switched_keeps_its_mean_rate_and_is_silent_between_bursts():
    (times,) = arrivals_of(setup("on-off", on_s=0.2, off_s=0.6, seconds=2000.0), [100.0])
    assert times.size == pytest.approx(200_000, rel=0.03)
    silence = np.diff(times)
    # Within a burst the rate is 400: a gap of 50 ms is silence, and ends as exponential phases of 0.6 s do.
    silence = silence[silence > 50e6]
    assert silence.size == pytest.approx(2000 / 0.8, rel=0.1)
    assert silence.mean() == pytest.approx(0.6e9, rel=0.12)


@pytest.mark.parametrize(("field", "value"), [("cv", 0), ("cv", 1e9), ("on_s", 0), ("off_s", float("nan"))])
def test_a_process_that_cannot_be_drawn_is_refused_in_one_line(field, value):
    with pytest.raises(InputError, match=f"^{field}: is {value}; it must be a number"):
        setup("gamma", **{field: value})


def test_a_setup_says_what_its_process_needs():
    assert setup("gamma", cv=3.0).describe()["cv"] == 3.0
    assert "cv" not in setup("poisson").describe()
    assert setup("on-off").describe()["off_s"] == 1.0


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


def test_json_lines_are_read_by_their_first_field(tmp_path):
    """The first object was taken for a header, and the second for no timestamp."""
    path = tmp_path / "trace.jsonl"
    path.write_text('{"timestamp": 40, "tokens": 7}\n\n{"timestamp": 0}\n{"timestamp": 1.5}\n')
    assert load_trace(path) == (0.0, 1.5, 40.0)


def test_a_column_that_counts_rows_is_doubted(tmp_path, capsys):
    """Its arrivals would come evenly, whatever the times in another column say."""
    path = tmp_path / "trace.csv"
    path.write_text("id,time\n" + "".join(f"{k},{k * k}\n" for k in range(30)))
    load_trace(path)
    assert "the first column counts by one, as rows do; it has to hold the times" in capsys.readouterr().err


def test_the_unit_of_a_trace_does_not_matter(tmp_path):
    """Arrivals follow a trace at the pace of the rate, so milliseconds that are read as seconds change nothing."""
    seconds = [0.0, 0.25, 0.5, 2.0, 7.0]
    traces = [tuple(1000 * one for one in seconds), tuple(seconds)]
    first, second = (arrivals_of(Setup(arrivals="trace", seconds=50, trace_s=one), [3.0])[0] for one in traces)
    assert np.array_equal(first, second)


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


def test_rare_requests_in_short_bursts_take_no_memory_for_bursts_that_are_never_asked_for():
    """A piece of 100 requests lasts 1e11 s here, and 5e12 bursts; of these 5e4 are within the 1000 s."""
    (times,) = arrivals_of(setup("on-off", on_s=0.01, off_s=0.01, seconds=1000.0), [1e-9])
    assert times.size == 0


def test_bursts_are_the_same_however_many_are_drawn_at_once():
    """Phases are drawn one after the other, so that more of them at a time are no others."""
    given = setup("on-off", on_s=0.05, off_s=0.2, seconds=400.0)
    (whole,) = arrivals_of(given, [30.0])
    pieces = np.concatenate(list(arrival_chunks(given, [30.0], most=7)[0]))
    assert whole.tolist() == pieces.tolist()
