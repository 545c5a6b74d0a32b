"""What a family says of files: its plans in results, other systems' files that plans or instances are made of."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from euclio.core.parts.options import ExportOption
from euclio.core.result import AnyResult, WrittenResult

if TYPE_CHECKING:
    from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class PlanFiles:
    """Reading and writing of a family's plans and plan spaces.

    Attributes:
        options: plan space and options of a run as they stand in a file, made on `euclio.files.boundary.FileModel`.
        plan: a plan as it stands in a file, made on that too.
        space_from: options and instance in, plan space out.
        plan_from: plan of the file and instance in, plan out.
        figures_from: the same in; what the file says about the plan, by the place where it stands, out.
        figures: instance, plan and the checker's answer in; the same figures as checked, out.
        data: instance, plan and the checker's answer in, plain data with fractions out.
    """

    options: type[BaseModel]
    plan: type[BaseModel]
    space_from: Callable[[Any, Any], Any]
    plan_from: Callable[[Any, Any], Any]
    figures_from: Callable[[Any, Any], dict[str, Fraction]]
    figures: Callable[[Any, Any, Any], dict[str, Fraction]]
    data: Callable[[Any, Any, Any], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Exporter:
    """A kind of files that plans are written as.

    Attributes:
        name: word after `--to`.
        help: one line.
        files: instance, accepted result and the options that were given in; texts by the path of each file, relative
            to the output, out. An exporter that is no `folder` has one file.
        options: the options that it takes.
        folder: whether it writes a folder of files.
        suffixes: how the name of its one file ends, such as ``.yaml``: an output without such an ending is a folder, in
            which the file gets its own name. Empty: the file may be called anything.
        caution: instance and accepted result in; one line on what could go badly wrong with the files, out; empty:
            nothing.
    """

    name: str
    help: str
    files: Callable[[Any, WrittenResult, Mapping[str, Any]], dict[str, str]]
    options: tuple[ExportOption, ...] = ()
    folder: bool = False
    suffixes: tuple[str, ...] = ()
    caution: Callable[[Any, WrittenResult], str] = lambda instance, written: ""


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
        read: arguments in; the module's name and its profile, a list of configurations, out.
        reads: names of the arguments that are files to be read, one or several each.
    """

    name: str
    help: str
    description: str
    add_options: Callable[[argparse.ArgumentParser], None]
    read: Callable[[argparse.Namespace], tuple[str, Sequence[Any]]]
    reads: tuple[str, ...]
