"""Every search on its fixed sample: nothing is wrong. `make fuzz` goes on from other seeds."""

from __future__ import annotations

import re
from pathlib import Path

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


def test_the_page_on_claims_names_every_search_and_no_other():
    """Who adds a search says which claim it tries; a claim never names a search that is gone."""
    text = (Path(__file__).parents[2] / "docs" / "exactness.md").read_text(encoding="utf-8")
    rows = [line for line in text[text.index("## Claims") :].splitlines() if line.startswith("| ")][1:]
    named = {name for row in rows for name in re.findall(r"`([a-z-]+)`", row.split(" | ")[-1])}
    assert named == set(searches())


def test_slow_searches_come_last():
    """Given a time in all, the first one's single seed once took all of it: fourteen others tried nothing."""
    assert [search.slow for search in searches().values()] == sorted(search.slow for search in searches().values())
    assert any(search.slow for search in searches().values())
