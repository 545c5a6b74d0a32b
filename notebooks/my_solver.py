"""Solvers of one's own: a latency share for each module, then the cheapest configuration within it (notebook 06)."""

from fractions import Fraction
from math import ceil

from euclio.problems.session import Allocation, ModulePlan, Plan, Session, longest_path


def even_shares(session: Session) -> Plan | None:
    """Even shares of the latency objective along the longest chain of modules."""
    length, _ = longest_path(session, [Fraction(1)] * len(session.modules))
    return cheapest_within(session, [session.slo_s / length] * len(session.modules))


def shares_by_speed(session: Session) -> Plan | None:
    """Shares of the latency objective in proportion to the least that each module needs."""
    least_s = [min(c.duration_s for c in module.profile) for module in session.modules]
    length_s, _ = longest_path(session, least_s)
    return cheapest_within(session, [session.slo_s * least / length_s for least in least_s])


def cheapest_within(session: Session, shares_s: list[Fraction]) -> Plan | None:
    """The cheapest whole machines of one configuration per module within its share; None: a module has none."""
    plans = []
    for module, share_s in zip(session.modules, shares_s, strict=True):
        options = []
        for c in module.profile:
            machines = ceil(module.rate_rps / c.throughput_rps)
            worst_s = c.duration_s + c.batch / (machines * c.throughput_rps)  # a batch gathers, then it runs
            if worst_s <= share_s:
                options.append((machines * session.price[c.hardware], machines, c))
        if not options:
            return None
        _, machines, c = min(options, key=lambda option: option[0])
        dummy_rps = machines * c.throughput_rps - module.rate_rps  # keeps the last machine full
        plans.append(ModulePlan((Allocation(c, machines),), dummy_rps))
    return Plan(tuple(plans))
