"""Splitting and allocation as one problem: the exact data of every joint model of a session (ours).

A module's configurations stand in rank order. Only those are kept that some plan of the module can use within the
largest budget that the other modules can leave it. Everything is exact; models round in the safe direction.

Where machines are charged whole and there are dummies (docs/model/whole-machines.md), some properties of charging by
share fail, and the following holds instead:

- In sequence (forms `LEFT`, `TIED`), dummies may fill a last machine that is not full for nothing, which makes no
  machine slower. So there is no partial machine. Dummies fill any number of machines (`all_full`), so only the cost
  bounds the rate w_k = Σ_{j ≥ k} n_j t_j left at configuration k. With C the most that the module may cost, the
  machines at k and behind cost at least ρ_k for each request per second, hence w_k ≤ C/ρ_k.
- A plan may use any number of machines that cost nothing, have no stock and whose changes do not count
  (`JointConfiguration.endless`). A module that uses one of these, of duration d, needs nothing else, and its latency
  can be as little above d as one likes. Only the one of the shortest duration is kept. Models take d for its latency
  and count the fewest of its machines that take the rate. The number that it needs is decided when the plan is made.
- If such machines are of a type that has a largest share, other ones are used next to them. With any number of them,
  machines before them in rank take little more than their durations, too (`JointConfiguration.instant`). Models take
  the duration for their latency, whether or not there are endless machines behind them. So the models are looser than
  the problem, and solutions that are no plans are cut off.
- In the other forms a machine beyond those that take the rate makes nothing faster. Dummies fill less than one machine,
  unless changes count or types have a largest share (`demands.py`, `surplus`).

Names that the joint models share, m a module's name and k a configuration's place in its module's ranking:

    n_m_k        whole machines of configuration k
    f_m_k        rate of the partial machine at configuration k, requests per second
    u_m_k        1 if n_m_k ≥ 1
    z_m_k        1 if the partial machine runs configuration k
    lead_m_k     1 if k is the first configuration used
    last_m_k     1 if k is the last configuration used
    dummy_m      dummy rate δ, requests per second
    filled_m     1 if dummies are used
    latency_m    worst-case latency in seconds
    start_m      when module m starts at the latest, seconds
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

import numpy as np

from euclio.problems.session import Configuration, Plan, PlanSpace, Session
from euclio.problems.session.arrays import session_arrays, to_plan
from euclio.problems.session.latency.bound import latency_bound
from euclio.problems.session.machine_limits import least_machines
from euclio.problems.session.policies import Form
from euclio.problems.session.resources import usable_stock
from formulations.session.demands import Changes, changes_of, limited_types
from formulations.session.split.problem import SplitProblem, without_modes
from formulations.session.surplus import all_full, has_surplus, with_enough


@dataclass(frozen=True, slots=True)
class JointConfiguration:
    """A configuration that some plan of its module may use.

    Attributes:
        configuration: batch, concurrency, duration, hardware.
        index: its index among the session's configurations (`euclio.problems.session.arrays`).
        price: unit price per hour.
        unit_cost: ρ = p/t, money per hour for one request per second.
        group: number of its throughput-cost ratio within the module.
        most_machines: most whole machines in any plan; 0 means that it can only run a partial machine.
        whole_need_rps: rate that must be left for whole machines to meet the largest budget; 0 where the policy does
            not require any. None means that no whole machine meets it.
        partial_need_rps: rate that a partial machine needs within the largest budget (under `tc-shared` the rate left
            for its ratio; in form `EVEN` the rate that each machine of its allocation needs, the partial one included).
            None means that no partial machine meets it.
        lead_latency_s: least worst-case latency in seconds of the module's plans that begin with this configuration.
        lead_cost_per_h: least cost per hour of the module's plans that begin with this configuration.
        endless: any number of its machines costs nothing; `most_machines` stands for all these numbers.
        instant: models take its duration for its latency, since endless machines may stand behind it, or are its own.
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
    endless: bool = False
    instant: bool = False

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
        configurations: useful ones, in rank order; empty if no plan meets the largest budget.
        most_cost_per_h: most that the module may cost in a plan of interest; None means unknown.
    """

    name: str
    rate_rps: Fraction
    least_s: Fraction
    most_s: Fraction
    configurations: tuple[JointConfiguration, ...]
    most_cost_per_h: Fraction | None = None

    def most_left_rps(self, k: int, most_cost_per_h: Fraction | None = None) -> Fraction:
        """The most rate that machines of configuration k and those behind it take, if dummies fill any number of them.

        Args:
            k: place of the configuration.
            most_cost_per_h: most that the module may cost; None means `JointModule.most_cost_per_h`.
        """
        behind = self.configurations[k:]
        spent = self.most_cost_per_h if most_cost_per_h is None else most_cost_per_h
        free = sum((c.most_machines * c.throughput_rps for c in behind if not c.price), Fraction(0))
        paid = [c for c in behind if c.price]
        taken = sum((c.most_machines * c.throughput_rps for c in paid), Fraction(0))
        return free + (taken if spent is None or not paid else min(taken, spent / paid[0].unit_cost))


@dataclass(frozen=True, slots=True)
class JointProblem:
    """A session within a plan space, as joint models see it.

    Attributes:
        session: the instance.
        space: the plan space, without `single_hardware`.
        modules: one entry per module of the session, in its order.
        shape: the session's DAG with delays and ends.
        most_cost_per_h: only plans that cost at most this much are of interest; None means that all are of interest.
        any_plan: whether the only question is if there is a plan; then nothing costs anything.
    """

    session: Session
    space: PlanSpace
    modules: tuple[JointModule, ...]
    shape: SplitProblem
    most_cost_per_h: Fraction | None = None
    any_plan: bool = False

    @property
    def dummies(self) -> bool:
        """Whether dummies may fill the last machine."""
        return self.space.dummy.adds

    @property
    def surplus(self) -> bool:
        """Whether dummies may fill any number of machines, and machines beyond the rate's need may help."""
        return has_surplus(self.session, self.space)

    @property
    def all_full(self) -> bool:
        """Whether there is a surplus and no partial machine: dummies fill all machines and make none slower."""
        return all_full(self.space)

    @property
    def changes(self) -> Changes | None:
        """Changes of running machines, where they are limited or cost anything; else None."""
        return changes_of(self.session)

    @property
    def infeasible(self) -> bool:
        """Whether the derivation alone proves that there is no plan (of interest, where the problem was narrowed).

        Either a module has no useful configuration, or its least latency exceeds the most that the others leave it. Or
        modules that the session does not have run more machines than may be changed.
        """
        changes = self.changes
        if changes is not None and changes.impossible:
            return True
        return any(not module.configurations or module.least_s > module.most_s for module in self.modules)

    def plan(self, machines: list[list[int]], partial_at: list[int | None]) -> Plan:
        """The plan of the given counts of whole machines; partial and dummy rates are derived exactly.

        Args:
            machines: per module the whole machines of each of its configurations.
            partial_at: per module the place of the partial machine's configuration; None means no partial machine.
        """
        arrays = session_arrays(self.session, self.space)
        whole = np.zeros(arrays.batch.size, np.int64)
        partial = np.full(len(self.modules), -1, np.int64)
        endless: dict[int, list[Configuration]] = {}
        limited = limited_types(self.session)
        for m, module in enumerate(self.modules):
            used = [(c, n) for c, n in zip(module.configurations, machines[m], strict=True) if n]
            many = [c for c, _ in used if c.endless]
            # Endless machines without a largest share serve their module by themselves.
            alone = next(([(c, c.most_machines)] for c in many if c.configuration.hardware not in limited), None)
            for c, n in alone or used:
                whole[c.index] = n
            at = partial_at[m]
            if many:
                endless[m] = [c.configuration for c, _ in alone or used if c.endless]
            elif at is not None:
                partial[m] = module.configurations[at].index
        plan = to_plan(self.session, arrays, whole, partial)
        if not endless:
            return plan
        return with_enough(self.session, self.space, plan, endless, [module.most_s for module in self.modules])

    def alone(self, m: int) -> JointProblem:
        """The problem of module m within its largest budget; it has a useful configuration."""
        session, module = self.session, self.session.modules[m]
        only = Session(
            module.name,
            self.modules[m].most_s,
            session.hardware,
            [module],
            resources=session.resources,
            largest_shares=session.largest_shares,
        )
        return joint_problem(only, self.space, self.most_cost_per_h)


def joint_problem(
    session: Session, space: PlanSpace, most_cost_per_h: Fraction | None = None, *, any_plan: bool = False
) -> JointProblem:
    """Derive the joint problem of a session in a plan space.

    Args:
        session: the session.
        space: the plan space, without `single_hardware`, rule `continuous` or a policy of form `GENERAL`.
        most_cost_per_h: only plans that cost at most this much are of interest. Where dummies fill any number of
            machines in sequence, only this limit, a stock or a limit on changes bounds the numbers of machines that
            cost something. None means that all plans are of interest.
        any_plan: whether the only question is if there is a plan, where dummies fill any number of machines in
            sequence. Then nothing costs anything, any number of machines that are not in stock may be used, and
            changes do not count in the session.
    """
    shape = without_modes(session)
    bounds = [latency_bound(module, space) for module in session.modules]
    least = [session.slo_s if bound is None else bound for bound in bounds]
    rooms = shape.room_s(least)
    modules = tuple(
        _module(session, m, space, (least[m], rooms[m]), most_cost_per_h, any_plan=any_plan)
        for m in range(len(session.modules))
    )
    return JointProblem(session, space, modules, shape, most_cost_per_h, any_plan)


def narrowed(problem: JointProblem, least_s: list[Fraction]) -> JointProblem:
    """The problem narrowed to plans of interest, in which modules are known to need more than their least latencies.

    Args:
        problem: the problem.
        least_s: lower bound on the latency of each module in a plan of interest, seconds, shape (modules,).
    """
    session = problem.session
    rooms = without_modes(session).room_s(least_s)
    most = problem.most_cost_per_h
    modules = tuple(
        _module(session, m, problem.space, (least_s[m], rooms[m]), most, any_plan=problem.any_plan)
        for m in range(len(session.modules))
    )
    return replace(problem, modules=modules)


def _module(
    session: Session,
    m: int,
    space: PlanSpace,
    latency_range: tuple[Fraction, Fraction],
    most_cost: Fraction | None,
    *,
    any_plan: bool,
) -> JointModule:
    """The useful configurations, found from the last in rank to the first: dummies come from lower ranks."""
    (least, most), limited = latency_range, limited_types(session)
    arrays, module = session_arrays(session, space), session.modules[m]
    lo, hi = int(arrays.first[m]), int(arrays.first[m + 1])
    groups = np.cumsum(~arrays.same_ratio[lo:hi])
    ranked = [module.profile[int(arrays.profile_index[k])] for k in range(lo, hi)]
    endless = [] if _counts_changes(session, module.name) else _endless(session, space, ranked, any_plan=any_plan)
    alone = [c for c in endless if c.hardware not in limited]
    least_number = least_machines(session).get(module.name, 0)
    behind: int | None = None
    kept: list[JointConfiguration] = []
    most_throughput = Fraction(0)
    for k in range(hi - 1, lo - 1, -1):
        configuration = ranked[k - lo]
        # Of those that may serve alone only the fastest one is kept, which stands first.
        if configuration in alone[1:]:
            continue
        price = Fraction(0) if any_plan else session.price[configuration.hardware]
        # From the end, the first endless one found stands behind all configurations still to come.
        if configuration in endless and configuration not in alone and behind is None:
            behind = k - lo
        place = _Place(
            module.rate_rps,
            configuration,
            k,
            price,
            int(groups[k - lo]),
            *_limits(session, space, m, configuration),
            least_number,
        )
        if all_full(space):
            tied = space.policy.form is Form.TIED and behind is not None and groups[behind] == groups[k - lo]
            instant = behind is not None and (k - lo <= behind or tied)
            found = _surplus(place, most, most_cost, endless=configuration in endless, instant=instant)
        else:
            most_dummy = max(most_throughput, configuration.throughput_rps)
            found = _useful(place, space, most, most_dummy, surplus=has_surplus(session, space))
        if found is not None:
            kept.append(found)
            most_throughput = max(most_throughput, configuration.throughput_rps)
    return JointModule(module.name, module.rate_rps, least, most, tuple(reversed(kept)), most_cost)


def _endless(session: Session, space: PlanSpace, ranked: list[Configuration], *, any_plan: bool) -> list[Configuration]:
    """Configurations with any number of machines for nothing: the shortest duration first."""
    if not all_full(space):
        return []
    limited = usable_stock(session)
    free = [h.name for h in session.hardware if (h.price_per_h == 0 or any_plan) and h.name not in limited]
    return sorted((c for c in ranked if c.hardware in free), key=lambda c: c.duration_s)


def _counts_changes(session: Session, module: str) -> bool:
    """Whether changes of a module's machines cost anything or are limited."""
    changes = changes_of(session)
    return changes is not None and (changes.most is not None or changes.price_of(module) > 0)


def _limits(session: Session, space: PlanSpace, m: int, c: Configuration) -> tuple[int | None, int, Fraction]:
    """The limits on the machines of a configuration's type in module m: `most`, `runs`, `change_price` of a place."""
    changes, module = changes_of(session), session.modules[m].name
    stock = usable_stock(session, whole=space.charging.whole).get(c.hardware)
    if changes is None:
        return stock, 0, Fraction(0)
    bounds = [n for n in (stock, changes.most_of_type(module, c.hardware)) if n is not None]
    return min(bounds, default=None), changes.running[module, c.hardware], changes.price_of(module)


class _Place(NamedTuple):
    """A configuration of a module.

    Attributes:
        rate: the module's rate in requests per second.
        c: the configuration.
        at: its index among the session's configurations.
        price: its price per hour.
        group: number of its throughput-cost ratio within the module.
        stock: most machines of its type, by the stock or the limit on changes; None means any number.
        runs: machines of its type that run for the module.
        change_price: money per hour for each machine more or fewer.
        least: least machines of the module.
    """

    rate: Fraction
    c: Configuration
    at: int
    price: Fraction
    group: int
    stock: int | None
    runs: int
    change_price: Fraction
    least: int

    def affordable(self, money: Fraction) -> int | None:
        """The most machines that an amount per hour pays for, with changes; None means any number."""
        # Not even those that run are paid for. The cost of removing some is left out, so the result may be too large.
        if self.price * self.runs > money:
            return floor(money / self.price)
        # Beyond those that run, each machine more costs its price and a change.
        each = self.price + self.change_price
        return floor((money + self.change_price * self.runs) / each) if each else None


def _surplus(
    place: _Place, most: Fraction, most_cost: Fraction | None, *, endless: bool, instant: bool
) -> JointConfiguration | None:
    """The uses of a configuration where dummies fill any number of machines; None if no plan of interest has one.

    Args:
        place: the configuration.
        most: largest budget of the module in seconds.
        most_cost: most that a plan of interest costs per hour; None means unknown.
        endless: any number of its machines costs nothing.
        instant: endless machines may stand behind it.
    """
    rate, c, index, price, group, stock = place[:6]
    d, t = c.duration_s, c.throughput_rps
    if d >= most:
        return None
    if endless:
        machines = ceil(rate / t)
        return JointConfiguration(
            c, index, price, Fraction(0), group, machines, Fraction(0), None, d, Fraction(0), endless=True, instant=True
        )
    bounds = [] if stock is None else [stock]
    unit_cost = price / t
    latency = d
    paid = None if most_cost is None else place.affordable(most_cost)
    if paid is not None:
        bounds.append(paid)
    if price and most_cost:
        # The machines that it leads take at most most_cost/unit_cost.
        latency += 0 if instant else c.batch * unit_cost / most_cost
    need = Fraction(0) if instant else c.batch / (most - d)
    machines = min(bounds)
    # It takes at least the rate that it needs, and at least one machine.
    cost = max(unit_cost * max(rate, need), price)
    if machines == 0 or latency > most:
        return None
    return JointConfiguration(c, index, price, unit_cost, group, machines, need, None, latency, cost, instant=instant)


def _useful(
    place: _Place, space: PlanSpace, most: Fraction, most_dummy: Fraction, *, surplus: bool
) -> JointConfiguration | None:
    """The uses of a configuration next to partial machines; None if no plan within the budget has one.

    Where dummies fill any number of machines, full machines take the latency of their configuration, for any count.
    More machines of a configuration than take the whole rate, than run or than there are at least, are never needed.

    Args:
        place: the configuration.
        space: plan space.
        most: largest budget of the module in seconds.
        most_dummy: largest throughput of this configuration and the useful ones after it, which dummies stay below.
        surplus: whether dummies fill any number of machines, not less than one.
    """
    rate, c, index, price, group, stock = place[:6]
    d, b, t = c.duration_s, c.batch, c.throughput_rps
    if d >= most or stock == 0:
        return None
    dummies = space.dummy.adds
    even = space.policy.form is Form.EVEN
    collected = space.policy.even_batch(c) if even else Fraction(b)
    need = collected / (most - d)
    # Latency of a whole machine where its configuration alone decides it; None if it depends on the rate left.
    own = None if space.policy.form.in_sequence else space.policy.fixed_latency(c)
    whole_need: Fraction | None = need if own is None else Fraction(0) if own <= most else None
    if even and whole_need is None:
        return None  # no machine is faster than a full one
    # Dummies lift the rate by less than one machine's throughput.
    if whole_need is not None and whole_need > rate and not (dummies and whole_need - rate < most_dummy):
        whole_need = None
    # With dummies the last whole machine may be one that the rate alone does not fill.
    most_machines = 0 if whole_need is None else ceil(rate / t) if dummies else floor(rate / t)
    if surplus and most_machines:
        most_machines = max(most_machines, place.runs, place.least)
    if stock is not None:
        most_machines = min(most_machines, stock)
    partial_need = need if need <= rate and (need < t or space.policy.form is Form.TIED) else None
    if partial_need is None and most_machines == 0:
        return None
    alone = d + collected / rate
    if own is None:
        # The first machine collects from the whole rate, dummies included.
        latency = d + b / (rate + (most_dummy if dummies else 0))
    elif even:
        latency = own if most_machines else alone
    else:
        latency = min(own, alone) if partial_need is not None and rate < t else own
    # Whole machines that need more than the rate get dummies, which are paid for.
    least_rate = rate if partial_need is not None or whole_need is None else max(rate, whole_need)
    unit_cost = price / t
    # Charged whole, it costs at least one machine.
    cost = max(unit_cost * least_rate, price) if space.charging.whole else unit_cost * least_rate
    return JointConfiguration(c, index, price, unit_cost, group, most_machines, whole_need, partial_need, latency, cost)
