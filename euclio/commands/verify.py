"""`euclio verify`: price a written result again, under the plan space that stands in it."""

from __future__ import annotations

import argparse

from euclio.commands.exit_codes import REFUSED, SOLVED
from euclio.commands.families import an_instance
from euclio.commands.named_code import add_named_code, named_code


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = "Check a result against its instance. Exit code 0: accepted, 1: refused, with the reason."
    parser.add_argument("instance", metavar="INSTANCE", help=f"{an_instance()} (JSON)")
    parser.add_argument("result", metavar="RESULT", help="result (JSON, euclio/result/1)")
    add_named_code(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check and print the verdict."""
    from euclio.core.families import family_of
    from euclio.core.verifying import reasons_against
    from euclio.files import load_instance, load_result

    instance = load_instance(arguments.instance)
    family = family_of(instance)
    written = load_result(arguments.result, instance, **named_code(arguments))
    instance = written.changed
    if written.plan is None:
        print(f"refused: the result has no plan (status {written.status.value})")
        return REFUSED
    evaluation = family.evaluate(instance, written.plan, written.space)
    reasons = reasons_against(instance, written, evaluation)
    if reasons:
        print(f"refused: {'; '.join(reasons)}")
        return REFUSED
    print(f"accepted: {family.summary(instance, written.space, evaluation)}")
    if written.changes is not None:
        print(f"with {written.changes.in_words()}")
    print(f"plan space: {family.describe_space(written.space)}")
    return SOLVED
