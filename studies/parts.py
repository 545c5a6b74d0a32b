"""A single figure or table of a study, from the runs that it needs or from the tables of the last report."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory

from euclio.core.errors import InputError
from euclio.core.parameters import option_text
from euclio.core.system import cores
from euclio.core.words import counted, listed, nearest
from euclio.experiments.results.tables import load
from euclio.files.csv_files import csv_text
from euclio.report import Block, Figure, Fold, Table
from euclio.workloads.populations import Identity
from studies.collector import Collector
from studies.page_blocks import shown_of, without_populations
from studies.page_builder import blocks, scored, study_of
from studies.papers.published import printed_values
from studies.proof_sample import Certified
from studies.study import Asked, Collected, Study

HELP = "help"
"""The name that lists the names."""
ALL_STAGES = "all stages, when the runs were made"
NOT_FOUND_IN = ("scorecard", "certificates")
"""Tables of a report that derive from the others."""
_FIGURE = re.compile(r'<figure id="([^"]+)">.*?aria-label="([^"]*)"', re.DOTALL)
_TABLE = re.compile(r"<figure><figcaption>([^<]*)</figcaption>")
_SHORT = re.compile(r"fig(?:ure)?s?-?(.+)")
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class MadePart:
    """A part of a study.

    Attributes:
        name: its name.
        data: its numbers as CSV.
        title: its title or caption.
        source: its source in a line: the runs that were made, or the report with the tables.
    """

    name: str
    data: str
    title: str
    source: str


def part_lines(paper: str, folder: Path) -> list[str]:
    """The names of a study's parts, a line each, with their sources.

    Args:
        paper: name of the study.
        folder: folder of its last report, which may be absent.
    """
    parts, titles = study_of(paper).parts, _titles(folder)
    lines = [f"{name}: {part.title} (runs {listed(part.solvers, 20)})" for name, part in parts.items()]
    stored = [f"{name}: {title} (from {folder})" for name, title in titles.items() if name not in parts]
    return [*lines, *stored]


def make_part(
    paper: str,
    name: str,
    folder: Path,
    *,
    workloads: int | None = None,
    seed: int | None = None,
    jobs: int | None = None,
) -> MadePart:
    """Make one figure or table of a study.

    Args:
        paper: name of the study.
        name: name of the part; ``fig7`` and the like stand for ``figure-7``.
        folder: folder of the last report, for parts that need more than some of the runs.
        workloads: size of the run; None means the study's own. Parts of stored tables take none.
        seed: seed of all draws; None means the study's. Parts of stored tables take none.
        jobs: worker processes; None means one per core.

    Raises:
        InputError: there is no such part, or no report to take it from; names the remedy.
    """
    study = study_of(paper)
    titles = _titles(folder)
    known = _known(name, [*study.parts, *titles], paper)
    if known in study.parts:
        return _from_runs(study, known, Asked(workloads, study.seed if seed is None else seed, False), jobs or cores())
    for option, value in (("--workloads", workloads), ("--seed", seed), ("--jobs", jobs)):
        if value is not None:
            raise InputError(f"has no meaning for {known}, which is taken from {folder}; leave it out", field=option)
    return _from_report(study, known, folder)


def _known(name: str, names: Sequence[str], paper: str) -> str:
    """The name of the part that a text means.

    Raises:
        InputError: there is none; names the nearest ones, or all.
    """
    word = name.lower()
    short = _SHORT.fullmatch(word)
    meant = f"figure-{word if short is None else short[1]}"
    for one in (word, meant):
        if one in names:
            return one
    hint = nearest(word if short is None else meant, names)
    raise InputError(
        f"{paper} has no part {name!r}; {hint} (`{option_text('--only', HELP)}` lists them)", field="--only"
    )


def _from_runs(study: Study, name: str, asked: Asked, jobs: int) -> MadePart:
    """A part from the runs that it needs; these are made now and not kept."""
    part = study.parts[name]
    assert study.collect_runs is not None
    with TemporaryDirectory(prefix="euclio-") as folder, Collector(study.paper, Path(folder), jobs) as collector:
        found = study.collect_runs(collector, asked, part.solvers)
    figure = part.make(found.tables, printed_values(study.paper, study.published))
    count = counted(len(found.tables["runs"]), "run")
    source = f"{count} of {listed(part.solvers, 20)} on {shown_of(study, found, name)}"
    return MadePart(name, figure.data, figure.title, source)


def _from_report(study: Study, name: str, folder: Path) -> MadePart:
    """A part from the tables of the last report."""
    collected, git = stored(study, folder)
    scores = scored(study, collected)
    page = blocks(study, collected, scores, study.text(collected, scores))
    for found, block in _named(page):
        if found == name:
            data = block.data if isinstance(block, Figure) else csv_text(block.columns, block.rows)
            caption = without_populations(block.caption)
            on = shown_of(study, collected, name if isinstance(block, Figure) else caption)
            source = f"the stored runs in {folder} (git {git[:10]}){f' on {on}' if on else ''}"
            return MadePart(name, data, (block.title if isinstance(block, Figure) else "") or caption, source)
    raise InputError(f"is no longer on the page of {study.paper}; run it again", field="--only")


def stored(study: Study, folder: Path) -> tuple[Collected, str]:
    """The results of a study when its report was written, from the tables of the report.

    Args:
        study: the study.
        folder: folder of the report.

    Returns:
        The results, and the git revision of the run.

    Raises:
        InputError: there is no report, or it is of a smaller run by an earlier version, which did not record the size.
    """
    if not (folder / "scorecard.parquet").exists():
        raise InputError(f"holds no report; `euclio reproduce {study.paper}` writes one", file=str(folder))
    found = {path.stem: load(path) for path in sorted(folder.glob("*.parquet"))}
    how = found["scorecard"][1]
    if "asked" not in how and not how["whole"]:
        raise InputError("is a report of an earlier version on less than all; write it again", file=str(folder))
    asked = Asked(how.get("asked"), how["seed"], how["full"])
    tables = {name: table for name, (table, _) in found.items() if name not in NOT_FOUND_IN}
    certificates = found["certificates"][0]
    collected = Collected(
        tables,
        (),
        study.details(asked),
        how,
        [Identity(**one) for one in how.get("populations", ())],
        asked=asked,
        certified=Certified(certificates, how.get("proofs", len(certificates)), asked.seed),
        seconds={ALL_STAGES: how["seconds"]},
        jobs=how["jobs"],
    )
    return collected, str(how["git"])


def _named(page: Sequence[Block]) -> Iterator[tuple[str, Figure | Table]]:
    """All figures and tables of a page by name, also those behind folds."""
    for block in page:
        if isinstance(block, Figure):
            yield block.key, block
        elif isinstance(block, Table) and block.caption:
            yield _table_name(block.caption), block
        elif isinstance(block, Fold):
            yield from _named(block.blocks)


def _titles(folder: Path) -> dict[str, str]:
    """Titles of the figures and captions of the tables of the page in a folder, by name."""
    page = folder / "index.html"
    if not page.exists():
        return {}
    text = page.read_text(encoding="utf-8")
    figures = {key: unescape(title) for key, title in _FIGURE.findall(text)}
    captions = [unescape(caption) for caption in _TABLE.findall(text)]
    return figures | {_table_name(caption): caption for caption in captions}


def _table_name(caption: str) -> str:
    """The name of a table: the beginning of its caption, without the populations."""
    words = re.sub(r"[^a-z0-9]+", "-", without_populations(caption).lower()).strip("-")
    short = words[:_LONGEST_NAME]
    return f"table-{short if short == words else short.rpartition('-')[0]}"
