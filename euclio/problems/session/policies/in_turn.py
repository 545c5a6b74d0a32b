"""Policy `in-turn`: one configuration per module, whose machines take whole batches in turn (ours).

All machines of a module, the partial one included, collect their batches from R = T + δ, one after the other. That is
`tc-shared` with one allocation. With several, requests do not keep Theorem 1's d + b/w; with one they do, dummies
included (docs/findings/theorem-1.md has the proof). Under dummy rules `none` and `machine` no plan that is safe for its
allocations one by one, d + b/R with R the rate of an allocation, is charged less than one of these by share; in whole
machines none of these is cheaper than the cheapest under `tc` (the same page).
"""

from __future__ import annotations

from euclio.problems.session.policies.record import Form, Policy
from euclio.problems.session.policies.tc_shared import either

IN_TURN = Policy(
    name="in-turn",
    words="batches in turn, one configuration per module",
    help="one configuration per module, batches in turn among its machines: d + b/R, proven to be kept (ours)",
    whole=either,
    partial=either,
    form=Form.TIED,
    bounded_by="tc-shared",
    most_allocations=1,
)
