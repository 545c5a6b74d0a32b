"""Scrooge's greedy heuristic (§4.3, Figures 10 and 11): one configuration per module, then the partial allocations.

It selects the module, worker type and configuration with the highest ratio of throughput gain to the product of cost
and latency increase. Where the paper is silent (ours, in the system's favour):

- Every module starts at its least W = d + b/t over all worker types; ties go to the better rank.
- Gain over cost is the gain in throughput per unit of money, t'/c' − t/c. On one worker type that is (t' − t)/c as
  printed. Across types the printed difference of throughputs alone never moves a module to a worker that is slower
  and cheaper, so a greedy read that way stays on the fastest type.
- A move must gain and keep the longest path within the SLO; without latency increase its ratio is infinite. Ties go
  to the first module, then the better rank. It ends when no move is left.
- Partial allocations are refined by the same greedy search that the MILP falls back on.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from euclio.core.compiled import is_past
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.session import PlanSpace, Session, evaluate
from euclio.problems.session.arrays import TIE, Ints, SessionArrays, session_arrays, to_plan
from euclio.problems.session.least_latency import why_no_plan
from heuristics.session.scrooge_refinement import as_counts, full_latency, latency_room, least_latency, refine_greedily

NAME = "scrooge-greedy"


def solve_scrooge_greedy(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Plan a session by Scrooge's greedy heuristic; where rounding makes the checker refuse, just below the SLO."""
    arrays = session_arrays(session, space)
    if (arrays.first[1:] == arrays.first[:-1]).any():
        return _no_plan(session, space, "a module has no configuration in the plan space")
    least = least_latency(arrays)
    if (least > latency_room(arrays, least)).any():
        return _no_plan(session, space, f"{NAME} found no configurations that meet the SLO")
    deadline = limits.deadline()
    # A tie with the SLO that rounding decides wrongly is avoided just below it.
    for slo in (arrays.slo, arrays.slo * (1.0 - 1e-9)):
        s = arrays._replace(slo=slo)
        chosen, moves = allocate_greedily(s)
        ways = refine_greedily(s, chosen, deadline)
        if ways is None:
            if is_past(deadline):
                return _no_plan(session, space, "the time limit was hit in the partial allocations", "limit")
            return _no_plan(session, space, f"{NAME} allocated, but the partial allocations miss the SLO")
        plan = to_plan(session, arrays, *as_counts(s, ways))
        if evaluate(session, plan, space).feasible:
            cost = sum(way.cost_per_h for way in ways)
            return Answer(plan, "feasible", claimed=cost, stats={"moves": float(moves)})
    return _no_plan(session, space, f"{NAME} found only ties with the SLO")


def _no_plan(session: Session, space: PlanSpace, reason: str, raw_status: str = "no plan") -> Answer:
    """The answer where no plan was found: infeasible with a proof, else only the reason."""
    why = why_no_plan(session, space)
    return Answer(None, "infeasible", infeasible=True, reason=why) if why else Answer(None, raw_status, reason=reason)


def allocate_greedily(s: SessionArrays) -> tuple[list[int], int]:
    """The greedy allocation: per module a configuration, and the number of moves made."""
    module_of = np.repeat(np.arange(s.rate.size), np.diff(s.first))
    latency, current = full_latency(s), _fastest(s)
    with np.errstate(divide="ignore"):
        value = s.throughput / s.price
    moves = 0
    while True:
        room = latency_room(s, latency[current])
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = value - value[current][module_of]
            longer = latency - latency[current][module_of]
            # A gain without more latency comes before all others.
            ratio = np.where(longer > TIE * latency, gain / longer, np.inf)
        # Gains within rounding are none, or moves might not end.
        allowed = (gain > TIE * value) & (latency <= room[module_of])
        if not allowed.any():
            return [int(k) for k in current], moves
        # `argmax` takes the first of equals: the first module, then the better rank.
        best = int(np.argmax(np.where(allowed, ratio, -np.inf)))
        current[module_of[best]] = best
        moves += 1


def _fastest(s: SessionArrays) -> Ints:
    """Each module's configuration with the least W, the better rank on ties, shape (modules,)."""
    latency = full_latency(s)
    return np.array([lo + int(np.argmin(latency[lo:hi])) for lo, hi in pairwise(s.first.tolist())], dtype=np.int64)
