"""`euclio cite`: BibTeX of euclio and of the papers that results rest on."""

from __future__ import annotations

import argparse

from euclio.core.progress import say
from euclio.verbs.commands.exit_codes import SOLVED


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "BibTeX of euclio and of what results or solvers rest on: papers, engines, the solver of the plan that they "
        "started from. Without any, of euclio and the five papers."
    )
    parser.add_argument("results", metavar="RESULT", nargs="*", help="results (JSON, euclio/result/1)")
    parser.add_argument("--solver", metavar="NAME", action="append", help="a solver; may be given several times")
    parser.add_argument("--json", action="store_true", help="print the references as JSON instead of BibTeX")


def run(arguments: argparse.Namespace) -> int:
    """Print the references."""
    from euclio.core.words import joined
    from euclio.files.json_writing import json_text
    from euclio.verbs import cite

    cited = cite(*arguments.results, solver=arguments.solver)
    print(json_text(cited.describe()) if arguments.json else cited)
    if cited.silent:
        say(f"{joined(cited.silent)} does not say what it rests on; cite what its authors ask for")
    return SOLVED
