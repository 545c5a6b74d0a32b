"""Policy `shared-queue`: one configuration per module, whose machines take what waits as soon as they are free (ours).

It is what a queue per module does from which n machines take batches, and what Triton's dynamic batcher does with the
instances of a model at a queue delay of 0, its default: a batch is never held back to be filled.

Let requests become ready evenly spaced, at most R·x + 1 of them in a time x, without dummies, and let a batch of any
size take d at most. Look at a request that becomes ready at y after the queue was empty for the last time, at 0. Until
it is taken the queue is not empty, so that no machine is idle and every batch that is taken is full: one that took less
would have emptied the queue. With n·e batches at a time each of the n·e places takes k batches within k·d, so that
n·e·b·k requests are taken by then. Of those that became ready after 0 it is the m-th, m <= R·y + 1, and m is whole: it
is taken by d·⌈m/(n·e·b)⌉ <= d·(R·y + n·e·b)/(n·e·b), and waits d + y·(R·d/(n·e·b) − 1) at most. As R <= n·t = n·e·b/d,
that is d at most: nobody takes longer than 2d, however few requests come. A plan is made with d·(1 + n·t/R), which is
that of `rr-even` with one allocation, and 2d where machines are full, spare capacity included.
"""

from __future__ import annotations

from euclio.problems.session.policies.record import Form, Policy
from euclio.problems.session.policies.rr_even import either, floats

SHARED_QUEUE = Policy(
    name="shared-queue",
    words="machines that are free take what waits, one configuration per module",
    help="one configuration per module, machines that are free take what waits: d·(1 + n·t/R), of which 2d is kept, "
    "proven (ours)",
    whole=either,
    partial=either,
    form=Form.EVEN,
    bounded_by="rr-even",
    floats=floats,
    most_allocations=1,
    pulls=True,
)
