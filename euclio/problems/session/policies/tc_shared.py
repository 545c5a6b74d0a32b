"""Policy `tc-shared`: throughput-cost dispatch, Theorem 1 of Harpagon (§III-B) read literally."""

from __future__ import annotations

from fractions import Fraction

from euclio.problems.session.policies.record import Form, Place, Policy


def either(p: Place) -> Fraction:
    """The duration and b/w: w counts every machine whose ratio is the same or lower."""
    return p.duration_s + p.batch / p.tied_rps


TC_SHARED = Policy(
    name="tc-shared",
    words="batches in turn",
    help="Theorem 1 read literally: w counts every machine whose ratio is the same or lower (Harpagon §III-B)",
    whole=either,
    partial=either,
    form=Form.TIED,
)
