"""Policy `tc-shared`: throughput-cost dispatch, Theorem 1 of Harpagon (§III-B) read literally."""

from __future__ import annotations

from fractions import Fraction

from euclio.session.policies.record import Form, MachineFloats, Place, Policy


def either(p: Place) -> Fraction:
    """D + b/w: w counts every machine whose ratio is the same or lower."""
    return p.duration_s + p.batch / p.tied_rps


def either_float(d: float, b: float, t: float, machines: float, f: float, left: float, tied: float) -> float:
    """The same in floats, for `@compiled` functions."""
    return d + b / tied


TC_SHARED = Policy(
    name="tc-shared",
    help="Theorem 1 read literally: w counts every machine whose ratio is the same or lower (Harpagon §III-B)",
    whole=either,
    partial=either,
    form=Form.TIED,
    floats=MachineFloats(either_float, either_float),
)
