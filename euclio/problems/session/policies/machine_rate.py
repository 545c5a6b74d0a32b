"""Policies `machine-rate`, `machine-rate-even`, `load-balancer`: at the machine's own rate (Scrooge)."""

from __future__ import annotations

from fractions import Fraction

from euclio.problems.session.policies.record import Form, Place, Policy, partial_alone


def machine_rate_whole(p: Place) -> Fraction:
    """The duration and b/t: a whole machine collects its batch at the rate that it serves."""
    return p.duration_s + p.batch / p.throughput_rps


def machine_rate_floats(
    is_partial: float, d: float, b: float, t: float, machines: float, f: float, left: float, tied: float
) -> float:
    """Latency of a whole machine in floats; compiled for `@compiled` functions, which know the partial one's."""
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
# `tc-shared` bounds it: in the last allocation d + b·n/R >= d + b/R >= d + b/w, as n >= 1 and w counts all of R; before
# it d + b/t >= d + b/w, as w counts a whole machine. `tc` does not, as under `rr-even`.


def machine_rate_even_latency(p: Place) -> Fraction:
    """The duration and b·n/R: n machines share R evenly; all full, as before the last allocation, b·n/R is b/t."""
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
# It is what round robin per request does, as plain load balancers have it: the n machines of a module, the partial one
# included, get every n-th request each, R/n of them per second. That is `machine-rate-even` with one allocation.
#
# Let by the time x between R·x − α and R·x + β requests have become ready, dummies included, and W = α + β
# (docs/findings/theorem-1.md): W is 1 where requests come evenly spaced, 2 with dummies. Batch j of machine k is full
# at place (j·b − 1)·n + k of the sequence, hence by ((j·b − 1)·n + k − 1 + α)/R. It starts by then, by induction: e
# batches before it the machine started one b·e·n/R >= d earlier, as n·t >= R, which has ended. Its first request stands
# at place (j − 1)·b·n + k and became ready at ((j − 1)·b·n + k − β)/R or later. So requests take at most d + ((b − 1)·n
# + W − 1)/R, which is no more than d + b·n/R where W <= n + 1: always with evenly spaced requests, with or without
# evenly spaced dummies.

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
