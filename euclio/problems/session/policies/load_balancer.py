"""Policy `load-balancer`: one configuration per module, single requests in turn among its machines (ours).

It is what round robin per request does, as plain load balancers have it: the n machines of a module, the partial one
included, get every n-th request each, R/n of them per second. That is `machine-rate-even` with one allocation.

Let by the time x between R·x − α and R·x + β requests have become ready, dummies included, and W = α + β
(docs/findings/theorem-1.md): W is 1 where requests come evenly spaced, 2 with dummies. Batch j of machine k is full at
place (j·b − 1)·n + k of the sequence, hence by ((j·b − 1)·n + k − 1 + α)/R. It starts by then, by induction: e batches
before it the machine started one b·e·n/R >= d earlier, as n·t >= R, which has ended. Its first request stands at place
(j − 1)·b·n + k and became ready at ((j − 1)·b·n + k − β)/R or later. So requests take at most
d + ((b − 1)·n + W − 1)/R, which is no more than d + b·n/R where W <= n + 1: always with evenly spaced requests, with or
without evenly spaced dummies.
"""

from __future__ import annotations

from euclio.problems.session.policies.machine_rate_even import either, floats
from euclio.problems.session.policies.record import Form, Policy

LOAD_BALANCER = Policy(
    name="load-balancer",
    words="one request after the other to the next machine, one configuration per module",
    help="one configuration per module, single requests in turn among its machines: d + b·n/R, proven (ours)",
    whole=either,
    partial=either,
    form=Form.EVEN,
    bounded_by="machine-rate-even",
    floats=floats,
    most_allocations=1,
)
