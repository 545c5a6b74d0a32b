"""`euclio verify`: price a written result again, under the plan space that stands in it."""

from __future__ import annotations

import argparse

from euclio.verbs.commands.exit_codes import REFUSED, SOLVED
from euclio.verbs.commands.families import an_instance
from euclio.verbs.commands.named_code import add_named_code, named_code


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = "Check a result against its instance. Exit code 0: accepted, 1: refused, with the reason."
    parser.add_argument("instance", metavar="INSTANCE", help=f"{an_instance()} (JSON)")
    parser.add_argument("result", metavar="RESULT", help="result (JSON, euclio/result/1)")
    add_named_code(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check and print the verdict."""
    from euclio.files import load_instance
    from euclio.verbs import verify
    from euclio.verbs.opened import Opened

    given = Opened(load_instance(arguments.instance), arguments.instance)
    found = verify(given, arguments.result, **named_code(arguments))
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
