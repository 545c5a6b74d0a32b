"""Latencies of machines in compiled functions: the code of a policy there, and the call of its own formula.

The formulas of forms `LEFT` and `TIED` are written out where they are used, because heuristics need them in their
innermost loops. Every other policy is a C function, and its code is made of the address. The function is compiled from
the record's `floats` or, for a user's own policy, calls the record in Python. So a new policy changes no compiled
function.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, assert_never

import numpy as np

from euclio.core.compiled import INFINITY, compiled_from, machine_code_in_use
from euclio.core.lazy import late
from euclio.problems.session.policies.record import Form, Place, Policy

NUMBERS = 8
"""Arguments of the C functions: 1 for a partial machine and 0 for a whole one, then the numbers of a `Place`."""

LEFT, TIED = 0, 1
"""Codes of the policies of these forms. Codes of form `FIXED` are negative, those of `EVEN` and `GENERAL` are larger.

Compiled functions of exact methods refuse form `GENERAL`, so there a larger code means form `EVEN`; heuristics need not
distinguish the two."""

_POINTER = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * NUMBERS)


def policy_code(policy: Policy) -> int:
    """The code of a policy in compiled functions."""
    match policy.form:
        case Form.LEFT:
            return LEFT
        case Form.TIED:
            return TIED
        case Form.FIXED:
            return _noted(-_address(policy), policy)
        case Form.EVEN | Form.GENERAL:
            return _noted(_address(policy), policy)
        case _:
            assert_never(policy.form)


def _address(policy: Policy) -> int:
    """The C function of a policy; it lives as long as the process, as its address may be anywhere.

    If kernels are interpreted, Python makes the function without a compiler. Then only machine code that takes over
    from them calls it.
    """
    if policy.floats is None or not machine_code_in_use():
        return _bridge(policy).address
    return _compiled_address(policy)


@cache
def _compiled_address(policy: Policy) -> int:
    address: int = _kept(_c_function(policy.floats, NUMBERS)).address
    return address


_c_function = late("euclio.core.machine_code", "c_function")


def policy_of(code: int) -> Policy | int:
    """The policy of a code of this process; a code that is the same in every process is returned as it is."""
    return _policies.get(code, code)


def code_of(policy: Policy | int) -> int:
    """The code in this process of a result of `policy_of` in another process."""
    return policy if isinstance(policy, int) else policy_code(policy)


_policies: dict[int, Policy] = {}


def _noted(code: int, policy: Policy) -> int:
    _policies[code] = policy
    return code


_alive: list[Any] = []


def _kept(function: Any) -> Any:
    _alive.append(function)
    return function


@dataclass(slots=True)
class _Bridge:
    """A user's own policy as a C function.

    Attributes:
        error: the last exception of the policy; None if there is none.
        pointer: the C function.
    """

    policy: Policy
    error: Exception | None = None
    pointer: Any = field(init=False)

    def __post_init__(self) -> None:
        self.pointer = _POINTER(self._call)

    @property
    def address(self) -> int:
        found = ctypes.cast(self.pointer, ctypes.c_void_p).value
        assert found is not None
        return found

    def _call(self, is_partial: float, *numbers: float) -> float:
        """Infinite if the policy divides by zero or fails, because no exception may cross compiled code."""
        if self.policy.floats is not None:
            return _divided(self.policy.floats, is_partial, *numbers)
        latency: Callable[[Any], Any] = self.policy.partial if is_partial else self.policy.whole
        try:
            return float(latency(Place(*numbers)))  # type: ignore[arg-type]
        except ZeroDivisionError:
            return INFINITY
        except Exception as error:
            self.error = error
            return INFINITY


def _divided(floats: Callable[..., float], *numbers: float) -> float:
    """The value of a function that is otherwise compiled; there a division by zero gives infinity, or no number."""
    try:
        return float(floats(*numbers))
    except ZeroDivisionError:
        with np.errstate(all="ignore"):
            return float(floats(*map(np.float64, numbers)))


@cache
def _bridge(policy: Policy) -> _Bridge:
    return _Bridge(policy)


def raise_error_of(policy: Policy) -> None:
    """Raise the exception of a user's own policy in compiled functions since the last call, if there is one."""
    if policy.version:
        bridge = _bridge(policy)
        error, bridge.error = bridge.error, None
        if error is not None:
            raise error


@compiled_from("euclio.problems.session.policies.c_functions", "own_latency")
def own_latency(
    code: int, is_partial: float, d: float, b: float, t: float, machines: float, f: float, left: float, tied: float
) -> float:
    """Latency in seconds under a policy of form `FIXED`, `EVEN` or `GENERAL`, by its C function.

    Args:
        code: the code of the policy.
        is_partial: 1 for a partial machine, 0 for a whole one.
        d: duration in seconds; this and the following are the numbers of a `Place`.
        b: batch.
        t: throughput in requests per second.
        machines: whole machines of the allocation.
        f: rate of its partial machine.
        left: rate that is left when it begins.
        tied: rate that is left when the first allocation of its ratio begins.
    """
    return _bridge(_policies[code])._call(is_partial, d, b, t, machines, f, left, tied)
