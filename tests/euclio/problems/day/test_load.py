"""Loads in CSV files: what the columns mean, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from euclio.core.errors import InputError
from euclio.problems.day.load import read_load
from euclio.problems.session import Configuration, Hardware, Module, Session

PROFILE = [Configuration("h", 1, 1, "0.1")]
SESSION = Session("two", 1, [Hardware("h", 1)], [Module("a", 10, PROFILE), Module("b", 20, PROFILE)], [("a", "b")])


@pytest.fixture
def load(tmp_path):
    def read(text: str):
        (tmp_path / "load.csv").write_text(text)
        return read_load(tmp_path / "load.csv", SESSION)

    return read


def test_a_rate_is_that_of_the_sources_and_the_last_step_is_as_long_as_the_one_before(load):
    steps = load("time_s,rate_rps\n0,5\n60,30.5\n\n180,10\n")
    assert [step.length_s for step in steps] == [60, 120, 120]
    assert [step.rates_rps for step in steps] == [(5, 10), (Fraction(61, 2), 61), (10, 20)]


def test_factors_and_columns_per_module(load):
    assert load("factor,time_s\n0.5,100\n2,160\n")[0].rates_rps == (5, 10)
    steps = load("time_s, rate_rps:a, factor:b\n0,7,3\n60,8,1.5\n")
    assert [step.rates_rps for step in steps] == [(7, 60), (8, 30)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has 0 rows"),
        ("time_s,factor\n0,1\n", "has 1 rows"),
        ("time,factor\n0,1\n1,1\n", "there is no column time_s"),
        ("time_s,load\n0,1\n1,1\n", "load: is no column of a load"),
        ("time_s,factor:c\n0,1\n1,1\n", "there is no module 'c'"),
        ("time_s,factor:a\n0,1\n1,1\n", "module 'b' has no column"),
        ("time_s,factor:a,rate_rps:a,factor:b\n0,1,1,1\n1,1,1,1\n", "a module has two columns"),
        ("time_s,factor,factor\n0,1,1\n1,1,1\n", "two columns have one name"),
        ("time_s,factor\n5,1\n5,1\n", "line 3: time_s: is 5 after 5; times have to rise"),
        ("time_s,factor\n0,1\n1,x\n", "line 3: factor: is 'x'; it must be a number"),
        ("time_s,factor\n0,1\n1,1e999999999\n", "line 3: factor: is '1e999999999'; it must be a number"),
        ("time_s,factor\n0,1\n1,nan\n", "line 3: factor: is 'nan'; it must be a number"),
        ("time_s,factor\n0,-1\n1,1\n", "line 2: factor: is -1; it must be at least 0"),
        ("time_s,factor\n-1,1\n1,1\n", "line 2: time_s: is -1; it must be at least 0"),
        ("time_s,factor\n0,1,2\n1,1\n", "line 2: has 3 cells; the header has 2"),
        ('time_s,factor\n0,"1\n1,1\n', "is no CSV"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_the_file(load, text, said):
    with pytest.raises(InputError) as error:
        load(text)
    assert said in str(error.value)
    assert "load.csv" in str(error.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv: cannot be read"):
        read_load(tmp_path / "none.csv", SESSION)
