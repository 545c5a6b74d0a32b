"""Dispatch policy `split`: what is proven of plans of any number of allocations (docs/findings/theorem-1.md)."""

from fractions import Fraction

from euclio.problems.session.policies import Place, Policy


def own_rate(p: Place) -> Fraction:
    """The duration and b/R: an allocation's machines, the partial one included, collect from its own rate R."""
    return p.duration_s + p.batch / (p.machines * p.throughput_rps + p.partial_rps)


OWN_RATE = Policy(name="split", help="d + b/R, R the rate of the allocation", whole=own_rate, partial=own_rate)
