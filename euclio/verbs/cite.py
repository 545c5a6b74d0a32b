"""`euclio cite`: BibTeX of euclio and of the sources of results."""

from __future__ import annotations

from argparse import Namespace

from euclio.core.parameters import Parameter, as_given
from euclio.core.progress import say
from euclio.core.words import joined
from euclio.files import citations as citing
from euclio.files.json_writing import json_text
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import SOLVED
from euclio.verbs.interface.shared_parameters import json_of
from euclio.verbs.interface.verb import verb

cite = verb(
    Parameter(
        "--solver",
        help="a solver; may be given several times",
        parse=as_given,
        metavar="NAME",
        details={"action": "append"},
    )
)(citing.cite)


@command(
    cite,
    Parameter("results", help="results (JSON, euclio/result/1)", metavar="RESULT", details={"nargs": "*"}),
    json_of("the references", " instead of BibTeX"),
    about="BibTeX of euclio and of the sources of results or solvers: papers, engines, the solver of the warm start. "
    "Without arguments, of euclio and the five papers.",
    examples=("euclio cite result.json", "euclio cite --solver harpagon"),
)
def print_cited(arguments: Namespace) -> int:
    """Print the references."""
    cited = cite(*arguments.results, **arguments.keywords)
    print(json_text(cited.describe()) if arguments.json else cited)
    if cited.silent:
        say(f"{joined(cited.silent)} does not say what it rests on; cite what its authors ask for")
    return SOLVED
