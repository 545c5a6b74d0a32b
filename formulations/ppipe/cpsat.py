"""Solver `ppipe-cpsat`: PPipe's corrected MILP in CP-SAT, the twin of `ppipe` (appendix A).

The model is that of `formulations/ppipe/cpsat_model.py`. CP-SAT counts in whole numbers, so rates are scaled. With
every rate rounded up and every latency down, each plan is a solution worth no less, so the optimum is a bound. Its plan
is priced exactly, and while it misses the bound the scale is refined. A pipeline that only rounding lets through within
its SLO is forbidden, and the model runs again; where only rounding serves a load, rates rounded down give a plan.
"""

from __future__ import annotations

import math
import time
from fractions import Fraction

from euclio.pipeline import Cluster, PipelinePlan, PipelineSpace
from euclio.registry import Limits
from euclio.result import OPTIMALITY_TOLERANCE, Answer, TracePoint, WarmStart
from formulations.cpsat.engine import CpSatAnswer, CpSatOptions, solve_model
from formulations.ppipe.cpsat_model import CpSatModel, cpsat_model, rate_scale
from formulations.ppipe.points import late_pipelines
from formulations.ppipe.search import Search, answer_at_once, begin

NAME = "ppipe-cpsat"
SCALES = (1 << 22, 1 << 30)
"""Units that the rates of a row come to, coarse and fine."""


def solve_ppipe_cpsat(cluster: Cluster, space: PipelineSpace, limits: Limits[PipelinePlan]) -> Answer[PipelinePlan]:
    """The best plan with one pipeline per model and sequence of GPU types, with proof.

    Raises:
        InapplicableError: the plan space allows several pipelines per sequence.
        InputError: least cost is asked for and a price or a load is missing.
    """
    search = begin(NAME, cluster, space, limits)
    at_once = answer_at_once(search)
    if at_once is not None:
        return at_once
    for units in SCALES:
        scale = rate_scale(search.problem, units)
        status = _run(search, cpsat_model(search.problem, scale, up=True, between=_between(search)))
        nothing = status == "INFEASIBLE" or (status == "OPTIMAL" and search.most)
        search.infeasible = nothing and search.plan is None
        if search.infeasible or _closed(search) or status != "OPTIMAL":
            break
        if not search.most:
            _run(search, cpsat_model(search.problem, scale, up=False))
            if _closed(search):
                break
    return search.answer()


def _between(search: Search) -> tuple[Fraction, float] | None:
    """The throughput of the best plan, and the bound; None: not both are known, or it is cost."""
    if not search.most or search.value is None or search.bound is None:
        return None
    return search.value, max(search.bound, float(search.value))


def _closed(search: Search) -> bool:
    """Whether bound and plan are as near as being optimal takes."""
    if search.value is None or search.bound is None:
        return False
    value = float(search.value)
    return abs(search.bound - value) <= OPTIMALITY_TOLERANCE / 2 * value


def _run(search: Search, model: CpSatModel) -> str:
    """Solve a model until no pipeline of its solution is late; returns CP-SAT's last word."""
    if search.start is not None:
        model.hint(search.start)
    while True:
        given, before = search.limits.options, time.perf_counter() - search.started
        left = None if math.isinf(search.left_s) else search.left_s
        options = CpSatOptions(left, given.threads or 1, search.limits.seed, given.log_file)
        answer = solve_model(model.model, options)
        _note(search, model, answer, before)
        if answer.values is None:
            return answer.status
        choice = model.choice(answer)
        late = late_pipelines(search.problem, choice)
        search.stats["refused"] += len(late)
        on_time = {i: places for i, places in choice.items() if i not in late}
        if search.accept(on_time):
            search.start = on_time
        if not late or answer.status != "OPTIMAL":
            return answer.status
        for i in late:
            model.forbid(i, choice[i])


def _note(search: Search, model: CpSatModel, answer: CpSatAnswer, started: float) -> None:
    """Take over what a run has proven, and its counters; rates rounded down prove nothing."""
    search.stats["models"] += 1
    search.stats["conflicts"] = search.stats.get("conflicts", 0.0) + answer.conflicts
    if not model.up:
        return
    search.raw_status = answer.status
    if answer.hint_used and search.stats["models"] == 1 and search.warm is not WarmStart.NONE:
        search.warm = WarmStart.USED
    if answer.bound is not None:
        search.note_bound(model.value(answer.bound))
    for point in answer.trace:
        incumbent = None if point.incumbent is None else model.value(point.incumbent)
        bound = None if point.bound is None else model.value(point.bound)
        search.trace += (TracePoint(started + point.wall_s, incumbent, bound),)
