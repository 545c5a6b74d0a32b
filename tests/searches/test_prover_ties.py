"""Ties on which the prover of sessions once ended in an error."""

import pytest

from tests.searches.search_prover_ties import judged


@pytest.mark.parametrize("kept_seed", [955])
def test_a_session_without_a_plan_is_judged(kept_seed):
    """Where the SLO leaves no time to collect batches in, there is no plan to begin with."""
    _, claims = judged(kept_seed)
    assert claims
    assert [one.fault for one in claims if one.fault] == []
