"""`python -m euclio.serving.replanning`: runs the study of re-planning and writes its table and its figure.

A minute of twelve clients takes two to three minutes on one core. With `--traces`, measured uplinks are replayed too;
with `--bandwidth-every 60,1 --seconds 3600` an hour is followed by the minute, and stretches of one by the second.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from euclio.core.errors import InputError
from euclio.core.progress import progress_bar
from euclio.core.values import count, counts, names
from euclio.files.json_writing import json_text, write_text
from euclio.files.marked import put_between
from euclio.serving.replanning.study import CLIENTS, MODELS, SECONDS, PolicyRow, lines, rows_of
from euclio.serving.replanning.tables import all_rows, page_tables, save

OUT = Path("build/reports") / "replanning"
SCHEMA = "euclio/replanning/1"
MARK = "replanning"


def main(argv: Sequence[str] | None = None) -> None:
    """Run, write the files, and print their place."""
    parser = argparse.ArgumentParser(prog="python -m euclio.serving.replanning", description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, metavar="DIR", help=f"folder; default: {OUT}")
    parser.add_argument("--traces", type=Path, metavar="PATH", help="also replay measured uplinks of a file or folder")
    parser.add_argument("--models", type=names, default=MODELS, metavar="A,B", help="networks; default: mob,inc,vgg")
    parser.add_argument("--seconds", type=count, default=SECONDS, metavar="N", help=f"default: {SECONDS}")
    parser.add_argument("--clients", type=count, default=CLIENTS, metavar="N", help=f"default: {CLIENTS}")
    parser.add_argument(
        "--bandwidth-every",
        type=counts,
        default=(1,),
        metavar="S,T",
        help="seconds that a bandwidth holds for, one timeline for each; default: 1; Graft's default: 60",
    )
    parser.add_argument(
        "--trigger", action="store_true", help="add policies that plan only where a cut changes, as Graft does"
    )
    parser.add_argument("--page", type=Path, metavar="FILE", help="also write the tables between the marks of a page")
    arguments = parser.parse_args(argv)
    try:
        _run(arguments)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None


def _run(arguments: argparse.Namespace) -> None:
    rows: list[PolicyRow] = []
    followed = list(
        lines(
            arguments.models, arguments.seconds, arguments.clients, arguments.traces, steps_s=arguments.bandwidth_every
        )
    )
    with progress_bar("timelines", len(followed)) as advance:
        for line in followed:
            rows += rows_of(line, trigger=arguments.trigger)
            advance()
    write(rows, arguments.out)
    if arguments.page is not None:
        put_between(arguments.page, MARK, page_tables(rows))
    print(arguments.out)


def write(rows: Sequence[PolicyRow], out: Path) -> None:
    """Write the rows as JSON, the table as Markdown and the figure."""
    out.mkdir(parents=True, exist_ok=True)
    write_text(json_text({"schema": SCHEMA, "rows": [_plain(row) for row in rows]}), out / "replanning.json")
    write_text(all_rows(rows), out / "replanning.md")
    save(rows, out / "replanning.svg")


def _plain(row: PolicyRow) -> dict[str, object]:
    """A row as plain data, without its steps."""
    return {name: getattr(row, name) for name in PolicyRow.__slots__ if name != "shares_pct"}


if __name__ == "__main__":
    main()
