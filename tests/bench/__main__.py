"""`python -m tests.bench`: run the benchmarks and print one table per section.

Exit codes: 0 measured (a missed target is a finding, not an error), 1 an answer was wrong or not proven, 2 bad input.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from euclio.core.progress import waiting
from euclio.core.tables import to_text
from euclio.core.versions import provenance
from euclio.core.words import duration
from tests.bench.attainment_speed import attainment_speed
from tests.bench.chains_speed import chains_speed
from tests.bench.day_speed import day_speed
from tests.bench.fragments_speed import fragments_speed
from tests.bench.growth import growth
from tests.bench.instances_speed import instances_speed
from tests.bench.large_speed import large_speed
from tests.bench.measuring import compile_solver, processor_s
from tests.bench.page_speed import page_speed
from tests.bench.pipelines_speed import pipelines_speed
from tests.bench.planners_speed import planners_speed
from tests.bench.pools_speed import pools_speed
from tests.bench.race import race, splits
from tests.bench.ratio_speed import ratio_speed
from tests.bench.report import Line, Section, section_table
from tests.bench.runner_speed import runner_speed
from tests.bench.serving_speed import serving_speed
from tests.bench.whole_speed import whole_speed
from tests.bench.workloads_speed import FAST, PLAIN, PRUNED, workloads_speed

INSTANCES = Path(__file__).resolve().parents[2].parent / "shared" / "instances"


SECTIONS = (
    *("instances", "chains", "workloads", "ratio", "race", "splits", "growth", "large", "pipelines", "fragments"),
    *("serving", "attainment", "runner", "page", "whole", "pools", "day"),
)


def compilation() -> Section:
    """Compile everything that is timed."""
    lines = []
    for name in (*FAST, PLAIN, PRUNED):
        seconds, functions = compile_solver(name)
        how = f"{functions} functions compiled" if functions else "machine code loaded from disk"
        lines.append(Line(f"{name}: {how}", duration(seconds)))
    return Section("Compilation, before anything is timed", tuple(lines))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the sections that are asked for."""
    arguments = _arguments(argv)
    parts: dict[str, Callable[[], Sequence[Section]]] = {
        "instances": lambda: instances_speed(arguments.instances),
        "chains": lambda: (chains_speed(),),
        "workloads": lambda: workloads_speed(arguments.workloads),
        "ratio": lambda: (ratio_speed(arguments.instances, arguments.workloads),),
        "race": lambda: race(arguments.workloads),
        "splits": lambda: (splits(arguments.workloads),),
        "growth": growth,
        "large": large_speed,
        "pipelines": lambda: pipelines_speed(arguments.instances),
        "fragments": lambda: [*fragments_speed(), *planners_speed()],
        "serving": lambda: (serving_speed(),),
        "attainment": attainment_speed,
        "runner": lambda: (runner_speed(),),
        "page": lambda: (page_speed(),),
        "day": lambda: day_speed(arguments.instances),
        "whole": lambda: whole_speed(arguments.instances, arguments.workloads),
        "pools": lambda: pools_speed(arguments.instances),
    }
    # Sections are not kept: instances and plans of thousands of runs would be looked through for garbage in all others.
    described: list[dict[str, Any]] = []
    wrong = False
    started, used = time.monotonic(), processor_s()
    for name in ("compilation", *(arguments.only or parts)):
        since, before = time.monotonic(), processor_s()
        # What takes long inside shows itself; a section that does not is named at least.
        with waiting(f"measuring: {name}", weak=True):
            for section in parts[name]() if name in parts else (compilation(),):
                print(to_text(section_table(section)), flush=True)
                wrong = wrong or any(line.correct and not line.met for line in section.lines)
                if arguments.json is not None:
                    described.append(section.describe())
        print(f"{name}: {_taken(since, before)}\n", flush=True)
    print(f"all: {_taken(started, used)}", flush=True)
    if arguments.json is not None:
        data = {"provenance": provenance(), "sections": described}
        arguments.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return int(wrong)


def _taken(since: float, before: float) -> str:
    """Processor time since then, and the time that has passed."""
    return f"{duration(processor_s() - before)} of processor time in {duration(time.monotonic() - since)}"


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Solver times against their targets.")
    parser.add_argument("--workloads", type=_count, default=1131, metavar="N", help="workloads; default: 1131")
    parser.add_argument(
        "--instances", type=Path, default=INSTANCES, metavar="DIR", help="measured instances; default: next to the tree"
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=SECTIONS,
        help="this section; may be repeated",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all runs as JSON")
    return parser.parse_args(argv)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number, at least 1")
    return int(text)


if __name__ == "__main__":
    raise SystemExit(main())
