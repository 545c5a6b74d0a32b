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
from euclio.core.values import exacts
from euclio.files.boundary import at
from euclio.problems.session import PlanSpace
from euclio.questions.cost_curve import Over, answered, question
from euclio.questions.tables import cost_curve_csv, curve_table, describe_cost_curve
from euclio.verbs.interface import keyword_types as words
from euclio.verbs.interface.command import command
from euclio.verbs.interface.family_keywords import LIMIT_S
from euclio.verbs.interface.inputs import given_instance
from euclio.verbs.interface.session_questions import (
    LIMIT,
    OUTPUTS,
    AnswerForms,
    Several,
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
    Parameter("--slo", parse=exacts, metavar="S[,S]"),
    Parameter("--rate", parse=exacts, metavar="R[,R]"),
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
    slo: Several | None = None,
    rate: Several | None = None,
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
        rate: requests per second of all sources together, one, with `over="rate"` the least and the highest; None means
            half and twice the session's.
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
    between = values.pop(axis)
    if between is not None and len(between) != 2:
        raise InputError("takes two values, the least and the largest", field=f"--{axis}")
    ((other, single),) = values.items()
    if single is not None and len(single) != 1:
        raise InputError(f"takes one value; the cost is a function of the {axis.in_words()}", field=f"--{other}")
    fixed: Any = {} if single is None else {other.value: single[0]}
    charged: Any = {"machines": "whole"} if axis is Over.RATE and space is None and "charging" not in keywords else {}
    asked = asked_about(given, "curve", solver, space, {**charged, **keywords, **fixed})
    with at("", given.file):
        questions = question(
            asked.session,
            over=axis,
            between=None if between is None else (between[0], between[1]),
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
