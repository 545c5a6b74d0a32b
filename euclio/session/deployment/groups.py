"""The groups of machines that a plan of a session is deployed as (ours; docs/howto/deployment.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from euclio.session.deployment.names import UniqueNames, dns_label
from euclio.session.evaluate import Evaluation, ModuleEvaluation, evaluate, machine_latencies
from euclio.session.instance import Configuration, Module, Session
from euclio.session.plan import ModulePlan, Plan
from euclio.session.policies import Policy
from euclio.session.simulation.targets import joins, own_dispatch
from euclio.session.space import PlanSpace

US_PER_S = 10**6


@dataclass(frozen=True, slots=True)
class Group:
    """Machines of one module that are alike: whole ones of an allocation, a partial one, or all with equal rates.

    Attributes:
        name: a DNS label of its own in the deployment.
        module: name of the module.
        allocation: place of their allocation in the module's plan, from 0.
        configuration: what each of them runs.
        machines: how many there are; each is started whole.
        rate_rps: requests per second that reach each machine, dummies included.
        latency_s: worst-case latency in seconds, as the checker has it.
        price_per_h: price of each machine in money per hour.
    """

    name: str
    module: str
    allocation: int
    configuration: Configuration
    machines: int
    rate_rps: Fraction
    latency_s: Fraction
    price_per_h: Fraction

    @property
    def gathering_s(self) -> Fraction:
        """How long a batch gathers at full load, in seconds: the worst-case latency less the duration, b/w."""
        return self.latency_s - self.configuration.duration_s

    @property
    def queue_delay_us(self) -> int:
        """The same in whole microseconds, rounded down so that no request is later than planned."""
        return int(self.gathering_s * US_PER_S)

    @property
    def load(self) -> Fraction:
        """Share of its throughput that each machine is planned to serve; below 1 a plan may charge it in part."""
        return self.rate_rps / self.configuration.throughput_rps

    @property
    def cost_per_h(self) -> Fraction:
        """What the machines cost in money per hour, each bought whole."""
        return self.machines * self.price_per_h


@dataclass(frozen=True, slots=True)
class Deployment:
    """A feasible plan as groups of machines.

    Attributes:
        session: the instance.
        policy: the dispatch policy under which the latencies hold.
        evaluation: the checker's answer on the plan.
        groups: module by module as in the session, in the order of rank within each.
    """

    session: Session
    policy: Policy
    evaluation: Evaluation
    groups: tuple[Group, ...]

    @property
    def whole_cost_per_h(self) -> Fraction:
        """What all machines cost in money per hour, each bought whole."""
        return sum((group.cost_per_h for group in self.groups), Fraction(0))

    def of_module(self, name: str) -> tuple[Group, ...]:
        """The groups of a module, in the order of rank."""
        return tuple(group for group in self.groups if group.module == name)


def deployment(session: Session, plan: Plan, space: PlanSpace) -> Deployment:
    """The groups of a plan that the checker accepts; latencies are the checker's own.

    Args:
        session: the instance.
        plan: a feasible plan of it.
        space: the plan space that it is feasible in.
    """
    evaluation = evaluate(session, plan, space)
    assert evaluation.feasible
    names = UniqueNames()
    groups: list[Group] = []
    for module, own, found in zip(session.modules, plan.modules, evaluation.modules, strict=True):
        groups += _of_module(module, own, found, session.price, space.policy, names)
    return Deployment(session, space.policy, evaluation, tuple(groups))


def _of_module(
    module: Module,
    plan: ModulePlan,
    found: ModuleEvaluation,
    price: dict[str, Fraction],
    policy: Policy,
    names: UniqueNames,
) -> Iterator[Group]:
    """The groups of a module's plan, as `found` by the checker."""
    f = found.partial_rps
    latencies = machine_latencies(plan.allocations, f, module.rate_rps + found.dummy_rps, price, policy)
    joined = f > 0 and joins(policy, own_dispatch(policy))
    last = len(plan.allocations) - 1
    for place, (i, partial, latency_s) in enumerate(latencies):
        allocation = plan.allocations[i]
        c = allocation.configuration
        machines, rate = (1, f) if partial else (allocation.machines, c.throughput_rps)
        if joined and i == last:
            if allocation.machines and partial:
                continue  # it is one of those with equal rates, which have been given
            machines = allocation.machines + 1
            rate = (allocation.machines * c.throughput_rps + f) / machines
        name = names.taken(dns_label(module.name, f"-{place + 1}"))
        yield Group(name, module.name, i, c, machines, rate, latency_s, price[c.hardware])
