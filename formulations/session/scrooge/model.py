"""Scrooge's MILP (§3.3), equations (1)-(2d) and, for partial allocations, (3), in PuLP.

Module i, worker type j, entry k of the profile: batch b, concurrency e, duration d. Data: price c_j, rate r_i, SLO.

    min   Σ_i Σ_j c_j · Σ_k u_ij^k                                                (2a)
    s.t.  u_ij^k · b·e/d = t_ij^k                             every i, j, k       (1)
          Σ_j Σ_k t_ij^k = r_i                                every i             (2b)
          t_ij^k ≤ r_i · x_ij^k                               every i, j, k       (2b), x·t made linear
          Σ_j Σ_k x_ij^k = 1                                  every i             ours
          l_m + Σ_j Σ_k W_mj^k · x_mj^k ≤ l_n                 every edge (m, n)   (2c)
          l_m + Σ_j Σ_k W_mj^k · x_mj^k ≤ l_max               every m without children
          l_max ≤ SLO                                                             (2d)
          x binary; t, u, l ≥ 0;   W = d + b/(b·e/d): the time to form a batch at full rate and to run it

What differs from the print, and why no optimum is lost:

- x·t in (2b): t is zero where x is, and x·t = t where x is one, so bounding t by r·x and summing t says the same.
- One entry per module and worker type is what x means in the text. One per module (ours) costs nothing: cost is
  linear in t and W does not depend on it, so of the entries of a mixture the cheapest per request alone costs no more
  and takes no longer. Without the row branch and bound goes through mixtures for seconds.
- With one entry per module, the rows (2c) of one edge add up to a single, tighter one.
- l is continuous, in milliseconds. As printed it is a whole number; that loses up to a millisecond per module and
  buys nothing. Continuous, the optimum bounds every plan under dispatch at machine rate from below: a plan's slowest
  entry takes at least W, and its best entry alone is no more expensive.
- An entry that another one of the module beats in both W and c_j per unit of t is left out: no optimum needs it. So
  is one that misses the SLO even where all other modules take their least W. l_m lies between the least Ws before and
  after m.

The second step keeps the whole machines and chooses anew what serves the rest f of the rate, now at

    W* = d + b/f                                                                  (3)

With t in (3) replaced by the known f, the constraint that the paper calls non-convex is linear: y_i^w = 1 if module i
is served in way w, at a worst-case latency and cost known beforehand (`heuristics/session/scrooge_refinement.py`):

    min Σ cost_i^w · y_i^w   s.t.  Σ_w y_i^w = 1;  l_m + Σ_w L_m^w · y_m^w ≤ l_n  (2c), (2d) as above
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from euclio.problems.session import Configuration, PlanSpace, Session
from euclio.problems.session.arrays import Floats, SessionArrays
from euclio.problems.session.latency.dispatch import path_times
from formulations.engines.milp import readable
from formulations.session.split.problem import Mode, SplitProblem
from formulations.tolerances import LOOSE_LATENCY
from heuristics.session.scrooge_refinement import Way, full_latency, latency_room, least_latency

if TYPE_CHECKING:
    from pulp import LpAffineExpression, LpProblem, LpVariable

MS = 1000.0
"""Milliseconds per second: the unit of l, so that the engine's feasibility tolerance is far below the SLO."""


def allocation_model(session: Session, s: SessionArrays) -> tuple[LpProblem, list[dict[int, LpVariable]]]:
    """Equations (1)-(2d).

    Args:
        session: the instance, for names.
        s: its arrays in a plan space with policy machine-rate.

    Returns:
        The model, and per module x by configuration (index in the arrays).
    """
    from pulp import LpAffineExpression, LpMinimize, LpProblem, lpSum

    model = LpProblem("scrooge_allocation", LpMinimize)
    latency, entries = full_latency(s), useful_entries(s)
    names = _entry_names(session, s, entries)
    prices: list[tuple[LpVariable, float]] = []
    x: list[dict[int, LpVariable]] = []
    delays: list[LpAffineExpression] = []
    modules = readable([module.name for module in session.modules])
    for m, label in enumerate(modules):
        rate = float(s.rate[m])
        rates: list[LpVariable] = []
        x.append({})
        for k in entries[m]:
            name = names[k]
            x[m][k] = model.add_variable(f"x_{name}", cat="Binary")
            t, u = model.add_variable(f"t_{name}", 0), model.add_variable(f"u_{name}", 0)
            model += u * float(s.throughput[k]) == t, f"capacity_{name}"
            model += t <= rate * x[m][k], f"chosen_{name}"
            rates.append(t)
            prices.append((u, float(s.price[k])))
        model += lpSum(rates) == rate, f"rate_{label}"
        model += lpSum(x[m].values()) == 1, f"one_{label}"
        delays.append(LpAffineExpression([(v, MS * float(latency[k])) for k, v in x[m].items()]))
    model.setObjective(LpAffineExpression(prices))
    _add_latency_rows(model, s, modules, delays, least_latency(s))
    return model, x


def refinement_model(
    session: Session, s: SessionArrays, ways: Sequence[Sequence[Way]]
) -> tuple[LpProblem, list[dict[int, LpVariable]]]:
    """The second step: one way per module, equation (3) inside their latencies.

    Args:
        session: the instance, for names.
        s: its arrays.
        ways: per module the ways to serve it.

    Returns:
        The model, and per module y by the number of the way.
    """
    from pulp import LpAffineExpression, LpMinimize, LpProblem, lpSum

    model = LpProblem("scrooge_partial_allocations", LpMinimize)
    modules = readable([module.name for module in session.modules])
    y = [
        {w: model.add_variable(f"y_{w}_{label}", cat="Binary") for w in range(len(ways[m]))}
        for m, label in enumerate(modules)
    ]
    for m, label in enumerate(modules):
        model += lpSum(y[m].values()) == 1, f"one_{label}"
    costs = [(v, ways[m][w].cost_per_h) for m, chosen in enumerate(y) for w, v in chosen.items()]
    model.setObjective(LpAffineExpression(costs))
    delays = [
        LpAffineExpression([(v, MS * ways[m][w].latency_s) for w, v in chosen.items()]) for m, chosen in enumerate(y)
    ]
    least = np.array([min(way.latency_s for way in choices) for choices in ways])
    _add_latency_rows(model, s, modules, delays, least)
    return model, y


def useful_entries(s: SessionArrays) -> list[list[int]]:
    """Per module the configurations that no better-ranked one matches in W and that the SLO leaves room for."""
    latency = full_latency(s)
    room = latency_room(s, least_latency(s))
    kept: list[list[int]] = []
    for m, (first, end) in enumerate(pairwise(s.first.tolist())):
        kept.append([])
        for k in range(first, end):
            if latency[k] <= room[m] and (not kept[m] or latency[k] < latency[kept[m][-1]]):
                kept[m].append(k)
    return kept


def entry_problem(session: Session, space: PlanSpace) -> SplitProblem:
    """The first step as a choice of modes, exact: W and the cost of the whole rate of each entry."""
    modes: list[tuple[Mode, ...]] = []
    for module in session.modules:
        entries = [
            Mode(full_latency_of(c), session.price[c.hardware] / c.throughput_rps * module.rate_rps)
            for c in module.profile
            if space.allows(c.hardware, c.batch, c.concurrency)
        ]
        kept: list[Mode] = []
        for mode in sorted(entries, key=lambda mode: (mode.cost_per_h, mode.latency_s)):
            if not kept or mode.latency_s < kept[-1].latency_s:
                kept.append(mode)
        modes.append(tuple(kept))
    index = session.index
    edges = tuple((index[a], index[b]) for a, b in session.edges)
    names = tuple(module.name for module in session.modules)
    return SplitProblem(names, edges, session.order, session.slo_s, tuple(modes))


def full_latency_of(c: Configuration) -> Fraction:
    """W = d + b/t of a configuration in seconds, exact (§3.3)."""
    return c.duration_s + c.batch / c.throughput_rps


def chosen_of(variables: Sequence[Mapping[int, LpVariable]], values: Mapping[str, float]) -> list[int]:
    """Per module the key whose variable is one in a solution."""
    return [max(choices, key=lambda key: values[choices[key].name]) for choices in variables]


def _add_latency_rows(
    model: LpProblem, s: SessionArrays, names: Sequence[str], delays: Sequence[LpAffineExpression], least_s: Floats
) -> None:
    """Rows (2c) and (2d); `least_s` bounds each module's delay from below, in seconds."""
    before, after = np.zeros(least_s.size), np.zeros(least_s.size)
    path_times(s, least_s, before, after)
    latest_s = np.maximum(s.slo - after - least_s, before)
    # Bounds of l that rounding or an infeasible model could cross are moved apart: the rows decide.
    *labels, end = readable([*names, "max"])
    latest = [
        model.add_variable(
            f"l_{label}", MS * float(before[m]) * (1 - LOOSE_LATENCY), MS * float(latest_s[m]) * (1 + LOOSE_LATENCY)
        )
        for m, label in enumerate(labels)
    ]
    longest = model.add_variable(f"l_{end}", 0, MS * s.slo)
    children = [s.child[first:last].tolist() for first, last in pairwise(s.child_first.tolist())]
    edges = [(m, n) for m, below in enumerate(children) for n in below]
    for (m, n), row in zip(edges, readable([f"after_{names[m]}_{names[n]}" for m, n in edges]), strict=True):
        model += latest[m] + delays[m] <= latest[n], row
    for m, below in enumerate(children):
        if not below:
            model += latest[m] + delays[m] <= longest, f"end_{names[m]}"


def _entry_names(session: Session, s: SessionArrays, entries: Sequence[Sequence[int]]) -> dict[int, str]:
    """Readable names of configurations, by index in the session's arrays."""
    names: dict[int, str] = {}
    for module, kept in zip(session.modules, entries, strict=True):
        for k in kept:
            c = module.profile[s.profile_index[k]]
            names[k] = f"{module.name}_{c.hardware}_b{c.batch}_e{c.concurrency}"
    return dict(zip(names, readable(list(names.values())), strict=True))
