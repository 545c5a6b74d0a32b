"""Evidence for the claims of the benchmark set: `python docs/tools/trust.py EXPORT [OUTPUT]` writes `reports/trust/`.

It reads the record of an export (`euclio bench-set export`), checks its proof files again to time that, and takes in
the output of `tests/without_euclio/run.sh`, where it is given.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from matplotlib.figure import Figure
from pasting import ROOT, draw_plain, fold, table

from euclio.core.words import duration
from euclio.experiments.bench_set.export.record import (
    BY_CHECKER,
    BY_FILE,
    BY_SEARCH,
    MODEL,
    PROOF,
    ExportedInstance,
    read_export,
)
from euclio.files.json_writing import write_text
from euclio.proving.files.checker import check_text, text_of

FOLDER = ROOT / "reports" / "trust"
FAMILIES = {"session": "sessions", "pipeline": "clusters", "fragments": "fleets"}
SOLVER, OPEN = "a solver's word", "not proven"
COLOURS = {BY_FILE: "#1b7f4d", BY_SEARCH: "#4d9bd1", BY_CHECKER: "#9bc4a8", SOLVER: "#d9a441", OPEN: "#b3262e"}
"""Kinds of evidence, the strongest first."""
WORDS = """The checker prices every plan of the set in fractions. A separate claim states that no plan is better. Its
evidence is:

- *File*: `check_proof.py` accepts a proof file about the program in the file. The independent search vouches that the
  file's lists (corners of modules, sets of fragments and their gains, GPUs that do not serve a model) miss no plan.
  Small clusters have programs without such a list: [the scope of a file](../../docs/certificates.md#proof-files).
- *Independent search*: euclio's prover, which shares nothing with the solvers, found no better plan.
- *A solver's word*: only the solver that proved the bound claims it. Agreement of engines does not count."""
NO_CONTAINER = """The output of `tests/without_euclio/run.sh` in a new virtual environment, an empty folder and an empty
environment. The machine had no containers, so the `Dockerfile` next to the script is untested."""


@dataclass(frozen=True, slots=True)
class Row:
    """An instance, the evidence for its claim, and seconds of checking its proof file; None without a file."""

    entry: ExportedInstance
    evidence: str
    check_s: float | None


def rows_of(export: Path) -> list[Row]:
    """The instances of an export, their proof files checked again.

    Raises:
        RefusedError: a file is refused.
    """
    found = []
    for entry in read_export(export).entries:
        proof = entry.file(PROOF)
        check_s = None
        if proof is not None:
            started = time.perf_counter()
            check_text(text_of((export / proof.path).read_bytes()))
            check_s = time.perf_counter() - started
        found.append(Row(entry, entry.evidence or (OPEN if entry.difficulty == "open" else SOLVER), check_s))
    return found


def three_numbers(rows: Sequence[Row]) -> str:
    """The first table of the page."""
    counts = Counter(row.evidence for row in rows)
    certified = counts[BY_FILE] + counts[BY_SEARCH] + counts[BY_CHECKER]
    numbers = (
        ("optimality claims with a proof file, accepted by a program of 300 lines", counts[BY_FILE]),
        (
            "optimality claims certified without a file, by a search that shares nothing with the solvers",
            certified - counts[BY_FILE],
        ),
        ("instances with only a solver's claim, or without a proof", counts[SOLVER] + counts[OPEN]),
    )
    return table(("three numbers", f"of {len(rows)}"), ((what, str(n)) for what, n in numbers))


def draw(rows: Sequence[Row]) -> Figure:
    """A bar for each family, divided by evidence."""
    figure = Figure(figsize=(7.6, 2.2), layout="constrained")
    axes = figure.subplots()
    left = [0] * len(FAMILIES)
    for evidence, colour in COLOURS.items():
        counts = [sum(r.evidence == evidence and r.entry.family == family for r in rows) for family in FAMILIES]
        if not any(counts):
            continue
        # As shares of a family, since there are five times as many sessions as clusters.
        totals = [sum(r.entry.family == family for r in rows) or 1 for family in FAMILIES]
        shares = [100 * n / total for n, total in zip(counts, totals, strict=True)]
        bars = axes.barh(list(FAMILIES.values()), shares, left=left, color=colour, label=evidence)
        axes.bar_label(bars, [str(n) if n else "" for n in counts], label_type="center", color="white")
        left = [a + b for a, b in zip(left, shares, strict=True)]
    axes.invert_yaxis()
    axes.set_xlabel("% of the instances of a family (numbers: instances)")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, ncols=len(COLOURS), loc="lower left", bbox_to_anchor=(0, 1))
    return figure


def by_space(rows: Sequence[Row]) -> str:
    """Claims by family, objective and plan space."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((FAMILIES[row.entry.family], row.entry.objective, row.entry.space), []).append(row)
    cells = (
        (*group, str(len(own)), *(str(sum(r.evidence == e for r in own)) for e in COLOURS))
        for group, own in groups.items()
    )
    return table(("family", "objective", "plan space", "instances", *COLOURS), cells)


def by_class(rows: Sequence[Row]) -> str:
    """Proof files by family and class: how many, how large, and what checking takes."""
    return table(
        ("family", "class", "instances", "files", "median bytes", "largest", "median check", "longest"),
        _class_cells(rows),
    )


def _class_cells(rows: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    for family, name in (*FAMILIES.items(), (None, "all")):
        for difficulty in ("easy", "medium", "hard", "open", None):
            own = [r for r in rows if family in (None, r.entry.family) and difficulty in (None, r.entry.difficulty)]
            if own and (family is not None or difficulty is None):
                yield (name, difficulty or "all", str(len(own)), *_sizes(own))


def _sizes(rows: Iterable[Row]) -> tuple[str, ...]:
    files = [
        (file.size, r.check_s) for r in rows if (file := r.entry.file(PROOF)) is not None and r.check_s is not None
    ]
    if not files:
        return ("0", "–", "–", "–", "–")
    sizes, times = [size for size, _ in files], [seconds for _, seconds in files]
    longest = (f"{median(sizes):,.0f}", f"{max(sizes):,}", duration(median(times)), duration(max(times)))
    return (str(len(files)), *longest)


def programs(rows: Sequence[Row]) -> str:
    """Programs by formulation."""
    cells = []
    for family, name in FAMILIES.items():
        own = [r.entry for r in rows if r.entry.family == family]
        made = [entry for entry in own if entry.formulation]
        sizes = [file.size for entry in made if (file := entry.file(MODEL)) is not None]
        variables = [entry.variables for entry in made]
        shown = (f"{median(variables):,.0f}", f"{max(variables):,}", f"{median(sizes):,.0f}") if made else ("–",) * 3
        cells.append((made[0].formulation if made else "–", name, str(len(own)), str(len(made)), *shown))
    header = ("program", "family", "instances", "programs", "median variables", "most variables", "median bytes")
    return table(header, cells)


def missing(rows: Sequence[Row]) -> str:
    """Missing files, with reasons."""
    reasons = (
        ("no proof file", Counter((FAMILIES[r.entry.family], r.entry.no_proof) for r in rows if r.entry.no_proof)),
        ("no program", Counter((FAMILIES[r.entry.family], r.entry.no_model) for r in rows if r.entry.no_model)),
    )
    cells = ((what, *key, str(n)) for what, counts in reasons for key, n in counts.most_common())
    return table(("missing", "family", "reason", "instances"), cells)


def uncertified(rows: Sequence[Row]) -> str:
    """The instances without a certificate, by name."""
    own = [r.entry for r in rows if r.evidence in (SOLVER, OPEN)]
    cells = ((f"`{e.name}`", e.difficulty, OPEN if e.difficulty == "open" else SOLVER, _gap(e)) for e in own)
    return table(("instance", "class", "evidence", "gap of value and bound"), cells)


def _gap(entry: ExportedInstance) -> str:
    if entry.bound is None:
        return "no bound"
    return f"{float(abs(entry.value - entry.bound) / entry.value):.2g}"


def page(rows: Sequence[Row], limit_s: float, output: str) -> str:
    """The page."""
    shown = [
        "# Evidence for the claims of the benchmark set",
        "![Instances of each family by the evidence that no plan is better](trust.svg)",
        three_numbers(rows),
        WORDS,
        fold("By family and plan space", by_space(rows)),
        fold("Proof files: sizes, and times of checking", by_class(rows)),
        fold("Programs for other solvers", programs(rows)),
        fold("Missing files, and reasons", missing(rows)),
        fold("Instances without a certificate", uncertified(rows)),
    ]
    if output:
        body = f"{NO_CONTAINER}\n\n```text\n{output.strip()}\n```"
        shown.append(fold("Tried without euclio", body))
    made = f"euclio bench-set export build/export --time-limit {limit_s:g}"
    shown.append(
        "These commands made the page. The times are of one machine, which also did other work:\n\n"
        f"```sh\n{made}\ntests/without_euclio/run.sh build/export --limit 10 > build/without-euclio.txt\n"
        "python docs/tools/trust.py build/export build/without-euclio.txt\n```"
    )
    return "\n\n".join(shown) + "\n"


def main(export: Path, output: Path | None = None) -> None:
    """Write the page, its picture and its rows."""
    rows = rows_of(export)
    FOLDER.mkdir(exist_ok=True)
    said = "" if output is None else output.read_text(encoding="utf-8")
    write_text(page(rows, max(row.entry.time_limit_s for row in rows), said), FOLDER / "README.md")
    draw_plain(FOLDER / "trust.svg", lambda: draw(rows))
    print(three_numbers(rows))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
