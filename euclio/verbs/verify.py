"""`euclio verify`: check and price a written result again."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from euclio.core.family import Checked
from euclio.core.result import AnyResult, WrittenResult
from euclio.files.result_files import reasons_against
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import REFUSED, SOLVED
from euclio.verbs.interface.inputs import GivenResult, given_instance, given_result
from euclio.verbs.interface.shared_parameters import INSTANCE, POLICY, RESULT
from euclio.verbs.interface.verb import verb


@dataclass(frozen=True, slots=True)
class Verified:
    """The checker's verdict on a result.

    Attributes:
        reasons: why it is refused; empty if it is accepted.
        evaluation: the checker's answer on its plan; None without a plan.
        result: the result.
    """

    reasons: tuple[str, ...]
    evaluation: Checked | None
    result: WrittenResult

    @property
    def accepted(self) -> bool:
        """Whether it is accepted."""
        return not self.reasons


@verb(POLICY)
def verify(
    instance: Any, result: AnyResult | WrittenResult | str | Path | GivenResult, *, policy: Any = None
) -> Verified:
    """Check and price a result again, under its plan space, as `euclio verify` does.

    Args:
        instance: the instance of the result, without the changes that it states; or the path of its file.
        result: a result of `euclio.solve`, or the path of a file.
        policy: the user's own policy of a written result (``"FILE.py:NAME"``); euclio never runs a policy because a
            file names it.

    Returns:
        Whether it is accepted, and why not.

    Raises:
        InputError: a file that cannot be read, or a result of another instance.
    """
    given = given_instance(instance)
    said = given_result(result, given, policy).result
    if said.plan is None:
        return Verified((f"the result has no plan (status {said.status.value})",), None, said)
    evaluation = given.family.evaluate(said.changed, said.plan, said.space)
    return Verified(tuple(reasons_against(said.changed, said, evaluation)), evaluation, said)


@command(
    verify,
    INSTANCE,
    RESULT,
    about="Check a result against its instance.",
    exits="0 accepted, 1 refused",
    examples=("euclio verify session.json result.json",),
)
def print_verdict(arguments: Namespace) -> int:
    """Check and print the verdict."""
    given = given_instance(arguments.instance)
    found = verify(given, arguments.result, **arguments.keywords)
    if not found.accepted:
        print(f"refused: {'; '.join(found.reasons)}")
        return REFUSED
    said, family = found.result, given.family
    print(f"accepted: {family.summary(said.changed, said.space, found.evaluation)}")
    caveat = (
        "" if "attainment" in said.options else family.caveat(said.changed, said.space, said.plan, found.evaluation)
    )
    if caveat:
        print(caveat)
    if said.changes is not None:
        print(f"with {said.changes.in_words()}")
    print(f"plan space: {family.describe_space(said.space)}")
    return SOLVED
