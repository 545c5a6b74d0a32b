"""`euclio explain`: why an instance is infeasible, and remedies."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any, Unpack, overload

from euclio.core.family import Explained
from euclio.core.numbers import Number
from euclio.core.parameters import Parameter, as_given
from euclio.core.progress import waiting
from euclio.core.result import Status
from euclio.core.solver import SolverLike
from euclio.core.solving import solver_for
from euclio.files.boundary import at
from euclio.files.json_writing import json_text
from euclio.files.result_files import stated
from euclio.problems.session import PlanSpace, Session
from euclio.verbs.interface import keyword_types as words
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import INFEASIBLE, NO_PLAN, SOLVED
from euclio.verbs.interface.family_keywords import changed, plan_space, time_limit_of
from euclio.verbs.interface.inputs import given_instance
from euclio.verbs.interface.shared_parameters import POOL, SHARING, STRICT, TIME_LIMIT, an_instance, changes, json_of
from euclio.verbs.interface.shared_parameters import plan_space as plan_spaces
from euclio.verbs.interface.verb import verb

if TYPE_CHECKING:
    from euclio.questions.explain.explaining import Explanation


@overload
def explain(
    session: Session,
    space: PlanSpace | None = None,
    time_limit_s: Number | None = None,
    *,
    solver: SolverLike | None = None,
    time_limit: Number | None = None,
    **keywords: Unpack[words.ExplainSession],
) -> Explanation: ...
@overload
def explain(
    session: Any,
    space: Any = None,
    time_limit_s: Number | None = None,
    *,
    solver: SolverLike | None = None,
    time_limit: Number | None = None,
    supervised: bool = False,
    **keywords: Unpack[words.ExplainAny],
) -> Explained: ...
@verb(
    Parameter("--solver", parse=as_given, metavar="NAME"),
    changes(),
    STRICT,
    plan_spaces(),
    TIME_LIMIT,
    typed=words.ExplainAny,
)
def explain(
    session: Any,
    space: Any = None,
    time_limit_s: Number | None = None,
    *,
    solver: SolverLike | None = None,
    time_limit: Number | None = None,
    supervised: bool = False,
    **keywords: Any,
) -> Explanation | Explained:
    """Why an instance has no plan, or its slack, as of `euclio explain`.

    Args:
        session: a session, or an instance of any family; or the path of its file. Of several sessions the one in which
            they share their machines.
        space: plan space; None means that of `solver`.
        time_limit_s: as `time_limit`.
        solver: start from the plan space of this solver; None means the full one.
        time_limit: limit of all searches together in seconds; None means no limit, and 10 s for a plan that keeps
            limits on machines.
        supervised: search in a process of its own, which enforces the limit.
        **keywords: changes of a session and fields of the plan space, as of `euclio.solve`.

    Returns:
        For a session its `Explanation`, which answers further questions; for other families, and if supervised, the
        family's answer with `text` and `data`.

    Raises:
        InputError: a bad value, named with its keyword, or one that does not go with the instance.
    """
    given = given_instance(session)
    with at("", given.file):
        family = given.family
        target, _ = changed(family, given.instance, keywords)
        start = family.full_space if space is None and solver is None else space
        chosen = None if solver is None else solver_for(family, solver)
        asked = plan_space(family, chosen, target, keywords, start)
    limit_s = time_limit_of({"time_limit": time_limit, "time_limit_s": time_limit_s})
    if supervised:
        from euclio.verbs.interface.supervised import Supervised

        with Supervised([target]) as other:
            return other.explain(family, target, asked, limit_s)
    with waiting(f"explaining {target.name}"):
        if isinstance(target, Session):
            from euclio.questions.explain.explaining import explain as explain_session

            return explain_session(target, asked, limit_s)
        return family.explain(target, asked, limit_s)


@command(
    explain,
    Parameter("file", help=lambda: f"{an_instance()} (JSON); {SHARING}", metavar="INSTANCE", details=POOL),
    json_of("the explanation", ""),
    about="Name the conflict of an infeasible instance. For a session: the smallest set of modules and restrictions, "
    "the least SLO that has a plan, and the limits on machines that exclude every plan. For a cluster its models and "
    "for a fleet its fragments that are too slow.",
    first=("--slo", "--rate", "--machines", "--stock", "--time-limit"),
    exits="0 feasible, 3 infeasible, 4 not known within the limit",
    examples=("euclio explain session.json --slo 0.21",),
)
def print_explanation(arguments: Namespace) -> int:
    """Explain and print."""
    given = given_instance(arguments.file)
    found = explain(given, supervised=True, **arguments.keywords)
    _, applied = changed(given.family, given.instance, arguments.shared)
    if arguments.json:
        print(json_text({**found.data, **stated(applied)}))
    else:
        print(found.text if applied is None else f"{found.text}\nwith {applied.in_words()}")
    return {Status.FEASIBLE: SOLVED, Status.INFEASIBLE: INFEASIBLE}.get(found.status, NO_PLAN)
