"""Importers: what makes an instance of other people's files; each family declares its own (`euclio import`)."""

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
