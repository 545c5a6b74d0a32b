"""Where a command puts its answer: what it may write is checked first; then it prints, writes and draws."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euclio.core.references import file_of
from euclio.core.tables import to_text
from euclio.files.json_writing import check_outputs, json_text
from euclio.verbs.interface.inputs import Files

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def check_written(
    arguments: Namespace,
    files: Iterable[str],
    read: Iterable[str | Path | None],
    *,
    figures: Iterable[str] = (),
    solvers: Iterable[Any] = (),
) -> None:
    """Refuse outputs that cannot be written, that the command reads, or that it would write twice.

    Args:
        arguments: the arguments.
        files: names of the arguments that are files to be written.
        read: files that are read.
        figures: names of the arguments that are figures to be written.
        solvers: names of solvers, which may stand in files.

    Raises:
        InputError: naming the option and the file.
    """
    given = {**vars(arguments), **arguments.keywords}
    asked = {f"--{name.replace('_', '-')}": given.get(name) for name in (*files, *figures)}
    inputs = (part for one in read for part in (one if isinstance(one, Files) else (one,)))
    check_outputs(asked, [*inputs, *(file_of(one) for one in solvers if isinstance(one, str))])
    for name in figures:
        if given.get(name) is not None:
            from euclio.report.figure_files import check_figure_path

            check_figure_path(given[name])


def print_answer(arguments: Namespace, data: Callable[[], Mapping[str, Any]], table: Callable[[], Any]) -> None:
    """Print an answer as a table, or as JSON where that is asked for."""
    if arguments.json:
        print(json_text(data()))
        return
    print(to_text(table()))


def draw_answer(figures: Mapping[Path | None, Callable[[], Figure]]) -> None:
    """Draw the figures that are asked for, by the path of each."""
    for path, draw in figures.items():
        if path is not None:
            from euclio.report.figure_files import save_figure

            save_figure(draw(), path)
