"""Policy `rr-even`: round robin that gives the machines of the last allocation equal rates.

Round robin over identical machines sends each of them the same share, so that no machine of an allocation is the
partial one: if the rate R reaches the last allocation, its n = ⌈R/t⌉ machines take R/n each. A machine collects a batch
while it is as busy as the rate lets it be: for d where it is full, for d·(n·t/R) where it takes R/n. Reading: ours, of
Harpagon's Table III, whose systems with one allocation could not be scheduled otherwise (docs/model/policies.md).

`tc-shared` bounds it: take any plan. In the last allocation, which the rate R reaches, a machine takes
d·(1 + n·t/R) = d + b·e·n/R >= d + b/R, since e >= 1 and n >= 1; under `tc-shared` it takes d + b/w, where w counts R
and what else its ratio has. A machine of an allocation before takes 2d >= d + b/t, as t = b·e/d; under `tc-shared` it
takes d + b/w with w >= t. `tc` does not bound it: there the partial machine waits b/f for its own rate f, which may be
next to nothing, while n machines that share R = n·t − t + f evenly wait less than 2d each for n >= 2.
"""

from __future__ import annotations

from fractions import Fraction

from euclio.problems.session.policies.record import Form, Place, Policy


def either(p: Place) -> Fraction:
    """The duration d and d·n·t/R: n machines share R evenly; all full, as before the last allocation, it is 2d."""
    n = p.machines + (1 if p.partial_rps > 0 else 0)
    t = p.throughput_rps
    return p.duration_s * (1 + n * t / (p.machines * t + p.partial_rps))


def floats(
    is_partial: float, d: float, b: float, t: float, machines: float, f: float, left: float, tied: float
) -> float:
    """Latency of either machine in floats; compiled for `@compiled` functions."""
    n = machines + 1.0 if f > 0.0 else machines
    return d * (1.0 + n * t / (machines * t + f))


RR_EVEN = Policy(
    name="rr-even",
    words="round robin, machines alike equally loaded",
    help="round robin, the last allocation's n machines take R/n each: d·(1 + n·t/R), full 2d",
    whole=either,
    partial=either,
    form=Form.EVEN,
    bounded_by="tc-shared",
    floats=floats,
)
