"""The ways to make false claims do make them."""

from random import Random

from .false_claims import WAYS, holds
from .true_claims import base


def test_each_of_the_ways_makes_a_false_claim():
    """At least one each, of the results of some seeds; a way that makes none would search for nothing."""
    missing = set(WAYS)
    for known in filter(None, map(base, range(200))):
        for name in sorted(missing):
            claimed = WAYS[name](Random(name), known)
            truth = None if claimed is None else known.truth_in(claimed.space)
            if claimed is not None and truth is not None and holds(claimed, known.case.instance, truth) is False:
                missing.discard(name)
        if not missing:
            return
    assert not missing
