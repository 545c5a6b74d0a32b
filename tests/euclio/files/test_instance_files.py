"""Instances in files: what is written can be read."""

from fractions import Fraction

import pytest

from euclio.cli import main
from euclio.core.errors import InputError
from euclio.files import load_instance, save_instance
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.files.instances import save_session

LONG = Fraction("1.234567890123456789012345678901234e-12")
"""A number that an instance may have: 40 characters with its exponent, 46 without."""


def session(name="s", module="m", duration=Fraction(1, 10), price=1):
    return Session(name, 1, [Hardware("h", price)], [Module(module, 1, [Configuration("h", 1, 1, duration)])])


@pytest.mark.parametrize("save", [save_instance, save_session])
@pytest.mark.parametrize("names", [("", "m"), ("s", " "), ("x" * 201, "m"), ("s", "a\nb")])
def test_names_that_no_file_may_have_are_refused_before_they_are_written(tmp_path, save, names):
    """In Python names may be anything; a file of such an instance could be written, and not be read."""
    with pytest.raises(InputError, match="must be a name of 1 to 200 printable characters"):
        save(session(*names), tmp_path / "s.json")
    assert not (tmp_path / "s.json").exists()


def test_import_of_a_file_with_a_long_name_says_so(tmp_path, capsys):
    """The instance takes its name from the file."""
    rows = tmp_path / f"{'y' * 230}.csv"
    rows.write_text("module,hardware,batch,duration_s\nm,T4,2,0.025\n")
    words = ["import", "csv", str(rows), "--prices", "T4=1", "--rates", "5", "--slo", "1", "--out"]
    assert main([*words, str(tmp_path / "s.json")]) == 2
    assert "name: is the text" in capsys.readouterr().err
    assert not (tmp_path / "s.json").exists()


def test_every_number_that_an_instance_may_have_is_read_as_it_is(tmp_path):
    one = session(price=LONG, duration=LONG * 10**13)
    save_instance(one, tmp_path / "s.json")
    assert load_instance(tmp_path / "s.json") == one
