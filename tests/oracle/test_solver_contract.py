"""The contract of solvers, kept by every registered one."""

from __future__ import annotations

import pytest

from euclio.contract.checking import check_solver
from euclio.core.registry import solvers


@pytest.mark.slow
@pytest.mark.parametrize("name", solvers())
def test_every_claim_is_kept(name):
    """What `euclio check-solver` asks of the solvers of others, ours keep."""
    report = check_solver(name)
    assert not {f.claim: f.evidence for f in report.findings if f.verdict == "broken"}
