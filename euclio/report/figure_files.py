"""Figures in files of their own: SVG, PNG or PDF by the ending of the name."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from euclio.core.errors import InputError
from euclio.core.figures import OWN_DEFAULTS, own_fonts, rounded_svg
from euclio.files.json_writing import check_writable

FORMATS = (".svg", ".png", ".pdf")


def check_figure_path(path: Path) -> None:
    """Refuse a path to which no figure can be written, before a long computation.

    Raises:
        InputError: its ending is none of `FORMATS`, or it cannot be written.
    """
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"cannot be drawn; end the name in {', '.join(FORMATS)}", file=str(path), field="--plot")
    check_writable(path)


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure; the same figure is the same bytes.

    Raises:
        InputError: the file ending is unknown or the file cannot be written.
    """
    check_figure_path(path)
    as_svg = path.suffix.lower() == ".svg"
    try:
        with mpl.rc_context({**OWN_DEFAULTS, **own_fonts(), "svg.hashsalt": "euclio"}):
            figure.savefig(path, dpi=150, metadata={"Date": None} if as_svg else None, facecolor="white")
        if as_svg:
            path.write_text(rounded_svg(path.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=str(path), field="--plot") from None
