"""`euclio curve`: the least cost of a session as a step function of its SLO or its rate."""

from __future__ import annotations

from argparse import Namespace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from euclio.core.errors import InputError
from euclio.core.lazy import late
from euclio.core.numbers import Number
from euclio.core.parameters import Parameter
from euclio.core.solver import SolverLike
from euclio.core.values import exacts_or_named
from euclio.files.boundary import at
from euclio.problems.session import PlanSpace
from euclio.questions.cost_curve import Over, answered, question
from euclio.questions.tables import cost_curve_csv, curve_table, describe_cost_curve
from euclio.questions.varied import varied
from euclio.verbs.interface import keyword_types as words
from euclio.verbs.interface.command import command
from euclio.verbs.interface.family_keywords import LIMIT_S
from euclio.verbs.interface.inputs import given_instance
from euclio.verbs.interface.session_questions import (
    LIMIT,
    OUTPUTS,
    AnswerForms,
    SeveralOrNamed,
    asked_about,
    exit_code,
    give_out,
    opened_session,
)
from euclio.verbs.interface.shared_parameters import SESSION, SOLVER, STRICT, changes, plan_space
from euclio.verbs.interface.verb import as_read, verb

if TYPE_CHECKING:
    from euclio.questions.cost_curve import CostCurve


@verb(
    Parameter("--over", choices=("slo", "rate")),
    Parameter("--slo", parse=exacts_or_named, metavar="S[,S]|NAME=S,S"),
    Parameter("--rate", parse=exacts_or_named, metavar="R[,R]|NAME=R,R"),
    SOLVER,
    changes(without=("rate_rps", "slo_s")),
    STRICT,
    plan_space(),
    LIMIT,
    typed=words.CurveKeywords,
)
def curve(
    session: Any,
    *,
    over: str = "slo",
    slo: SeveralOrNamed | None = None,
    rate: SeveralOrNamed | None = None,
    solver: SolverLike | None = None,
    space: PlanSpace | None = None,
    time_limit: Number | None = LIMIT_S,
    **keywords: Unpack[words.CurveKeywords],
) -> CostCurve:
    """The least cost of a session as a step function of its objective or its rate, as of `euclio curve`.

    Args:
        session: a session, or the path of its file.
        over: the variable, "slo" or "rate".
        slo: least and largest objective in seconds, with `over="rate"` one; None means half and twice the session's.
            Of several objectives by name, such as "answer=0.5,2".
        rate: requests per second of all sources together, one, with `over="rate"` the least and the highest; None means
            half and twice the session's. By name of an application that of its own requests.
        solver: an exact solver for all steps; None means `exact`.
        space: plan space; None means the solver's own, over the rate with whole machines unless `machines` is given.
        time_limit: limit of each run in seconds; None means no limit.
        **keywords: other changes of the session and fields of the plan space, as of `euclio.solve`.

    Returns:
        A step for each plan that is the cheapest in part of the range, and for each part without a plan.

    Raises:
        InputError: a bad value, named with its keyword, or one that does not go with the session.
    """
    given = given_instance(session)
    axis = Over(over)
    values: dict[Over, Any] = {Over.SLO: slo, Over.RATE: rate}
    between = varied(values.pop(axis) or (), f"--{axis}")
    if between.values and len(between.values) != 2:
        raise InputError("takes two values, the least and the largest", field=f"--{axis}")
    ((other, single),) = values.items()
    fixed: Any = {axis.value: between.fixed} if between.fixed else {}
    if single is not None:
        one = varied(single, f"--{other}")
        if len(one.values) != 1:
            raise InputError(f"takes one value; the cost is a function of the {axis.in_words()}", field=f"--{other}")
        fixed[other.value] = {**one.fixed, one.of: one.values[0]} if one.of else one.values[0]
    charged: Any = {"machines": "whole"} if axis is Over.RATE and space is None and "charging" not in keywords else {}
    asked = asked_about(given, "curve", solver, space, {**charged, **keywords, **fixed})
    with at("", given.file):
        questions = question(
            asked.session,
            over=axis,
            of=between.of,
            between=(between.values[0], between.values[1]) if between.values else None,
            changes=asked.changes,
            solver=asked.solver,
            space=asked.space,
            time_limit_s=as_read(time_limit),
        )
    return answered(questions)


@command(
    curve,
    SESSION,
    *OUTPUTS,
    about="The least cost of a session as a step function of its SLO, proven over a range. With --over rate, as a step "
    "function of its rate, for whole machines that dummies fill. If the cost may fall with the rate, rates are "
    "solved one by one.",
    first=("--over", "--slo", "--rate", "--machines", "--out", "--plot"),
    page="howto/curve.md",
    exits="0 some step has a plan, 3 infeasible, 4 no plan",
    examples=("euclio curve session.json --slo 0.2,0.8 --plot curve.svg", "euclio curve session.json --over rate"),
)
def print_curve(arguments: Namespace) -> int:
    """Ask, print, write, plot."""
    given = opened_session(arguments)
    found = curve(given, **arguments.keywords)
    forms = AnswerForms(
        describe_cost_curve(found),
        lambda: curve_table(found),
        lambda: cost_curve_csv(found),
        partial(late("euclio.questions.figures", "draw_cost_curve"), found),
    )
    give_out(arguments, given, forms)
    return exit_code([step.result for step in found.steps])
