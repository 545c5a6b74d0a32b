"""Every search on its fixed sample: nothing is wrong. `make fuzz` goes on from other seeds."""

from __future__ import annotations

import pytest

from .campaign import look
from .search import searches


@pytest.mark.parametrize(
    ("name", "seed"), [(search.name, seed) for search in searches().values() for seed in search.sample]
)
def test_on_the_cases_of_a_seed(name, seed):
    """What the search says must hold does."""
    assert look(name, seed).faults == ()
