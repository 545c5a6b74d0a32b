"""`euclio explain`: why an instance is infeasible, and what would resolve it."""

from __future__ import annotations

import argparse
from typing import Any

from euclio.core.result import Status
from euclio.core.values import seconds
from euclio.verbs.commands import INFEASIBLE, NO_PLAN, SOLVED
from euclio.verbs.commands.options import add_changes, add_plan_space, add_strict, an_instance, family_keywords
from euclio.verbs.keywords import changed


def explain_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "Name what no plan can reconcile: of a session the smallest set of modules and restrictions, and the "
        "least SLO that has a plan; of a cluster its models, of a fleet its fragments that are too slow. Exit code 3: "
        "infeasible, 0: feasible."
    )
    parser.add_argument("file", metavar="INSTANCE", help=f"{an_instance()} (JSON)")
    parser.add_argument("--solver", metavar="NAME", help="start from this solver's plan space; default: as of solve")
    add_changes(parser)
    add_strict(parser)
    add_plan_space(parser)
    parser.add_argument("--time-limit", type=seconds, metavar="S", help="limit of all searches together in seconds")
    parser.add_argument("--json", action="store_true", help="print the explanation as JSON")


def run_explain(arguments: argparse.Namespace) -> int:
    """Explain and print."""
    from euclio.files import load_instance
    from euclio.files.json_writing import json_text
    from euclio.files.result_files import stated
    from euclio.verbs.explain import explain
    from euclio.verbs.inputs import GivenInstance

    given = GivenInstance(load_instance(arguments.file), arguments.file)
    keywords: Any = family_keywords(arguments)
    found = explain(given, solver=arguments.solver, time_limit=arguments.time_limit, supervised=True, **keywords)
    _, changes = changed(given.family, given.instance, keywords)
    if arguments.json:
        print(json_text({**found.data, **stated(changes)}))
    else:
        print(found.text if changes is None else f"{found.text}\nwith {changes.in_words()}")
    return {Status.FEASIBLE: SOLVED, Status.INFEASIBLE: INFEASIBLE}.get(found.status, NO_PLAN)
