"""Arrays that plan spaces share: each has what it would have if it were the only one."""

from itertools import product

import numpy as np
import pytest

from euclio.problems.session import Charging, DummyRule, PlanSpace
from euclio.problems.session.arrays import session_arrays
from euclio.problems.session.policies import POLICIES
from euclio.workloads.session.random_sessions import random_session

SPACES = [
    PlanSpace(policy=policy, dummy=dummy, max_allocations=most, charging=charging, batching=batching)
    for policy, dummy, most, charging, batching in product(
        POLICIES[:2], (DummyRule.MACHINE, DummyRule.NONE), (None, 2), Charging, (True, False)
    )
]


def _name(space: PlanSpace) -> str:
    batching = "batching" if space.batching else "single"
    return f"{space.policy.name}-{space.dummy.value}-{space.max_allocations}-{space.charging.value}-{batching}"


@pytest.mark.fifth("space")
@pytest.mark.parametrize("space", SPACES[::3], ids=_name)
def test_what_another_space_has_left_behind_changes_nothing(space):
    """A field of the space that narrows or prices configurations must be among those by which they are shared."""
    alone = session_arrays(random_session(3), space)
    shared = random_session(3)
    for other in SPACES:
        session_arrays(shared, other)
    for one, own in zip(session_arrays(shared, space), alone, strict=True):
        assert np.array_equal(one, own)
