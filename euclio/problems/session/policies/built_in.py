"""The built-in policies: throughput-cost dispatch, dispatch at the machine's own rate, and round robin."""

from __future__ import annotations

from fractions import Fraction

from euclio.problems.session.policies.record import Form, Place, Policy, partial_alone

# Policy `tc`: throughput-cost dispatch in sequence, as Algorithm 1 computes it (Harpagon §III-B).


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
    """The duration and b/w: w counts every machine with the same or a lower ratio."""
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
# `tc-shared` with one allocation. With several, requests do not keep Theorem 1's d + b/w. With one they do, dummies
# included (docs/findings/theorem-1.md has the proof). Consider, under dummy rules `none` and `machine`, the plans that
# are safe for each allocation by itself: d + b/R with R the rate of an allocation. By share, none of them is charged
# less than a plan of this policy. In whole machines no plan of this policy is cheaper than the cheapest under `tc` (the
# same page).

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


# Policy `machine-rate`: at the machine's own rate (Scrooge).


def machine_rate_whole(p: Place) -> Fraction:
    """The duration and b/t: a whole machine collects its batch at the rate that it serves."""
    return p.duration_s + p.batch / p.throughput_rps


def machine_rate_floats(
    is_partial: float, d: float, b: float, t: float, machines: float, f: float, left: float, tied: float
) -> float:
    """Latency of a whole machine in floats; `@compiled` functions have the partial machine's formula themselves."""
    return d + b / t


MACHINE_RATE = Policy(
    name="machine-rate",
    words="each machine at its own rate",
    help="dispatch at the machine's own throughput: a whole machine takes d + b/t (Scrooge)",
    whole=machine_rate_whole,
    partial=partial_alone,
    form=Form.FIXED,
    bounded_by="tc",
    floats=machine_rate_floats,
)


# Policy `machine-rate-even`: dispatch at the machine's own rate, equal within the last allocation.
#
# Every machine collects a batch at the rate that it serves. If the rate R reaches the last allocation, its n = ⌈R/t⌉
# machines serve R/n each, so that none of them is the partial one: each takes d + b·n/R. Reading: ours, of Scrooge's
# rule in Harpagon's Table III (docs/model/policies.md).
#
# `tc-shared` bounds it. In the last allocation d + b·n/R >= d + b/R >= d + b/w, as n >= 1 and w counts all of R. Before
# it d + b/t >= d + b/w, as w counts a whole machine. `tc` does not bound it, for the reason given at `rr-even`.


def machine_rate_even_latency(p: Place) -> Fraction:
    """The duration and b·n/R: n machines share R evenly; before the last allocation all are full, and b·n/R is b/t."""
    n = p.machines + (1 if p.partial_rps > 0 else 0)
    return p.duration_s + p.batch * n / (p.machines * p.throughput_rps + p.partial_rps)


def machine_rate_even_floats(
    is_partial: float, d: float, b: float, t: float, machines: float, f: float, left: float, tied: float
) -> float:
    """Latency of either machine in floats; compiled for `@compiled` functions."""
    n = machines + 1.0 if f > 0.0 else machines
    return d + b * n / (machines * t + f)


MACHINE_RATE_EVEN = Policy(
    name="machine-rate-even",
    words="each machine at its own rate, machines alike equally loaded",
    help="dispatch at the machine's rate, the last allocation's n machines take R/n each: d + b·n/R, full d + b/t",
    whole=machine_rate_even_latency,
    partial=machine_rate_even_latency,
    form=Form.EVEN,
    bounded_by="tc-shared",
    floats=machine_rate_even_floats,
)


# Policy `load-balancer`: one configuration per module, single requests in turn among its machines (ours).
#
# It is round robin per request, as in plain load balancers: the n machines of a module, the partial one included, get
# every n-th request each, R/n of them per second. That is `machine-rate-even` with one allocation.
#
# Let the number of requests that have become ready by the time x be between R·x − α and R·x + β, dummies included. Let
# W = α + β (docs/findings/theorem-1.md): W is 1 if requests come evenly spaced, 2 with dummies. Batch j of machine k is
# full at place (j·b − 1)·n + k of the sequence, hence by ((j·b − 1)·n + k − 1 + α)/R. It starts by then, by induction:
# the batch that the machine started e batches before began b·e·n/R >= d earlier, as n·t >= R, and has ended. Its first
# request stands at place (j − 1)·b·n + k and became ready at ((j − 1)·b·n + k − β)/R or later. So requests take at most
# d + ((b − 1)·n + W − 1)/R. This is no more than d + b·n/R if W <= n + 1. Evenly spaced requests always satisfy that,
# with or without evenly spaced dummies.

LOAD_BALANCER = Policy(
    name="load-balancer",
    words="one request after the other to the next machine, one configuration per module",
    help="one configuration per module, single requests in turn among its machines: d + b·n/R, proven (ours)",
    whole=machine_rate_even_latency,
    partial=machine_rate_even_latency,
    form=Form.EVEN,
    bounded_by="machine-rate-even",
    floats=machine_rate_even_floats,
    most_allocations=1,
)


# Policy `rr`: round robin (Nexus, InferLine, Clipper; Harpagon Table III).


def rr_whole(p: Place) -> Fraction:
    """2d: a batch waits as long as the one before it takes."""
    return 2 * p.duration_s


def rr_floats(
    is_partial: float, d: float, b: float, t: float, machines: float, f: float, left: float, tied: float
) -> float:
    """Latency of a whole machine in floats; `@compiled` functions have the partial machine's formula themselves."""
    return 2.0 * d


RR = Policy(
    name="rr",
    words="round robin",
    help="round robin: a whole machine takes 2d (Nexus, InferLine, Clipper)",
    whole=rr_whole,
    partial=partial_alone,
    form=Form.FIXED,
    bounded_by="tc",
    floats=rr_floats,
)


# Policy `rr-even`: round robin that gives the machines of the last allocation equal rates.
#
# Round robin over identical machines sends each of them the same share, so no machine of an allocation is the partial
# one. If the rate R reaches the last allocation, its n = ⌈R/t⌉ machines take R/n each. A machine collects a batch for
# as long as its rate keeps it busy: for d if it is full, for d·(n·t/R) if it takes R/n. Reading: ours, of Harpagon's
# Table III, whose systems with one allocation could not be scheduled otherwise (docs/model/policies.md).
#
# `tc-shared` bounds it. Take any plan. In the last allocation, which the rate R reaches, a machine takes
# d·(1 + n·t/R) = d + b·e·n/R >= d + b/R, since e >= 1 and n >= 1. Under `tc-shared` it takes d + b/w, where w counts R
# and the other machines of its ratio. A machine of an earlier allocation takes 2d >= d + b/t, as t = b·e/d. Under
# `tc-shared` it takes d + b/w with w >= t. `tc` does not bound it: there the partial machine waits b/f for its own
# rate f, which may be almost 0. But n machines that share R = n·t − t + f evenly wait less than 2d each if n >= 2.


def rr_even_latency(p: Place) -> Fraction:
    """The duration and d·n·t/R: n machines share R evenly. All are full before the last allocation: there it is 2d."""
    n = p.machines + (1 if p.partial_rps > 0 else 0)
    t = p.throughput_rps
    return p.duration_s * (1 + n * t / (p.machines * t + p.partial_rps))


def rr_even_floats(
    is_partial: float, d: float, b: float, t: float, machines: float, f: float, left: float, tied: float
) -> float:
    """Latency of either machine in floats; compiled for `@compiled` functions."""
    n = machines + 1.0 if f > 0.0 else machines
    return d * (1.0 + n * t / (machines * t + f))


RR_EVEN = Policy(
    name="rr-even",
    words="round robin, machines alike equally loaded",
    help="round robin, the last allocation's n machines take R/n each: d·(1 + n·t/R), full 2d",
    whole=rr_even_latency,
    partial=rr_even_latency,
    form=Form.EVEN,
    bounded_by="tc-shared",
    floats=rr_even_floats,
)


# Policy `shared-queue`: one configuration per module, whose machines take waiting requests as soon as they are free
# (ours).
#
# It is a queue per module from which n machines take batches. Triton's dynamic batcher does the same with the instances
# of a model at a queue delay of 0, its default. A batch is never held back to be filled.
#
# Let requests become ready evenly spaced, at most R·x + 1 of them in a time x, without dummies, and let a batch of any
# size take d at most. Look at a request that becomes ready at y after the queue was empty for the last time, at 0.
# Until it is taken the queue is not empty. So no machine is idle, and every batch that is taken is full: a smaller one
# would have emptied the queue. With n·e batches at a time each of the n·e places takes k batches within k·d, so that
# n·e·b·k requests are taken by then. Of those that became ready after 0 it is the m-th, m <= R·y + 1, and m is whole.
# It is taken by d·⌈m/(n·e·b)⌉ <= d·(R·y + n·e·b)/(n·e·b). So it waits d + y·(R·d/(n·e·b) − 1) at most. As R <= n·t =
# n·e·b/d, that is d at most: no request takes longer than 2d, at any low rate. A plan is made with d·(1 + n·t/R), which
# is that of `rr-even` with one allocation, and with 2d if machines are full, spare capacity included.

SHARED_QUEUE = Policy(
    name="shared-queue",
    words="machines that are free take what waits, one configuration per module",
    help="one configuration per module, machines that are free take what waits: d·(1 + n·t/R), of which 2d is kept, "
    "proven (ours)",
    whole=rr_even_latency,
    partial=rr_even_latency,
    form=Form.EVEN,
    bounded_by="rr-even",
    floats=rr_even_floats,
    most_allocations=1,
    pulls=True,
)
