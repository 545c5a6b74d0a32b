"""Latencies of machines under every policy, compiled: a choice by the policy's code, made from the records.

Built-in policies are inlined, one comparison of integers each. The code of a user's own policy is the address of a C
function that calls its record with floats: slow, but with no compilation and no limit on what it may do.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple, cast

import numba
from llvmlite import ir  # type: ignore[import-untyped]
from numba.extending import intrinsic

from euclio.core.compiled import INFINITY, compiled
from euclio.session.policies import POLICIES, Form, Place, Policy

Latency = Callable[[int, float, float, float, float, float, float, float], float]

LEFT, TIED = (next(code for code, p in enumerate(POLICIES) if p.form is form) for form in (Form.LEFT, Form.TIED))
"""Codes of the policies of these forms; there is one each. Smaller codes than `GENERAL` and others are `FIXED`."""
GENERAL = sum(policy.form is not Form.GENERAL for policy in POLICIES)
"""Codes from here on are of policies of form `GENERAL`."""

_POINTER = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * 8)


def policy_code(policy: Policy) -> int:
    """What stands for a policy in compiled functions."""
    return POLICIES.index(policy) if policy.floats is not None else _bridge(policy).address


@dataclass(slots=True)
class _Bridge:
    """A user's own policy as a C function; it lives as long as the process, as its address may be anywhere.

    Attributes:
        policy: the policy.
        error: what the policy raised when it was last called; None: nothing.
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
        """Infinite where the policy divides by zero or fails: no exception may cross compiled code."""
        latency: Callable[[Any], Any] = self.policy.partial if is_partial else self.policy.whole
        try:
            return float(latency(Place(*numbers)))  # type: ignore[arg-type]
        except ZeroDivisionError:
            return INFINITY
        except Exception as error:
            self.error = error
            return INFINITY


@cache
def _bridge(policy: Policy) -> _Bridge:
    return _Bridge(policy)


def raise_error_of(policy: Policy) -> None:
    """Raise what a user's own policy raised within compiled functions since it was last asked for, if anything."""
    if policy.floats is None:
        bridge = _bridge(policy)
        error, bridge.error = bridge.error, None
        if error is not None:
            raise error


def _call_address(typing_context: Any, address: Any, numbers: Any) -> Any:
    """Call the C function at an address with a tuple of eight floats."""
    signature = numba.float64(numba.int64, numba.types.UniTuple(numba.float64, 8))  # type: ignore[no-untyped-call]

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.DoubleType(), [ir.DoubleType()] * 8)
        target = builder.inttoptr(arguments[0], kind.as_pointer())
        parts = [builder.extract_value(arguments[1], i) for i in range(8)]
        return builder.call(target, parts)

    return signature, generate


_call: Callable[[int, tuple[float, ...]], float] = cast(Any, intrinsic(_call_address))


@compiled
def _own_whole(
    code: int, d: float, b: float, t: float, machines: float, partial: float, left: float, tied: float
) -> float:
    return float(_call(code, (0.0, d, b, t, machines, partial, left, tied)))


@compiled
def _own_partial(
    code: int, d: float, b: float, t: float, machines: float, partial: float, left: float, tied: float
) -> float:
    return float(_call(code, (1.0, d, b, t, machines, partial, left, tied)))


def _choice(number: int, latencies: tuple[Callable[..., float], ...], own: Latency) -> Latency:
    """A compiled function that calls one of some latencies by code, the first of which has the code `number`."""
    if not latencies:
        return own
    first, rest = compiled(latencies[0]), _choice(number + 1, latencies[1:], own)

    # Not kept on disk by itself: what calls it is, and it is compiled only where that has to be.
    @numba.njit(error_model="numpy")
    def chosen(code, d, b, t, machines, partial, left, tied):  # type: ignore[no-untyped-def]
        if code == number:
            return first(d, b, t, machines, partial, left, tied)
        return rest(code, d, b, t, machines, partial, left, tied)

    return chosen


class _Chosen(NamedTuple):
    whole: Latency
    partial: Latency


def _chosen() -> _Chosen:
    floats = [policy.floats for policy in POLICIES if policy.floats is not None]
    assert len(floats) == len(POLICIES), "a built-in policy has a compiled counterpart"
    return _Chosen(
        _choice(0, tuple(f.whole for f in floats), _own_whole),
        _choice(0, tuple(f.partial for f in floats), _own_partial),
    )


WHOLE, PARTIAL = _chosen()
"""Latency of a whole and of a partial machine, in seconds: the policy's code and then the numbers of a `Place` in."""
