"""`euclio diff`: the changes from one plan to another."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from euclio.core.errors import InputError, NoPlanError
from euclio.core.family import Difference
from euclio.core.parameters import Parameter
from euclio.core.result import AnyResult, Result
from euclio.files.json_reading import parse_json
from euclio.files.result_files import result_to_text
from euclio.files.unbound_results import UnboundResult, load_without_instance, unbound_result
from euclio.questions.difference import compare_plans
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import SOLVED
from euclio.verbs.interface.inputs import changed_instance, given_instance
from euclio.verbs.interface.outputs import print_answer
from euclio.verbs.interface.shared_parameters import json_of
from euclio.verbs.interface.verb import verb


@verb()
def diff(
    before: AnyResult | UnboundResult | str | Path,
    after: AnyResult | UnboundResult | str | Path,
    *,
    instance: Any = None,
) -> Difference:
    """The changes from the plan of one result to that of another, as of `euclio diff`.

    Args:
        before: a result with a plan: the path of a file, or a result of `euclio.solve`.
        after: another one, which may be of another instance.
        instance: the instance of results given as objects, without the changes that they state; None means the one that
            they were solved for.

    Returns:
        The difference, with `text` for people and `data`.

    Raises:
        NoPlanError: a result has no plan.
        InputError: a file that cannot be read, or two results that cannot be compared.
    """
    results = [_unbound(one, name, instance) for one, name in ((before, "before"), (after, "after"))]
    for result in results:
        if result.plan is None:
            raise NoPlanError(f"there is no plan to compare (status {result.status})", file=result.file)
    return compare_plans(*results)


def _unbound(given: AnyResult | UnboundResult | str | Path, name: str, instance: Any) -> UnboundResult:
    """A result as it stands in a file."""
    if isinstance(given, UnboundResult):
        return given
    if isinstance(given, str | Path):
        return load_without_instance(given)
    if not isinstance(given, Result):
        kind = type(given).__name__
        raise InputError(f"is of type {kind}; give a result of `euclio.solve`, or the path of its file", field=name)
    if instance is None and given.of_instance is None:
        raise InputError("does not know its instance; give that too, or the path of its file", field=name)
    target = (
        given.of_instance if instance is None else changed_instance(given_instance(instance).instance, given.changes)
    )
    return unbound_result(parse_json(result_to_text(given, target), file=name), name)


@command(
    diff,
    Parameter("before", help="result with a plan (JSON, euclio/result/1)", metavar="BEFORE"),
    Parameter("after", help="another one, which may be of another instance", metavar="AFTER"),
    json_of("the difference", ""),
    about="Print the changes from one plan to another: the value, and for sessions the machines added, removed, moved, "
    "or with another batch or concurrency. Results are not checked; `euclio verify` checks them.",
    page="howto/deployment.md#the-difference-of-two-plans",
    exits="4 a result has no plan",
    examples=("euclio diff result.json other.json",),
)
def print_difference(arguments: Namespace) -> int:
    """Read, compare, print."""
    found = diff(arguments.before, arguments.after)
    print_answer(arguments, lambda: found.data, lambda: found.text)
    return SOLVED
