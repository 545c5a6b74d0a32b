"""Exporters: what makes other systems' files of a plan; each family declares its own (`euclio export`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from euclio.files.result_files import WrittenResult


@dataclass(frozen=True, slots=True)
class ExportOption:
    """An option of `euclio export`; exporters that take the same one share one record.

    Attributes:
        flag: such as "--image".
        field: its name among the options that an exporter is given.
        help: one line.
        metavar: placeholder of the value.
        parse: reads the value from text.
        missing: what to give, in words, where the exporter cannot do without it; empty: it can.
    """

    flag: str
    field: str
    help: str
    metavar: str
    parse: Callable[[str], Any] = str
    missing: str = ""


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
        caution: instance and accepted result in; one line on what could go badly wrong with the files, out; empty:
            nothing.
    """

    name: str
    help: str
    files: Callable[[Any, WrittenResult, Mapping[str, Any]], dict[str, str]]
    options: tuple[ExportOption, ...] = ()
    folder: bool = False
    caution: Callable[[Any, WrittenResult], str] = lambda instance, written: ""
