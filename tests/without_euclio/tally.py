"""Try an exported benchmark set where euclio is not installed: ``python tally.py EXPORT [--models N] [--limit S]``.

It uses the standard library alone, and the program of HiGHS, that of the package ``highsbox`` or ``highs`` on the path.
Files are held against the crate's hashes, all plans priced again, all proofs checked again, programs solved again and
held against ``euclio.solu``. One table; exit code 1: something is not as the export says.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

NEAR = 1e-6
"""Share of a value within which a solver's value is the same: what HiGHS tolerates."""
OPTIONS = (
    "mip_rel_gap = 0",
    "mip_abs_gap = 0",
    "primal_feasibility_tolerance = 1e-9",
    "mip_feasibility_tolerance = 1e-9",
    "threads = 1",
    "output_flag = true",
    "log_to_console = true",
)


KINDS = (("sessions", "s-"), ("clusters", "p-"), ("fleets", "f-"))
WORDS = ("=opt=", "=best=")


class Row(NamedTuple):
    """What became of files of one kind: how many there are, how many are good, wrong, and without an answer."""

    what: str
    files: int
    good: int
    wrong: list[str]
    silent: int
    seconds: list[float]


def hashes(folder: Path) -> Row:
    """Files whose SHA-256 is the crate's."""
    graph = json.loads((folder / "ro-crate-metadata.json").read_text(encoding="utf-8"))["@graph"]
    listed = {one["@id"]: one["sha256"] for one in graph if one["@type"] == "File"}
    wrong, seconds = [], []
    for path, known in listed.items():
        started = time.perf_counter()
        if hashlib.sha256((folder / path).read_bytes()).hexdigest() != known:
            wrong.append(path)
        seconds.append(time.perf_counter() - started)
    return Row("files with the crate's SHA-256", len(listed), len(listed) - len(wrong), wrong, 0, seconds)


def checked(what: str, program: Path, commands: dict[str, list[Path]]) -> Row:
    """Files that a program accepts, each in a process of its own."""
    wrong, seconds = [], []
    for name, arguments in commands.items():
        started = time.perf_counter()
        command = [sys.executable, "-I", str(program), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds.append(time.perf_counter() - started)
        if done.returncode:
            wrong.append(f"{name}: {done.stdout.strip() or done.stderr.strip()}")
    return Row(what, len(commands), len(commands) - len(wrong), wrong, 0, seconds)


def values(folder: Path, word: str) -> dict[str, float]:
    """The values of `euclio.solu` behind a word, "=opt=" or "=best="."""
    lines = (line.split() for line in (folder / "euclio.solu").read_text(encoding="ascii").splitlines())
    return {name: float(value) for own, name, value in lines if own == word}


def highs() -> tuple[str, dict[str, str]]:
    """The program of HiGHS, and the environment that it needs."""
    if importlib.util.find_spec("highsbox"):
        import highsbox

        searched = os.pathsep.join(filter(None, (highsbox.highs_lib_dir(), os.environ.get("LD_LIBRARY_PATH"))))
        return str(highsbox.highs_bin_path()), {**os.environ, "LD_LIBRARY_PATH": searched}
    found = shutil.which("highs")
    if found is None:
        raise SystemExit("there is no HiGHS; pip install highsbox")
    return found, dict(os.environ)


def solved(folder: Path, word: str, kind: tuple[str, str], most: int, limit_s: float) -> Row:
    """Programs that HiGHS solves to the value of `euclio.solu`: so many, evenly from the smallest to the largest.

    Args:
        folder: the export.
        word: which of them, "=opt=" or "=best=".
        kind: what they are of, and how their names begin.
        most: how many.
        limit_s: limit of each in seconds.
    """
    program, environment = highs()
    optimal = values(folder, word)
    models = sorted((folder / "models").glob(f"{kind[1]}*.mps.gz"), key=lambda path: (path.stat().st_size, path.name))
    models = [path for path in models if path.name[: -len(".mps.gz")] in optimal]
    step = max(1, len(models) // most)
    models = models[-1::-step][:most]
    wrong, silent, seconds = [], 0, []
    with tempfile.TemporaryDirectory() as name:
        options, solution = Path(name) / "options", Path(name) / "solution"
        options.write_text("\n".join(OPTIONS) + "\n", encoding="utf-8")
        for path in models:
            solution.unlink(missing_ok=True)
            command = [program, str(path), f"--options_file={options}", f"--solution_file={solution}"]
            started = time.perf_counter()
            subprocess.run(
                [*command, f"--time_limit={limit_s}"], capture_output=True, env=environment, cwd=name, check=False
            )
            seconds.append(time.perf_counter() - started)
            found = objective(solution)
            known = optimal[path.name[: -len(".mps.gz")]]
            if found is None:
                silent += 1
            elif abs(found - known) > NEAR * abs(known):
                wrong.append(f"{path.name}: {found}, known is {known}")
    good = len(models) - silent - len(wrong)
    return Row(
        f"programs of {kind[0]} with {word} solved by HiGHS to that value", len(models), good, wrong, silent, seconds
    )


def objective(solution: Path) -> float | None:
    """The value in a solution's file of HiGHS; None: it did not end with an optimum."""
    lines = solution.read_text(encoding="utf-8").splitlines() if solution.exists() else []
    if "Optimal" not in lines[:2]:
        return None
    return next((float(line.split()[1]) for line in lines if line.startswith("Objective ")), None)


def main() -> int:
    """Try everything, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("export", type=Path)
    parser.add_argument("--models", type=int, default=60, help="programs of each family at most")
    parser.add_argument("--limit", type=float, default=30, help="seconds for each")
    arguments = parser.parse_args()
    folder = arguments.export
    print(f"Python {platform.python_version()}; euclio is installed: {importlib.util.find_spec('euclio') is not None}")
    rooms = ("sessions", "clusters", "fleets")
    plans = {
        path.stem: [path, folder / "best" / path.name]
        for room in rooms
        for path in sorted((folder / room).glob("*.json"))
    }
    proofs = {path.name: [path] for path in sorted((folder / "proofs").glob("*.vipr.gz"))}
    rows = [
        hashes(folder),
        checked("plans priced again", folder / "check_plan.py", plans),
        checked("proofs accepted", folder / "check_proof.py", proofs),
        *(solved(folder, word, kind, arguments.models, arguments.limit) for word in WORDS for kind in KINDS),
    ]
    rows = [row for row in rows if row.files]
    print("| what | files | good | wrong | no answer in time | median s | longest s |\n|---|---|---|---|---|---|---|")
    for row in rows:
        times = f"{median(row.seconds):.3f} | {max(row.seconds):.3f}" if row.seconds else "- | -"
        print(f"| {row.what} | {row.files} | {row.good} | {len(row.wrong)} | {row.silent} | {times} |")
    for row in rows:
        for line in row.wrong:
            print(f"WRONG: {line}")
    return int(any(row.wrong for row in rows))


if __name__ == "__main__":
    sys.exit(main())
