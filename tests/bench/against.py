"""`python -m tests.bench.against CHECKOUT`: this checkout against another one, on the same files, in alternation.

Every instance is solved here, there, here, there …, each checkout in one process of its own that stays alive; the ratio
is that of the least processor times. Costs, bounds and statuses are compared too: a change that is to alter nothing
shows it here.

Exit codes: 0 measured and all answers the same, 1 answers differ, 2 bad input.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from euclio.core.tables import to_text
from euclio.files.instance_files import save_instance
from euclio.workloads.populations import find_population
from tests.bench.measuring import bar
from tests.bench.report import Line, Section, percentile, section_table

HERE = Path(__file__).resolve().parents[2]
INSTANCES = HERE.parent / "shared" / "instances"
SETS = ("sessions", "sessions_large", "sessions_hard")
KEPT = ("set of sessions", "set of clusters", "set of fleets")
OTHER_FAMILIES = KEPT[1:]
"""Solved by the default solver of their family."""
POPULATIONS = ("harpagon", "piccolo")
LIMIT_S = 10.0
REPEATS = 5
REPEATED_WITHIN_S = 1.0
"""An instance that took longer in one of the checkouts is not repeated."""
SAME = 1e-9
"""Costs and bounds that differ by less, relatively, are the same: both are sums in an order that may change."""
HIGH = 0.95
COLUMNS = ("instances", "number", "median", "95th percentile", "least", "worst", "total", "differ")


@dataclass(slots=True)
class Side:
    """A checkout that answers.

    Attributes:
        process: its Python, which reads a question a line and writes an answer a line.
        asked: for each file the answers so far.
    """

    process: subprocess.Popen[str]
    asked: dict[Path, list[dict[str, object]]] = field(default_factory=dict)

    def ask(self, path: Path, solver: str, limit_s: float) -> float:
        """Have it solve one file once.

        Returns:
            Processor time in seconds.

        Raises:
            SystemExit: it ended; what it said stands above.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(solver, limit_s, path, sep="\t", file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{path}: {self.process.args} ended without an answer")
        answer: dict[str, object] = json.loads(line)
        self.asked.setdefault(path, []).append(answer)
        return float(str(answer["seconds"]))


@contextmanager
def side(checkout: Path) -> Iterator[Side]:
    """A checkout's own Python where it has one, else this one, on that checkout's sources."""
    own = checkout / ".venv" / "bin" / "python"
    python = str(own) if own.exists() else sys.executable
    command = [python, str(Path(__file__).with_name("answering.py"))]
    # Short work is interpreted until numba is worth its import: both sides run compiled, whatever they did before.
    paths = {
        "PYTHONPATH": str(checkout),
        "PATH": "/usr/bin:/bin",
        "HOME": str(Path.home()),
        "EUCLIO_KERNELS": "compiled",
        "EUCLIO_QUIET": "1",
    }
    with subprocess.Popen(
        command, cwd=checkout, env=paths, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            yield Side(process)
        finally:
            process.kill()


def measure(
    title: str, files: Sequence[Path], sides: tuple[Side, Side], solver: str
) -> tuple[tuple[str, ...], list[Line]]:
    """One set of instances on both sides.

    Returns:
        The row of the table, and a line for each instance whose answers differ.
    """
    ratios: list[float] = []
    totals = [0.0, 0.0]
    lines: list[Line] = []
    with bar(f"{solver or 'default solver'}, {title}", len(files)) as advance:
        for path in files:
            # Once each uncounted: machine code is loaded, and what a process makes once is made.
            spent = [one.ask(path, solver, LIMIT_S) for one in sides]
            times: list[list[float]] = [[], []]
            for turn in range(REPEATS if max(spent) < REPEATED_WITHIN_S else 1):
                # Who goes first takes turns: it finds the caches as the other one left them.
                for at in (0, 1) if turn % 2 == 0 else (1, 0):
                    times[at].append(sides[at].ask(path, solver, LIMIT_S))
            least = [min(one) for one in times]
            ratios.append(least[0] / least[1])
            totals = [sum(pair) for pair in zip(totals, least, strict=True)]
            lines += _differences(path, sides)
            advance()
    cells = (statistics.median(ratios), percentile(ratios, HIGH), min(ratios), max(ratios), totals[0] / totals[1])
    return (title, f"{len(files)}", *(f"{cell:.3f}" for cell in cells), f"{len(lines)}"), lines


def _differences(path: Path, sides: tuple[Side, Side]) -> list[Line]:
    """A line where status, cost or bound is not the same on both sides."""
    here, there = (one.asked[path][-1] for one in sides)
    if here["status"] == there["status"] and all(_same(here[name], there[name]) for name in ("cost", "bound")):
        return []
    said = ["{status} {cost} ≥ {bound}".format(**answer) for answer in (here, there)]
    return [Line(path.stem, said[0], said[1])]


def _same(left: object, right: object) -> bool:
    if left is None or right is None:
        return left is right
    one, other = float(str(left)), float(str(right))
    return one == other or abs(one - other) <= SAME * max(abs(one), abs(other))


def sets(folder: Path, count: int, into: Path) -> Iterator[tuple[str, list[Path]]]:
    """The measured sessions, the benchmark set and both papers' workloads, as files that both sides read."""
    for name in SETS:
        if files := sorted((folder / name).glob("*.json")):
            yield name, files
    yield from ((name, sorted((HERE / "data" / "instances" / name.split()[-1]).glob("*.json"))) for name in KEPT)
    for name in POPULATIONS:
        population = find_population(name)
        paths = []
        for session in itertools.islice(population.draw(min(count, population.count), population.seed), count):
            paths.append(into / f"{name}-{session.name}.json")
            save_instance(session, paths[-1])
        yield f"workloads {name}", paths


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the table, and say what differs."""
    parser = argparse.ArgumentParser(description="Compare this checkout with another one.")
    parser.add_argument("checkout", type=Path, help="the other checkout; its .venv is used where it has one")
    parser.add_argument("--solver", default="exact")
    parser.add_argument("--instances", type=Path, default=INSTANCES, metavar="DIR")
    parser.add_argument("--workloads", type=int, default=10**6, metavar="N", help="at most so many of each paper")
    parser.add_argument("--only", nargs="+", metavar="SET", help="sets of the table, such as sessions")
    arguments = parser.parse_args(argv)
    if not (arguments.checkout / "euclio" / "__init__.py").exists():
        parser.error(f"{arguments.checkout} is no checkout: it has no euclio/__init__.py; name the folder of one")
    rows, lines = [], []
    with ExitStack() as stack:
        into = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        both = (stack.enter_context(side(HERE)), stack.enter_context(side(arguments.checkout.resolve())))
        for title, files in sets(arguments.instances, arguments.workloads, into):
            if arguments.only and title not in arguments.only:
                continue
            solver = "" if title in OTHER_FAMILIES else arguments.solver
            row, differing = measure(title, files, both, solver)
            rows.append(row)
            lines += differing
            print("  ".join(row), flush=True)
    title = f"{arguments.solver}: here over {arguments.checkout}, ratios of least processor times"
    print(to_text(section_table(Section(title, tuple(lines), columns=COLUMNS, rows=tuple(rows)))))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
