"""How solves end: when a time limit is over, and whether a bound meets a claim."""

import math

import pytest

from euclio.core.registry import Limits
from euclio.core.result import Answer


def test_without_a_time_limit_a_run_never_ends():
    assert Limits().deadline() == math.inf


def test_a_deadline_counts_from_the_start_that_is_given():
    assert Limits(time_limit_s=2.5).deadline(10.0) == 12.5


@pytest.mark.parametrize(
    ("claimed", "bound", "word", "kept"),
    [
        (4.0, 4.0, "optimal", 4.0),
        (4.0, 5.0, "optimal", 4.0),
        (4.0, 3.0, "limit", 3.0),
        (4.0, 0.0, "limit", None),
        (4.0, None, "limit", None),
        (0.0, 0.0, "optimal", 0.0),
    ],
)
def test_a_claim_is_optimal_where_the_bound_meets_it(claimed, bound, word, kept):
    """A bound above a claim is that of the claim; one of 0 says nothing of a plan that costs something."""
    answer = Answer.proven("plan", claimed, bound, "open", {})
    assert (answer.raw_status, answer.claimed, answer.bound) == (word, claimed, kept)
    assert answer.reason == ("" if word == "optimal" else "open")
