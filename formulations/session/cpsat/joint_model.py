"""Splitting and allocation in one CP-SAT model: products of spare time and rate in whole numbers (ours).

Latencies and start times are added to the block of every module (`allocation_model.py`), in units of 1/Q seconds:

    (9)   minimise total = Σ_m cost_m + the terms of `coupled.py`,  total ≤ cutoff
    (10)  start_m ≥ start_a + latency_m of a                      for every edge (a, m)
    (11)  start_m + latency_m ≤ ⌊SLO Q⌋
    (12)  u_k: (latency + 1 - ⌊d_k Q⌋) · left_k ≥ ⌈b_k Q R⌉       whole machines (Harpagon Theorem 1)
    (13)  z_k: (latency + 1 - ⌊d_k Q⌋) · f ≥ ⌈b_k Q R⌉            the partial machine
    (14)  lead_k: latency ≥ ⌊Q · least latency of a plan that k leads⌋     (implied)
    (15)  u_k, not filled: latency ≥ ⌊Q (d_k + b_k/T)⌋                     (implied)

In form `EVEN` the n_k + 1 machines of the last allocation share its rate, which is left_k:

    (16)  z_k: (latency + 1 - ⌊d_k Q⌋) · left_k ≥ ⌊q_k Q R/2^s⌋ 2^s · (n_k + 1)    in place of (13)

(s keeps the row's coefficients within CP-SAT's limit, and loses at most one part in 2^28 of the left side.)

Under `rr` and `machine-rate` whole machines have the constant latencies of Harpagon's Table III in place of (12). Under
`tc-shared` the rate in (12) and (13) is the one left at the first configuration of k's ratio.

Endless machines, and those that may stand before them (`joint_problem`), take their duration in place of (12). If
dummies fill any number of machines, `filled` is free, so that (15) has no effect.

Why the optimum is a bound. Take any plan, latency = ⌊L Q⌋, start times rounded down too, f = ⌈f R⌉. Rounding down keeps
(10) and (11), as whole numbers below a sum of reals stay below it. In (12) latency + 1 - ⌊d Q⌋ > (L - d) Q and
left_k ≥ w R. So their product is at least (L - d) w Q R ≥ b Q R, and whole, hence at least the next whole number. So
every plan of interest is a solution, at a cost that is rounded down. A solution may miss the SLO by less than 1/Q
seconds per module of a path, and a rate by a few parts in 2^26. Its plan is priced exactly, and refused if that
matters.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import assert_never

from ortools.sat.python import cp_model

from euclio.problems.session import Plan, Policy
from euclio.problems.session.policies import Form
from formulations.engines.cpsat import CountedValues, common_scale
from formulations.session.cpsat.allocation_model import TIME_UNITS, ModuleVariables, add_module, money_scale
from formulations.session.cpsat.coupled import add_stock, coupled_costs, idle_machines
from formulations.session.demands import coupled_prices
from formulations.session.joint.candidates import Exclusion, ModuleState, state
from formulations.session.joint.problem import JointConfiguration, JointProblem

SHARE_BITS = 29
"""Bits that are kept of the amount that one of several machines with equal rates requires."""


@dataclass(slots=True)
class JointModel:
    """The CP-SAT model of a joint problem.

    Attributes:
        problem: the problem.
        model: the model.
        units_per_money: S.
        modules: variables of each module.
        total: cost of a plan in units of money.
    """

    problem: JointProblem
    model: cp_model.CpModel
    units_per_money: Fraction
    modules: tuple[ModuleVariables, ...]
    total: cp_model.LinearExprT

    def plan(self, values: CountedValues) -> Plan:
        """The plan of a solution; partial and dummy rates are derived exactly."""
        found = [v.counts(values) for v in self.modules]
        return self.problem.plan([list(machines) for machines, _ in found], [at for _, at in found])

    def states(self, values: CountedValues) -> list[ModuleState]:
        """The whole numbers of a solution before any correction."""
        found: list[ModuleState] = []
        for v in self.modules:
            at = next((k for k, z in enumerate(v.z) if values[z.index]), None)
            indices = [c.index for c in v.module.configurations]
            found.append(state(indices, [values[n.index] for n in v.n], at))
        return found

    def demand_below(self, cost: Fraction) -> None:
        """Demand that a plan costs at most a given amount per hour."""
        self.model.add(self.total <= floor(cost * self.units_per_money))

    def forbid(self, exclusion: Exclusion) -> None:
        """Cut off whole numbers; modules that cannot have them need no cut."""
        changed: list[cp_model.LiteralT] = []
        for m, found in exclusion.states.items():
            excluded = exclusion.fullest or found
            v = self.modules[m]
            place = {c.index: k for k, c in enumerate(v.module.configurations)}
            counts = dict(excluded.machines)
            if not place.keys() >= {*counts, *([] if excluded.partial_at is None else [excluded.partial_at])}:
                return
            for index, k in place.items():
                count = counts.get(index, 0)
                if index != excluded.partial_at:
                    changed.append(v.z[k])
                elif exclusion.fullest is None:
                    changed.append(v.z[k].negated())
                if count == 0:
                    changed.append(v.u[k])
                    continue
                changed.append(self._at_most(-v.n[k], -count - 1))
                if exclusion.fullest is None:
                    changed.append(self._at_most(v.n[k], count - 1))
        for m in exclusion.whole:
            changed += self.modules[m].z
        if exclusion.cheaper is not None:
            changed.append(self._at_most(self.total, floor(exclusion.cheaper * self.units_per_money)))
        self.model.add_bool_or(changed)

    def _at_most(self, expression: cp_model.LinearExprT, most: int) -> cp_model.IntVar:
        """A literal that is true only where an expression is at most a given number."""
        literal = self.model.new_bool_var("")
        self.model.add_linear_constraint(expression, -(1 << 31), most).only_enforce_if(literal)
        return literal


def joint_model(
    problem: JointProblem, cutoff: Fraction, least_costs: list[Fraction], most_costs: list[Fraction]
) -> JointModel:
    """The model of a joint problem whose modules all have useful configurations.

    Args:
        problem: the problem.
        cutoff: only plans that cost at most this much per hour are of interest.
        least_costs: proven lower bound on the cost of each module, shape (modules,).
        most_costs: most that each module can cost in a plan of interest, shape (modules,).
    """
    model = cp_model.CpModel()
    money = money_scale(problem.modules, cutoff, coupled_prices(problem.session))
    modules = tuple(
        add_module(model, problem, m, money, (least_costs[m], most_costs[m])) for m in range(len(problem.modules))
    )
    idle = idle_machines(model, problem, modules)
    total = sum([*(v.cost for v in modules), *coupled_costs(model, problem, modules, idle, money, cutoff)])
    model.add(total <= floor(cutoff * money))
    model.minimize(total)
    add_stock(model, problem, modules, idle)
    if problem.shape.edges:
        _add_times(model, problem, modules)
    return JointModel(problem, model, money, modules, total)


def _add_times(model: cp_model.CpModel, problem: JointProblem, modules: tuple[ModuleVariables, ...]) -> None:
    """(10) to (15). Without edges every module has its largest budget, which its block already enforces."""
    slo = problem.session.slo_s
    durations = [c.configuration.duration_s for module in problem.modules for c in module.configurations]
    units = common_scale([slo, *durations], slo, TIME_UNITS)
    end = floor(slo * units)
    latency = [_add_latency(model, problem, v, units) for v in modules]
    start = [model.new_int_var(0, end, f"start_{v.module.name}") for v in modules]
    for (a, m), delay in zip(problem.shape.edges, problem.shape.delays, strict=True):
        model.add(start[m] >= start[a] + latency[a] + floor(delay * units))
    for m, spare in enumerate(problem.shape.ends):
        if spare is not None:
            model.add(start[m] + latency[m] <= floor((slo - spare) * units))


def _add_latency(
    model: cp_model.CpModel, problem: JointProblem, v: ModuleVariables, units: Fraction
) -> cp_model.IntVar:
    policy, module = problem.space.policy, v.module
    least, most = floor(module.least_s * units), floor(module.most_s * units)
    latency = model.new_int_var(least, most, f"latency_{module.name}")
    cs = module.configurations
    above = [min(max(floor(c.lead_latency_s * units) - least, 0), most - least + 1) for c in cs]
    model.add(latency >= least + sum(above[k] * v.lead[k] for k in range(len(cs))))
    for k, c in enumerate(cs):
        if c.most_machines > 0:
            least = floor(_own_latency(c, module.rate_rps, policy) * units)
            if c.instant:
                model.add(latency >= floor(c.configuration.duration_s * units)).only_enforce_if(v.u[k])
            elif policy.form.in_sequence:
                model.add(latency >= least).only_enforce_if(v.u[k], v.filled.negated())
                _add_product(model, v, k, latency, units, v.u[k], v.collecting(k, policy, partial=False))
            else:
                model.add(latency >= least).only_enforce_if(v.u[k])
        if c.partial_need_rps is not None:
            if policy.form is Form.EVEN:
                model.add(latency >= floor(policy.fixed_latency(c.configuration) * units)).only_enforce_if(v.z[k])
                asked = _add_shares(model, v, k, policy.even_batch(c.configuration) * units * v.units_per_rps)
                _add_product(model, v, k, latency, units, v.z[k], v.left[k], asked)
                continue
            _add_product(model, v, k, latency, units, v.z[k], v.collecting(k, policy, partial=True))
    return latency


def _own_latency(c: JointConfiguration, rate: Fraction, policy: Policy) -> Fraction:
    """Latency of a whole machine; under dispatch in sequence at the whole rate, which is the least without dummies."""
    match policy.form:
        case Form.LEFT | Form.TIED:
            return c.configuration.duration_s + c.configuration.batch / rate
        case Form.FIXED | Form.EVEN:
            return policy.fixed_latency(c.configuration)
        case Form.GENERAL:
            raise AssertionError("joint problems are made under the other forms only")
        case _:
            assert_never(policy.form)


def _add_shares(model: cp_model.CpModel, v: ModuleVariables, k: int, each: Fraction) -> cp_model.LinearExprT:
    """The right side of (16): the requirement of the n_k + 1 machines of configuration k, given that of each."""
    most = v.module.configurations[k].most_machines + 1
    shift = max(0, floor(each).bit_length() - SHARE_BITS)
    share = floor(each / (1 << shift))
    shares = model.new_int_var(0, share * most, "")
    model.add(shares == share * (v.n[k] + 1))
    return shares * (1 << shift)


def _add_product(
    model: cp_model.CpModel,
    v: ModuleVariables,
    k: int,
    latency: cp_model.IntVar,
    units: Fraction,
    used: cp_model.IntVar,
    rate: cp_model.IntVar,
    asked: cp_model.LinearExprT | None = None,
) -> None:
    """(12) or (13): enough time and rate for a batch; or (16), with another requirement than a batch."""
    module, c = v.module, v.module.configurations[k].configuration
    shift = 1 - floor(c.duration_s * units)
    least, most = (floor(seconds * units) + shift for seconds in (module.least_s, module.most_s))
    product = model.new_int_var(min(0, least * v.most_left), max(0, most * v.most_left), "")
    model.add_multiplication_equality(product, [latency + shift, rate])
    least_product = ceil(c.batch * units * v.units_per_rps) if asked is None else asked
    model.add(product >= least_product).only_enforce_if(used)
