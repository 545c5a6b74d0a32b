"""Splitting and allocation as one problem: what every joint model of a session needs, derived once and exactly (ours).

A module's configurations stand in rank order, reduced to those that some plan of the module can use within the largest
budget that the other modules can leave it. Everything is exact; models round as they need to, in the safe direction.

Names that the joint models share, m a module's name and k a configuration's place in its module's ranking:

    n_m_k        whole machines of configuration k
    f_m_k        rate of the partial machine at configuration k, requests per second
    u_m_k        1: n_m_k ≥ 1
    z_m_k        1: the partial machine runs configuration k
    lead_m_k     1: k is the first configuration used
    last_m_k     1: k is the last configuration used
    dummy_m      dummy rate δ, requests per second
    filled_m     1: dummies are used
    latency_m    worst-case latency in seconds
    start_m      when module m starts at the latest, seconds
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

import numpy as np

from euclio.core.errors import InapplicableError
from euclio.session import Configuration, Module, Plan, PlanSpace, Session
from euclio.session.arrays import session_arrays, to_plan
from euclio.session.latency_bound import latency_bound
from euclio.session.policies import Form, refuse_general
from formulations.session.splitting.problem import without_modes


@dataclass(frozen=True, slots=True)
class JointConfiguration:
    """A configuration that some plan of its module may use.

    Attributes:
        configuration: batch, concurrency, duration, hardware.
        index: its index among the session's configurations (`euclio.session.arrays`).
        price: unit price per hour.
        unit_cost: ρ = p/t, money per hour for one request per second.
        group: number of its throughput-cost ratio within the module.
        most_machines: most whole machines in any plan; 0: it can only run a partial machine.
        whole_need_rps: rate that must be left for whole machines to meet the largest budget; 0 where the policy does
            not ask for any; None: no whole machine meets it.
        partial_need_rps: rate that a partial machine needs within the largest budget (under `tc-shared` the rate left
            for its ratio; in form `EVEN` what each machine of its allocation needs, the partial one included); None: no
            partial machine meets it.
        lead_latency_s: least worst-case latency in seconds of the module's plans that begin with this configuration.
        lead_cost_per_h: least cost per hour of the module's plans that begin with this configuration.
    """

    configuration: Configuration
    index: int
    price: Fraction
    unit_cost: Fraction
    group: int
    most_machines: int
    whole_need_rps: Fraction | None
    partial_need_rps: Fraction | None
    lead_latency_s: Fraction
    lead_cost_per_h: Fraction

    @property
    def throughput_rps(self) -> Fraction:
        """Throughput t = b·e/d."""
        return self.configuration.throughput_rps


@dataclass(frozen=True, slots=True)
class JointModule:
    """One module.

    Attributes:
        name: its name.
        rate_rps: its request rate T.
        least_s: no plan has a smaller worst-case latency, seconds.
        most_s: largest budget that the other modules can leave it, seconds.
        configurations: useful ones, in rank order; none: no plan meets the largest budget.
    """

    name: str
    rate_rps: Fraction
    least_s: Fraction
    most_s: Fraction
    configurations: tuple[JointConfiguration, ...]


@dataclass(frozen=True, slots=True)
class JointProblem:
    """A session within a plan space, as joint models see it.

    Attributes:
        session: the instance.
        space: the plan space, without `single_hardware`.
        modules: one entry per module of the session, in its order.
        edges: pairs of indices of modules, from parent to child.
    """

    session: Session
    space: PlanSpace
    modules: tuple[JointModule, ...]
    edges: tuple[tuple[int, int], ...]

    @property
    def dummies(self) -> bool:
        """Whether dummies may fill the last machine."""
        return self.space.dummy.adds

    @property
    def infeasible(self) -> bool:
        """Whether the derivation alone proves that there is no plan."""
        return any(not module.configurations for module in self.modules)

    def plan(self, machines: list[list[int]], partial_at: list[int | None]) -> Plan:
        """The plan that counts of whole machines describe; partial and dummy rates are derived exactly.

        Args:
            machines: per module the whole machines of each of its configurations.
            partial_at: per module the place of the partial machine's configuration, None: no partial machine.
        """
        arrays = session_arrays(self.session, self.space)
        whole = np.zeros(arrays.batch.size, np.int64)
        partial = np.full(len(self.modules), -1, np.int64)
        for m, module in enumerate(self.modules):
            for c, n in zip(module.configurations, machines[m], strict=True):
                whole[c.index] = n
            at = partial_at[m]
            if at is not None:
                partial[m] = module.configurations[at].index
        return to_plan(self.session, arrays, whole, partial)

    def alone(self, m: int) -> JointProblem:
        """The problem of module m within its largest budget; it has a useful configuration."""
        session, module = self.session, self.session.modules[m]
        return joint_problem(Session(module.name, self.modules[m].most_s, session.hardware, [module]), self.space)


def joint_problem(session: Session, space: PlanSpace) -> JointProblem:
    """Derive the joint problem of a session in a plan space.

    Raises:
        InapplicableError: rule `continuous`, or a policy of form `GENERAL`.
    """
    if not space.dummy.countable:
        raise InapplicableError("the joint models cover the dummy rules none and machine, not continuous")
    refuse_general("a joint model", space.policy)
    shape = without_modes(session)
    bounds = [latency_bound(module, space) for module in session.modules]
    least = [session.slo_s if bound is None else bound for bound in bounds]
    rooms = shape.room_s(least)
    modules = tuple(_module(session, m, module, space, least[m], rooms[m]) for m, module in enumerate(session.modules))
    return JointProblem(session, space, modules, shape.edges)


def narrowed(problem: JointProblem, least_s: list[Fraction]) -> JointProblem:
    """The problem narrowed to plans of interest, in which modules are known to need more than their least latencies.

    Args:
        problem: the problem.
        least_s: lower bound on the latency of each module in a plan of interest, seconds, shape (modules,).
    """
    session = problem.session
    rooms = without_modes(session).room_s(least_s)
    modules = tuple(
        _module(session, m, module, problem.space, least_s[m], rooms[m]) for m, module in enumerate(session.modules)
    )
    return JointProblem(session, problem.space, modules, problem.edges)


def _module(session: Session, m: int, module: Module, space: PlanSpace, least: Fraction, most: Fraction) -> JointModule:
    """The useful configurations, found from the last in rank to the first: dummies come from what ranks lower."""
    arrays = session_arrays(session, space)
    lo, hi = int(arrays.first[m]), int(arrays.first[m + 1])
    groups = np.cumsum(~arrays.same_ratio[lo:hi])
    kept: list[JointConfiguration] = []
    most_throughput = Fraction(0)
    for k in range(hi - 1, lo - 1, -1):
        configuration = module.profile[int(arrays.profile_index[k])]
        most_dummy = max(most_throughput, configuration.throughput_rps)
        price = session.price[configuration.hardware]
        found = _useful(module.rate_rps, configuration, k, price, int(groups[k - lo]), space, most, most_dummy)
        if found is not None:
            kept.append(found)
            most_throughput = most_dummy
    return JointModule(module.name, module.rate_rps, least, most, tuple(reversed(kept)))


def _useful(
    rate: Fraction,
    c: Configuration,
    index: int,
    price: Fraction,
    group: int,
    space: PlanSpace,
    most: Fraction,
    most_dummy: Fraction,
) -> JointConfiguration | None:
    """What a configuration can do within its module's largest budget; None: no plan within it uses the configuration.

    Args:
        rate: the module's rate in requests per second.
        c: the configuration.
        index: its index among the session's configurations.
        price: its price per hour.
        group: number of its throughput-cost ratio within the module.
        space: plan space.
        most: largest budget of the module in seconds.
        most_dummy: largest throughput of this configuration and the useful ones after it, which dummies stay below.
    """
    d, b, t = c.duration_s, c.batch, c.throughput_rps
    if d >= most:
        return None
    dummies = space.dummy.adds
    even = space.policy.form is Form.EVEN
    collected = space.policy.even_batch(c) if even else Fraction(b)
    need = collected / (most - d)
    # Latency of a whole machine where its configuration alone decides it; None: the rate that is left does.
    own = None if space.policy.form.in_sequence else space.policy.fixed_latency(c)
    whole_need: Fraction | None = need if own is None else Fraction(0) if own <= most else None
    if even and whole_need is None:
        return None  # no machine is faster than a full one
    if whole_need is not None and whole_need > rate and not (dummies and whole_need - rate < most_dummy):
        whole_need = None
    most_machines = 0 if whole_need is None else ceil(rate / t) if dummies else floor(rate / t)
    partial_need = need if need <= rate and (need < t or space.policy.form is Form.TIED) else None
    if partial_need is None and most_machines == 0:
        return None
    alone = d + collected / rate
    if own is None:
        latency = d + b / (rate + (most_dummy if dummies else 0))
    elif even:
        latency = own if most_machines else alone
    else:
        latency = min(own, alone) if partial_need is not None and rate < t else own
    least_rate = rate if partial_need is not None or whole_need is None else max(rate, whole_need)
    unit_cost = price / t
    return JointConfiguration(
        c, index, price, unit_cost, group, most_machines, whole_need, partial_need, latency, unit_cost * least_rate
    )
