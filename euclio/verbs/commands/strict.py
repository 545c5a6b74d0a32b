"""The option `--strict` of the verbs by which measurements come in; `euclio.cli` has it hold while a verb runs."""

from __future__ import annotations

import argparse


def add_strict(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--strict", action="store_true", help="refuse measured rows that are doubted; default: a warning for each"
    )
