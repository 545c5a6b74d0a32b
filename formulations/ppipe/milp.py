"""Solvers `ppipe` and `ppipe-literal`: PPipe's MILP on PuLP (appendix A), corrected and as it is printed.

The model is that of `formulations/ppipe/milp_model.py`. Engines work within tolerances, so a solution may hold a
pipeline that misses the SLO by a millionth. It is found exactly, its options are forbidden together, and the model runs
again; every model on the way keeps all plans, so each bound holds. The same for a load that is missed by a millionth:
loads are then asked for with that much more, and the bound of the model before stays.

Erratum of the print, shown by `ppipe-literal`: (2), (8), (13) (and (16), (22), (27)) make every pipeline of every
sequence of GPU types run at least one GPU per place within the SLO. A model too slow for the low-class GPUs alone, or a
cluster with few GPUs of a class, then has no plan at all. And (23) adds up fractions of GPUs, which one GPU would have
to lend to different partitions. The optimum of the print bounds no plan space, so `ppipe-literal` claims no bound: it
stands in `stats["printed_bound"]`.
"""

from __future__ import annotations

import time
from dataclasses import replace

from euclio.errors import InapplicableError
from euclio.pipeline import Cluster, PipelinePlan, PipelineSpace
from euclio.registry import Limits
from euclio.result import Answer, WarmStart
from formulations.milp.engine import EngineRun, Outcome, chosen_engine, engine_limits, export_lp, later, run_model
from formulations.ppipe.milp_model import MilpModel, milp_model
from formulations.ppipe.points import late_pipelines, values_of
from formulations.ppipe.search import Search, answer_at_once, begin

NAME = "ppipe"
LITERAL = "ppipe-literal"
LOAD_ROOM = 1.0 + 1e-6
"""What loads are multiplied by once the engine's tolerance has let the plan miss one."""


def solve_ppipe(cluster: Cluster, space: PipelineSpace, limits: Limits[PipelinePlan]) -> Answer[PipelinePlan]:
    """The best plan with one pipeline per model and sequence of GPU types, with proof.

    Raises:
        InapplicableError: the plan space allows several pipelines per sequence.
        InputError: least cost is asked for and a price or a load is missing.
    """
    search = begin(NAME, cluster, space, limits)
    return answer_at_once(search) or _solve(search)


def solve_ppipe_literal(cluster: Cluster, space: PipelineSpace, limits: Limits[PipelinePlan]) -> Answer[PipelinePlan]:
    """The optimum of the MILP as printed: every pipeline used, fractions of GPUs added up.

    Raises:
        InapplicableError: another plan space than the print's.
        InputError: least cost is asked for and a price or a load is missing.
    """
    if space.whole_gpus:
        raise InapplicableError(f"{LITERAL} adds up fractions of GPUs, as (23) is printed; ask for that plan space")
    search = begin(LITERAL, cluster, space, limits, literal=True)
    slot = search.problem.impossible
    if slot is not None:
        reason = (
            f"as printed, (2) and (8) demand a pipeline of {cluster.models[slot.model].name} on "
            f"{' -> '.join(slot.gpus)}, which misses the SLO (13) or lacks GPUs"
        )
        return Answer(None, "infeasible", infeasible=True, reason=reason)
    answer = _solve(search)
    stats = answer.stats if answer.bound is None else {**answer.stats, "printed_bound": answer.bound}
    reason = "as printed, all pipelines together need more GPUs than there are" if answer.infeasible else answer.reason
    raw_status = f"{answer.raw_status} as printed"
    return replace(answer, raw_status=raw_status, bound=None, stats=stats, reason=reason)


def _solve(search: Search) -> Answer[PipelinePlan]:
    model = milp_model(search.problem)
    if search.limits.options.export_lp is not None:
        export_lp(model.model, search.limits.options.export_lp)
    last = _run(search, model)
    search.infeasible = last is Outcome.INFEASIBLE and search.plan is None
    if last is Outcome.FEASIBLE and search.plan is None and not search.most:
        bound = search.bound
        _run(search, milp_model(search.problem, LOAD_ROOM))
        search.bound = bound
    return search.answer()


def _run(search: Search, model: MilpModel) -> Outcome:
    """Solve a model until no pipeline of its solution is late.

    Returns:
        How it ended; feasible, not optimal, if the checker refuses what the engine calls optimal.
    """
    options = search.limits.options
    start = None if search.start is None else values_of(search.problem, search.start)
    while True:
        limits = engine_limits(search.limits, search.left_s)
        before = time.perf_counter() - search.started
        run = run_model(model.model, chosen_engine(options), limits, start)
        _note(search, run, before)
        if not run.values:
            return run.outcome
        choice = model.choice(run.values)
        late = late_pipelines(search.problem, choice)
        if not late:
            return run.outcome if search.accept(choice) else Outcome.FEASIBLE
        search.stats["refused"] += len(late)
        if search.most and not search.problem.literal:
            search.accept({i: places for i, places in choice.items() if i not in late})
        if run.outcome is not Outcome.OPTIMAL or search.left_s <= 0:
            return Outcome.FEASIBLE
        for i in late:
            model.forbid(i, choice[i])


def _note(search: Search, run: EngineRun, started: float) -> None:
    """Take over what a run has proven, and its counters."""
    search.raw_status = run.raw_status
    search.trace += later(run.trace, started)
    search.stats["models"] += 1
    search.stats["nodes"] = search.stats.get("nodes", 0.0) + run.nodes
    search.note_bound(run.bound)
    if run.warm_start is WarmStart.USED:
        search.warm = WarmStart.USED
