"""Plans of a session: machines, their configurations and their requests (docs/model/sessions.md)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from euclio.core.lazy import late_value
from euclio.core.showing import Framed
from euclio.core.tolerances import WRITTEN_RATE_TOLERANCE
from euclio.problems.session.instance import Configuration, Module


@dataclass(frozen=True, slots=True)
class Allocation:
    """n whole machines of one configuration and, in a module's last allocation only, one partial machine.

    Attributes:
        configuration: the configuration of all these machines.
        machines: whole machines at full rate; the partial machine is not counted.
        partial_rps: request rate of the partial machine; 0 means that there is none.
    """

    configuration: Configuration
    machines: int
    partial_rps: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class ModulePlan:
    """The allocations of one module, strictly descending in rank, and the dummy rate that tops its rate up."""

    allocations: tuple[Allocation, ...]
    dummy_rps: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True, repr=False)
class Plan(Framed):
    """A plan of a session.

    Attributes:
        modules: one `ModulePlan` per module, in the order of the session's modules.
        shared: groups of indices of modules whose partial machines are one machine
            (`euclio.problems.session.packing`).
    """

    _view = late_value("euclio.problems.session.views", "PLAN")

    modules: tuple[ModulePlan, ...]
    shared: tuple[tuple[int, ...], ...] = ()


# Rates in a plan that follow from its machines, and their tolerance in writing (docs/formats/result.md; ours).
#
# The partial rate, and the dummy rate if all machines are whole, are differences of the module's rate and the rate of
# its whole machines, which seldom end as decimals. A plan states them only to show that reader and writer mean the
# same.


def whole_rps(allocations: tuple[Allocation, ...]) -> Fraction:
    """The rate of all whole machines at full rate, in requests per second."""
    whole = allocations[0].configuration.throughput_rps * allocations[0].machines if allocations else Fraction(0)
    for allocation in allocations[1:]:
        whole += allocation.configuration.throughput_rps * allocation.machines
    return whole


def written_slack_rps(total_rps: Fraction, whole: Fraction) -> Fraction:
    """The tolerance of a written difference: a share of the larger of its two rates, even if the difference is small.

    Args:
        total_rps: rate of the module with dummies.
        whole: rate of its whole machines.
    """
    return WRITTEN_RATE_TOLERANCE * max(total_rps, whole)


def with_derived_rates(module: Module, plan: ModulePlan) -> ModulePlan:
    """A plan from a file with its derived rates exactly; a rate that is off by more than the slack stays as written.

    Args:
        module: the module.
        plan: its plan; its dummy rate is derived only without a partial machine.
    """
    if not plan.allocations:
        return plan
    last, whole = plan.allocations[-1], whole_rps(plan.allocations)
    dummy, slack = plan.dummy_rps, written_slack_rps(module.rate_rps + plan.dummy_rps, whole)
    if not last.partial_rps and whole >= module.rate_rps and abs(whole - module.rate_rps - dummy) <= slack:
        return replace(plan, dummy_rps=whole - module.rate_rps)
    partial = max(Fraction(0), module.rate_rps + dummy - whole)
    if not last.partial_rps or abs(last.partial_rps - partial) > slack:
        return plan
    return replace(plan, allocations=(*plan.allocations[:-1], replace(last, partial_rps=partial)))
