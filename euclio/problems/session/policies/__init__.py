"""Dispatch policies: one record each, listed here (README.md says how to add one)."""

from __future__ import annotations

import copyreg

from euclio.core.lazy import late
from euclio.core.references import is_reference
from euclio.problems.session.policies.built_in import (
    IN_TURN,
    LOAD_BALANCER,
    MACHINE_RATE,
    MACHINE_RATE_EVEN,
    RR,
    RR_EVEN,
    SHARED_QUEUE,
    TC,
    TC_SHARED,
)
from euclio.problems.session.policies.record import Form, Place, Policy

__all__ = ["POLICIES", "Form", "Place", "Policy", "find_policy"]

POLICIES: tuple[Policy, ...] = (
    TC,
    TC_SHARED,
    RR,
    MACHINE_RATE,
    RR_EVEN,
    MACHINE_RATE_EVEN,
    IN_TURN,
    LOAD_BALANCER,
    SHARED_QUEUE,
)
"""The built-in policies, in the order in which commands offer them."""

Policy.TC, Policy.TC_SHARED, Policy.RR, Policy.IN_TURN = TC, TC_SHARED, RR, IN_TURN
Policy.LOAD_BALANCER, Policy.SHARED_QUEUE = LOAD_BALANCER, SHARED_QUEUE
Policy.MACHINE_RATE, Policy.RR_EVEN, Policy.MACHINE_RATE_EVEN = MACHINE_RATE, RR_EVEN, MACHINE_RATE_EVEN

# Another process finds a policy by its name there.
copyreg.pickle(Policy, lambda policy: (find_policy, (policy.name,)))


def find_policy(name: str | Policy) -> Policy:
    """The policy of this name.

    Args:
        name: name of a built-in policy, or ``path/to/file.py:NAME`` of a user's own, with or without the hash of the
            file (`euclio.problems.session.policies.own_policy`); a policy is returned as it is.

    Raises:
        InputError: there is no such file, it has no such policy, or its hash is another one; or a policy that is
            given itself comes from no file.
        ValueError: no policy has this name, and it names no file.
    """
    if isinstance(name, Policy):
        return name if name.version or name in POLICIES else _own("loaded_policy", name)
    for policy in POLICIES:
        if policy.name == name:
            return policy
    if is_reference(name):
        return _own("load_policy", name)
    raise ValueError(f"{name!r} is no policy; known: {', '.join(policy.name for policy in POLICIES)}")


def _own(function: str, wanted: str | Policy) -> Policy:
    found = late("euclio.problems.session.policies.own_policy", function)(wanted)
    assert isinstance(found, Policy)
    return found
