"""`euclio check-proof`: read a proof file step by step."""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import TYPE_CHECKING

from euclio.commands.exit_codes import REFUSED, SOLVED
from euclio.core.numbers import exact_decimal_text

if TYPE_CHECKING:
    from euclio.proofs.checker import Accepted


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "Check a proof file of `euclio certify --proof`: does every step follow, and does the last one say what is "
        "promised? Exit code 0: accepted, with what it shows, 1: refused, with the reason."
    )
    parser.add_argument("file", metavar="FILE", help="proof file (VIPR 1.0), packed by gzip or not")


def run(arguments: argparse.Namespace) -> int:
    """Check and print what is shown."""
    from euclio.verbs import check_proof

    found = check_proof(arguments.file)
    if found.shown is None:
        print(f"refused: {found.reason}")
        return REFUSED
    print(f"accepted: {_in_words(found.shown)}")
    print(f"the file has {found.shown.size}; its first lines say what they mean")
    return SOLVED


def _in_words(shown: Accepted) -> str:
    """What a file shows, with numbers as decimals where they are."""
    said = ["there is no feasible point"] if shown.infeasible else []
    said += [] if shown.bound is None else [f"no feasible point is better than {_number(shown.bound)}"]
    said += [] if shown.solved is None else [f"one has {_number(shown.solved)} or better"]
    return ", ".join(said)


def _number(value: Fraction) -> str:
    """A number as a decimal where it is one, else as a fraction; files of others may hold any."""
    return exact_decimal_text(value) or str(value)
