"""Solver `columns`: enumerate every pipeline, price losses by the linear relaxation, pack within them (ours).

Where floating point may decide what: the order of the search, and what need not be searched, always with a slack in
favour of plans. Which pipelines keep their SLO, what a plan is worth and whether it is one are decided in fractions.
The bound is what the search has shown with its slacks; where it does not meet the plan's checked value, the little that
is left is searched in fractions too.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from fractions import Fraction

from euclio.core.family import find_family
from euclio.core.registry import Limits
from euclio.core.result import Answer, TracePoint
from euclio.pipeline import BlockProfile, Cluster, Gpu, Model, PipelinePlan, PipelineSpace, evaluate
from formulations.pipeline.columns.bulk import search_beside_bulk
from formulations.pipeline.columns.enumeration import enumerate_columns
from formulations.pipeline.columns.exact_search import search_exactly
from formulations.pipeline.columns.level import Setting, TooLargeError
from formulations.pipeline.columns.milp import search_by_milp
from formulations.pipeline.columns.plans import plan_of, together
from formulations.pipeline.columns.progress import Progress
from formulations.pipeline.columns.relaxation import Relaxation, relax
from formulations.pipeline.columns.search import search
from formulations.pipeline.columns.task import ROUNDING, Deadline, OutOfTimeError, Task, TooManyError, task_of
from formulations.pipeline.columns.valuing import sure_value

MANY = 1000
"""GPUs of a type above which tables are of no use."""

Found = tuple[PipelinePlan, Fraction | float]
"""A plan and its value, exact or but for rounding."""


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
    setting = Setting(task, columns, relaxation, _progress(task, relaxation, started), deadline)
    setting.progress.stats["columns"] = len(columns)
    raw = _search(setting)
    found = _checked(setting, cluster, space)
    if found is None and setting.progress.plan is not None and task.cost:
        # Floating point took a rate for served that falls short by next to nothing: ask for next to nothing more.
        strict = _progress(task, relaxation, started)
        raw = _search(replace(setting, task=replace(task, enough=2 - task.enough), progress=strict))
        strict.bound, strict.exhausted = setting.progress.bound, False
        setting = replace(setting, progress=strict)
        found = _checked(setting, cluster, space)
    if not setting.progress.exhausted and not _proven(setting, space, found):
        raw, found = _closed(setting, cluster, space, raw, found)
    return _answer(setting, found, raw)


def compile_columns() -> None:
    """Compile the search of pools, which tiny clusters do without."""
    gpus = [Gpu("A", MANY + 1), Gpu("B", 1)]
    whole = [BlockProfile("A", 1, [["0.010"], ["0.007"]]), BlockProfile("B", 1, [["0.024"], ["0.013"]])]
    half = BlockProfile("A", 2, [["0.019"], ["0.015"]])
    models = [Model(name, 1, ["0"], [*whole, half], weight=weight) for name, weight in (("a", 1), ("b", 2), ("c", 3))]
    run_columns(Cluster("compiled", gpus, models, 2, True), PipelineSpace(), Limits())


def _search(setting: Setting) -> str:
    """Search by tables where they hold the cluster, many GPUs next to the bulk, else by MILP; says how it ended."""
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


def _progress(task: Task, relaxation: Relaxation, started: float) -> Progress:
    """No plan yet, and the relaxation's bound; no plan costs less than nothing."""
    return Progress(min(relaxation.bound, 0.0) if task.cost else relaxation.bound, started)


def _checked(setting: Setting, cluster: Cluster, space: PipelineSpace) -> Found | None:
    """The best plan, if it is one beyond doubt, and its value; where floating point doubts, the checker decides."""
    if setting.progress.plan is None:
        return None
    plan = plan_of(cluster, setting.columns, setting.progress.plan)
    value = sure_value(setting.task, setting.columns, together(setting.progress.plan))
    if value is not None:
        return plan, abs(value)
    evaluation = evaluate(cluster, plan, space)
    return (plan, evaluation.value) if evaluation.feasible and evaluation.value is not None else None


def _proven(setting: Setting, space: PipelineSpace, found: Found | None) -> bool:
    """Whether the bound meets the value of a plan."""
    return found is not None and find_family("pipeline").goal(space).proven(found[1], _bound(setting))


def _closed(
    setting: Setting, cluster: Cluster, space: PipelineSpace, raw: str, found: Found | None
) -> tuple[str, Found | None]:
    """Close what floating point left open in exact arithmetic, if it is little; says how it ended."""
    progress, sign = setting.progress, -1 if setting.task.cost else 1
    known = None
    if found is not None:
        value = evaluate(cluster, found[0], space).value
        assert value is not None
        known, found = sign * value, (found[0], value)
    try:
        better = search_exactly(setting, cluster, known)
    except (TooManyError, OutOfTimeError):
        return raw, found
    if better is not None:
        known, progress.plan = better
        found = _checked(setting, cluster, space)
    if known is None:
        progress.exhausted = True
        return "infeasible", None
    progress.value = progress.bound = float(known)
    return "optimal", found


def _bound(setting: Setting) -> float:
    """The bound in the unit of the objective, what the search has lost by rounding added."""
    bound = setting.progress.bound + ROUNDING * abs(setting.progress.bound)
    return max(0.0, -bound) if setting.task.cost else bound


def _answer(setting: Setting, found: Found | None, raw: str) -> Answer[PipelinePlan]:
    progress, cost = setting.progress, setting.task.cost
    sign = -1.0 if cost else 1.0
    trace = tuple(
        TracePoint(at, None if value is None else sign * value, sign * bound) for at, value, bound in progress.trace
    )
    if progress.exhausted:
        reason = "the GPUs cannot serve " + ("the rates" if cost else "all models at once")
        return Answer(None, raw, infeasible=True, stats=progress.stats, reason=reason, trace=trace)
    if found is None:
        reason = "no plan was found within the time limit"
        return Answer(None, raw, bound=_bound(setting), stats=progress.stats, reason=reason, trace=trace)
    return Answer(found[0], raw, float(found[1]), _bound(setting), stats=progress.stats, trace=trace)
