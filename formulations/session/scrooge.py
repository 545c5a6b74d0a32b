"""Solver `scrooge-milp`: Scrooge's allocation (§3.3) in two steps, as the paper runs it.

First comes the MILP (1)-(2d), which takes every machine for full. Then (3) refines the partial allocations, all modules
in one run. The paper re-runs the MILP for "only this worker" and does not state an order; one run for all cannot be
worse. If that is infeasible, Scrooge falls back on a greedy search, and so does this solver
(`heuristics/session/scrooge.py`, which also states how we read the paper's contradictions).

The first step bounds every plan of the space from below, so a plan that matches it is proven optimal. Any other plan is
only a plan, since the second step does not revise the first. The engine's result of the first step counts for the plan
only. Its optimum is proven as a bound: one entry per module, of a latency and a cost, is a choice of modes. Our own
search bounds it with the SLO a little too long (`formulations/session/split/search.py`). If a choice on the very SLO
lies in between, exact arithmetic decides (`formulations/session/split/proof.py`). Infeasibility is proven by
fractions.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
from pulp import LpAffineExpression, LpMinimize, LpProblem, LpVariable, lpSum

from euclio.core.compiled import is_past
from euclio.core.registry import Limits
from euclio.core.result import Answer, TracePoint
from euclio.core.tolerances import PROOF_TOLERANCE
from euclio.problems.session import Configuration, PlanSpace, Session, evaluate
from euclio.problems.session.arrays import Floats, SessionArrays, session_arrays, to_plan
from euclio.problems.session.latency.dispatch import path_times
from euclio.problems.session.least_latency import why_no_plan
from formulations.engines.interface import LinearOutcome, engine_limits
from formulations.engines.milp import export_lp, readable
from formulations.engines.registry import chosen_engine
from formulations.session.milp.split import split_model
from formulations.session.split.course import unwatched
from formulations.session.split.mode_dag import mode_dag
from formulations.session.split.problem import Mode, SplitProblem, without_modes
from formulations.session.split.proof import solve_split
from formulations.session.split.search import no_lines, search_choices
from formulations.tolerances import GAP, LOOSE_LATENCY, SLO_SLACK, WITHIN_SLO
from heuristics.session.scrooge import Way, as_counts, full_latency, latency_room, least_latency, refine_greedily, ways

# Scrooge's MILP (§3.3), equations (1)-(2d) and, for partial allocations, (3), in PuLP.
#
# Module i, worker type j, entry k of the profile: batch b, concurrency e, duration d. Data: price c_j, rate r_i, SLO.
#
#     min   Σ_i Σ_j c_j · Σ_k u_ij^k                                                (2a)
#     s.t.  u_ij^k · b·e/d = t_ij^k                             every i, j, k       (1)
#           Σ_j Σ_k t_ij^k = r_i                                every i             (2b)
#           t_ij^k ≤ r_i · x_ij^k                               every i, j, k       (2b), x·t made linear
#           Σ_j Σ_k x_ij^k = 1                                  every i             ours
#           l_m + Σ_j Σ_k W_mj^k · x_mj^k ≤ l_n                 every edge (m, n)   (2c)
#           l_m + Σ_j Σ_k W_mj^k · x_mj^k ≤ l_max               every m without children
#           l_max ≤ SLO                                                             (2d)
#           x binary; t, u, l ≥ 0;   W = d + b/(b·e/d): the time to form a batch at full rate and to run it
#
# The differences from the print, and why no optimum is lost:
#
# - x·t in (2b): t is zero where x is, and x·t = t where x is one, so a bound of r·x on t and the sum of t are
# equivalent.
# - One entry per module and worker type is the meaning of x in the text. One per module (ours) costs nothing. Cost is
#   linear in t and W does not depend on it. So among the entries of a mixture the cheapest per request alone costs no
#   more and takes no longer. Without the row, branch and bound goes through mixtures for seconds.
# - With one entry per module, the rows (2c) of one edge add up to a single, tighter one.
# - l is continuous, in milliseconds. As printed it is a whole number, which loses up to a millisecond per module and
#   gains nothing. With continuous l the optimum bounds every plan under dispatch at machine rate from below: a plan's
#   slowest entry takes at least W, and its best entry alone is no more expensive.
# - An entry is left out if another one of the module beats it in both W and c_j per unit of t: no optimum needs it. So
#   is one that misses the SLO even if all other modules take their least W. l_m lies between the least Ws before and
#   after m.
#
# The second step keeps the whole machines and chooses anew the machine for the rest f of the rate, now at
#
#     W* = d + b/f                                                                  (3)
#
# With t in (3) replaced by the known f, the constraint that the paper calls non-convex is linear: y_i^w = 1 if module
# i is served in way w, at a worst-case latency and cost known beforehand (`heuristics/session/scrooge.py`):
#
#     min Σ cost_i^w · y_i^w   s.t.  Σ_w y_i^w = 1;  l_m + Σ_w L_m^w · y_m^w ≤ l_n  (2c), (2d) as above

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
    """Per module the configurations that no better-ranked one matches in W and for which the SLO leaves room."""
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
    return replace(without_modes(session), modes=tuple(modes))


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
    # Bounds of l that rounding or an infeasible model could cross are moved apart, so that the rows decide.
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


NAME = "scrooge-milp"
TIE = "tie with the SLO"


def solve_scrooge_milp(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Scrooge's two steps; without a plan that the checker accepts there is none."""
    s = session_arrays(session, space)
    deadline = limits.deadline()
    if (s.first[1:] == s.first[:-1]).any():
        answer: Answer = Answer(None, "no plan")
    else:
        answer = _plan(session, space, s, limits, deadline)
    if answer.raw_status == TIE:
        below = _plan(session, space, s._replace(slo=s.slo * WITHIN_SLO), limits, deadline)
        answer = replace(below, bound=answer.bound) if below.plan is not None else answer
    # Fractions are slow, so they are used only if there is no plan otherwise.
    why = why_no_plan(session, space) if answer.plan is None else ""
    return Answer(None, "infeasible", infeasible=True, reason=why) if why else answer


def _plan(session: Session, space: PlanSpace, s: SessionArrays, limits: Limits, deadline: float) -> Answer:
    """The plan of both steps of Scrooge's MILP, at the SLO that the arrays hold."""
    least = least_latency(s)
    if (least > latency_room(s, least)).any():
        return Answer(None, "no plan", reason="not even the least latencies meet the SLO by more than rounding")
    model, x = allocation_model(session, s)
    if limits.options.export_lp is not None:
        export_lp(model, limits.options.export_lp)
    first = _run(model, limits, deadline)
    if first.values is None or first.objective is None:
        hit = not first.infeasible
        reason = (
            "the time limit was hit in the first step" if hit else "no configurations meet the SLO, says the engine"
        )
        return Answer(None, first.raw_status, reason=reason)
    chosen = chosen_of(x, first.values)
    bound = _bound(session, space, s, chosen, limits, deadline)
    refined, by_greedy = _refine(session, s, chosen, limits, deadline)
    stats = {"first_step_cost_per_h": first.objective, "greedy_fallback": float(by_greedy)}
    if refined is None:
        hit = is_past(deadline)
        missed = "the configurations of the first step leave no time to collect the partial allocations' batches"
        reason = "the time limit was hit in the second step" if hit else missed
        return Answer(None, "limit" if hit else "no plan", bound=bound, stats=stats, reason=reason)
    plan = to_plan(session, s, *as_counts(s, refined))
    checked = evaluate(session, plan, space)
    if not checked.feasible or checked.cost_per_h is None:
        return Answer(None, TIE, bound=bound, stats=stats, reason="only ties with the SLO were found")
    # The first step's incumbents are not plans yet, but its bounds hold for all of them.
    trace = tuple(TracePoint(point.wall_s, None, point.bound) for point in first.trace)
    return Answer(plan, first.raw_status, float(checked.cost_per_h), bound, stats=stats, trace=trace)


def _bound(
    session: Session, space: PlanSpace, s: SessionArrays, chosen: Sequence[int], limits: Limits, deadline: float
) -> float | None:
    """A lower bound on the first step: proven in floating point, or exactly if that leaves a gap to its optimum."""
    bound = _relaxed_bound(session, s, deadline)
    cost = sum(float(s.unit_cost[k] * s.rate[m]) for m, k in enumerate(chosen))
    if bound >= cost * (1.0 - PROOF_TOLERANCE):
        return bound
    problem = entry_problem(session, space)
    start = []
    for m, k in enumerate(chosen):
        c = session.modules[m].profile[int(s.profile_index[k])]
        within = [i for i, mode in enumerate(problem.modes[m]) if mode.latency_s <= full_latency_of(c)]
        start.append(within[0])
    engine = chosen_engine(limits.options)
    search = solve_split(problem, lambda p, unit, _: split_model(p, unit, limits, engine), deadline, tuple(start))
    return None if search.bound is None else float(search.bound)


def _relaxed_bound(session: Session, s: SessionArrays, deadline: float) -> float:
    """A lower bound on the first step by our own search over its entries, with a slightly longer SLO."""
    own = [slice(int(a), int(b)) for a, b in pairwise(s.first)]
    latencies = [(s.duration[k] + s.batch[k] / s.throughput[k]).tolist() for k in own]
    costs = [(s.unit_cost[k] * s.rate[m]).tolist() for m, k in enumerate(own)]
    edges = [(session.index[a], session.index[b]) for a, b in session.edges]
    dag = mode_dag(edges, latencies, costs, float(session.slo_s) * (1.0 + SLO_SLACK))
    if dag.modes.size.min() == 0:
        return 0.0
    found = search_choices(dag.arrays, dag.modes, no_lines(dag.modes), math.inf, GAP, deadline, unwatched())
    # The search leaves out choices that are cheaper by less than its tolerance; the rest is for rounding.
    return float(found.bound) * (1.0 - 0.6 * PROOF_TOLERANCE)


def _refine(
    session: Session, s: SessionArrays, chosen: Sequence[int], limits: Limits, deadline: float
) -> tuple[list[Way] | None, bool]:
    """The second step: one way per module, None if there is none; and whether the greedy search found it."""
    choices = [ways(s, m, k) for m, k in enumerate(chosen)]
    model, y = refinement_model(session, s, choices)
    second = _run(model, limits, deadline)
    if second.values is None:
        return refine_greedily(s, chosen, deadline), True
    return [choices[m][w] for m, w in enumerate(chosen_of(y, second.values))], False


def _run(model: LpProblem, limits: Limits, deadline: float) -> LinearOutcome:
    """Run a model for the rest of the time."""
    limits_left = replace(engine_limits(limits, max(0.0, deadline - time.perf_counter())), plain=True)
    return chosen_engine(limits.options).run(model, limits_left)
