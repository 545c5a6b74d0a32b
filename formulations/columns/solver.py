"""Solver `columns`: enumerate every pipeline, price losses by the linear relaxation, pack within them (model §2)."""

from __future__ import annotations

import math
import time
from dataclasses import replace

from euclio.pipeline import BlockProfile, Cluster, Gpu, Model, PipelinePlan, PipelineSpace, evaluate
from euclio.registry import Limits
from euclio.result import Answer, TracePoint
from formulations.columns.bulk import search_beside_bulk
from formulations.columns.enumeration import enumerate_columns
from formulations.columns.level import Setting, TooLargeError
from formulations.columns.milp import search_by_milp
from formulations.columns.plans import plan_of
from formulations.columns.progress import Progress
from formulations.columns.relaxation import relax
from formulations.columns.search import search
from formulations.columns.sharing import TooManyError
from formulations.columns.task import Deadline, OutOfTimeError, task_of

MANY = 1000
"""GPUs of a type above which tables are of no use."""
ROUNDING = 1e-12
"""Relative slack of the bound for the rounding of its own arithmetic."""


def run_columns(cluster: Cluster, space: PipelineSpace, limits: Limits[PipelinePlan]) -> Answer[PipelinePlan]:
    """Best plan of a cluster, proven (ours).

    Args:
        cluster: the instance.
        space: plan space and objective.
        limits: time limit; the method draws no random numbers.

    Returns:
        Plan and bound, in weighted requests per second or money per hour.

    Raises:
        InapplicableError: there are too many pipelines to enumerate.
    """
    started = time.perf_counter()
    deadline = Deadline(math.inf if limits.time_limit_s is None else started + limits.time_limit_s)
    task = task_of(cluster, space)
    columns = enumerate_columns(cluster, space)
    for m, model in enumerate(cluster.models):
        if not (columns.model == m).any():
            reason = f"no pipeline of model {model.name} meets its SLO"
            return Answer(None, "infeasible", infeasible=True, reason=reason)
    relaxation = relax(task, columns)
    if relaxation is None:
        reason = "the GPUs cannot serve the rates, not even by fractions of GPUs"
        return Answer(None, "infeasible", infeasible=True, reason=reason)
    setting = Setting(task, columns, relaxation, Progress(relaxation.bound, started), deadline)
    setting.progress.stats["columns"] = len(columns)
    raw = _search(setting)
    plan = _plan(setting, cluster)
    if plan is not None and task.cost and not evaluate(cluster, plan, space).feasible:
        # Floating point took a rate for served that falls short by less than 1e-9 of it: ask for a little more.
        strict = Progress(relaxation.bound, started)
        raw = _search(replace(setting, task=replace(task, enough=2 - task.enough), progress=strict))
        strict.bound, strict.exhausted = setting.progress.bound, False
        setting = replace(setting, progress=strict)
        plan = _plan(setting, cluster)
    return _answer(setting, plan, raw)


def compile_columns() -> None:
    """Compile the search of pools, which tiny clusters do without."""
    gpus = [Gpu("A", MANY + 1), Gpu("B", 1)]
    whole = [BlockProfile("A", 1, [["0.010"], ["0.007"]]), BlockProfile("B", 1, [["0.024"], ["0.013"]])]
    half = BlockProfile("A", 2, [["0.019"], ["0.015"]])
    models = [Model(name, 1, ["0"], [*whole, half], weight=weight) for name, weight in (("a", 1), ("b", 2), ("c", 3))]
    run_columns(Cluster("compiled", gpus, models, 2, True), PipelineSpace(), Limits())


def _search(setting: Setting) -> str:
    """Search by tables where they hold the cluster, many GPUs beside the bulk, else by MILP; says how it ended."""
    progress = setting.progress
    try:
        setting.deadline.check()
        if setting.task.count.max() > MANY:
            search_beside_bulk(setting)
        else:
            try:
                search(setting)
            except (TooLargeError, TooManyError):
                search_beside_bulk(setting)
        if not (progress.closed or progress.exhausted):
            search_by_milp(setting)
    except OutOfTimeError:
        return "time limit"
    return "infeasible" if progress.exhausted else "optimal" if progress.closed else "stopped"


def _plan(setting: Setting, cluster: Cluster) -> PipelinePlan | None:
    found = setting.progress.plan
    return None if found is None else plan_of(cluster, setting.columns, found)


def _answer(setting: Setting, plan: PipelinePlan | None, raw: str) -> Answer[PipelinePlan]:
    progress, cost = setting.progress, setting.task.cost
    sign = -1.0 if cost else 1.0
    trace = tuple(
        TracePoint(at, None if value is None else sign * value, sign * bound) for at, value, bound in progress.trace
    )
    if progress.exhausted:
        reason = "the GPUs cannot serve " + ("the rates" if cost else "all models at once")
        return Answer(None, raw, infeasible=True, stats=progress.stats, reason=reason, trace=trace)
    bound = sign * (progress.bound + ROUNDING * abs(progress.bound))
    if plan is None:
        reason = "no plan was found within the time limit"
        return Answer(None, raw, bound=bound, stats=progress.stats, reason=reason, trace=trace)
    return Answer(plan, raw, sign * progress.value, bound, stats=progress.stats, trace=trace)
