"""What is known of a run while it is made: plan, bound and gap, in this process and in one forked from it."""

import copy
import math
import os
import threading

import pytest

from euclio.core.incumbent import Incumbent, forget_incumbent, incumbent_in_words, shared_incumbent
from euclio.core.objective import LEAST_COST, MOST_THROUGHPUT


@pytest.mark.parametrize(
    ("value", "bound", "words"),
    [
        (None, None, ""),
        (None, 9.5, "no plan yet, bound 9.5"),
        (10.0, None, "plan 10 per hour"),
        (10.0, 9.5, "plan 10 per hour, bound 9.5, gap 5.00 %"),
        (1234.5, 1234.5, "plan 1,234.5 per hour, bound 1,234.5, gap 0.00 %"),
        (math.inf, math.nan, ""),
    ],
)
def test_words_say_what_is_known(value, bound, words):
    """The gap is the share of the plan's value that the bound leaves: (10 - 9.5) / 10."""
    standing = Incumbent()
    standing.note(value, bound)
    assert standing.in_words(LEAST_COST) == words


def test_a_bound_above_is_no_gap_below_nothing_where_most_is_best():
    """(12 - 10) / 10; and a bound that rounding has put on the wrong side leaves nothing open."""
    standing = Incumbent()
    standing.note(10.0, 12.0)
    assert standing.in_words(MOST_THROUGHPUT).endswith("gap 20.00 %")
    standing.note(10.0, 10.0 - 1e-12)
    assert standing.in_words(MOST_THROUGHPUT).endswith("gap 0.00 %")


def test_one_run_at_a_time_says_how_far_it_is_and_leaves_nothing_behind():
    """A run within a run, and one in a thread next to others, would be taken for the one that is waited for."""
    in_thread = []

    def elsewhere():
        with shared_incumbent() as standing:
            in_thread.append(standing)

    with shared_incumbent() as outer:
        with shared_incumbent() as inner:
            pass
        outer.note(2.0, 1.0)
        assert incumbent_in_words(LEAST_COST) == "plan 2 per hour, bound 1, gap 50.00 %"
    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert (inner, in_thread, incumbent_in_words(LEAST_COST)) == (None, [None], "")


def test_a_copy_is_one_of_its_own():
    """A solver may hand its limits to a process that it starts."""
    standing = Incumbent()
    standing.note(2.0, 1.0)
    other = copy.deepcopy(standing)
    other.note(3.0, 1.0)
    assert (standing.value, other.value) == (2.0, 3.0)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no process is forked here")
def test_who_forked_a_process_sees_what_it_notes_and_forgets_it_where_it_was_killed():
    pid = os.fork()
    if pid == 0:
        with shared_incumbent() as standing:
            standing.note(4.0, 3.0)
            os._exit(0)
    os.waitpid(pid, 0)
    assert incumbent_in_words(LEAST_COST) == "plan 4 per hour, bound 3, gap 25.00 %"
    forget_incumbent()
    assert incumbent_in_words(LEAST_COST) == ""
