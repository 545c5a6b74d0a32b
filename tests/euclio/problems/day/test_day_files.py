"""Loads over time in files: their rates are read as they were made."""

import json
from fractions import Fraction

import pytest

from euclio.cli import main
from euclio.core.errors import InputError
from euclio.files import save_instance
from euclio.problems.day import Day, Step
from euclio.problems.day.family import day_from_text, day_to_text
from euclio.problems.session import Configuration, Hardware, Module, Session


def two_modules():
    """One machine of the second module serves 20/3 requests per second: as many as come at a load of 10."""
    modules = [
        Module("a", 3, [Configuration("h", 2, 1, "0.1")]),
        Module("b", 2, [Configuration("h", 2, 1, "0.3")]),
    ]
    return Session("two", 5, [Hardware("h", 1)], modules, [("a", "b")])


def test_plan_of_a_load_in_ratio_is_accepted_when_it_is_read_again(tmp_path, capsys):
    """20/3 was written as 6.66666666666667, which one machine does not serve."""
    save_instance(two_modules(), tmp_path / "s.json")
    (tmp_path / "load.csv").write_text("time_s,rate_rps\n0,10\n3600,20\n")
    outputs = [str(tmp_path / name) for name in ("day.json", "plan.json")]
    words = ["plan-day", str(tmp_path / "s.json"), "--load", str(tmp_path / "load.csv")]
    assert main([*words, "--day-out", outputs[0], "--out", outputs[1]]) == 0
    assert main(["verify", *outputs]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("rate", [Fraction(20, 3), Fraction(1, 8), Fraction(1, 10**12) + Fraction(1, 3 * 10**40)])
@pytest.mark.parametrize("length", [Fraction(1000, 3), Fraction(60)])
def test_rates_and_lengths_are_read_as_they_are(rate, length):
    day = Day("d", two_modules(), [Step(length, [rate, 5]), Step(60, [1, 2])])
    assert day_from_text(day_to_text(day)) == day


def test_decimals_stand_alone():
    """What earlier versions wrote, and other programs write, has no texts."""
    text = day_to_text(Day("d", two_modules(), [Step(60, ["1.5", 5])]))
    assert "exact" not in text
    assert day_from_text(text).steps == (Step(60, ["1.5", 5]),)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"exact_rates_rps": ["20/3"]}, "steps[0].exact_rates_rps: has 1 entries, but rates_rps has 2"),
        ({"exact_rates_rps": ["20/3", "6"]}, "steps[0].exact_rates_rps[1]: is the text '6'; it must be a fraction"),
        ({"exact_rates_rps": ["20/3", "7/1"]}, "steps[0].exact_rates_rps[1]: is 7, but rates_rps[1] is 5; keep one"),
        ({"exact_length_s": "61/1"}, "steps[0].exact_length_s: is 61, but length_s is 60; keep one"),
    ],
)
def test_texts_that_contradict_the_numbers_are_refused(changes, line):
    data = json.loads(day_to_text(Day("d", two_modules(), [Step(60, [Fraction(20, 3), 5])])))
    data["steps"][0].update(changes)
    with pytest.raises(InputError) as caught:
        day_from_text(json.dumps(data))
    assert line in str(caught.value)
