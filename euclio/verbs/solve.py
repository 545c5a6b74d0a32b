"""`load`, `solve` and `evaluate`: the instance in a file, a checked plan of it, and the checker's word on a plan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

from euclio.core import families, solving
from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.family import Checked
from euclio.core.progress import say
from euclio.core.result import AnyResult
from euclio.core.solver import AnySolver, SolverLike
from euclio.core.values import count, seed
from euclio.files.boundary import at
from euclio.files.instance_files import load_instance
from euclio.verbs import keyword_types as words
from euclio.verbs.attainment import attainment_demand, with_percentile
from euclio.verbs.inputs import given_instance
from euclio.verbs.keywords import changed, either, of_families, plan_space, read_if, time_limit_of
from euclio.verbs.verb import verb

if TYPE_CHECKING:
    from euclio.core.result import Result
    from euclio.files.plain_family import PlainSpace
    from euclio.problems.day import Day, DayEvaluation, DayPlan
    from euclio.problems.fragments import Fleet, FleetEvaluation, FragmentPlan, FragmentSpace
    from euclio.problems.pipeline import Cluster, PipelinePlan, PipelineSpace, PlanEvaluation
    from euclio.problems.session import Evaluation, Plan, PlanSpace, Session
    from euclio.serving.attainment.demand import Demand

    SessionResult = Result[Plan, PlanSpace, Evaluation]
    ClusterResult = Result[PipelinePlan, PipelineSpace, PlanEvaluation]
    FleetResult = Result[FragmentPlan, FragmentSpace, FleetEvaluation]
    DayResult = Result[DayPlan, PlainSpace, DayEvaluation]


@overload
def solve(
    instance: Session,
    solver: SolverLike | None = None,
    *,
    space: PlanSpace | None = None,
    **keywords: Unpack[words.SolveSession],
) -> SessionResult: ...
@overload
def solve(
    instance: Cluster,
    solver: SolverLike | None = None,
    *,
    space: PipelineSpace | None = None,
    **keywords: Unpack[words.SolveCluster],
) -> ClusterResult: ...
@overload
def solve(
    instance: Fleet,
    solver: SolverLike | None = None,
    *,
    space: FragmentSpace | None = None,
    **keywords: Unpack[words.SolveFleet],
) -> FleetResult: ...
@overload
def solve(
    instance: Day, solver: SolverLike | None = None, *, space: Any = None, **keywords: Unpack[words.RunKeywords]
) -> DayResult: ...
@overload
def solve(
    instance: Any, solver: SolverLike | None = None, *, space: Any = None, **keywords: Unpack[words.SolveAny]
) -> AnyResult: ...
@verb(words.SolveAny, more=of_families)
def solve(instance: Any, solver: SolverLike | None = None, *, space: Any = None, **keywords: Any) -> AnyResult:
    """Solve an instance and check the plan, as `euclio solve` does.

    Args:
        instance: a session, cluster, fleet or day, or the path of its file.
        solver: name of a solver, ``path/to/file.py:function``, a `Solver`, or a function of the instance that returns
            a plan, which is named by its name (docs/howto/solver.md); None: the default of the family.
        space: plan space; None: the solver's own. The result's may be narrower (`Solver.narrow`).
        **keywords: each as the option of the command. How it is run: `time_limit` in seconds, `seed`, `engine`,
            `threads`, `warm_start`, `log`, `export_lp`; `supervised=True` runs the solver in a process of its own, so
            that the limit holds whatever it does, and explains what is infeasible, as the command does. Changes of a
            session: `rate`, `slo`, `price`, `headroom`, `stock`, `resource`, `from_`, `changes`, `change_price`,
            `state_price`, `spare`, `largest_share`, `durations`. Fields of the plan space: `policy`, `dummy`,
            `max_allocations`, `hardware`, `no_batching`, `no_concurrency`, `machines` of sessions, others of other
            families. What a plan of a session keeps under random arrivals: `attainment`, `arrivals`, `trace`, `cv`,
            `on`, `off`, `noise`, `dispatch`, `time_out`, `hold`, `dropping`. `strict=True` refuses a file with doubtful
            measurements.
            Numbers are int, float, str, Decimal or Fraction, exactly as written.

    Returns:
        The checked result; it states the changes, and is of `result.changes.applied_to(session)`.

    Raises:
        InputError: a bad value, which it names with its keyword; an unknown solver, one of another family, a keyword
            that does not go with the instance or the solver, or an engine that is not installed.
    """
    given = given_instance(instance)
    keywords = with_percentile(keywords)
    with at("", given.file):
        family = given.family
        target, changes = changed(family, given.instance, keywords)
        chosen = solving.solver_for(family, solver)
        searched = plan_space(family, chosen, target, keywords, space)
        demand = attainment_demand(family, keywords, target)
    hint = family.hint(target) if given.file is not None else ""
    if hint:
        say(f"{given.file}: {hint}")
    options = {"space": searched, **run_options(keywords)}
    result = _made(target, chosen, demand, bool(keywords.get("supervised")), options)
    return result if changes is None else replace(result, changes=changes)


def _made(instance: Any, solver: AnySolver, demand: Demand | None, supervised: bool, options: Any) -> AnyResult:
    """The result in this process, or in one of its own."""
    if supervised:
        from euclio.verbs.supervised import Supervised

        with Supervised([instance], [solver]) as other:
            if demand is None:
                return other.solve_and_explain(instance, solver, **options)
            from euclio.serving.attainment.attaining import attaining

            return other.solve_with(attaining, demand, instance, solver, **options)
    if demand is None:
        return solving.solve(instance, solver, **options)
    from euclio.serving.attainment.attaining import attaining

    ready = solving.asked(instance, solver, **options)
    ready.warm_up()
    return attaining(demand, ready)


def run_options(keywords: Any) -> dict[str, Any]:
    """What `euclio.core.solving.solve` is told of how the solver is run.

    Raises:
        InputError: a value that it cannot have, or one that is given under two names.
    """
    log, export_lp = either(keywords, "log", "log_file"), keywords.get("export_lp")
    return {
        "time_limit_s": time_limit_of(keywords),
        "seed": 0 if keywords.get("seed") is None else read_if(seed, keywords["seed"], "--seed"),
        "engine": keywords.get("engine"),
        "threads": read_if(count, keywords.get("threads"), "--threads"),
        "warm_start": keywords.get("warm_start"),
        "log_file": None if log is None else Path(log),
        "export_lp": None if export_lp is None else Path(export_lp),
    }


@overload
def evaluate(instance: Session, plan: Plan, space: PlanSpace | None = None) -> Evaluation: ...
@overload
def evaluate(instance: Cluster, plan: PipelinePlan, space: PipelineSpace | None = None) -> PlanEvaluation: ...
@overload
def evaluate(instance: Fleet, plan: FragmentPlan, space: FragmentSpace | None = None) -> FleetEvaluation: ...
@overload
def evaluate(instance: Day, plan: DayPlan, space: Any = None) -> DayEvaluation: ...
def evaluate(instance: Any, plan: Any, space: Any = None) -> Checked:
    """Check and price a plan of any family.

    Args:
        instance: a session, cluster, fleet or day.
        plan: a plan of it.
        space: plan space that it has to keep to; None: the full one.

    Returns:
        The checker's answer.
    """
    return families.evaluate(instance, plan, space)


InstanceT = TypeVar("InstanceT")


@overload
def load(path: str | Path, *, strict: bool = False) -> Any: ...
@overload
def load(path: str | Path, kind: type[InstanceT], *, strict: bool = False) -> InstanceT: ...
@verb()
def load(path: str | Path, kind: type[Any] | None = None, *, strict: bool = False) -> Any:
    """The instance in a file.

    Args:
        path: the file.
        kind: what it has to be, such as `euclio.problems.session.Session`, which an editor then knows; None: any
            instance.
        strict: refuse rows that are doubted (docs/howto/measured.md), where there is a warning otherwise.

    Raises:
        InputError: naming the file, the field and the remedy; also where it is another kind of instance.
    """
    found = load_instance(path)
    if kind is not None and not isinstance(found, kind):
        asked = next((family.instances for family in families.families() if family.instance is kind), kind.__name__)
        raise InputError(f"is one of {family_of(found).instances}; {asked} are asked for", file=str(path))
    return found
