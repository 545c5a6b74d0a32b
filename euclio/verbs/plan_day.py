"""`plan_day`: the machines of a whole day, by rules that people use and by the least cost."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from euclio.core.errors import InputError
from euclio.core.families import find_family
from euclio.core.numbers import Number
from euclio.core.registry import solvers_of
from euclio.core.result import AnyResult
from euclio.core.solver import AnySolver, SolverLike
from euclio.core.solving import asked, solve, solver_for
from euclio.core.values import NOT_NEGATIVE, exact_not_negative, exact_positive, named
from euclio.problems.day import Day, Step
from euclio.problems.day.family import FAMILY
from euclio.problems.day.instance import STATE
from euclio.problems.day.load import read_load
from euclio.problems.day.load_units import Said
from euclio.problems.session import Session
from euclio.questions.comparison.comparison import chosen_solvers
from euclio.questions.day_rules import DayComparison, compare_day
from euclio.serving.attainment.day import attaining_day
from euclio.verbs import keyword_types as words
from euclio.verbs.attainment import attainment_demand, with_percentile
from euclio.verbs.inputs import GivenInstance, given_instance
from euclio.verbs.keywords import SERVED, read_if, time_limit_of
from euclio.verbs.supervised import Supervised
from euclio.verbs.verb import verb

if TYPE_CHECKING:
    from euclio.serving.attainment.demand import Demand

OPTIONS = {"warm_up_s": "--warm-up", "keep_alive_s": "--keep-alive", "price_per_change": "--price-per-change"}
"""The options of what changes cost, by field of a load over time."""
STATE_OPTION = "--state-price"


@verb(words.Attainment)
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
    solvers: SolverLike | Sequence[SolverLike] | None = None,
    time_limit: Number | None = None,
    supervised: bool = False,
    strict: bool = False,
    **keywords: Unpack[words.Attainment],
) -> DayComparison:
    """Plan the whole machines of a session whose load moves, as `euclio plan-day` does.

    Args:
        session: a session, or a load over time; or the path of a file of either.
        load: load of a session: the path of a CSV with columns `time_s` and `rate_rps` or `factor`, or steps.
        load_unit: what other columns of the CSV have: rates, such as "requests-per-minute", or times of requests, such
            as "timestamps-iso".
        load_step: seconds of the steps in which requests are counted, of a CSV of their times.
        load_column: the column of rates or times, where several may be meant.
        warm_up: seconds that a machine is charged before it serves; None: as in the load over time, else 0.
        keep_alive: seconds that a machine is charged after it is released; None: likewise.
        price_per_change: money per machine that is started or stopped; None: likewise.
        state_price: money on top for each change of a module whose machines hold state, by name of the module.
        solvers: rules, solvers or functions, or names divided by commas; None: all.
        time_limit: limit of each run in seconds; None: none.
        supervised: make the runs in a process of their own, so that limits hold whatever a solver does.
        strict: refuse a file with measured rows that are doubted, where there is a warning otherwise.
        **keywords: what every step keeps under random arrivals, as of `euclio.solve`.

    Returns:
        One result per rule; `day` is the load over time, `best` the cheapest plan.

    Raises:
        InputError: a session without a load, an unknown rule, or a bad value, which it names with its keyword.
    """
    costs = {"warm_up_s": warm_up, "keep_alive_s": keep_alive, "price_per_change": price_per_change}
    read = {name: read_if(NOT_NEGATIVE.parse, value, OPTIONS[name]) for name, value in costs.items()}
    read["state"] = read_if(named(exact_not_negative), state_price, STATE_OPTION)
    said = Said(load_unit, read_if(exact_positive, load_step, "--load-step"), load_column)
    day = day_of(
        given_instance(session), load, {name: value for name, value in read.items() if value is not None}, said
    )
    kept = with_percentile(keywords)
    demand = attainment_demand(find_family(SERVED), kept, day.session)
    if kept.get("slo") is not None:
        day = replace(day, session=replace(day.session, slo_s=kept["slo"]))
    chosen = chosen_days(solvers)
    limit_s = time_limit_of({"time_limit": time_limit})
    with Supervised([day], chosen) if supervised else nullcontext() as other:
        return compare_day(day, chosen, _solving(demand, other), demand=demand, time_limit_s=limit_s)


def _solving(demand: Demand | None, other: Supervised | None) -> Callable[..., AnyResult]:
    """What solves a day, which keeps a demand if there is one."""
    if demand is None:
        return solve if other is None else other.solve
    if other is not None:
        return partial(other.solve_with, attaining_day, demand)

    def attaining(day: Day, solver: AnySolver, **options: Any) -> AnyResult:
        ready = asked(day, solver, **options)
        ready.warm_up()
        return attaining_day(demand, ready)

    return attaining


def chosen_days(solvers: SolverLike | Sequence[SolverLike] | None) -> list[AnySolver]:
    """The rules and solvers that are asked for; None: all.

    Raises:
        InputError: one that is not known, or of another family.
    """
    asked = solvers_of(FAMILY.name) if solvers is None else chosen_solvers(solvers, FAMILY)
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
        raise InputError("says what the file of --load has; give that too", field=f"--load-{name.removesuffix('_s')}")
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
