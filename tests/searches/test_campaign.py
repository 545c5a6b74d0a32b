"""The campaign itself: what goes wrong in a search is a row, whatever it is, and the search goes on."""

from __future__ import annotations

import os
import time
from itertools import count
from types import SimpleNamespace

import pytest

from . import campaign as module
from .campaign import Tally, go_on, look
from .search import Found, Search, searches


def _looks(seed: int) -> Found:
    if seed == 3:
        os._exit(1)
    if seed == 4:
        raise ValueError("nasty")
    return Found(2, ("wrong",) if seed == 5 else (), int(seed == 6))


@pytest.fixture
def _toy(monkeypatch):
    toy = Search("toy", "toys hold", "toys", _looks, range(0))
    monkeypatch.setattr(module, "searches", lambda: {"toy": toy})
    # Processes that are forked know the toy; those of a campaign are made anew and find searches by their files.
    monkeypatch.setattr(module, "START", "fork")


@pytest.mark.usefixtures("_toy")
def test_a_process_that_dies_is_one_fault_and_the_others_are_counted():
    """Of seeds 0 to 9 one dies, one raises and one is wrong; the other seven and the wrong one are two cases each."""
    tally = Tally("toy")
    go_on(tally, 10, None, 1)
    assert sorted(tally.faults) == [(3, "the process died"), (4, "ValueError: nasty"), (5, "wrong")]
    assert (tally.seeds, tally.cases, tally.undecided, tally.wrong) == (10, 18, 1, 3)


@pytest.mark.usefixtures("_toy")
def test_a_search_goes_on_where_it_ended():
    """After ten seeds the next block begins at the eleventh, whose two cases each are added."""
    tally = Tally("toy", 10)
    go_on(tally, 20, None, 1)
    go_on(tally, 40, None, 1)
    assert (tally.seed, tally.seeds, tally.cases) == (30, 20, 40)


@pytest.mark.usefixtures("_toy")
def test_seeds_that_were_not_begun_in_time_are_searched_first_later(monkeypatch):
    """With no time at all only the first seed of a block of ten is looked at; the nine others come next, none twice.

    The clock of the campaign itself stands still, so that a process begins however slow the machine is, and the time of
    day goes on by itself, so that it is late then.
    """
    tally = Tally("toy", 10)
    with monkeypatch.context() as stopped:
        stopped.setattr(module, "time", SimpleNamespace(time=count().__next__, monotonic=lambda: 0.0))
        go_on(tally, 1, 0.001, 1)
    assert tally.seeds == 1
    assert tally.seed == 10 + tally.seeds + len(tally.left)
    looked = tally.seeds
    go_on(tally, 2 * (looked + 10), None, 1)
    assert tally.seed == 10 + tally.seeds + len(tally.left)
    assert tally.cases == 2 * tally.seeds


@pytest.mark.usefixtures("_toy")
def test_a_seed_that_does_not_end_is_a_fault_and_leaves_the_others_their_time(monkeypatch):
    """One seed of a search took the whole hour of all fifteen, and the others' rows said that nothing was wrong."""
    toy = Search("toy", "toys hold", "toys", lambda _: time.sleep(600) or Found(1), range(0))
    monkeypatch.setattr(module, "searches", lambda: {"toy": toy})
    monkeypatch.setattr(module, "GRACE_S", 0.1)
    tally, began = Tally("toy", 10), time.monotonic()
    go_on(tally, None, 0.2, 2)
    assert time.monotonic() - began < 60
    assert sorted(tally.faults) == [(10, module.UNENDED), (20, module.UNENDED)]
    assert not tally.left


def test_every_search_is_found_by_its_file():
    """The names on the command line are unique, and every search says what must hold and what it counts."""
    assert searches()
    assert all(name == search.name and search.what and search.unit for name, search in searches().items())


def test_an_unknown_exception_is_named():
    """A search that raises is a fault that names the exception's class."""
    assert look("no such search", 0).faults == ("KeyError: 'no such search'",)
