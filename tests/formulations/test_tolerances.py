"""The tolerances stand in one place, which compiled functions have built in."""

from pathlib import Path

import formulations.tolerances
from euclio.core.result import BRACKET_TOLERANCE, PROOF_TOLERANCE
from formulations.tolerances import CONTINUOUS_GAP, ENGINE, FRONTIER, GAP, ROOM, SPLIT_ROOM, STEP


def test_a_changed_tolerance_is_compiled_anew():
    """Machine code is kept per state of all sources that speak of compiled functions, and this is to be one of them."""
    assert b"@compiled" in Path(formulations.tolerances.__file__).read_bytes()


def test_searches_stop_within_what_a_proof_allows():
    assert STEP < PROOF_TOLERANCE
    assert FRONTIER < GAP < PROOF_TOLERANCE
    assert CONTINUOUS_GAP < BRACKET_TOLERANCE


def test_models_are_laxer_than_the_problem_by_what_engines_may_miss():
    assert ROOM >= ENGINE
    assert SPLIT_ROOM >= 2 * ENGINE
