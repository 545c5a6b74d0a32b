"""Policy `tc`: throughput-cost dispatch in sequence (Harpagon §III-B, as Algorithm 1 computes it)."""

from __future__ import annotations

from fractions import Fraction

from euclio.problems.session.policies.record import Form, Place, Policy


def whole(p: Place) -> Fraction:
    """The duration and b/w: every whole machine collects its batch from all the rate that is left."""
    return p.duration_s + p.batch / p.left_rps


def partial(p: Place) -> Fraction:
    """The duration and b/f: the partial machine collects from its own rate."""
    return p.duration_s + p.batch / p.partial_rps


TC = Policy(
    name="tc",
    words="batches in turn",
    help="throughput-cost dispatch in sequence: a whole machine takes d + b/w (Harpagon §III-B)",
    whole=whole,
    partial=partial,
    form=Form.LEFT,
    bounded_by="tc-shared",
)
