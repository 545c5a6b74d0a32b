"""Every search on its fixed sample: nothing is wrong. `make fuzz` goes on from other seeds."""

from __future__ import annotations

import pytest

from .campaign import look
from .search import searches


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        pytest.param(name, seed, marks=[pytest.mark.slow] * search.slow)
        for name, search in searches().items()
        for seed in search.sample
    ],
)
def test_on_the_cases_of_a_seed(name, seed):
    """What the search says must hold does."""
    assert look(name, seed).faults == ()


def test_slow_searches_come_last():
    """Given a time in all, the first one's single seed once took all of it: fourteen others tried nothing."""
    assert [search.slow for search in searches().values()] == sorted(search.slow for search in searches().values())
    assert any(search.slow for search in searches().values())
