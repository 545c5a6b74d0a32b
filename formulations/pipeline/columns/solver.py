"""Solver `columns`, from the instance to the answer (docs/model/columns.md explains the method).

Floating point may decide the order of the search. With a slack in favour of plans it may also decide what to leave out.
Fractions decide which pipelines keep their SLO, and the feasibility and value of a plan. The bound includes the slacks
of the search. If it does not meet the plan's checked value, the small remaining gap is searched in fractions too.
"""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

from euclio.core.families import find_family
from euclio.core.registry import Limits
from euclio.core.result import Answer, TracePoint
from euclio.problems.pipeline import BlockProfile, Cluster, Gpu, Model, PipelinePlan, PipelineSpace, evaluate
from formulations.effort import UndecidedError
from formulations.pipeline.columns.bulk import search_many_gpus
from formulations.pipeline.columns.enumeration import enumerate_columns
from formulations.pipeline.columns.exact_search import search_exactly
from formulations.pipeline.columns.milp import search_by_milp
from formulations.pipeline.columns.node import Node
from formulations.pipeline.columns.plans import plan_of, serving_columns, sure_value
from formulations.pipeline.columns.problem import (
    Deadline,
    OutOfTimeError,
    Problem,
    Progress,
    TooLargeError,
    TooManyError,
    problem_of,
)
from formulations.pipeline.columns.relaxation import Relaxation, relax
from formulations.pipeline.columns.search import search
from formulations.tolerances import SUMS

MANY = 1000
"""GPUs of a type above which tables do not help."""

Found = tuple[PipelinePlan, Fraction | float]
"""A plan and its value, exact or up to rounding."""


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
    deadline = Deadline(limits.deadline(started))
    problem = problem_of(cluster, space)
    columns = enumerate_columns(cluster, space)
    for m, model in enumerate(cluster.models):
        if not (columns.model == m).any():
            reason = f"no pipeline of model {model.name} meets its SLO"
            return Answer(None, "infeasible", infeasible=True, reason=reason)
    relaxation = relax(problem, columns)
    if relaxation is None:
        reason = "the GPUs cannot serve the rates, not even by fractions of GPUs"
        return Answer(None, "infeasible", infeasible=True, reason=reason)
    root = Node(problem, columns, relaxation, _progress(problem, relaxation, started), deadline)
    root.progress.stats["columns"] = len(columns)
    raw = _search(root)
    found = _checked(root, cluster, space)
    if found is None and root.progress.plan is not None and problem.cost:
        # Floating point took a rate as served that is short by a tiny amount, so ask for a tiny amount more.
        strict = _progress(problem, relaxation, started)
        raw = _search(replace(root, problem=replace(problem, enough=2 - problem.enough), progress=strict))
        # A proof for the larger rate bounds no plan of the instance, so the first bound stays.
        strict.bound, strict.exhausted = root.progress.bound, False
        root = replace(root, progress=strict)
        found = _checked(root, cluster, space)
    if not root.progress.exhausted and not _proven(root, space, found):
        raw, found = _close_exactly(root, cluster, space, raw, found)
    return _answer(root, found, raw)


def compile_columns() -> None:
    """Compile the search of pools, which tiny clusters do not need."""
    gpus = [Gpu("A", MANY + 1), Gpu("B", 1)]
    whole = [BlockProfile("A", 1, [["0.010"], ["0.007"]]), BlockProfile("B", 1, [["0.024"], ["0.013"]])]
    half = BlockProfile("A", 2, [["0.019"], ["0.015"]])
    models = [Model(name, 1, ["0"], [*whole, half], weight=weight) for name, weight in (("a", 1), ("b", 2), ("c", 3))]
    run_columns(Cluster("compiled", gpus, models, 2, True), PipelineSpace(), Limits())


def _search(root: Node) -> str:
    """Search by tables if they hold the cluster, else with most GPUs assigned, else by MILP; returns the ending."""
    progress = root.progress
    try:
        root.deadline.check()
        if root.problem.count.max() > MANY:
            search_many_gpus(root)
        else:
            try:
                search(root)
            except (TooLargeError, TooManyError):
                search_many_gpus(root)
        if not (progress.closed or progress.exhausted):
            search_by_milp(root)
    except OutOfTimeError:
        return "time limit"
    return "infeasible" if progress.exhausted else "optimal" if progress.closed else "stopped"


def _progress(problem: Problem, relaxation: Relaxation, started: float) -> Progress:
    """No plan yet, and the relaxation's bound; no plan costs less than 0."""
    return Progress(min(relaxation.bound, 0.0) if problem.cost else relaxation.bound, started)


def _checked(root: Node, cluster: Cluster, space: PipelineSpace) -> Found | None:
    """The best plan, if it is surely one, and its value; if floating point is in doubt, the checker decides."""
    if root.progress.plan is None:
        return None
    counts = serving_columns(root.columns, root.progress.plan)
    plan = plan_of(cluster, root.columns, counts)
    value = sure_value(root.problem, root.columns, counts)
    if value is not None:
        return plan, abs(value)
    evaluation = evaluate(cluster, plan, space)
    return (plan, evaluation.value) if evaluation.feasible and evaluation.value is not None else None


def _proven(root: Node, space: PipelineSpace, found: Found | None) -> bool:
    """Whether the bound meets the value of a plan."""
    return found is not None and find_family("pipeline").goal(space).proven(found[1], _bound(root))


def _close_exactly(
    root: Node, cluster: Cluster, space: PipelineSpace, raw: str, found: Found | None
) -> tuple[str, Found | None]:
    """Close a small gap that floating point left open in exact arithmetic; its ending in words, and the plan."""
    progress, sign = root.progress, -1 if root.problem.cost else 1
    known = None
    if found is not None:
        value = evaluate(cluster, found[0], space).value
        assert value is not None
        known, found = sign * value, (found[0], value)
    try:
        better = search_exactly(root, cluster, known)
    except UndecidedError:
        return raw, found
    if better is not None:
        known, progress.plan = better
        found = _checked(root, cluster, space)
    if known is None:
        progress.exhausted = True
        return "infeasible", None
    progress.value = progress.bound = float(known)
    return "optimal", found


def _bound(root: Node) -> float:
    """The bound in the unit of the objective, with the possible rounding of the search."""
    bound = root.progress.bound + SUMS * abs(root.progress.bound)
    return max(0.0, -bound) if root.problem.cost else bound


def _answer(root: Node, found: Found | None, raw: str) -> Answer[PipelinePlan]:
    """The answer, with costs in their own sign."""
    progress, cost = root.progress, root.problem.cost
    sign = -1.0 if cost else 1.0
    trace = tuple(
        TracePoint(at, None if value is None else sign * value, sign * bound) for at, value, bound in progress.trace
    )
    if progress.exhausted:
        reason = "the GPUs cannot serve " + ("the rates" if cost else "all models at once")
        return Answer(None, raw, infeasible=True, stats=progress.stats, reason=reason, trace=trace)
    if found is None:
        reason = "no plan was found within the time limit"
        return Answer(None, raw, bound=_bound(root), stats=progress.stats, reason=reason, trace=trace)
    return Answer(found[0], raw, float(found[1]), _bound(root), stats=progress.stats, trace=trace)
