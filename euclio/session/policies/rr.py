"""Policy `rr`: round robin (Nexus, InferLine, Clipper; Harpagon Table III)."""

from __future__ import annotations

from fractions import Fraction

from euclio.session.policies.record import Form, MachineFloats, Place, Policy


def whole(p: Place) -> Fraction:
    """2d: a batch waits as long as the one before it takes."""
    return 2 * p.duration_s


def partial(p: Place) -> Fraction:
    """D + b/f: the partial machine collects from its own rate."""
    return p.duration_s + p.batch / p.partial_rps


def whole_float(d: float, b: float, t: float, machines: float, f: float, left: float, tied: float) -> float:
    """The same in floats, for `@compiled` functions."""
    return 2.0 * d


def partial_float(d: float, b: float, t: float, machines: float, f: float, left: float, tied: float) -> float:
    """The same in floats, for `@compiled` functions."""
    return d + b / f


RR = Policy(
    name="rr",
    help="round robin: a whole machine takes 2d (Nexus, InferLine, Clipper)",
    whole=whole,
    partial=partial,
    form=Form.FIXED,
    bounded_by="tc",
    floats=MachineFloats(whole_float, partial_float),
)
