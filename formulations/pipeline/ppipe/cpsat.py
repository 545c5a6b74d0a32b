"""Solver `ppipe-cpsat`: PPipe's corrected MILP in CP-SAT, the twin of `ppipe` (appendix A).

The model is that of `formulations/pipeline/ppipe/cpsat_model.py`. CP-SAT counts in whole numbers, so rates are scaled.
With every rate rounded up and every latency down, each plan is a solution worth no less, so the optimum is a bound. The
best plan of all options proposed so far is found in fractions (`formulations/pipeline/ppipe/known.py`), and the model
runs again for a plan with another option that may be better, until there is none; with too many of them, once more at a
finer scale.
"""

from __future__ import annotations

import time
from fractions import Fraction

from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits
from euclio.core.result import Answer, WarmStart
from euclio.problems.pipeline import Cluster, PipelinePlan, PipelineSpace
from formulations.effort import UndecidedError
from formulations.engines.cpsat import CP_SAT, CountedOutcome
from formulations.engines.interface import engine_limits
from formulations.pipeline.ppipe.cpsat_model import CpSatModel, cpsat_model, rate_scale
from formulations.pipeline.ppipe.known import Known
from formulations.pipeline.ppipe.points import late_pipelines
from formulations.pipeline.ppipe.search import Search, answer_at_once, searched

NAME = "ppipe-cpsat"
SCALES = (1 << 22, 1 << 30)
"""Units that the rates of a row come to, coarse and fine."""
MOST_MODELS = 50
"""Models that are solved at one scale."""
MOST_PARTS = 2**16
"""Parts of a GPU; their sums stay within CP-SAT's limit."""


def solve_ppipe_cpsat(cluster: Cluster, space: PipelineSpace, limits: Limits[PipelinePlan]) -> Answer[PipelinePlan]:
    """The best plan with one pipeline per model and sequence of GPU types, with proof.

    Raises:
        InapplicableError: GPUs have too many parts.
        InputError: least cost is asked for and a price or a load is missing.
    """
    return searched(cluster, space, limits, _solve)


def _solve(search: Search) -> Answer[PipelinePlan]:
    at_once = answer_at_once(search)
    if at_once is not None:
        return at_once
    if search.problem.shares > MOST_PARTS:
        raise InapplicableError(f"{NAME} counts GPUs in at most {MOST_PARTS} parts; allow fewer shares, or use columns")
    known = Known(search.problem)
    if search.start is not None:
        search.accept(search.start)
        known.add(search.start)
    for units in SCALES:
        scale = rate_scale(search.problem, units)
        if _run(search, known, cpsat_model(search.problem, scale, _between(search))):
            break
    return search.answer()


def _between(search: Search) -> tuple[Fraction, float] | None:
    """The throughput of the best plan, and the bound; None: not both are known, or it is cost."""
    if not search.most or search.value is None or search.bound is None:
        return None
    return search.value, max(search.bound, float(search.value))


def _run(search: Search, known: Known, model: CpSatModel) -> bool:
    """Ask for plans with options that are not known yet; whether all is decided, or there is no time left for it."""
    start = None if search.start is None else model.start(search.start)
    for number in range(MOST_MODELS):
        before = time.perf_counter() - search.started
        found = CP_SAT.run(model.model, engine_limits(search.limits, search.left_s), start)
        _note(search, model, found, before, bounds=number == 0)
        if found.infeasible:
            search.prove()
            return True
        if found.values is None:
            return True
        choice = model.choice(found.values)
        late = late_pipelines(search.problem, choice)
        search.stats["refused"] += len(late)
        on_time = {i: places for i, places in choice.items() if i not in late}
        if search.accept(on_time):
            search.start = on_time
        known.add(choice)
        try:
            known.improve(search, search.until)
        except (InapplicableError, UndecidedError):
            return not found.optimal
        if search.value == 0 or search.closed or known.all:
            search.prove()
            return True
        if not found.optimal or search.left_s <= 0:
            return True
        if search.value is not None:
            model.demand_better(search.value)
        model.demand_other(known.has)
    return False


def _note(search: Search, model: CpSatModel, found: CountedOutcome, started: float, *, bounds: bool) -> None:
    """Take over what a run has found, its counters and, where no plan was cut off, what it has proven."""
    search.stats["models"] += 1
    search.stats["conflicts"] = search.stats.get("conflicts", 0.0) + found.nodes
    search.raw_status = found.raw_status
    if found.warm_start is WarmStart.USED and search.stats["models"] == 1 and search.warm is not WarmStart.NONE:
        search.warm = WarmStart.USED
    if not bounds:
        return
    if found.bound is not None:
        search.note_bound(model.value(found.bound))
    search.trace += found.translated(dict, model.value, model.value).trace_from(started)
