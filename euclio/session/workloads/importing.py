"""`euclio import csv`: sessions made of one's own measured profiles."""

from __future__ import annotations

import argparse
from pathlib import Path

from euclio.core.errors import InputError
from euclio.core.values import positive, seconds
from euclio.workloads.importing import Imported, Importer

FLAGS = {"prices_per_h": "--prices", "rates_rps": "--rates", "slo_s": "--slo", "edges": "--edges"}
"""Options by the argument of `session_from_csv` that they give."""


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="profiles (CSV)")
    parser.add_argument(
        "--prices", type=_amounts, required=True, metavar="A=X,B=Y", help="money per hour of each hardware"
    )
    parser.add_argument(
        "--rates", type=_rates, required=True, metavar="R", help="requests per second: a number, or m=R,n=S by module"
    )
    parser.add_argument("--slo", type=seconds, required=True, metavar="S", help="latency objective in seconds")
    parser.add_argument("--edges", type=_edges, metavar="a:b,a:c", help="parent:child; default: a chain as in the file")
    parser.add_argument("--name", metavar="NAME", help="name of the session; default: the file's")


def _read(arguments: argparse.Namespace) -> Imported:
    from euclio.session.workloads.csv_profiles import session_from_csv

    try:
        session = session_from_csv(
            arguments.file,
            prices_per_h=arguments.prices,
            rates_rps=arguments.rates,
            slo_s=arguments.slo,
            edges=arguments.edges,
            name=arguments.name,
        )
    except InputError as error:
        flag = FLAGS.get((error.field or "").partition("[")[0], error.field)
        raise InputError(error.message, file=error.file, field=flag) from None
    return Imported(session)


def _amounts(text: str) -> dict[str, str]:
    """Positive numbers by name; their text is kept, so that they stay exact."""
    found: dict[str, str] = {}
    for part in text.split(","):
        name, equals, amount = (piece.strip() for piece in part.rpartition("="))
        if not (name and equals):
            raise argparse.ArgumentTypeError(f"{part!r} must be NAME=NUMBER; pairs are divided by commas")
        if name in found:
            raise argparse.ArgumentTypeError(f"names {name!r} twice; keep one of them")
        positive(amount)
        found[name] = amount
    return found


def _rates(text: str) -> str | dict[str, str]:
    if "=" in text:
        return _amounts(text)
    positive(text)
    return text.strip()


def _edges(text: str) -> tuple[tuple[str, str], ...]:
    """Pairs of names; none for a text without a word."""
    found = []
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        parent, colon, child = (piece.strip() for piece in part.partition(":"))
        if not (parent and colon and child):
            raise argparse.ArgumentTypeError(f"{part!r} must be PARENT:CHILD; pairs are divided by commas")
        found.append((parent, child))
    return tuple(found)


IMPORTERS = (
    Importer(
        "csv",
        "a session made of measured profiles",
        "Write a session made of a CSV file with one row per configuration, columns module, hardware, batch, "
        "duration_s (seconds per batch) and, if it is not always 1, concurrency; prints the path.",
        _add_options,
        _read,
        reads=("file",),
    ),
)
