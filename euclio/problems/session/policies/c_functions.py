"""The part of `policies.kernels` that is compiled: calls of a policy's C function at its address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir  # type: ignore[import-untyped]

from euclio.core.machine_code import numba
from euclio.problems.session.policies.kernels import NUMBERS


def _call_address(typing_context: Any, address: Any, numbers: Any) -> Any:
    """Call the C function at an address with a tuple of floats."""
    floats = numba.types.UniTuple(numba.float64, NUMBERS)  # type: ignore[no-untyped-call]
    signature = numba.float64(numba.int64, floats)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.DoubleType(), [ir.DoubleType()] * NUMBERS)
        target = builder.inttoptr(arguments[0], kind.as_pointer())
        parts = [builder.extract_value(arguments[1], i) for i in range(NUMBERS)]
        return builder.call(target, parts)

    return signature, generate


_call: Callable[[int, tuple[float, ...]], float] = cast(Any, numba.extending.intrinsic(_call_address))


def own_latency(
    code: int, is_partial: float, d: float, b: float, t: float, machines: float, f: float, left: float, tied: float
) -> float:
    """As `euclio.problems.session.policies.kernels.own_latency`, in machine code."""
    return _call(abs(code), (is_partial, d, b, t, machines, f, left, tied))
