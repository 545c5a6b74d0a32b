"""CSV out: what a spreadsheet would run is quoted, and read back as it was."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest

from euclio.files.csv_files import csv_text, frame_text, guarded, unguarded


@pytest.mark.parametrize("text", ["=1+1", "+x", "-x", "@SUM(A1)", "\tx", "\r=1", "＝1", " =1"])
def test_a_text_that_begins_as_a_formula_gets_an_apostrophe(text):
    assert guarded(text) == f"'{text}"


@pytest.mark.parametrize("text", ["a=b", "detect", "'", "'a", "1-2", "", "#", "T4"])
def test_other_texts_stay_as_they_are(text):
    assert guarded(text) == text == unguarded(text)


@pytest.mark.parametrize("text", ["=1", "'=1", "''=1", "' =1", "-", "'-"])
def test_what_is_guarded_is_read_as_it_was(text):
    """`=1` and `'=1` are two names: both get an apostrophe, and lose it."""
    assert unguarded(guarded(text)) == text


def test_numbers_stay_numbers():
    assert csv_text(["=a", "b"], [["-1", -1], [None, Fraction(-1, 8)]]) == "'=a,b\n'-1,-1\n,-0.125\n"


def test_a_frame_is_guarded_in_its_texts_alone():
    frame = pd.DataFrame({"system": ["=x", "y"], "loss": [-0.5, 1.0]})
    assert frame_text(frame) == "system,loss\n'=x,-0.5\ny,1.0\n"
