"""The figure, the three numbers and the tables of `docs/claims.md`, from `reports/claims.md`.

`python docs/tools/claims.py`; to be run after `euclio reproduce --claims --accept`, which writes that report.
"""

from __future__ import annotations

import re

from matplotlib.figure import Figure
from pasting import DOCS, FIGURES, OPENED, PAPERS, ROOT, draw_plain, fold, paste, table

REPORT, PAGE = ROOT / "reports" / "claims.md", DOCS / "claims.md"
ROW = re.compile(r"^\| ([a-z]+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|", re.MULTILINE)
NUMBERS = re.compile(
    r"^Of (\d+) printed numbers .*?, (\d+) agree .*?, (\d+) are not decided, (\d+) are off, (\d+) are", re.MULTILINE
)
CLAIMS = re.compile(r"^(\d+) claims: (.*)\.$", re.MULTILINE)
VERDICTS = (("agree", "#1b7f4d"), ("not decided", "#70757e"), ("off", "#b3262e"), ("not compared", "#54708c"))


def in_short(report: str) -> str:
    """The three numbers of the page."""
    numbers, claims = NUMBERS.search(report), CLAIMS.search(report)
    assert numbers is not None
    assert claims is not None
    total, agree, undecided, off, apart = numbers.groups()
    rows = (
        (
            f"of {total} printed numbers that nothing was fitted or set to: agree within a tenth (whole interval)",
            agree,
        ),
        ("are not decided; are off; are not compared", f"{undecided}; {off}; {apart}"),
        (f"of {claims[1]} claims", claims[2]),
    )
    return table(("three numbers", ""), rows)


def in_full(report: str) -> str:
    """The report without its title: what it says first, and a fold per section, whose tables Markdown pages show."""
    first, *sections = report.partition("\n")[2].split("\n## ")
    parts = (section.partition("\n") for section in sections)
    return "\n\n".join((first.strip(), *(fold(name, body.strip(), OPENED) for name, _, body in parts)))


def draw(report: str) -> Figure:
    """Check numbers by paper: a bar each, divided by the four words."""
    section = report.split("## Numbers by paper")[1].split("\n## ")[0]
    rows = [(PAPERS[paper], *map(int, counts)) for paper, *counts in ROW.findall(section) if paper in PAPERS]
    figure = Figure(figsize=(7.6, 2.6), layout="constrained")
    axes = figure.subplots()
    left = [0] * len(rows)
    for k, (verdict, colour) in enumerate(VERDICTS):
        counts = [row[2 + k] for row in rows]
        bars = axes.barh([row[0] for row in rows], counts, left=left, color=colour, label=verdict)
        axes.bar_label(bars, [str(count) if count else "" for count in counts], label_type="center", color="white")
        left = [a + b for a, b in zip(left, counts, strict=True)]
    axes.invert_yaxis()
    axes.set_xlabel("printed numbers that nothing was fitted or set to")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, ncols=4, loc="lower left", bbox_to_anchor=(0, 1))
    return figure


if __name__ == "__main__":
    text = REPORT.read_text(encoding="utf-8")
    paste(PAGE, {"three numbers": in_short(text), "claims": in_full(text)})
    draw_plain(FIGURES / "claims.svg", lambda: draw(text))
