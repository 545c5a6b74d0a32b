"""Policy `rr`: round robin (Nexus, InferLine, Clipper; Harpagon Table III)."""

from __future__ import annotations

from fractions import Fraction

from euclio.problems.session.policies.record import Form, Place, Policy


def whole(p: Place) -> Fraction:
    """2d: a batch waits as long as the one before it takes."""
    return 2 * p.duration_s


def partial(p: Place) -> Fraction:
    """The duration and b/f: the partial machine collects from its own rate."""
    return p.duration_s + p.batch / p.partial_rps


def floats(
    is_partial: float, d: float, b: float, t: float, machines: float, f: float, left: float, tied: float
) -> float:
    """Latency of a whole machine in floats; compiled for `@compiled` functions, which know the partial one's."""
    return 2.0 * d


RR = Policy(
    name="rr",
    words="round robin",
    help="round robin: a whole machine takes 2d (Nexus, InferLine, Clipper)",
    whole=whole,
    partial=partial,
    form=Form.FIXED,
    bounded_by="tc",
    floats=floats,
)
