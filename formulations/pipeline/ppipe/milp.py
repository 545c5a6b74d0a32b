"""Solvers `ppipe` and `ppipe-literal`: PPipe's MILP on PuLP (appendix A), corrected and as it is printed.

The model is that of `formulations/pipeline/ppipe/milp_model.py`. Engines work within tolerances, so a solution may hold
a pipeline that misses the SLO by a millionth, miss a load, or be worse than another one by as much. So `ppipe` asks for
more: the best plan of all options that the engine has proposed is found in fractions
(`formulations/pipeline/ppipe/known.py`), and the model runs again for a plan with another option that may be as good,
all rows laxer than tolerances are. When there is none, the best plan known is proven; where options are too many for
that, the answer is feasible, and its bound is the engine's moved outwards. `ppipe-literal` forbids late pipelines'
options together, and proves nothing but that there is no plan.

Erratum of the print, shown by `ppipe-literal`: (2), (8), (13) (and (16), (22), (27)) make every pipeline of every
sequence of GPU types run at least one GPU per place within the SLO. A model too slow for the low-class GPUs alone, or a
cluster with few GPUs of a class, then has no plan at all. And (23) adds up fractions of GPUs, which one GPU would have
to lend to different partitions. The optimum of the print bounds no plan space, so `ppipe-literal` claims no bound: it
stands in `stats["printed_bound"]`.
"""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits
from euclio.core.result import Answer, Status, WarmStart
from euclio.problems.pipeline import Cluster, PipelinePlan, PipelineSpace
from formulations.effort import UndecidedError
from formulations.engines.interface import LinearOutcome, engine_limits
from formulations.engines.milp import chosen_engine, export_lp, run_twice
from formulations.pipeline.ppipe.known import Known
from formulations.pipeline.ppipe.milp_model import MilpModel, milp_model
from formulations.pipeline.ppipe.points import Choice, late_pipelines, values_of
from formulations.pipeline.ppipe.search import Search, answer_at_once, searched
from formulations.tolerances import ROOM

NAME = "ppipe"
LITERAL = "ppipe-literal"
MOST_MODELS = 200
"""Models that are solved; after that a proof is given up."""
PRINTED_INFEASIBLE = "printed_infeasible"
"""Counter that is 1 where the MILP as printed is proven to have no plan."""
FAR = 100
"""Part of a model's scale below which the best value is too small for the engine's tolerance."""


def solve_ppipe(cluster: Cluster, space: PipelineSpace, limits: Limits[PipelinePlan]) -> Answer[PipelinePlan]:
    """The best plan with one pipeline per model and sequence of GPU types, with proof.

    Raises:
        InputError: least cost is asked for and a price or a load is missing.
    """
    return searched(cluster, space, limits, lambda search: answer_at_once(search) or _solve(search))


def solve_ppipe_literal(cluster: Cluster, space: PipelineSpace, limits: Limits[PipelinePlan]) -> Answer[PipelinePlan]:
    """The optimum of the MILP as printed: every pipeline used, fractions of GPUs added up.

    It bounds no plan space, and where it has no plan the plan space may have one.

    Raises:
        InputError: least cost is asked for and a price or a load is missing.
    """
    return searched(cluster, space, limits, _solve_literally, literal=True)


def _solve_literally(search: Search) -> Answer[PipelinePlan]:
    slot = search.problem.impossible
    if slot is not None:
        reason = (
            f"as printed, (2) and (8) demand a pipeline of {search.problem.cluster.models[slot.model].name} on "
            f"{' -> '.join(slot.gpus)}, which misses the SLO (13) or lacks GPUs"
        )
        return Answer(None, "infeasible as printed", stats={PRINTED_INFEASIBLE: 1.0}, reason=reason)
    answer = _solve_printed(search)
    stats = answer.stats if answer.bound is None else {**answer.stats, "printed_bound": answer.bound}
    raw_status = f"{answer.raw_status} as printed"
    if answer.infeasible:
        # Nothing is proven of the plan space: it has plans that leave pipelines unused.
        reason = "as printed, all pipelines together need more GPUs than there are"
        stats = {**stats, PRINTED_INFEASIBLE: 1.0}
        return Answer(None, "infeasible as printed", stats=stats, reason=reason, trace=answer.trace)
    return replace(answer, raw_status=raw_status, bound=None, stats=stats)


def _solve(search: Search) -> Answer[PipelinePlan]:
    """Ask the engine for plans with options that are not known yet, until there is none that may be better."""
    known = Known(search.problem)
    if search.start is not None:
        search.accept(search.start)
        known.add(search.start)
    model, first = milp_model(search.problem), True
    if search.limits.options.export_lp is not None:
        export_lp(model.model, search.limits.options.export_lp)
    while search.left_s > 0:
        run = _run(search, model, search.start if first else None)
        if run.infeasible:
            search.prove()
            break
        if first:
            search.note_bound(model.bound(run.bound))
        if run.values is None or search.stats["models"] >= MOST_MODELS:
            break
        choice = model.choice(run.values)
        late = late_pipelines(search.problem, choice)
        search.stats["refused"] += len(late)
        search.accept({i: places for i, places in choice.items() if i not in late})
        # An engine that proposes nothing new has lost a row in its tolerance.
        if not known.add(choice) and not first:
            break
        try:
            known.improve(search, search.until)
        except (InapplicableError, UndecidedError):
            break
        if search.value == 0 or search.closed or known.all:
            search.prove()
            break
        scale = _finer(search, model.scale)
        first = scale is not None
        if scale is not None:
            model = milp_model(search.problem, scale)
            continue
        if search.value is not None:
            model.demand_better(search.value)
        model.demand_other(known.has)
    return search.answer()


def _finer(search: Search, scale: Fraction) -> Fraction | None:
    """A scale that is nearer to the best plan's value, where a model's is far from it; None: it is near enough."""
    best = search.bound if search.most else search.value
    if best is None or not 0 < best < scale / FAR:
        return None
    return Fraction(best) * (1 + Fraction(ROOM))


def _solve_printed(search: Search) -> Answer[PipelinePlan]:
    model = milp_model(search.problem, room=0.0)
    if search.limits.options.export_lp is not None:
        export_lp(model.model, search.limits.options.export_lp)
    last = _run_printed(search, model)
    if last is Status.INFEASIBLE and search.plan is None:
        # Only rows laxer than the engine's tolerance prove it.
        search.infeasible = _run(search, milp_model(search.problem), None).infeasible
    if last is Status.FEASIBLE and search.plan is None:
        bound = search.bound
        _run_printed(search, milp_model(search.problem, room=-2 * ROOM))
        search.bound = bound
    return search.answer()


def _run_printed(search: Search, model: MilpModel) -> Status:
    """Solve a model until no pipeline of its solution is late.

    Returns:
        How it ended; feasible, not optimal, if the checker refuses what the engine calls optimal.
    """
    while True:
        run = _run(search, model, search.start)
        search.note_bound(None if run.bound is None else run.bound * float(model.scale))
        if run.values is None:
            return run.status
        choice = model.choice(run.values)
        late = late_pipelines(search.problem, choice)
        if not late:
            return run.status if search.accept(choice) else Status.FEASIBLE
        search.stats["refused"] += len(late)
        if not run.optimal or search.left_s <= 0:
            return Status.FEASIBLE
        for i in late:
            model.forbid(i, choice[i])


def _run(search: Search, model: MilpModel, start: Choice | None) -> LinearOutcome:
    """Solve a model once, and take over its trace and counters."""
    options, before = search.limits.options, time.perf_counter() - search.started
    values = None if start is None else values_of(search.problem, start, model.scale)
    run = run_twice(model.model, chosen_engine(options), engine_limits(search.limits, search.left_s), values)
    search.raw_status = run.raw_status
    scale = float(model.scale)
    search.trace += run.translated(dict, lambda value: value * scale, lambda bound: bound * scale).trace_from(before)
    search.stats["models"] += 1
    search.stats["nodes"] = search.stats.get("nodes", 0.0) + run.nodes
    if run.warm_start is WarmStart.USED:
        search.warm = WarmStart.USED
    return run
