"""`euclio solve`: run a solver on an instance, print the checked plan."""

from __future__ import annotations

import math
import shlex
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from euclio.core import solving
from euclio.core.errors import printable
from euclio.core.family import Family
from euclio.core.parameters import Group, Parameter, as_given
from euclio.core.progress import say
from euclio.core.result import AnyResult, Status
from euclio.core.solver import AnySolver, SolverLike
from euclio.core.values import count, file_path, seconds
from euclio.files.boundary import at
from euclio.serving.setup import Arrivals, Setup
from euclio.verbs.interface import keyword_types as words
from euclio.verbs.interface.attainment import attainment_demand, with_percentile
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import INFEASIBLE, NO_PLAN, REFUSED, SOLVED
from euclio.verbs.interface.family_keywords import changed, either, plan_space, time_limit_of
from euclio.verbs.interface.inputs import Files, changed_instance, given_instance
from euclio.verbs.interface.outputs import check_written
from euclio.verbs.interface.shared_parameters import (
    POOL,
    SEED,
    SHARING,
    STRICT,
    an_instance,
    attainment,
    changes,
    default_solvers,
    json_of,
    out_of,
    schemas,
)
from euclio.verbs.interface.shared_parameters import plan_space as plan_spaces
from euclio.verbs.interface.verb import verb

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
    from euclio.core.family import Family
    from euclio.core.result import AnyResult


SOLVER = Parameter(
    "--solver",
    help=lambda: f"see `euclio solvers`, or FILE.py:FUNCTION; default: {default_solvers()}",
    parse=as_given,
    metavar="NAME",
)
LIMIT = Parameter(
    "--time-limit",
    help="time limit in seconds, from when the input is read and the solver compiled; the command ends at most 1 s "
    "later, even if the solver does not. Preparing the solver is limited to 600 s, one from a file to 60 s",
    parse=seconds,
    metavar="S",
)
ENGINES = Group(
    "solver libraries",
    "for solvers that run on PuLP or OR-Tools",
    (
        Parameter(
            "--engine",
            help="highs, cbc, highs-program or scip (both need euclio[engines]), gurobi (needs gurobipy)",
            parse=as_given,
            metavar="NAME",
        ),
        Parameter("--threads", help="threads of the engine; default: 1", parse=count, metavar="N"),
        Parameter("--warm-start", help="solver whose plan to start from, or none", parse=as_given, metavar="NAME"),
        Parameter("--log", help="write the engine's own log", parse=file_path, metavar="FILE"),
        Parameter("--export-lp", help="write the model in LP format", parse=file_path, metavar="FILE"),
    ),
)
EXIT_CODES = {"optimal": SOLVED, "feasible": SOLVED, "infeasible": INFEASIBLE, "error": REFUSED}
"""Exit codes by status; of all others: `NO_PLAN`."""


@overload
def solve(
    instance: Session | Sequence[Session],
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
@verb(
    SOLVER,
    changes(),
    STRICT,
    plan_spaces(),
    LIMIT,
    replace(SEED, help="seed of random choices; default: 0"),
    attainment(),
    ENGINES,
    typed=words.SolveAny,
)
def solve(instance: Any, solver: SolverLike | None = None, *, space: Any = None, **keywords: Any) -> AnyResult:
    """Solve an instance and check the plan, as `euclio solve` does.

    Args:
        instance: a session, cluster, fleet or day, or the path of its file. Of several sessions, as in ``[a, b]``, the
            one in which they share their machines is solved (`euclio.pool`).
        solver: name of a solver, ``path/to/file.py:function``, a `Solver`, or a function of the instance that returns a
            plan (docs/howto/solver.md); None means the default of the family.
        space: plan space; None means the solver's own. The result's may be narrower (`Solver.narrow`).
        **keywords: the options of `euclio solve` by their names: changes of the instance, fields of the plan space, an
            attainment of sessions under random arrivals, and settings of the run. `supervised=True` runs the solver in
            a process of its own, which enforces the limit, and explains an infeasible instance, as the command does.
            Numbers are int, float, str, Decimal or Fraction, exactly as written.

    Returns:
        The checked result; it states the changes and belongs to `result.changes.applied_to(session)`.

    Raises:
        InputError: a bad value, named with its keyword; an unknown solver or one of another family; a keyword that does
            not fit the instance or the solver; a missing engine.
    """
    given = given_instance(instance)
    keywords = with_percentile(keywords)
    with at("", given.file):
        family = given.family
        target, applied = changed(family, given.instance, keywords)
        chosen = solving.solver_for(family, solver)
        searched = plan_space(family, chosen, target, keywords, space)
        demand = attainment_demand(family, keywords, target)
    hint = family.hint(target) if given.file is not None else ""
    if hint:
        say(f"{given.file}: {hint}")
    options = {"space": searched, **run_options(keywords)}
    result = _made(target, chosen, demand, bool(keywords.get("supervised")), options)
    return result if applied is None else replace(result, changes=applied)


def _made(instance: Any, solver: AnySolver, demand: Demand | None, supervised: bool, options: Any) -> AnyResult:
    """The result in this process, or in one of its own."""
    if supervised:
        from euclio.verbs.interface.supervised import Supervised

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
    """The settings of the run for `euclio.core.solving.solve`.

    Raises:
        InputError: a value that it cannot have, or one that is given under two names.
    """
    log, export_lp = either(keywords, "log", "log_file"), keywords.get("export_lp")
    return {
        "time_limit_s": time_limit_of(keywords),
        "seed": keywords.get("seed") or 0,
        "engine": keywords.get("engine"),
        "threads": keywords.get("threads"),
        "warm_start": keywords.get("warm_start"),
        "log_file": None if log is None else Path(log),
        "export_lp": None if export_lp is None else Path(export_lp),
    }


@command(
    solve,
    Parameter("file", help=lambda: f"instance (JSON, {schemas()}); {SHARING}", metavar="FILE", details=POOL),
    out_of("also write the result (JSON, euclio/result/1)"),
    json_of("the result"),
    Parameter("--verbose", help="also print the plan space in the words of the papers"),
    about=lambda: (
        f"Run a solver on a {an_instance()} and print the checked plan. Options not given are the solver's own."
    ),
    first=("--slo", "--rate", "--machines", "--stock", "--out"),
    research=("--seed",),
    exits="0 solved, 1 the plan or claim is wrong, 3 infeasible, 4 no plan",
    examples=(
        "euclio solve session.json --out result.json",
        "euclio solve session.json --rate 17 --slo 0.8 --machines whole",
    ),
)
def print_solved(arguments: Namespace) -> int:
    """Solve, print, write."""
    from euclio.files import result_to_text
    from euclio.files.json_writing import write_text

    keywords = arguments.keywords
    solvers = (keywords.get("solver"), keywords.get("warm_start"))
    check_written(arguments, ("out", "log", "export_lp"), (arguments.file, keywords.get("trace")), solvers=solvers)
    given = given_instance(arguments.file)
    result = _with_reason(solve(given, supervised=True, **keywords))
    instance = changed_instance(given.instance, result.changes)
    if arguments.out is not None:
        write_text(result_to_text(result, instance), arguments.out)
    if arguments.json:
        print(result_to_text(result, instance), end="")
    else:
        from euclio.core.tables import to_text

        table = to_text(given.family.table(instance, result))
        print(table)
        space = f"plan space: {given.family.describe_space(result.space)}"
        if arguments.verbose and space not in table:
            print(space)
    if isinstance(arguments.file, Files):
        if not arguments.json:
            print(f"\nas one file: {printable(shlex.join(['euclio', 'pool', *arguments.file, '--out', 'POOL']))}")
    elif "attainment" in result.options:
        _say_what_shows_it(arguments, given.family, result)
    elif not arguments.json:
        _print_whether_it_holds(arguments, given.family, instance, result)
    if result.reason:
        say(f"{arguments.file}: {result.status.value}: {result.reason}")
    return EXIT_CODES.get(result.status, NO_PLAN)


def _say_what_shows_it(arguments: Namespace, family: Family, result: AnyResult) -> None:
    """Print the command that shows the statement of an attainment, in one line to copy."""
    shown = shown_by(result, family, arguments.file, arguments.out, arguments.keywords.get("trace"))
    if shown is not None and arguments.json:
        say(f"shown by: {shown}")
    elif shown is not None:
        print(f"\nshown by: {printable(shown)}")


def _print_whether_it_holds(arguments: Namespace, family: Family, instance: Any, result: AnyResult) -> None:
    """Print the plan's attainment under Poisson arrivals with the command that shows it, or the command alone."""
    if family.simulator is None or result.value is None or result.plan is None:
        return
    simulator = family.simulator()
    known = simulator.glance(instance, result)
    shown = printable(tried_by(result, arguments.file, arguments.out))
    found = f" {known.in_words()}" if known.in_words() else ""
    cost = f"{known.cost}, " if known.cost else ""
    more = f"; 99 %: {cost}{ASKED}" if simulator.keeps else ""
    print(f"\nunder Poisson arrivals{found}: {shown}{more}")


def _with_reason(result: AnyResult) -> AnyResult:
    """The result; one that is unknown says why."""
    if result.status is Status.UNKNOWN and not result.reason:
        return replace(result, reason="no plan was found within the limit; allow more time")
    return result


PARAMETERS = {"cv": (Arrivals.GAMMA, "--cv"), "on_s": (Arrivals.ON_OFF, "--on"), "off_s": (Arrivals.ON_OFF, "--off")}
"""Fields of setups that one process has, with the option of each."""


ASKED = "--attainment 0.99"
"""The option for a plan that holds."""


def shown_by(result: AnyResult, family: Family, instance: Path, out: Path | None, trace: Path | None) -> str | None:
    """The command that shows the statement of a result of an attainment; None without a statement.

    Args:
        result: a checked result.
        family: of its instance.
        instance: file of the instance.
        out: file of the result; None means no file, and the line has RESULT.
        trace: file of timestamps of the requests; None if there is none or its name is unknown.
    """
    from euclio.serving.attainment.served import setup_as_asked

    setup = setup_as_asked(result)
    if setup is None or result.plan is None:
        return None
    length = ["--seconds", f"{setup.seconds!r}", "--seed", str(setup.seed)]
    flags = [*arrival_flags(setup, trace), *length, *setup_flags(setup, family), *_own_policy(result)]
    return shlex.join(["euclio", "simulate", str(instance), str(out or "RESULT"), *flags])


def tried_by(result: AnyResult, instance: Path, out: Path | None) -> str:
    """The command that tries a plan for evenly spaced requests with Poisson arrivals; arguments as of `shown_by`."""
    flags = ["--arrivals", "poisson", *_own_policy(result)]
    return shlex.join(["euclio", "simulate", str(instance), str(out or "RESULT"), *flags])


def _own_policy(result: AnyResult) -> list[str]:
    """The option that names the user's own policy of a plan: a result only says it, and a command line has it run."""
    from euclio.core.references import HASH

    policy = getattr(result.space, "policy", None)
    return ["--policy", policy.name.partition(HASH)[0]] if policy is not None and policy.version else []


def arrival_flags(setup: Setup, trace: Path | None) -> list[str]:
    """The options that make the arrivals and the noise of a setup.

    Args:
        setup: the setup.
        trace: file of its timestamps, if it has any; None if its name is unknown.
    """
    if setup.arrivals is Arrivals.TRACE:
        found = ["--trace", str(trace or "TRACE")]
    else:
        found = ["--arrivals", setup.arrivals.value]
    for name, (process, flag) in PARAMETERS.items():
        if setup.arrivals is process:
            found += [flag, f"{getattr(setup, name)!r}"]
    return found + (["--noise", f"{setup.noise!r}"] if setup.noise else [])


def setup_flags(setup: Setup, family: Family) -> list[str]:
    """The options that make a family's own fields of a setup, where they are not the defaults."""
    found: list[str] = []
    defaults = type(setup)()
    for option in family.setup_options():
        value = getattr(setup, option.field)
        if value == getattr(defaults, option.field):
            continue
        if option.stands_alone:
            found += [option.flag] * (value == option.value)
        else:
            found += [option.flag, "none" if value == math.inf else str(value)]
    return found
