"""Loads from outside: rates in other units, counts, and logs of requests; units are said, and never guessed."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from places import ROOT

import euclio
from euclio.core.errors import InputError
from euclio.core.solving import solve
from euclio.problems.day import Day
from euclio.problems.day.load import read_load
from euclio.problems.day.load_units import Said
from euclio.problems.session import Configuration, Hardware, Module, Session

PROFILE = [Configuration("h", 1, 1, "0.1")]
SESSION = Session("two", 1, [Hardware("h", 1)], [Module("a", 10, PROFILE), Module("b", 20, PROFILE)], [("a", "b")])
TRACES = ROOT.parent / "shared" / "data" / "traces"


@pytest.fixture
def load(tmp_path):
    def read(text: str, unit: str | None = None, step: int | str | None = None, column: str | None = None):
        (tmp_path / "load.csv").write_text(text)
        return read_load(tmp_path / "load.csv", SESSION, Said(unit, None if step is None else Fraction(step), column))

    return read


@pytest.mark.parametrize(
    ("unit", "first"),
    [
        ("requests-per-second", 120),
        ("requests-per-minute", 2),
        ("requests-per-hour", Fraction(1, 30)),
        ("requests-per-step", Fraction(1, 5)),
    ],
)
def test_rates_are_turned_into_those_of_a_second(load, unit, first):
    """The second step is as long as the first one, 600 s; a step without requests stays one."""
    steps = load("time_s,req\n0,120\n600,0\n", unit)
    assert [(step.length_s, step.rates_rps) for step in steps] == [(600, (first, 2 * first)), (600, (0, 0))]


def test_dates_say_when_steps_begin(load):
    """Over midnight, with their distance from UTC."""
    text = "begin,requests\n2026-01-31 23:50:00+01:00,6\n2026-01-31T23:00:00Z,12\n"
    assert [(s.length_s, s.rates_rps[0]) for s in load(text, "requests-per-step")] == [
        (600, Fraction(1, 100)),
        (600, Fraction(1, 50)),
    ]


def test_a_column_for_each_module_is_called_as_it(load):
    """In any order; no ratio of the session's rates comes in."""
    steps = load("b,time_s,a\n60,0,30\n0,60,12\n", "requests-per-minute")
    assert [step.rates_rps for step in steps] == [(Fraction(1, 2), 1), (Fraction(1, 5), 0)]


def test_one_of_several_columns_is_named(load):
    """Further columns are ignored."""
    steps = load("time_s,all,failed\n0,60,x\n60,30,y\n", "requests-per-minute", column="all")
    assert [step.rates_rps[0] for step in steps] == [1, Fraction(1, 2)]


LOG = [("timestamps-s", "{}.5", 1), ("timestamps-ms", "{}500", 1), ("timestamps-us", "{}500000", 1)]


@pytest.mark.parametrize(("unit", "written", "scale"), [*LOG, ("timestamps-ns", "{}500000000", 1)])
def test_requests_are_counted_by_step(load, unit, written, scale):
    """Requests at 1000, 1001, 1003, 1021 and 1029.5 s: the second of three 10 s steps has none; the last is 9 s."""
    times = [written.format(second) for second in (1000, 1003, 1001, 1021, 1029)]
    steps = load("\n".join(times), unit, 10)
    assert [step.length_s for step in steps] == [10, 10, 9]
    assert [step.rates_rps[0] for step in steps] == [Fraction(3, 10), 0, Fraction(2, 9)]


def test_a_short_end_is_one_with_the_step_before(load):
    """Four seconds are less than half of ten, so that the last step has 14; all requests are counted."""
    steps = load("time\n0\n9.9\n10\n24\n", "timestamps-s", 10)
    assert [(step.length_s, step.rates_rps[0]) for step in steps] == [(10, Fraction(2, 10)), (14, Fraction(2, 14))]


def test_dates_of_requests_are_found_by_themselves(load):
    """The only column of dates, with or without a header; a second one has to be chosen."""
    rows = "2026-01-31 23:59:59.5000000,7\n2026-02-01 00:00:04.5000000,8\n2026-02-01 00:00:09.5000000,8\n"
    for text in (f"TIMESTAMP,Tokens\n{rows}", rows):
        steps = load(text, "timestamps-iso", 5)
        assert [(step.length_s, step.rates_rps[0]) for step in steps] == [(5, Fraction(1, 5)), (5, Fraction(2, 5))]
    two = "begin,end\n2026-01-31 10:00,2026-01-31 10:01\n2026-01-31 10:02,2026-01-31 10:03\n"
    with pytest.raises(
        InputError, match=r"--load-column: is needed, as several columns may have the times: begin, end"
    ):
        load(two, "timestamps-iso", 60)
    assert len(load(two, "timestamps-iso", 60, "end")) == 2


@pytest.mark.parametrize("seed", range(10))
def test_no_request_is_lost_and_no_time(load, seed):
    """For every log, rates times lengths sum to its requests and lengths to its time; all requests are planned for."""
    draw = random.Random(seed)
    times = [draw.randrange(10**6) for _ in range(draw.choice([3, 10, 200]))]
    steps = load("\n".join(map(str, times)), "timestamps-ms", draw.choice(["13", "100.5", "0.25"]))
    assert sum(step.length_s * step.rates_rps[0] for step in steps) == len(times)
    assert sum(step.length_s for step in steps) == Fraction(max(times) - min(times), 1000)
    assert all(own.length_s == steps[0].length_s for own in steps[:-1])
    assert solve(Day("drawn", SESSION, steps), "day-per-step").value is not None


@pytest.mark.parametrize(
    ("text", "how", "said"),
    [
        ("time_s,req\n0,1\n1,1\n", (None,), "req: is no column of a load; next to time_s write rate_rps or factor"),
        ("time_s,req\n0,1\n1,1\n", ("requests-per-minut",), "--load-unit: is 'requests-per-minut'; did you mean requ"),
        ("time_s,rate_rps\n0,1\n1,1\n", ("requests-per-minute",), "--load-unit: is not needed: the column rate_rps sa"),
        ("time_s,req\n0,1\n1,1\n", ("requests-per-minute", 60), "--load-step: is for a log of requests"),
        ("time_s,req\n0,1\n1,1\n", (None, None, "req"), "--load-column: goes with --load-unit"),
        ("time_s,x,y\n0,1,1\n1,1,1\n", ("requests-per-minute",), "--load-column: is needed, as several columns may h"),
        ("time_s,x,y\n0,1,1\n1,1,1\n", ("requests-per-minute", None, "z"), "--load-column: is 'z', which is no column"),
        ("time,x\n0,1\n1,1\n", ("requests-per-minute",), "time_s: there is no column time_s, and not one of dates"),
        ("time_s,x\n0,-1\n1,1\n", ("requests-per-minute",), "line 2: x: is -1; it must be at least 0"),
        ("time_s,x\n1,1\n1,1\n", ("requests-per-minute",), "line 3: time_s: is 1 after 1; times have to rise"),
        ("t\n1\n2\n", ("timestamps-s",), "--load-step: is needed with a log of requests"),
        ("t\n1\n2\n", ("timestamps-s", 10), "--load-step: is longer than the log, whose requests come within 1 s"),
        ("t\n0\n1700000000000\n", ("timestamps-s", 10), "later than all dates; check --load-unit"),
        (
            "t\n0\n1000000\n",
            ("timestamps-s", 10),
            "--load-step: makes 100,000 steps of a log of 1000000 s; at most 20,0",
        ),
        ("t\n1\nx\n", ("timestamps-s", 1), "line 3: t: is 'x'; it must be a number"),
        ("t\n1\n1e999999999\n", ("timestamps-s", 1), "line 3: t: is '1e999999999'; it must be a number"),
        ("t\n1700000000\n1700000060\n", ("timestamps-iso", 1), "line 2: t: is '1700000000'; it must be a date with"),
        ("t\n2026-01-31 10:00Z\n2026-01-31 10:01\n", ("timestamps-iso", 1), "line 3: t: does not say its time zone as"),
        ("t,n\n1,1\n2,1\n", ("timestamps-s", 1), "--load-column: is needed, as several columns may have the times: t"),
        ("t,n\n1,1\n2\n", ("timestamps-s", 1, "t"), "line 3: has 1 cells; the first line has 2"),
        ("t\n1\n", ("timestamps-s", 1), "has 1 requests; give at least two"),
        ("", ("timestamps-s", 1), "has 0 requests; give at least two"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(load, text, how, said):
    """With the option or the line, and what to do."""
    with pytest.raises(InputError) as error:
        load(text, *how)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_unit_goes_with_a_file(load):
    """Steps in Python have their units in their names."""
    with pytest.raises(InputError, match="load_unit"):
        euclio.plan_day(SESSION, load=load("time_s,rate_rps\n0,1\n1,1\n"), load_unit="timestamps-s")


@pytest.mark.skipif(not TRACES.is_dir(), reason="the public traces (../shared/data/traces) are absent")
def test_public_traces_are_read():
    """Azure's log has 8,819 requests in 57 min; the other trace has requests per second by the minute."""
    path = TRACES / "AzureLLMInferenceTrace_code.csv"
    steps = read_load(path, SESSION, Said("timestamps-iso", Fraction(60)))
    lines = len(path.read_text().splitlines()) - 1
    assert sum(step.length_s * step.rates_rps[0] for step in steps) == lines
    assert len(steps) == 57
    path = TRACES / "mooncake_conversation_per_minute.csv"
    steps = read_load(path, SESSION, Said("requests-per-second"))
    assert (len(steps), steps[0].rates_rps) == (59, (Fraction("2.7"), Fraction("5.4")))
