"""Policy `machine-rate-even`: dispatch at the machine's own rate, equal within the last allocation.

Every machine collects a batch at the rate that it serves. If the rate R reaches the last allocation, its n = ⌈R/t⌉
machines serve R/n each, so that none of them is the partial one: each takes d + b·n/R. Reading: ours, of Scrooge's rule
in Harpagon's Table III (docs/model/policies.md).

`tc-shared` bounds it: in the last allocation d + b·n/R >= d + b/R >= d + b/w, as n >= 1 and w counts all of R; before
it d + b/t >= d + b/w, as w counts a whole machine. `tc` does not, as under `rr-even`.
"""

from __future__ import annotations

from fractions import Fraction

from euclio.problems.session.policies.record import Form, Place, Policy


def either(p: Place) -> Fraction:
    """The duration and b·n/R: n machines share R evenly; all full, as before the last allocation, b·n/R is b/t."""
    n = p.machines + (1 if p.partial_rps > 0 else 0)
    return p.duration_s + p.batch * n / (p.machines * p.throughput_rps + p.partial_rps)


def floats(
    is_partial: float, d: float, b: float, t: float, machines: float, f: float, left: float, tied: float
) -> float:
    """Latency of either machine in floats; compiled for `@compiled` functions."""
    n = machines + 1.0 if f > 0.0 else machines
    return d + b * n / (machines * t + f)


MACHINE_RATE_EVEN = Policy(
    name="machine-rate-even",
    words="each machine at its own rate, machines alike equally loaded",
    help="dispatch at the machine's rate, the last allocation's n machines take R/n each: d + b·n/R, full d + b/t",
    whole=either,
    partial=either,
    form=Form.EVEN,
    bounded_by="tc-shared",
    floats=floats,
)
