"""`python -m euclio.fragments.replanning`: runs the study of re-planning and writes its table and its figure.

Two to three minutes on one core. With `--traces`, measured uplinks are replayed too.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from euclio.core.progress import progress_bar
from euclio.core.values import count, names
from euclio.files.json_writing import json_text, write_text
from euclio.fragments.replanning.figure import save
from euclio.fragments.replanning.study import CLIENTS, HINDSIGHT, MODELS, SECONDS, WITHIN, Row, lines, rows_of

OUT = Path("reports") / "replanning"
SCHEMA = "euclio/replanning/1"
PERCENT = 100


def main(argv: Sequence[str] | None = None) -> None:
    """Run, write, say where."""
    parser = argparse.ArgumentParser(prog="python -m euclio.fragments.replanning", description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, metavar="DIR", help=f"folder; default: {OUT}")
    parser.add_argument("--traces", type=Path, metavar="PATH", help="also replay measured uplinks of a file or folder")
    parser.add_argument("--models", type=names, default=MODELS, metavar="A,B", help="networks; default: mob,inc,vgg")
    parser.add_argument("--seconds", type=count, default=SECONDS, metavar="N", help=f"default: {SECONDS}")
    parser.add_argument("--clients", type=count, default=CLIENTS, metavar="N", help=f"default: {CLIENTS}")
    arguments = parser.parse_args(argv)
    rows: list[Row] = []
    followed = list(lines(arguments.models, arguments.seconds, arguments.clients, arguments.traces))
    with progress_bar("timelines", len(followed)) as advance:
        for line in followed:
            rows += rows_of(line)
            advance()
    write(rows, arguments.out)
    print(arguments.out)


def write(rows: Sequence[Row], out: Path) -> None:
    """Write the rows as JSON, the table as Markdown and the figure."""
    out.mkdir(parents=True, exist_ok=True)
    write_text(json_text({"schema": SCHEMA, "rows": [_plain(row) for row in rows]}), out / "replanning.json")
    write_text(table(rows), out / "replanning.md")
    save(rows, out / "replanning.svg")


def _plain(row: Row) -> dict[str, object]:
    """A row as plain data, without its seconds."""
    return {name: getattr(row, name) for name in Row.__slots__ if name != "shares_pct"}


def table(rows: Sequence[Row]) -> str:
    """One row per timeline, planner and policy."""
    head = ("clients", "planner", "policy", "share (%)", "above optimum (%)", "started/s", "shadow (%)", "missed (%)")
    found = [f"| {' | '.join(head)} |", f"|{'---|' * 3}{'---:|' * 5}"]
    for row in rows:
        setting = f" {row.setting:g}" if row.setting or row.policy in (WITHIN, HINDSIGHT) else ""
        numbers = (
            f"{row.share_pct:.1f}",
            f"{PERCENT * row.above:.1f}",
            f"{row.started:.2f}",
            f"{row.shadow_pct:.1f}",
            f"{PERCENT * row.missed:.1f}",
        )
        found.append(f"| {row.line} | {row.planner} | {row.policy}{setting} | {' | '.join(numbers)} |")
    return "\n".join(found) + "\n"


if __name__ == "__main__":
    main()
