"""`what_if`, `curve` and `changes`: many plans of one session, by load and objective or by how many machines change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack, overload

from euclio.core.errors import InputError
from euclio.core.families import DEFAULT_FAMILY, find_family
from euclio.core.numbers import Number
from euclio.core.progress import say
from euclio.core.solver import AnySolver, SolverLike
from euclio.core.solving import solver_for
from euclio.core.space_fields import word
from euclio.core.values import capacities, count_or_none, exacts, names, seconds
from euclio.files.boundary import at
from euclio.problems.session import PlanSpace, Session
from euclio.problems.session.changes import SessionChanges
from euclio.verbs import keyword_types as words
from euclio.verbs.attainment import attainment_demand, with_percentile
from euclio.verbs.inputs import GivenInstance, given_instance
from euclio.verbs.keywords import LIMIT_S, applied, changed, of_families, plan_space, read_if
from euclio.verbs.verb import verb

if TYPE_CHECKING:
    from euclio.questions.change_costs import Curve
    from euclio.questions.cost_curve import CostCurve
    from euclio.questions.what_if import WhatIf

Several = Number | Iterable[Number]
"""A value or several, or several in a text divided by commas."""


class AskedSession(NamedTuple):
    """What such a verb is asked about.

    Attributes:
        session: the session, as its file has it.
        changes: what is changed of it at all points; None: nothing.
        solver: the solver of all points.
        space: the plan space of all points.
    """

    session: Session
    changes: SessionChanges | None
    solver: AnySolver
    space: PlanSpace


@overload
def what_if(
    session: Session | str | Path,
    *,
    rate: Several | None = None,
    slo: Several | None = None,
    resource: None = None,
    machines: str | Iterable[str] | None = None,
    solver: SolverLike | None = None,
    space: PlanSpace | None = None,
    time_limit: Number | None = LIMIT_S,
    **keywords: Unpack[words.WhatIfKeywords],
) -> WhatIf: ...
@overload
def what_if(
    session: Session | str | Path,
    *,
    rate: Several | None = None,
    slo: Several | None = None,
    resource: str | Mapping[str, Several],
    machines: str | Iterable[str] | None = None,
    solver: SolverLike | None = None,
    space: PlanSpace | None = None,
    time_limit: Number | None = LIMIT_S,
    **keywords: Unpack[words.WhatIfKeywords],
) -> list[WhatIf]: ...
@verb(words.WhatIfKeywords, more=of_families)
def what_if(
    session: Any,
    *,
    rate: Several | None = None,
    slo: Several | None = None,
    resource: Any = None,
    machines: str | Iterable[str] | None = None,
    solver: SolverLike | None = None,
    space: PlanSpace | None = None,
    time_limit: Number | None = LIMIT_S,
    **keywords: Any,
) -> WhatIf | list[WhatIf]:
    """The cheapest plan of a session at each of several rates and objectives, as `euclio what-if` has it.

    Args:
        session: a session, or the path of its file.
        rate: requests per second of all sources together, one or several; None: as in the session.
        slo: latency objectives in seconds, one or several; None: as in the session.
        resource: capacities of a resource, as ``{"power": [1600, 2400]}``; None: as in the session.
        machines: how machines are charged, "share", "whole" or "packed", one or several; None: "share" and "whole".
        solver: solver of all points; None: the exact one.
        space: plan space; None: the solver's own.
        time_limit: limit of each run in seconds; None: none.
        **keywords: other changes of the session and fields of the plan space at all points, as of `euclio.solve`.

    Returns:
        The answer; where `resource` is given a list of answers, one for each of its capacities. Ways of charging that
        the solver does not cover are left out, which is said.

    Raises:
        InputError: a bad value, which it names with its keyword, or one that does not go with the session.
    """
    from euclio.questions.what_if import CHARGINGS, answered, question

    given = given_instance(session)
    keywords = with_percentile(keywords, slo)
    slo = keywords.pop("slo", None) if slo is None else slo
    asked = asked_about(given, "what-if", solver, space, keywords)
    every, limit_s = [asked.changes], read_if(seconds, time_limit, "--time-limit")
    rates, slos = (read_if(exacts, *one) or () for one in ((rate, "--rate"), (slo, "--slo")))
    ways = CHARGINGS if machines is None else read_if(names, machines, "--machines")
    with at("", given.file):
        if resource is not None:
            name, amounts = read_if(capacities, resource, "--resource")
            capped = [replace(asked.changes or SessionChanges(), resources={name: amount}) for amount in amounts]
            applied(given.family, capped[0], asked.session)
            every = [*capped]
        questions = [
            question(
                asked.session,
                rates=rates,
                slos=slos,
                chargings=ways,
                changes=one,
                solver=asked.solver,
                space=asked.space,
                time_limit_s=limit_s,
            )
            for one in every
        ]
        demand = attainment_demand(given.family, keywords, asked.session)
    questions = [replace(one, demand=demand) for one in questions]
    if given.file is not None:
        hint = next(filter(None, map(given.family.hint, questions[0].sessions.values())), "")
        if hint:
            say(f"{given.file}: {hint}")
    answers = _covered([answered(points) for points in questions], given.file)
    return answers[0] if resource is None else answers


@verb(words.CurveKeywords, more=of_families)
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
    """The least cost of a session as a step function of its objective or its rate, as `euclio curve` has it.

    Args:
        session: a session, or the path of its file.
        over: what the cost is a function of, "slo" or "rate".
        slo: least and largest objective in seconds, with `over="rate"` one; None: half and twice the session's.
        rate: requests per second of all sources together, with `over="rate"` the least and the highest; None: half and
            twice the session's.
        solver: an exact solver of all steps; None: the exact one.
        space: plan space; None: the solver's own, over the rate with whole machines unless `machines` says otherwise.
        time_limit: limit of each run in seconds; None: none.
        **keywords: other changes of the session and fields of the plan space, as of `euclio.solve`.

    Returns:
        A step for each plan that is the cheapest somewhere in the range, and for each part of it without a plan.

    Raises:
        InputError: a bad value, which it names with its keyword, or one that does not go with the session.
    """
    from euclio.questions.cost_curve import Over, answered, question

    given = given_instance(session)
    axis = Over(word(over, Over, "--over"))
    values = {Over.SLO: read_if(exacts, slo, "--slo"), Over.RATE: read_if(exacts, rate, "--rate")}
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
            time_limit_s=read_if(seconds, time_limit, "--time-limit"),
        )
    return answered(questions)


@verb(words.ChangesKeywords, more=of_families)
def changes(
    session: Any,
    *,
    most: Number | None = None,
    solver: SolverLike | None = None,
    space: PlanSpace | None = None,
    time_limit: Number | None = LIMIT_S,
    **keywords: Unpack[words.ChangesKeywords],
) -> Curve:
    """What the cheapest plan of a session costs by how many machines may change, as `euclio changes` has it.

    Args:
        session: a session, or the path of its file.
        most: most changes that are asked for; None: those of the cheapest plan without a limit.
        solver: solver of all steps; None: the exact one.
        space: plan space; None: the solver's own, with whole machines unless `machines` says otherwise.
        time_limit: limit of each run in seconds; None: none.
        **keywords: `from_`, the result whose plan runs; other changes of the session and fields of the plan space, as
            of `euclio.solve`.

    Returns:
        A step for each number of changes at which the cost falls.

    Raises:
        InputError: nothing runs, or a bad value, which it names with its keyword.
    """
    from euclio.questions.change_costs import answered, question

    given = given_instance(session)
    keywords = with_percentile(keywords)  # type: ignore[assignment]
    charged: Any = keywords if space is not None or "charging" in keywords else {"machines": "whole", **keywords}
    asked = asked_about(given, "changes", solver, space, charged)
    with at("", given.file):
        questions = question(
            asked.session,
            changes=asked.changes,
            most=read_if(count_or_none, most, "--most"),
            solver=asked.solver,
            space=asked.space,
            time_limit_s=read_if(seconds, time_limit, "--time-limit"),
            demand=attainment_demand(given.family, keywords, asked.session),
        )
    return answered(questions)


def asked_about(
    given: GivenInstance, verb: str, solver: SolverLike | None, space: PlanSpace | None, keywords: Mapping[str, Any]
) -> AskedSession:
    """What is asked about.

    Raises:
        InputError: no session, or changes that do not fit it.
    """
    family = given.family
    with at("", given.file):
        if family.name != DEFAULT_FAMILY:
            own = find_family(DEFAULT_FAMILY).instances
            raise InputError(f"is one of {family.instances}; `euclio {verb}` asks about {own} only")
        _, found = changed(family, given.instance, keywords)
        assert found is None or isinstance(found, SessionChanges)
        chosen = solver_for(family, solver)
        return AskedSession(given.instance, found, chosen, plan_space(family, chosen, given.instance, keywords, space))


def _covered(answers: list[WhatIf], file: str | None) -> list[WhatIf]:
    """The answers without the ways of charging that the solver does not cover; each of them is said with the reason.

    Raises:
        InputError: it covers none of them.
    """
    from euclio.core.result import Status

    kept, reasons = [], []
    for way in answers[0].question.chargings:
        results = [p.result for answer in answers for p in answer.points.values() if p.charging is way]
        if all(result.status is Status.INAPPLICABLE for result in results):
            reasons.append(f"{way} is left out: {results[0].reason}")
        else:
            kept.append(way)
    if not kept:
        raise InputError("; ".join(reasons), file=file, field="--machines")
    for reason in reasons:
        say(f"machines {reason}" if file is None else f"{file}: --machines {reason}")
    return [answer.only(kept) for answer in answers]
