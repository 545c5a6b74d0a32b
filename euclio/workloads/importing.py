"""Importers: what makes an instance, or profiles for one, of other people's files (`euclio import`).

Each family declares its own.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from euclio.core.result import AnyResult


class Imported(NamedTuple):
    """What was read: an instance, and where a plan of it was read too, that plan as a checked result."""

    instance: Any
    result: AnyResult | None = None


@dataclass(frozen=True, slots=True)
class Importer:
    """A kind of files that instances are made of.

    Attributes:
        name: word after `euclio import`.
        help: one line.
        description: some sentences.
        add_options: adds its arguments to a parser, next to `--out`.
        read: arguments in, what was read out.
        reads: names of the arguments that are files or folders to be read.
        plans: what the option `--plan` is, in words, where a plan can be read too; empty: none can.
    """

    name: str
    help: str
    description: str
    add_options: Callable[[argparse.ArgumentParser], None]
    read: Callable[[argparse.Namespace], Imported]
    reads: tuple[str, ...]
    plans: str = ""


@dataclass(frozen=True, slots=True)
class ProfileImporter:
    """A kind of files that profiles are read from, which are written as a file that an `Importer` makes instances of.

    Attributes:
        name: word after `euclio import`.
        help: one line.
        description: some sentences.
        add_options: adds its arguments to a parser, next to `--out` and `--append`.
        read: arguments in, the text for the file out; with `--append` the one that is there is continued.
        reads: names of the arguments that are files to be read, one or several each.
    """

    name: str
    help: str
    description: str
    add_options: Callable[[argparse.ArgumentParser], None]
    read: Callable[[argparse.Namespace], str]
    reads: tuple[str, ...]
