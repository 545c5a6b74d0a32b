"""Multi-tuple allocation of one module within its largest budget, as rows over whole and partial machines (ours).

Configurations k = 0, 1, … stand in rank order (Harpagon §III-C); rates are shares of the module's rate T; L is the
largest budget. Variables are as in `formulations.session.joint.problem`, with w_k, the rate that is left when k's turn
comes:

    w_0     = 1 + dummy,   w_{k+1} = w_k − t_k n_k,   the last of them = Σ_k f_k ≥ 0        left_k
    u_k ≤ n_k ≤ N_k u_k                                                                    whole_k
    g z_k ≤ f_k ≤ (t_k − g) z_k                                                            partial_k
    Σ_k lead_k = 1,   u_k, z_k ≤ Σ_{j ≤ k} lead_j,   lead_k ≤ u_k + z_k                    first_k
    Σ_k last_k = 1,   u_k ≤ Σ_{j ≥ k} last_j,   z_k ≤ last_k ≤ u_k + z_k                   final_k
    Σ_k z_k ≤ 1 − filled,   dummy ≤ Σ_k (t_k − g) last_k,   dummy ≤ (largest t) · filled   dummies
    Σ_k used_k ≤ most allocations,   u_k, z_k ≤ used_k                                     limit
    cost = Σ_k p_k n_k + ρ_k T f_k,   in units of a typical cost

g is half the greatest common divisor of T and all t_k, unless that is vanishingly small: a rest that is not 0 is at
least twice that. It separates f < t and δ < t from equality. Without such a g, a point that takes f = t or δ = t is cut
off when it turns up.

With dispatch in sequence a configuration is useful only if enough rate is left. With a budget L these needs are
constants, so the rows are linear and the model of one module at one budget is complete:

    w_k ≥ b_k/(L − d_k) · u_k  (tc),   f_k ≥ b_k/(L − d_k) · z_k                           need_k

(`tc-shared`: w_k at the start of k's ratio, for z_k as well; `rr`, `machine-rate`: no need for u_k.) In form `EVEN`
n_k + 1 machines share the rate of the last allocation, and each has to get its share; with r_k = q_k/(L − d_k) <= t_k

    t_k n_k + f_k ≥ (n_k + 1) r_k if z_k is 1:      f_k + (t_k − r_k) n_k ≥ r_k z_k        need_k

The rows

    w_k ≥ Σ_{j ≥ k} (lead_j + D_j),   dummy = Σ_j D_j,   0 ≤ D_j ≤ (largest t) · lead_j    fluid_k

hold because no machine takes rate before the leading configuration. They make the linear relaxation as strong as the
fluid bound per leading configuration: the whole rate, dummies included, at the unit cost of the first configuration.

If machines are charged whole (docs/model/whole-machines.md), a partial machine is charged as one:

    cost = Σ_k p_k (n_k + z_k),   in units of a typical cost

If dummies then fill any number of machines (`JointProblem.surplus`), there is no partial machine in sequence, z_k = 0.
The largest cost of the module bounds the rate that is left at k (`JointModule.most_left_rps`). With W_k this bound,
or 1 if it is less and there may be a partial machine,

    w_k ≤ W_k,   dummy ≤ W_0 − 1,   D_k ≤ (W_k − 1) · lead_k

take the place of the second row of dummies and of the largest t in the third and in the fluid rows. Endless machines
are none, or as many as the model counts: n_k = N_k u_k.

A group H of types of largest share s (docs/model/limits.md) may be taken away, and the others serve their part:

    Σ_{k not on H} t_k n_k + f_k ≥ 1 − s                                                    share_H
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import pulp

from euclio.problems.session import Policy
from euclio.problems.session.largest_shares import LargestShare
from euclio.problems.session.policies import Form
from formulations.session.demands import limited_shares
from formulations.session.joint.problem import JointModule, JointProblem
from formulations.tolerances import ROOM

LEAST_STEP = 1e-6
"""Below this share of the module's rate the greatest common divisor does not help."""


@dataclass(frozen=True, slots=True)
class AllocationRows:
    """Variables of one module; lists have one entry per configuration.

    Attributes:
        module: the module.
        name: its name in variables.
        n: whole machines.
        f: rate of the partial machine, as a share of the module's rate.
        u: whether there are whole machines.
        z: whether the partial machine is here.
        lead: whether this is the first configuration used.
        last: whether it is the last one.
        used: whether it is used at all; empty without a limit of allocations.
        w: rate left when the configuration's turn comes, as a share of the module's rate.
        lead_dummy: dummy rate if this is the first configuration used; empty if there are no dummies.
        dummy: dummy rate, as a share of the module's rate; None if there are none.
        filled: whether there are dummies; None if there are none.
        cost: coefficient of every variable in the cost.
    """

    module: JointModule
    name: str
    n: list[Any]
    f: list[Any]
    u: list[Any]
    z: list[Any]
    lead: list[Any]
    last: list[Any]
    used: list[Any]
    w: list[Any]
    lead_dummy: list[Any]
    dummy: Any | None
    filled: Any | None
    cost: dict[Any, float]

    def group_start(self, k: int) -> int:
        """The first configuration of k's throughput-cost ratio."""
        rows = self.module.configurations
        while k > 0 and rows[k - 1].group == rows[k].group:
            k -= 1
        return k

    def other_counts(self, model: pulp.LpProblem, k: int, n: int, tag: str) -> list[Any]:
        """Two new binaries: one may be 1 only if configuration k has more machines than n, the other only if fewer.

        Args:
            model: the model to which they are added.
            k: the configuration.
            n: the number of whole machines to compare with.
            tag: distinguishes the names of the binaries and their rows from all others.
        """
        most = self.module.configurations[k].most_machines
        more = model.add_variable(f"more_{tag}", cat=pulp.LpBinary)
        fewer = model.add_variable(f"fewer_{tag}", cat=pulp.LpBinary)
        model.addConstraint(self.n[k] >= (n + 1) * more, f"forbid_{tag}_more")
        model.addConstraint(self.n[k] <= most - (most - n + 1) * fewer, f"forbid_{tag}_fewer")
        return [more, fewer]


def add_allocation(
    model: pulp.LpProblem, problem: JointProblem, m: int, name: str, unit: Fraction = Fraction(1)
) -> AllocationRows:
    """Add variables and rows of module m, which has a useful configuration, to a model.

    Args:
        model: the PuLP model.
        problem: the joint problem.
        m: the module.
        name: its name in variables and rows.
        unit: money per hour that counts as 1 in the model.
    """
    rows = _variables(model, problem, m, name, unit)
    _balance(model, rows)
    _counts(model, rows)
    _order(model, rows)
    if rows.dummy is not None:
        _dummies(model, rows, surplus=problem.surplus)
    _shares(model, rows, limited_shares(problem.session))
    _needs(model, rows, problem.space.policy)
    _limit(model, rows, problem.space.max_allocations)
    return rows


def step(module: JointModule) -> float:
    """Half the greatest common divisor of the rate and all throughputs, as a share of the rate; 0 means too small.

    A rest is either 0 or at least twice that. Half of it distinguishes the two with room for rounding on either side.
    """
    numbers = [module.rate_rps, *(c.throughput_rps for c in module.configurations)]
    scale = lcm(*(x.denominator for x in numbers))
    share = Fraction(gcd(*(int(x * scale) for x in numbers)), scale) / module.rate_rps
    return float(share) / 2 if share >= LEAST_STEP else 0.0


def throughputs(module: JointModule) -> list[float]:
    """Throughput of each configuration as a share of the module's rate."""
    return [float(c.throughput_rps / module.rate_rps) for c in module.configurations]


def largest_dummy(module: JointModule, first: int = 0) -> float:
    """The most dummies that a last machine from place `first` on can take, as a share of the module's rate."""
    t = throughputs(module)
    return max((t[k] for k in range(first, len(t)) if module.configurations[k].most_machines), default=0.0)


def most_dummy(module: JointModule, first: int, *, surplus: bool) -> float:
    """The most dummies of a plan that begins at place `first`, as a share of the module's rate.

    Args:
        module: the module.
        first: place of the leading configuration.
        surplus: whether dummies may fill any number of machines, not only the last one.
    """
    if not surplus:
        return largest_dummy(module, first)
    return max(0.0, float(module.most_left_rps(first) / module.rate_rps) - 1.0)


def _variables(model: pulp.LpProblem, problem: JointProblem, m: int, name: str, unit: Fraction) -> AllocationRows:
    module = problem.modules[m]
    t = throughputs(module)
    places = range(len(t))
    dummies = most_dummy(module, 0, surplus=problem.surplus) if problem.dummies else 0.0
    left = [1.0 + dummies] * (len(t) + 1)
    if problem.surplus:
        left = [float(module.most_left_rps(k) / module.rate_rps) * (1.0 + ROOM) for k in range(len(t) + 1)]
        left = left if problem.all_full else [max(1.0, most) for most in left]

    def binaries(kind: str, on: bool = True) -> list[Any]:
        return [model.add_variable(f"{kind}_{name}_{k}", cat=pulp.LpBinary) for k in places] if on else []

    n = [
        model.add_variable(f"n_{name}_{k}", 0, c.most_machines, pulp.LpInteger)
        for k, c in enumerate(module.configurations)
    ]
    f = [
        model.add_variable(f"f_{name}_{k}", 0.0, 0.0 if c.partial_need_rps is None else min(1.0, t[k]))
        for k, c in enumerate(module.configurations)
    ]
    cost = {v: float(c.price / unit) if c.most_machines else 0.0 for v, c in zip(n, module.configurations, strict=True)}
    z = binaries("z")
    if problem.space.charging.whole:
        possible = [c.partial_need_rps is not None for c in module.configurations]
        cost |= {z[k]: float(c.price / unit) if possible[k] else 0.0 for k, c in enumerate(module.configurations)}
    else:
        cost |= {v: float(c.unit_cost * module.rate_rps / unit) for v, c in zip(f, module.configurations, strict=True)}
    return AllocationRows(
        module,
        name,
        n,
        f,
        binaries("u"),
        z,
        binaries("lead"),
        binaries("last"),
        binaries("used", problem.space.max_allocations is not None),
        [model.add_variable(f"w_{name}_{k}", 0.0, most) for k, most in enumerate(left)],
        [model.add_variable(f"D_{name}_{k}", 0.0, dummies) for k in places] if problem.dummies else [],
        model.add_variable(f"dummy_{name}", 0.0, dummies) if problem.dummies else None,
        model.add_variable(f"filled_{name}", cat=pulp.LpBinary) if problem.dummies else None,
        cost,
    )


def _add(model: pulp.LpProblem, terms: dict[Any, float], most: float, label: str) -> None:
    """Add the row Σ coefficient · variable ≤ most."""
    model += pulp.LpAffineExpression(terms) <= most, label


def _equal(model: pulp.LpProblem, terms: dict[Any, float], value: float, label: str) -> None:
    model += pulp.LpAffineExpression(terms) == value, label


def _balance(model: pulp.LpProblem, rows: AllocationRows) -> None:
    dummy = {} if rows.dummy is None else {rows.dummy: -1.0}
    _equal(model, {rows.w[0]: 1.0, **dummy}, 1.0, f"left_{rows.name}")
    for k, t in enumerate(throughputs(rows.module)):
        _equal(model, {rows.w[k + 1]: 1.0, rows.w[k]: -1.0, rows.n[k]: t}, 0.0, f"left_{rows.name}_{k}")
    _equal(model, {rows.w[-1]: 1.0, **dict.fromkeys(rows.f, -1.0)}, 0.0, f"left_{rows.name}_partial")


def _counts(model: pulp.LpProblem, rows: AllocationRows) -> None:
    g = step(rows.module)
    for k, t in enumerate(throughputs(rows.module)):
        c, label = rows.module.configurations[k], f"{rows.name}_{k}"
        _add(model, {rows.n[k]: 1.0, rows.u[k]: -float(c.most_machines)}, 0.0, f"whole_{label}")
        least = float(c.most_machines) if c.endless else 1.0
        _add(model, {rows.u[k]: least, rows.n[k]: -1.0}, 0.0, f"whole_{label}_least")
        most = 0.0 if c.partial_need_rps is None else min(1.0, t - g)
        _add(model, {rows.f[k]: 1.0, rows.z[k]: -most}, 0.0, f"partial_{label}")
        if c.partial_need_rps is None:
            rows.z[k].upBound = 0
        elif g > 0.0:
            _add(model, {rows.z[k]: g, rows.f[k]: -1.0}, 0.0, f"partial_{label}_least")


def _order(model: pulp.LpProblem, rows: AllocationRows) -> None:
    _equal(model, dict.fromkeys(rows.lead, 1.0), 1.0, f"first_{rows.name}")
    _equal(model, dict.fromkeys(rows.last, 1.0), 1.0, f"final_{rows.name}")
    for k in range(len(rows.n)):
        label, u, z = f"{rows.name}_{k}", rows.u[k], rows.z[k]
        begun = dict.fromkeys(rows.lead[: k + 1], -1.0)
        _add(model, {u: 1.0, **begun}, 0.0, f"first_{label}_whole")
        _add(model, {z: 1.0, **begun}, 0.0, f"first_{label}_partial")
        _add(model, {rows.lead[k]: 1.0, u: -1.0, z: -1.0}, 0.0, f"first_{label}")
        _add(model, {u: 1.0, **dict.fromkeys(rows.last[k:], -1.0)}, 0.0, f"final_{label}_whole")
        _add(model, {z: 1.0, rows.last[k]: -1.0}, 0.0, f"final_{label}_partial")
        _add(model, {rows.last[k]: 1.0, u: -1.0, z: -1.0}, 0.0, f"final_{label}")
        fluid = dict.fromkeys(rows.lead[k:], 1.0) | dict.fromkeys(rows.lead_dummy[k:], 1.0)
        _add(model, {**fluid, rows.w[k]: -1.0}, ROOM, f"fluid_{label}")


def _dummies(model: pulp.LpProblem, rows: AllocationRows, *, surplus: bool) -> None:
    t, g = throughputs(rows.module), step(rows.module)
    assert rows.dummy is not None
    assert rows.filled is not None
    most = most_dummy(rows.module, 0, surplus=surplus)
    _add(model, {**dict.fromkeys(rows.z, 1.0), rows.filled: 1.0}, 1.0, f"dummies_{rows.name}_partial")
    if not surplus:
        last = {v: -min(share - g, most) for v, share in zip(rows.last, t, strict=True)}
        _add(model, {rows.dummy: 1.0, **last}, 0.0, f"dummies_{rows.name}_last")
    _add(model, {rows.dummy: 1.0, rows.filled: -most}, 0.0, f"dummies_{rows.name}")
    _equal(model, {rows.dummy: 1.0, **dict.fromkeys(rows.lead_dummy, -1.0)}, 0.0, f"fluid_{rows.name}")
    for k in range(len(t)):
        most = most_dummy(rows.module, k, surplus=surplus)
        _add(model, {rows.lead_dummy[k]: 1.0, rows.lead[k]: -most}, 0.0, f"fluid_{rows.name}_{k}_dummy")


def _shares(model: pulp.LpProblem, rows: AllocationRows, groups: Sequence[LargestShare]) -> None:
    """Without machines of the types that may be taken away, the others take their part of the rate."""
    t = throughputs(rows.module)
    for i, group in enumerate(groups):
        others = [k for k, c in enumerate(rows.module.configurations) if c.configuration.hardware not in group.hardware]
        taken = {rows.n[k]: -t[k] for k in others} | {rows.f[k]: -1.0 for k in others}
        _add(model, taken, ROOM - float(1 - group.share), f"share_{rows.name}_{i}")


def _needs(model: pulp.LpProblem, rows: AllocationRows, policy: Policy) -> None:
    """Needs within the module's largest budget."""
    rate = rows.module.rate_rps
    for k, c in enumerate(rows.module.configurations):
        label = f"need_{rows.name}_{k}"
        at = rows.group_start(k) if policy.form is Form.TIED else k
        if c.whole_need_rps:
            need = float(c.whole_need_rps / rate) * (1.0 - ROOM)
            _add(model, {rows.u[k]: need, rows.w[at]: -1.0}, 0.0, f"{label}_whole")
        if c.partial_need_rps is not None:
            need = float(c.partial_need_rps / rate) * (1.0 - ROOM)
            if policy.form is Form.EVEN:
                spare = float(c.throughput_rps / rate) - need
                _add(model, {rows.z[k]: need, rows.f[k]: -1.0, rows.n[k]: -spare}, 0.0, f"{label}_partial")
                continue
            collecting = rows.w[at] if policy.form is Form.TIED else rows.f[k]
            _add(model, {rows.z[k]: need, collecting: -1.0}, 0.0, f"{label}_partial")


def _limit(model: pulp.LpProblem, rows: AllocationRows, most: int | None) -> None:
    if most is None:
        return
    _add(model, dict.fromkeys(rows.used, 1.0), float(most), f"limit_{rows.name}")
    for k, used in enumerate(rows.used):
        _add(model, {rows.u[k]: 1.0, used: -1.0}, 0.0, f"limit_{rows.name}_{k}_whole")
        _add(model, {rows.z[k]: 1.0, used: -1.0}, 0.0, f"limit_{rows.name}_{k}_partial")
