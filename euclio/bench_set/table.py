"""The benchmark set, and a solver's runs on it, as text for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.bench_set.certifying import proofs
from euclio.bench_set.comparing import Compared
from euclio.bench_set.manifest import Difficulty, Entry
from euclio.core.certificate import Certificate, Verdict
from euclio.core.families import families
from euclio.core.tables import new_table
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.words import DASH, duration, figures, percent

ROW_NUMBERS = ("value", "gap", "time")
CLASS_NUMBERS = ("instances", "plans", "proven", "best", "mean gap", "largest", "time")


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
    """How many proofs have which certificate."""
    asked = proofs(entries)
    verdicts = [entry.certificate.verdict for entry in asked if entry.certificate is not None]
    counts = [f"{verdicts.count(v)} {v}" for v in Verdict if v in verdicts and v is not Verdict.CERTIFIED]
    return ", ".join([f"{verdicts.count(Verdict.CERTIFIED)} of {len(asked)} proofs certified", *counts])


def certificate_table(made: Sequence[tuple[Entry, Certificate]]) -> RenderableType:
    """One row per certificate that is not certified, then the counts."""
    rows = new_table(
        "instance", "class", "verdict", "nodes", "time", "why", numbers=("nodes", "time"), wrapped=("why",)
    )
    for entry, found in made:
        if found.verdict is not Verdict.CERTIFIED:
            style = "bold red" if found.verdict is Verdict.REFUTED else ""
            shown = found.verdict.upper() if found.verdict is Verdict.REFUTED else found.verdict
            cells = [entry.name, entry.difficulty, shown, f"{found.nodes:,}", duration(found.wall_s), found.reason]
            rows.add_row(*(Text(cell, style=style) for cell in cells))
    verdicts = [found.verdict for _, found in made]
    times = sorted(found.wall_s for _, found in made)
    caption = f"{len(made)} proofs tried: " + ", ".join(f"{verdicts.count(v)} {v}" for v in Verdict)
    if times:
        caption += f"; median {duration(times[len(times) // 2])}, longest {duration(times[-1])}"
    return Group(rows, Text(""), Text(caption)) if rows.row_count else Text(caption)


def compared_table(runs: Sequence[Compared]) -> RenderableType:
    """One row per run, then one per class."""
    rows = new_table(
        "instance", "class", "status", *ROW_NUMBERS, "", numbers=ROW_NUMBERS, wrapped=("",), spare=("time",)
    )
    for run in runs:
        value = DASH if run.value is None else figures(run.value)
        news = "WRONG" if run.wrong else ", ".join(run.news)
        cells = [run.entry.name, run.entry.difficulty, run.status, value, percent(run.gap), duration(run.wall_s), news]
        rows.add_row(*(Text(cell) for cell in cells))
    classes = new_table("class", *CLASS_NUMBERS, numbers=CLASS_NUMBERS, spare=("largest", "best", "plans"))
    for difficulty in Difficulty:
        own = [run for run in runs if run.entry.difficulty is difficulty]
        if own:
            classes.add_row(*_class_row(difficulty, own))
    return Group(rows, Text(""), classes, Text(_news(runs)))


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
