"""The benchmark set, its proofs, its export and a solver's runs on it, as text for people."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.certificate import Certificate, Verdict
from euclio.core.families import families
from euclio.core.fitted_table import Column, Label, Sentence, table_of
from euclio.core.system import read_bytes
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.words import DASH, duration, figures, percent
from euclio.experiments.bench_set.best_known import Compared
from euclio.experiments.bench_set.certificates import proofs
from euclio.experiments.bench_set.export.record import MODEL, PROOF, Export, ExportedInstance
from euclio.experiments.bench_set.manifest import Difficulty, Entry
from euclio.proving.files.checker import check_text, text_of

OF_VALUES = (Column("value", form=figures), Column("gap", form=percent))
RUN_COLUMNS = (
    Label("instance", lambda run: run.entry.name),
    Label("class", lambda run: run.entry.difficulty),
    Label("status"),
    *OF_VALUES,
    Column("time", "wall_s", duration, spare=1),
    Sentence("", lambda run: "WRONG" if run.wrong else ", ".join(run.news)),
)
CLASS_COLUMNS = (
    Label("class"),
    Column("instances"),
    Column("plans", spare=3),
    Column("proven"),
    Column("best", spare=2),
    Column("mean gap"),
    Column("largest", spare=1),
    Column("time"),
)
EXPORT_COLUMNS = (
    Label("family"),
    *map(Column, ("instances", "programs", "median bytes", "proofs")),
    Column("median bytes of proofs", spare=1),
)
PROOF_COLUMNS = (
    Label("class"),
    *map(Column, ("proofs", "files", "median bytes", "largest", "median check", "longest")),
)
LISTED = ("instance", "family", "class", "value", "gap", "solver", "cpu_s", "certified")
"""Columns of every listed instance; the further ones are the parameters that its family is drawn from."""


def summary(entries: Iterable[Entry]) -> str:
    """How many instances there are, by family and class."""
    listed = list(entries)
    parts = []
    for family in families():
        own = [e.difficulty for e in listed if e.family == family.name]
        classes = ", ".join(f"{own.count(d)} {d}" for d in Difficulty if d in own)
        parts += [f"{len(own)} {family.instances} ({classes})"] if own else []
    if not parts:
        return "no instances"
    return f"{len(listed)} instances, all as the manifest says: {'; '.join(parts)}; {certificates(listed)}"


def certificates(entries: Iterable[Entry]) -> str:
    """The number of proofs by certificate."""
    asked = proofs(entries)
    verdicts = [entry.certificate.verdict for entry in asked if entry.certificate is not None]
    counts = [f"{verdicts.count(v)} {v}" for v in Verdict if v in verdicts and v is not Verdict.CERTIFIED]
    return ", ".join([f"{verdicts.count(Verdict.CERTIFIED)} of {len(asked)} proofs certified", *counts])


def listed_row(entry: Entry) -> dict[str, Any]:
    """The facts for choosing instances: class, parameters of the draw, best value, gap of the bound, effort."""
    certified = entry.certificate is not None and entry.certificate.verdict is Verdict.CERTIFIED
    gap = None if entry.bound is None else float(abs(entry.value - entry.bound) / (abs(entry.value) or 1))
    return {
        "instance": entry.name,
        "family": entry.family,
        "class": entry.difficulty.value,
        **{name: _drawn(name, value) for name, value in entry.design.items() if name != "number"},
        "value": float(entry.value),
        "gap": gap,
        "solver": entry.solver,
        "cpu_s": entry.effort.cpu_s,
        "certified": certified,
    }


def _drawn(name: str, value: Any) -> Any:
    """A number that an instance was drawn from, or text where it is a list: of names, or of names with counts."""
    if name == "tightness":
        return value / 100  # as everywhere else; designs have it in percent
    if isinstance(value, list):
        return ",".join("=".join(map(str, one)) if isinstance(one, list) else str(one) for one in value)
    return float(value) if isinstance(value, Fraction) else value


def listed_table(entries: Sequence[Entry]) -> RenderableType:
    """A table per family with a row per instance."""
    tables: list[RenderableType] = []
    for family in families():
        rows = [listed_row(entry) for entry in entries if entry.family == family.name]
        if rows:
            drawn = [name for name in rows[0] if name not in LISTED]
            design = (Label(name, spare=1 + len(drawn) - k) for k, name in enumerate(drawn))
            columns = (Label("instance"), Label("class"), *design, *OF_VALUES[:2], Column("time", "cpu_s", duration, 1))
            tables += [table_of(rows, columns, family.instances), Text("")]
    caption = "value: best known; gap: what its bound leaves open; time: processor time of the reference method"
    return Group(*tables, Text(caption if tables else "no instances"))


def certificate_table(made: Sequence[tuple[Entry, Certificate]]) -> RenderableType:
    """One row per certificate that is not certified, then the counts."""
    rows = []
    for entry, found in made:
        if found.verdict is not Verdict.CERTIFIED:
            style = "bold red" if found.verdict is Verdict.REFUTED else ""
            shown = found.verdict.upper() if found.verdict is Verdict.REFUTED else found.verdict
            cells = [entry.name, entry.difficulty, shown, f"{found.nodes:,}", duration(found.wall_s), found.reason]
            rows.append([Text(cell, style=style) for cell in cells])
    columns = (*map(Label, ("instance", "class", "verdict")), Column("nodes"), Column("time"), Sentence("why"))
    verdicts = [found.verdict for _, found in made]
    times = sorted(found.wall_s for _, found in made)
    caption = f"{len(made)} proofs tried: " + ", ".join(f"{verdicts.count(v)} {v}" for v in Verdict)
    if times:
        caption += f"; median {duration(times[len(times) // 2])}, longest {duration(times[-1])}"
    return Group(table_of(rows, columns), Text(""), Text(caption)) if rows else Text(caption)


def compared_table(runs: Sequence[Compared]) -> RenderableType:
    """One row per run, then one per class."""
    classes = [_class_row(difficulty, own) for difficulty in Difficulty if (own := _of_class(runs, difficulty))]
    return Group(table_of(runs, RUN_COLUMNS), Text(""), table_of(classes, CLASS_COLUMNS), Text(_news(runs)))


def _of_class(runs: Sequence[Compared], difficulty: Difficulty) -> list[Compared]:
    return [run for run in runs if run.entry.difficulty is difficulty]


def _class_row(difficulty: Difficulty, runs: Sequence[Compared]) -> list[str]:
    gaps = [run.gap for run in runs if run.gap is not None]
    return [
        difficulty,
        str(len(runs)),
        str(len(gaps)),
        str(sum(run.proven for run in runs)),
        str(sum(gap <= OPTIMALITY_TOLERANCE for gap in gaps)),
        percent(sum(gaps) / len(gaps)) if gaps else DASH,
        percent(max(gaps)) if gaps else DASH,
        duration(sum(run.wall_s for run in runs)),
    ]


def _news(runs: Sequence[Compared]) -> str:
    lines = [f"{what}: {run.entry.name}" for run in runs for what in run.news]
    lines += [f"WRONG: {run.entry.name}: {run.wrong}" for run in runs if run.wrong]
    return "\n" + "\n".join(lines) if lines else ""


def exported_table(export: Export) -> RenderableType:
    """A row per family with its programs and proofs, and the reasons for missing ones."""
    rows = []
    for name in (*(family.name for family in families()), None):
        own = [entry for entry in export.entries if name in (None, entry.family)]
        if own:
            rows.append([name or "all", str(len(own)), *_sizes(own, MODEL), *_sizes(own, PROOF)])
    return Group(table_of(rows, EXPORT_COLUMNS), Text("\n".join(_without_files(export))))


def _sizes(entries: Sequence[ExportedInstance], ending: str) -> Iterator[str]:
    sizes = [file.size for entry in entries if (file := entry.file(ending)) is not None]
    yield from (str(len(sizes)), f"{median(sizes):,.0f}" if sizes else DASH)


def _without_files(export: Export) -> Iterator[str]:
    for what, reasons in (
        ("program", Counter(entry.no_model for entry in export.entries if entry.no_model)),
        ("proof", Counter(entry.no_proof for entry in export.entries if entry.no_proof and not entry.no_model)),
    ):
        yield from (f"{count} without a {what}: {reason}" for reason, count in reasons.most_common())


def proofs_table(made: Sequence[tuple[Entry, Certificate]]) -> RenderableType:
    """A row per class with sizes of its proof files and times to check them again, and reasons for missing ones.

    Raises:
        RefusedError: a file is refused, which it was not when it was written.
    """
    rows = []
    for difficulty in (*Difficulty, None):
        own = [found for entry, found in made if difficulty in (None, entry.difficulty)]
        if own:
            rows.append([str(difficulty or "all"), *_proof_cells(own)])
    return Group(table_of(rows, PROOF_COLUMNS), Text("\n".join(_missing(made))))


def _proof_cells(certificates: Sequence[Certificate]) -> Iterator[str]:
    files = [found.proof for found in certificates if found.proof is not None]
    yield from (f"{len(certificates):,}", f"{len(files):,}")
    if not files:
        yield from [DASH] * 4
        return
    sizes, times = [file.size for file in files], [_check_s(file.path) for file in files]
    yield from (f"{median(sizes):,.0f}", f"{max(sizes):,}", duration(median(times)), duration(max(times)))


def _check_s(path: str) -> float:
    """Seconds that reading and checking a file takes."""
    started = time.perf_counter()
    check_text(text_of(read_bytes(Path(path))))
    return time.perf_counter() - started


def _missing(made: Sequence[tuple[Entry, Certificate]]) -> Iterator[str]:
    """A line for each reason that proofs have no file, with how many."""
    reasons = Counter(
        found.reason if found.verdict is Verdict.OPEN else found.no_proof for _, found in made if found.proof is None
    )
    yield from (f"{count} without a file: {reason}" for reason, count in reasons.most_common())
