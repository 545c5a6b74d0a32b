"""What reports of real times do to the reservation tables, by hand: times 0 to 40, three uses in a row."""

import numpy as np
import pytest

from euclio.core.compiled import compiled
from euclio.serving.pipeline.resources import (
    END,
    PENDING,
    RUNNING,
    START,
    STATE,
    SUCCESSOR,
    begin_if_possible,
    finish,
    mark_reserved,
    new_ledger,
    new_node,
)

NO_EVENT = (1 << 62, 3, 0)
FIRST, SECOND, AFTER = 0, 1, 2


@compiled
def begin(ledger, node, now):
    events = [NO_EVENT]
    begin_if_possible(ledger, events, node, now, True)
    return events[0]


@compiled
def end(ledger, node, now):
    events = [NO_EVENT]
    finish(ledger, events, node, now, True)
    return events[0]


@pytest.fixture
def ledger():
    """FIRST (0 to 10) and SECOND (10 to 20) on resource 0, AFTER (25 to 40) on resource 1 waits for SECOND."""
    made = new_ledger(2, 3, np.ones(1))
    for resource, start, stop in ((0, 0, 10), (0, 10, 20), (1, 25, 40)):
        node = new_node(made, 0, 0, 1, 0, stop - start)
        made.node[node, START], made.node[node, END] = start, stop
        mark_reserved(made, node, 0, resource)
    made.node[SECOND, SUCCESSOR], made.node[AFTER, PENDING] = AFTER, 1
    begin(made, FIRST, 0)
    return made


def planned(ledger, node):
    return ledger.node[node, START], ledger.node[node, END]


def test_a_use_ends_after_its_real_duration(ledger):
    ledger.node[SECOND, PENDING] = 0
    assert end(ledger._replace(factors=np.array([1.5])), FIRST, 10) == (25, 0, SECOND)


def test_a_use_in_time_moves_nothing(ledger):
    end(ledger, FIRST, 10)
    assert (planned(ledger, SECOND), planned(ledger, AFTER)) == ((10, 20), (25, 40))


def test_a_late_use_moves_what_follows_on_its_resource_and_what_waits_for_that(ledger):
    """SECOND then takes 18 to 28, so that AFTER cannot begin before 28."""
    end(ledger, FIRST, 18)
    assert (planned(ledger, SECOND), planned(ledger, AFTER)) == ((18, 28), (28, 43))


def test_a_little_delay_is_taken_up_by_free_time(ledger):
    end(ledger, FIRST, 13)
    assert planned(ledger, AFTER) == (25, 40)


def test_what_follows_an_early_use_begins_early(ledger):
    end(ledger, FIRST, 6)
    assert planned(ledger, SECOND) == (6, 16)
    assert ledger.node[SECOND, STATE] == RUNNING


def test_a_use_waits_for_its_input(ledger):
    assert begin(ledger, AFTER, 5) == NO_EVENT


def test_a_use_waits_for_its_resource(ledger):
    assert begin(ledger, SECOND, 5) == NO_EVENT
