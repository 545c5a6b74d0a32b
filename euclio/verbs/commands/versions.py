"""`euclio versions`: what an issue should say of where it arose."""

from __future__ import annotations

import argparse

from euclio.verbs.commands.exit_codes import SOLVED


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = "Versions of euclio, of its dependencies, extras and engines, and of this machine, for issues."
    parser.add_argument("--json", action="store_true", help="print the versions as JSON instead of lines")


def run(arguments: argparse.Namespace) -> int:
    """Print the versions."""
    from euclio.core.versions import versions_text
    from euclio.files.json_writing import json_text
    from euclio.verbs import versions

    found = versions()
    print(json_text(found) if arguments.json else versions_text(found))
    return SOLVED
