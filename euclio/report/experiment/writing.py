"""Results in, the page and its Markdown twin out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from euclio.core.errors import InputError
from euclio.files.json_writing import write_text
from euclio.files.outputs import check_outputs

ENDING = ".html"
EXPERIMENT = ".toml"
NAME = "report.html"
"""Name of the page in a result folder."""


def write_report(*paths: str | Path, out: str | Path | None = None, title: str | None = None) -> Path:
    """Write the page of an experiment, and next to it the same in Markdown without drawings.

    Args:
        *paths: result folders, experiment files (for the folder next to them), or files that `euclio.results.load`
            reads; several are merged.
        out: the page; None: ``report.html`` in the first folder, or next to the first file under its name.
        title: of the page; None: the names of the experiments.

    Returns:
        Path of the page.

    Raises:
        InputError: there are no results at a path, no run is finished, or the page cannot be written.
    """
    from euclio.report import html_page, markdown_page
    from euclio.report.experiment.page import report_blocks
    from euclio.report.experiment.standing import asked_for, standing
    from euclio.results import load
    from euclio.runs.runner import default_folder

    if not paths:
        raise InputError("nothing to report; name a result folder")
    places = [default_folder(path) if Path(path).suffix == EXPERIMENT else Path(path) for path in paths]
    page = _page_path(places[0], out)
    check_outputs({"--out": page, "--out in Markdown": page.with_suffix(".md")}, _read(paths))
    found = standing(load(*places), asked_for(places))
    if found.current.empty:
        raise InputError("no run of the experiment is finished; make them with `euclio run`", file=str(places[0]))
    blocks = report_blocks(found)
    name = title or f"Experiment {', '.join(sorted(found.current.experiment.astype(str).unique()))}"
    write_text(html_page(name, blocks), page)
    write_text(markdown_page(name, blocks), page.with_suffix(".md"))
    return page


def _read(paths: Sequence[str | Path]) -> list[Path]:
    """The files among the paths; the page may lie in a result folder."""
    return [Path(path) for path in paths if not Path(path).is_dir()]


def _page_path(first: Path, out: str | Path | None) -> Path:
    if out is not None:
        if Path(out).suffix.lower() != ENDING:
            raise InputError(f"must end in {ENDING}", file=str(out), field="--out")
        return Path(out)
    return first / NAME if first.is_dir() else first.with_suffix(ENDING)
