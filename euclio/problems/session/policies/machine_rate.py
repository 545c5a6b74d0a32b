"""Policy `machine-rate`: dispatch at the machine's own throughput (Scrooge; Harpagon Table III)."""

from __future__ import annotations

from fractions import Fraction

from euclio.problems.session.policies.record import Form, Place, Policy


def whole(p: Place) -> Fraction:
    """The duration and b/t: a whole machine collects its batch at the rate that it serves."""
    return p.duration_s + p.batch / p.throughput_rps


def partial(p: Place) -> Fraction:
    """The duration and b/f: the partial machine collects from its own rate."""
    return p.duration_s + p.batch / p.partial_rps


def floats(
    is_partial: float, d: float, b: float, t: float, machines: float, f: float, left: float, tied: float
) -> float:
    """Latency of a whole machine in floats; compiled for `@compiled` functions, which know the partial one's."""
    return d + b / t


MACHINE_RATE = Policy(
    name="machine-rate",
    words="each machine at its own rate",
    help="dispatch at the machine's own throughput: a whole machine takes d + b/t (Scrooge)",
    whole=whole,
    partial=partial,
    form=Form.FIXED,
    bounded_by="tc",
    floats=floats,
)
