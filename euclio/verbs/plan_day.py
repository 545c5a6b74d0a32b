"""`euclio plan-day`: the machines of a whole day: common rules, and the least cost."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from euclio.core.errors import InputError
from euclio.core.families import find_family
from euclio.core.numbers import Number
from euclio.core.parameters import Parameter, as_given, option_text
from euclio.core.progress import say
from euclio.core.registry import solvers_of
from euclio.core.result import AnyResult, Status
from euclio.core.solver import AnySolver, SolverLike
from euclio.core.solving import asked, solve, solver_for
from euclio.core.values import NOT_NEGATIVE, exact_not_negative, exact_positive, file_path, named
from euclio.files import save_instance, save_result
from euclio.problems.day import Day, Step
from euclio.problems.day.family import FAMILY
from euclio.problems.day.instance import STATE
from euclio.problems.day.load import read_load
from euclio.problems.day.load_units import Said
from euclio.problems.day.sharing import WHOLE_DAY, DaySpace
from euclio.problems.session import Charging, Session
from euclio.questions.comparison.comparison import chosen_solvers
from euclio.questions.day_rules import DayComparison, compare_day
from euclio.serving.attainment.day import attaining_day
from euclio.verbs.interface import keyword_types as words
from euclio.verbs.interface.attainment import attainment_demand, with_percentile
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import INFEASIBLE, NO_PLAN, REFUSED, SOLVED
from euclio.verbs.interface.family_keywords import SERVED
from euclio.verbs.interface.inputs import GivenInstance, given_instance
from euclio.verbs.interface.outputs import check_written, draw_answer, print_answer
from euclio.verbs.interface.shared_parameters import (
    PLOT,
    SOLVERS,
    STRICT,
    TIME_LIMIT,
    attainment,
    json_of,
    out_of,
)
from euclio.verbs.interface.supervised import Supervised
from euclio.verbs.interface.verb import as_read, verb

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from euclio.serving.attainment.demand import Demand

OPTIONS = {"warm_up_s": "--warm-up", "keep_alive_s": "--keep-alive", "price_per_change": "--price-per-change"}
"""The options of the cost of changes, by field of a load over time."""
STATE_OPTION = "--state-price"


@verb(
    Parameter("--load", parse=as_given, metavar="CSV", details={"type": Path}),
    Parameter("--load-unit", parse=as_given, metavar="UNIT"),
    Parameter("--load-step", parse=exact_positive, metavar="S"),
    Parameter("--load-column", parse=as_given, metavar="NAME"),
    Parameter("--warm-up", parse=NOT_NEGATIVE.parse, metavar="X"),
    Parameter("--keep-alive", parse=NOT_NEGATIVE.parse, metavar="X"),
    Parameter("--price-per-change", parse=NOT_NEGATIVE.parse, metavar="X"),
    Parameter("--state-price", parse=named(exact_not_negative), metavar="MODULE=P,..."),
    Parameter("--machines", choices=(Charging.WHOLE.value, Charging.PACKED.value)),
    SOLVERS,
    STRICT,
    TIME_LIMIT,
    attainment(),
    typed=words.Attainment,
)
def plan_day(
    session: Session | Day | str | Path | GivenInstance,
    *,
    load: str | Path | Sequence[Step] | None = None,
    load_unit: str | None = None,
    load_step: Number | None = None,
    load_column: str | None = None,
    warm_up: Number | None = None,
    keep_alive: Number | None = None,
    price_per_change: Number | None = None,
    state_price: words.ByName | None = None,
    machines: str | None = None,
    solvers: SolverLike | Sequence[SolverLike] | None = None,
    time_limit: Number | None = None,
    supervised: bool = False,
    strict: bool = False,
    **keywords: Unpack[words.Attainment],
) -> DayComparison:
    """Plan the whole machines of a session with a changing load, as `euclio plan-day` does.

    Args:
        session: a session, or a load over time; or the path of a file of either.
        load: load of a session: a CSV with columns time_s and rate_rps (sum of the sources) or factor. Per module the
            columns are rate_rps:MODULE or factor:MODULE. Other rates and logs of requests need `load_unit`. In Python
            also steps.
        load_unit: unit of other CSVs. For a row per step: requests-per-second, -minute, -hour or -step. For a row per
            request with its time: timestamps-iso (dates with a time of day), -s, -ms, -us or -ns.
        load_step: length in seconds of the steps in which timestamps are counted.
        load_column: column of rates or timestamps, if there are several.
        warm_up: seconds that a machine is charged before it serves; None means as in the load over time, else 0.
        keep_alive: seconds that a machine is charged after it is released; None means as in the load over time, else 0.
        price_per_change: money per machine that is started or stopped; None means as in the load over time, else 0.
        state_price: extra money for each change of a module whose machines hold state, such as caption=0.5.
        machines: whole, or packed, under which modules may share machines; None means whole.
        solvers: only these rules or solvers, separated by commas, or FILE.py:FUNCTION; None means all that plan such
            machines. In Python also functions.
        time_limit: limit of each run in seconds, as for solve; None means no limit.
        supervised: make the runs in a process of their own, which enforces limits on any solver.
        strict: refuse a file with doubted rows (docs/howto/doubts.md) instead of warning of them.
        **keywords: an attainment of every step under random arrivals, as of `euclio.solve`.

    Returns:
        One result per rule; `day` is the load over time, `best` the cheapest plan.

    Raises:
        InputError: a session without a load, an unknown rule, or a bad value, named with its keyword.
    """
    costs = {
        "warm_up_s": warm_up,
        "keep_alive_s": keep_alive,
        "price_per_change": price_per_change,
        "state": state_price,
    }
    paid = {name: value for name, value in costs.items() if value is not None}
    day = day_of(given_instance(session), load, paid, Said(load_unit, as_read(load_step), load_column))
    kept = with_percentile(keywords)
    demand = attainment_demand(find_family(SERVED), kept, day.session)
    if kept.get("slo") is not None:
        day = replace(day, session=replace(day.session, slo_s=kept["slo"]))
    space = DaySpace(Charging(machines or Charging.WHOLE))
    chosen = chosen_days(solvers, space)
    with Supervised([day], chosen) if supervised else nullcontext() as other:
        limit_s = as_read(time_limit)
        return compare_day(day, chosen, _solving(demand, other), demand=demand, space=space, time_limit_s=limit_s)


def _solving(demand: Demand | None, other: Supervised | None) -> Callable[..., AnyResult]:
    """The solving function of a day, which keeps a demand if there is one."""
    if demand is None:
        return solve if other is None else other.solve
    if other is not None:
        return partial(other.solve_with, attaining_day, demand)

    def attaining(day: Day, solver: AnySolver, **options: Any) -> AnyResult:
        ready = asked(day, solver, **options)
        ready.warm_up()
        return attaining_day(demand, ready)

    return attaining


def chosen_days(solvers: SolverLike | Sequence[SolverLike] | None, space: DaySpace = WHOLE_DAY) -> list[AnySolver]:
    """The requested rules and solvers; None means all that plan such machines.

    Raises:
        InputError: one that is not known, or of another family.
    """
    (packed,) = (demand for demand in FAMILY.demands if demand.name == "packed")
    fit = [own for own in solvers_of(FAMILY.name) if own.takes_on(packed) or not space.charging.packs]
    asked = fit if solvers is None else chosen_solvers(solvers, FAMILY)
    return [solver_for(FAMILY, solver) for solver in asked]


def day_of(
    given: GivenInstance, load: str | Path | Sequence[Step] | None, costs: dict[str, Any], said: Said | None = None
) -> Day:
    """The load over time that an instance, a load and the costs of changes make.

    Raises:
        InputError: a session without a load, a load where there is one, an instance of another family.
    """
    if said is not None and said != Said() and not isinstance(load, str | Path):
        name = next(name for name in ("unit", "step_s", "column") if getattr(said, name) is not None)
        message = f"says what the file of {option_text('--load')} has; give that too"
        raise InputError(message, field=f"--load-{name.removesuffix('_s')}")
    if isinstance(given.instance, Day):
        if load is not None:
            raise InputError("the file has a load of its own; leave this out, or give the session", field="--load")
        # As of sessions, an option says it of the modules that it names, and the file of the others.
        own = {"state": given.instance.state | costs["state"]} if "state" in costs else {}
        with _named(costs, given.file):
            return replace(given.instance, **costs | own)
    if not isinstance(given.instance, Session):
        message = f"is one of {given.family.instances}; give a session, or a file of schema euclio/day/1"
        raise InputError(message, file=given.file)
    if load is None:
        raise InputError("is needed with a session: a CSV of times and rates", field="--load")
    session = given.instance
    with _named(costs, str(load) if isinstance(load, str | Path) else None):
        steps = read_load(load, session, said) if isinstance(load, str | Path) else tuple(load)
        return Day(session.name, session, steps, **costs)


@contextmanager
def _named(given: Collection[str], file: str | None) -> Iterator[None]:
    """Name the option of a number that was given, else the file, where what they say is refused."""
    try:
        yield
    except InputError as error:
        if "state" in given and error.field is not None and error.field.startswith(STATE):
            raise InputError(error.message, field=STATE_OPTION) from None
        if error.field is not None and error.field in given:
            raise InputError(error.message, field=OPTIONS[error.field]) from None
        raise InputError(error.message, file=error.file or file, field=error.field) from None


@command(
    plan_day,
    Parameter("file", help="session, or a load over time (JSON, euclio/day/1)", metavar="FILE"),
    replace(PLOT, help="also draw load and machines (.svg, .png or .pdf): with --solvers all of them"),
    out_of("also write the cheapest plan (JSON, euclio/result/1)"),
    Parameter("--day-out", help="also write the load over time (JSON, euclio/day/1)", parse=file_path, metavar="FILE"),
    json_of("the comparison"),
    about="Plan the whole machines of a session with a changing load: cost, regret and machines of common rules and of "
    "the cheapest plan. Warm-up, keep-alive and changes cost money.",
    first=("--load", "--load-unit", "--load-step", "--warm-up", "--keep-alive", "--out", "--plot"),
    page="howto/day.md",
    exits="1 a solver is wrong, 3 some step has no plan, 4 no solver found one",
    examples=(
        "euclio plan-day session.json --load load.csv --warm-up 300",
        "euclio plan-day session.json --load requests.csv --load-unit timestamps-iso --load-step 60",
    ),
)
def print_day(arguments: Namespace) -> int:
    """Plan, print, write, draw."""
    keywords = arguments.keywords
    read = (arguments.file, keywords.get("load"))
    check_written(arguments, ("out", "day_out"), read, figures=["plot"], solvers=keywords.get("solvers", ()))
    found = plan_day(given_instance(arguments.file), supervised=True, **keywords)
    print_answer(arguments, found.describe, found.table)
    if arguments.day_out is not None:
        save_instance(found.day, arguments.day_out)
    if arguments.out is not None and found.best is not None:
        save_result(found.best, found.day, arguments.out)
    if found.best is not None:
        draw_answer({arguments.plot: partial(_drawn, found, every="solvers" in keywords)})
    return _exit_code(found, arguments.file)


def _drawn(found: DayComparison, *, every: bool) -> Figure:
    """Load and machines, of every rule or of those that are drawn where none is named."""
    from euclio.questions.day_figure import DRAWN, draw_day

    return draw_day(found, [result.solver for result in found.results] if every else DRAWN)


def _exit_code(found: DayComparison, file: str) -> int:
    statuses = {result.status for result in found.results}
    if Status.ERROR in statuses:
        return REFUSED
    if found.best is not None:
        return SOLVED
    why = next((own.reason for own in found.results if own.status is Status.INFEASIBLE), "no solver found a plan")
    infeasible = Status.INFEASIBLE in statuses
    say(f"{file}: {'infeasible: ' if infeasible else ''}{why}")
    return INFEASIBLE if infeasible else NO_PLAN
