"""`euclio export` and `euclio diff`: a plan in formats of serving systems, and what changes from plan to plan."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from euclio.core.errors import InputError
from euclio.core.families import families
from euclio.core.words import joined
from euclio.verbs.commands import SOLVED
from euclio.verbs.commands.options import add_named_code, an_instance, named_code
from euclio.verbs.keywords import exporter_options
from euclio.verbs.verb import keyword_of


def export_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "Write the plan of a result as files that a serving system reads. The result is checked first, as by "
        "`euclio verify`; what a format cannot express is said in the files."
    )
    exporters = {exporter.name: exporter for family in families() for exporter in family.exporters()}
    parser.add_argument("instance", metavar="INSTANCE", help=f"{an_instance()} (JSON)")
    parser.add_argument("result", metavar="RESULT", help="result with a plan (JSON, euclio/result/1)")
    add_named_code(parser)
    kinds = "; ".join(f"{exporter.name}: {exporter.help}" for exporter in exporters.values())
    parser.add_argument("--to", choices=tuple(exporters), required=True, help=kinds)
    parser.add_argument(
        "--out", type=Path, metavar="OUT", help="file to write, or where there are several a folder; default: printed"
    )
    for option, owners in exporter_options().values():
        details: dict[str, Any] = {"type": option.parse, "metavar": option.metavar, "default": argparse.SUPPRESS}
        parser.add_argument(option.flag, dest=option.flag, help=f"of {joined(owners)}: {option.help}", **details)


def run_export(arguments: argparse.Namespace) -> int:
    """Check, export, write or print."""
    from euclio.files import load_instance
    from euclio.files.json_writing import check_outputs
    from euclio.verbs.export import check_folder, export, exporter_of, read_options, takes_folder
    from euclio.verbs.inputs import GivenInstance

    given = GivenInstance(load_instance(arguments.instance), arguments.instance)
    exporter, keywords = exporter_of(given, arguments.to), _given(arguments)
    read_options(exporter, keywords)
    folder = exporter.folder or (arguments.out is not None and takes_folder(exporter, arguments.out))
    if not folder:
        check_outputs({"--out": arguments.out}, [arguments.instance, arguments.result])
    elif arguments.out is None:
        raise InputError(f"is missing; --to {exporter.name} writes several files, give a folder", field="--out")
    else:
        check_folder(arguments.out)
    coded: Any = {**keywords, **named_code(arguments)}
    files = export(given, arguments.result, to=arguments.to, out=arguments.out, **coded)
    for name, text in files.items():
        if arguments.out is None:
            print(text, end="")
        else:
            print(arguments.out / name if folder else arguments.out)
    return SOLVED


def _given(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of exporters that were given, as keywords."""
    given = vars(arguments)
    return {keyword_of(flag): given[flag] for flag in exporter_options() if flag in given}


def diff_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "Print what changes from one plan to another: value, and of sessions machines added, removed, moved, and those "
        "that only change batch or concurrency. Results are read as they are written; `euclio verify` checks them."
    )
    parser.add_argument("before", metavar="BEFORE", help="result with a plan (JSON, euclio/result/1)")
    parser.add_argument("after", metavar="AFTER", help="another one, which may be of another instance")
    parser.add_argument("--json", action="store_true", help="print the difference as JSON")


def run_diff(arguments: argparse.Namespace) -> int:
    """Read, compare, print."""
    from euclio.core.tables import to_text
    from euclio.files.json_writing import json_text
    from euclio.verbs.export import diff

    found = diff(arguments.before, arguments.after)
    print(json_text(found.data) if arguments.json else to_text(found.text))
    return SOLVED
