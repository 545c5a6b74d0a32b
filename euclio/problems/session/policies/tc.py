"""Policies `tc`, `tc-shared` and `in-turn`: throughput-cost dispatch (Harpagon §III-B).

`tc` is in sequence, as Algorithm 1 computes it.
"""

from __future__ import annotations

from fractions import Fraction

from euclio.problems.session.policies.record import Form, Place, Policy, partial_alone


def tc_whole(p: Place) -> Fraction:
    """The duration and b/w: every whole machine collects its batch from all the rate that is left."""
    return p.duration_s + p.batch / p.left_rps


TC = Policy(
    name="tc",
    words="batches in turn",
    help="throughput-cost dispatch in sequence: a whole machine takes d + b/w (Harpagon §III-B)",
    whole=tc_whole,
    partial=partial_alone,
    form=Form.LEFT,
    bounded_by="tc-shared",
)


# Policy `tc-shared`: throughput-cost dispatch, Theorem 1 of Harpagon (§III-B) read literally.


def tc_shared_latency(p: Place) -> Fraction:
    """The duration and b/w: w counts every machine whose ratio is the same or lower."""
    return p.duration_s + p.batch / p.tied_rps


TC_SHARED = Policy(
    name="tc-shared",
    words="batches in turn",
    help="Theorem 1 read literally: w counts every machine whose ratio is the same or lower (Harpagon §III-B)",
    whole=tc_shared_latency,
    partial=tc_shared_latency,
    form=Form.TIED,
)


# Policy `in-turn`: one configuration per module, whose machines take whole batches in turn (ours).
#
# All machines of a module, the partial one included, collect their batches from R = T + δ, one after the other. That is
# `tc-shared` with one allocation. With several, requests do not keep Theorem 1's d + b/w; with one they do, dummies
# included (docs/findings/theorem-1.md has the proof). Under dummy rules `none` and `machine` no plan that is safe for
# its allocations one by one, d + b/R with R the rate of an allocation, is charged less than one of these by share; in
# whole machines none of these is cheaper than the cheapest under `tc` (the same page).

IN_TURN = Policy(
    name="in-turn",
    words="batches in turn, one configuration per module",
    help="one configuration per module, batches in turn among its machines: d + b/R, proven to be kept (ours)",
    whole=tc_shared_latency,
    partial=tc_shared_latency,
    form=Form.TIED,
    bounded_by="tc-shared",
    most_allocations=1,
)
