"""The groups of machines that a plan of a session is deployed as (ours; docs/howto/deployment.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from euclio.export.names import TargetNames, UniqueNames, of_session
from euclio.problems.session.evaluate import Evaluation, ModuleEvaluation, evaluate, machine_latencies
from euclio.problems.session.instance import Configuration, Module, Session
from euclio.problems.session.latency.of_requests import caveat
from euclio.problems.session.machine_limits import unused_machines
from euclio.problems.session.packing import residents, waits
from euclio.problems.session.plan import ModulePlan, Plan
from euclio.problems.session.policies import Policy
from euclio.problems.session.space import PlanSpace
from euclio.serving.session.targets import joins, own_dispatch

US_PER_S = 10**6


@dataclass(frozen=True, slots=True)
class MachineGroup:
    """Equal machines of one module: whole ones of an allocation, a partial one, or all those with equal rates.

    Attributes:
        name: a DNS label of its own in the deployment.
        home: the name of its machines. It is the group's own name, unless modules share the machine.
        module: name of the module.
        partial: whether it is a partial machine that takes no turns with whole ones.
        configuration: the module's configuration on each machine.
        machines: their number; each is started whole.
        rate_rps: requests per second that reach each machine, dummies included.
        gathering_s: time in which a batch gathers at full load, in seconds: b/w.
        waiting_s: longest wait of a full batch for those of other modules on a shared machine, in seconds.
        price_per_h: price of each machine in money per hour.
        pulls: whether its machines take waiting requests as soon as they are free, so that no batch is held.
        delay_s: seconds for which a batch is held to be filled, if the plan was made for them; None means
            `gathering_s`.
        routed: whether the plan was made for a router of single requests, behind which no worst case is known.
    """

    name: str
    home: str
    module: str
    partial: bool
    configuration: Configuration
    machines: int
    rate_rps: Fraction
    gathering_s: Fraction
    waiting_s: Fraction
    price_per_h: Fraction
    pulls: bool = False
    delay_s: Fraction | None = None
    routed: bool = False

    @property
    def latency_s(self) -> Fraction:
        """Worst-case latency in seconds, as the checker computes it."""
        return self.gathering_s + self.waiting_s + self.configuration.duration_s

    @property
    def shares(self) -> bool:
        """Whether other modules are on its machine."""
        return self.home != self.name

    @property
    def instances(self) -> int:
        """Batches that a machine executes at a time: one on a shared machine, else the concurrency."""
        return 1 if self.shares else self.configuration.concurrency

    @property
    def even_gathering_s(self) -> Fraction:
        """Seconds in which a batch gathers on a machine that receives its rate evenly in single requests."""
        return self.configuration.batch / self.rate_rps

    @property
    def needs_runs(self) -> bool:
        """Whether its machines have to receive whole batches in a run.

        Single requests, sent evenly as load balancers do, would not fill a batch within the time that the plan counts
        on. The queue delay would close it early, and the machines might receive more batches than they can execute. A
        batch of one is full at once. A plan that was made for a router does not count on that time.
        """
        alone = self.routed or self.configuration.batch == 1
        return not alone and self.even_gathering_s > self.gathering_s

    @property
    def queue_delay_us(self) -> int:
        """The time that a batch gathers in microseconds, rounded down so that no request is later than planned."""
        held_s = self.gathering_s if self.delay_s is None else self.delay_s
        return 0 if self.pulls else int(held_s * US_PER_S)

    @property
    def load(self) -> Fraction:
        """Share of its throughput that each machine is planned to serve for the module."""
        return self.rate_rps / self.configuration.throughput_rps


@dataclass(frozen=True, slots=True)
class Deployment:
    """A feasible plan as groups of machines.

    Attributes:
        session: the instance.
        space: the plan space in which the plan is feasible; the latencies hold under its policy.
        evaluation: the checker's answer on the plan.
        groups: module by module as in the session, in the order of rank within each.
        names: the names of the session's modules and hardware in the files.
        planned: the service that the plan was made for, in words; empty means evenly spaced requests.
        keeps_free: whether dummies stand for capacity that is kept free.
        router: the router of single requests that the plan was made for; empty if it was made for none.
        doubts: why the latencies are not proven for requests; empty if they are, or an attainment was judged.
    """

    session: Session
    space: PlanSpace
    evaluation: Evaluation
    groups: tuple[MachineGroup, ...]
    names: TargetNames
    planned: str = ""
    keeps_free: bool = False
    router: str = ""
    doubts: str = ""

    @property
    def whole_cost_per_h(self) -> Fraction:
        """Money per hour of all machines, each bought whole, shared ones once, with spare and idle ones."""
        by_home = {group.home: group.machines * group.price_per_h for group in self.groups}
        price, bought = self.session.price, Counter[str]()
        for group in {group.home: group for group in self.groups}.values():
            bought[group.configuration.hardware] += group.machines
        idle = Counter[str]()
        for (_, name), n in self.evaluation.idle.items():
            idle[name] += n
        unused = unused_machines(self.session, {name: Fraction(n) for name, n in (bought + idle).items()})
        more = sum((n * price[name] for name, n in idle.items()), Fraction(0))
        more += sum((n * price[name] for name, n in unused.items()), Fraction(0))
        return sum(by_home.values(), self.evaluation.spare_cost_per_h + more)

    @property
    def homes(self) -> dict[str, tuple[MachineGroup, ...]]:
        """The groups by the home of their machines: one each, or all those that share a machine."""
        found: dict[str, tuple[MachineGroup, ...]] = {}
        for group in self.groups:
            found[group.home] = (*found.get(group.home, ()), group)
        return found

    def of_module(self, name: str) -> tuple[MachineGroup, ...]:
        """The groups of a module, in the order of rank."""
        return tuple(group for group in self.groups if group.module == name)


def deployment(session: Session, plan: Plan, space: PlanSpace) -> Deployment:
    """The groups of a plan that the checker accepts; latencies are the checker's own.

    Args:
        session: the instance.
        plan: a feasible plan of it.
        space: the plan space in which it is feasible.
    """
    evaluation = evaluate(session, plan, space)
    assert evaluation.feasible
    names, taken = of_session(session), UniqueNames()
    groups: list[MachineGroup] = []
    for module, own, found in zip(session.modules, plan.modules, evaluation.modules, strict=True):
        groups += _of_module(module, own, found, session.price, space.policy, names.labels[module.name])
    for group in groups:
        taken.taken(group.name)
    partial_rps = [found.partial_rps for found in evaluation.modules]
    for shared in residents(plan, partial_rps):
        home = taken.taken("shared-1")
        for resident, wait in zip(shared, waits(shared), strict=True):
            module = session.modules[resident.module]
            k = next(k for k, group in enumerate(groups) if group.module == module.name and group.partial)
            groups[k] = replace(groups[k], home=home, waiting_s=wait)
    doubts = caveat(session, space, plan, evaluation)
    return Deployment(session, space, evaluation, tuple(groups), names, doubts=doubts)


def _of_module(
    module: Module,
    plan: ModulePlan,
    found: ModuleEvaluation,
    price: dict[str, Fraction],
    policy: Policy,
    label: str,
) -> Iterator[MachineGroup]:
    """The groups of a module's plan, as `found` by the checker, each on machines of its own.

    Their names are the module's label and their place. No two labels are equal, so no two names are.
    """
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
                continue  # it is one of those with equal rates, which came first
            machines = allocation.machines + 1
            rate = (allocation.machines * c.throughput_rps + f) / machines
        name = f"{label}-{place + 1}"
        yield MachineGroup(
            name=name,
            home=name,
            module=module.name,
            partial=partial and not joined,
            configuration=c,
            machines=machines,
            rate_rps=rate,
            gathering_s=latency_s - c.duration_s,
            waiting_s=Fraction(0),
            price_per_h=price[c.hardware],
            pulls=policy.pulls,
        )
