"""`explain`: why an instance has no plan, or how much room it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack, overload

from euclio.core.family import Explained
from euclio.core.numbers import Number
from euclio.core.progress import waiting
from euclio.core.solver import SolverLike
from euclio.core.solving import solver_for
from euclio.files.boundary import at
from euclio.problems.session import PlanSpace, Session
from euclio.verbs import keyword_types as words
from euclio.verbs.inputs import given_instance
from euclio.verbs.keywords import changed, of_families, plan_space, time_limit_of
from euclio.verbs.verb import verb

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
@verb(words.ExplainAny, more=of_families)
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
    """Why an instance has no plan, or how much room it has, as `euclio explain` says.

    Args:
        session: a session, or an instance of any family; or the path of its file.
        space: plan space; None: that of `solver`.
        time_limit_s: as `time_limit`.
        solver: start from the plan space of this solver; None: the full one.
        time_limit: limit of all searches together, in seconds; None: none.
        supervised: search in a process of its own, so that the limit holds whatever happens.
        **keywords: changes of a session and fields of the plan space, as of `euclio.solve`.

    Returns:
        Of a session its `Explanation`, which can be asked further; of other families, and where it is supervised, what
        the family says, with `text` and `data`.

    Raises:
        InputError: a bad value, which it names with its keyword, or one that does not go with the instance.
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
        from euclio.verbs.supervised import Supervised

        with Supervised([target]) as other:
            return other.explain(family, target, asked, limit_s)
    with waiting(f"explaining {target.name}"):
        if isinstance(target, Session):
            from euclio.questions.explain.explaining import explain as explain_session

            return explain_session(target, asked, limit_s)
        return family.explain(target, asked, limit_s)
