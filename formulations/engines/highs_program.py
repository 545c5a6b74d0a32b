"""HiGHS as a separate program, the newest release next to the one inside the process (package `highsbox`).

The process has release 1.13.1, with known errors upstream (ERGO-Code/HiGHS #2874, and #2980, which 1.15 repairs). One
process cannot import both 1.15 and OR-Tools. A separate program shares no process, so models can be tried on both.

Traps that this file closes:

- restarts and feasibility jump are off (`euclio.core.highs_runs`) and tolerances are `ENGINE`, as inside the process;
- the package's program does not find its own libraries;
- its exit code does not depend on the model, so the log's words count;
- it takes 1e+30 and more for infinite, and numbers of a model file have 13 digits;
- its log rounds bounds, so we move them outwards by the last printed digit;
- a solution file has the dual values of a linear program only if there are any.
"""

from __future__ import annotations

import math
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pulp

from euclio.core.engine_packages import is_installed
from euclio.core.errors import InputError
from euclio.core.highs_runs import OFF
from euclio.core.result import Status, WarmStart
from formulations.engines.highs import PLAIN, START_TAKEN, pruning_options
from formulations.engines.interface import (
    EngineLimits,
    LinearOutcome,
    LinearValues,
    Outcome,
    Point,
    is_beyond,
    note,
    within,
)
from formulations.tolerances import ENGINE

PACKAGE = "highsbox"
FAILED = "HiGHS ended without a report"
STATUS = re.compile(r"^\s*(?:Model status\s*:|Status)\s+(\S.*?)\s*$", re.MULTILINE)
DUAL_BOUND = re.compile(r"^\s*Dual bound\s+(\S+)", re.MULTILINE)
NODES = re.compile(r"^\s*Nodes\s+(\d+)", re.MULTILINE)
PROGRESS = re.compile(
    r"^.{0,3}(?:\s+\d+){3}\s+[\d.]+%\s+(?P<bound>\S+)\s+(?P<incumbent>\S+)\s.*?\s(?P<seconds>[\d.]+)s\s*$", re.MULTILINE
)
"""A line of its log: nodes and leaves, explored, bound, incumbent, gap, cuts, iterations, seconds."""
SOLVED, INFEASIBLE = "Optimal", ("Infeasible", "Primal infeasible or unbounded")
INFINITE = 1e30
"""HiGHS's infinity, which it prints for a missing bound."""
PRINTED, PRINTED_IN_LINES = 1e-11, 1e-9
"""Part of a bound by which its printed digits may be off, at the end and during the run."""
PRIMAL, DUAL = "# Primal solution values", "# Dual solution values"
LIBRARY_PATHS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""Variables with the folders in which systems look for libraries."""
SPARE_S = 60.0
"""Seconds beyond its limit after which the program is killed."""


@dataclass(frozen=True, slots=True)
class HighsProgram:
    """The engine for linear models in PuLP that runs HiGHS's program."""

    name: str = "highs-program"
    prunes: bool = True

    def run(self, model: pulp.LpProblem, limits: EngineLimits, start: LinearValues | None = None) -> LinearOutcome:
        """Solve a model; see `formulations.engines.interface.Engine`.

        Raises:
            InputError: the package that brings the program is not installed.
        """
        return _run(model, limits, start)


HIGHS_PROGRAM = HighsProgram()


def program() -> Path:
    """The program.

    Raises:
        InputError: the package that brings it is not installed, or has none for this machine.
    """
    if not is_installed(PACKAGE):
        raise InputError(
            f"highs-program needs the package {PACKAGE}: pip install 'euclio[engines]'; or use the engine highs",
            field="--engine",
        )
    import highsbox

    found = Path(highsbox.highs_bin_path())
    if not found.exists():
        raise InputError(f"{PACKAGE} has no program for this machine; use the engine highs", field="--engine")
    return found


def _run(model: pulp.LpProblem, limits: EngineLimits, start: LinearValues | None) -> LinearOutcome:
    path = program()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        names = _write_model(model, folder / "model.mps")
        (folder / "options").write_text(
            _options(limits, folder, float(model.objective.constant)), encoding="utf-8", newline="\n"
        )
        command = [str(path), str(folder / "model.mps"), f"--options_file={folder / 'options'}"]
        if start is not None:
            _write_start(start, names, folder / "start.sol")
            command.append(f"--read_solution_file={folder / 'start.sol'}")
        if limits.time_limit_s is not None:
            command.append(f"--time_limit={limits.time_limit_s}")
        hard_s = None if limits.time_limit_s is None else limits.time_limit_s + SPARE_S
        try:
            subprocess.run(command, cwd=folder, env=_environment(), capture_output=True, timeout=hard_s, check=False)
        except subprocess.TimeoutExpired:
            return Outcome(Status.UNKNOWN, "HiGHS overran its limit and was ended")
        log, solution = (_text(folder / file) for file in ("log", "solution.sol"))
    if limits.log_file is not None:
        with limits.log_file.open("a", encoding="utf-8", newline="\n") as kept:
            kept.write(log)
    return _read(model, log, solution, names, limits, start is not None)


def _environment() -> dict[str, str]:
    """The environment with the program's own libraries first, which it does not find by itself."""
    import highsbox

    library = highsbox.highs_lib_dir()
    searched = {name: os.pathsep.join(filter(None, (library, os.environ.get(name)))) for name in LIBRARY_PATHS}
    return {**os.environ, **searched}


def _write_model(model: pulp.LpProblem, path: Path) -> dict[str, str]:
    """Write a model, and give the names that variables have in the file, by their own."""
    # Our names may be too long for a model file.
    _, renamed, *_ = model.writeMPS(str(path), rename=True, with_objsense=True)
    return dict(renamed)


def _options(limits: EngineLimits, folder: Path, constant: float) -> str:
    chosen: dict[str, object] = {
        "log_file": folder / "log",
        "log_to_console": False,
        "solution_file": folder / "solution.sol",
        "write_solution_to_file": True,
        "random_seed": limits.seed % 2**31,
        "threads": limits.threads,
        "mip_rel_gap": 0.0,
        "mip_abs_gap": 0.0,
        "primal_feasibility_tolerance": ENGINE,
        "dual_feasibility_tolerance": ENGINE,
        "mip_feasibility_tolerance": ENGINE,
        **OFF,
        **(PLAIN if limits.plain else {}),
        **({} if limits.presolve else {"presolve": "off"}),
        **({"solve_relaxation": True} if limits.relaxed else {}),
        **({} if limits.most is None or limits.relaxed else pruning_options(limits.most - constant)),
    }
    words = {True: "true", False: "false"}
    lines = (f"{key} = {words[value] if isinstance(value, bool) else value}" for key, value in chosen.items())
    return "\n".join(lines) + "\n"


def _write_start(start: LinearValues, names: Mapping[str, str], path: Path) -> None:
    rows = [f"{names[name]} {value!r}" for name, value in start.items()]
    head = ["Model status", "None", "", PRIMAL, "Feasible", "", f"# Columns {len(rows)}"]
    path.write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8", newline="\n")


def _read(
    model: pulp.LpProblem, log: str, solution: str, names: Mapping[str, str], limits: EngineLimits, started: bool
) -> LinearOutcome:
    words = STATUS.findall(log)
    if not words:
        return Outcome(Status.UNKNOWN, FAILED)
    raw = words[-1]
    if raw in INFEASIBLE:
        return Outcome(Status.INFEASIBLE, raw, nodes=_nodes(log))
    sign = -1.0 if model.sense == pulp.LpMaximize else 1.0
    constant = float(model.objective.constant)
    bound, trace = _bound(log, sign, constant), _trace(log, sign, constant, limits.most)
    found = _section(solution, PRIMAL, names)
    if found is None:
        return Outcome(Status.UNKNOWN, raw, bound=within(bound, limits.most), nodes=_nodes(log), trace=trace)
    objective = constant + math.fsum(a * found[v.name] for v, a in model.objective.items())
    optimal = raw == SOLVED
    if optimal and not limits.relaxed and is_beyond(objective, limits.most):
        return Outcome(Status.INFEASIBLE, raw, nodes=_nodes(log))  # solutions within the limit were pruned
    warm = WarmStart.NONE if not started else WarmStart.USED if START_TAKEN in log else WarmStart.IGNORED
    return Outcome(
        Status.OPTIMAL if optimal else Status.FEASIBLE,
        raw,
        found,
        objective,
        within(objective if optimal else bound, limits.most),
        _nodes(log),
        trace,
        warm,
        reduced_costs=_section(solution, DUAL, names) if limits.relaxed else None,
    )


def _bound(log: str, sign: float, constant: float) -> float | None:
    """The proven bound of a log, moved outwards by the rounding of its digits; None means that it has none.

    A model file has no constant, so the log's numbers lack it.
    """
    printed = DUAL_BOUND.findall(log)
    return _outwards(float(printed[-1]), sign, constant, PRINTED) if printed else None


def _outwards(value: float, sign: float, constant: float, part: float) -> float | None:
    """A printed bound moved outwards by a part of it; None means infinite."""
    if not math.isfinite(value) or abs(value) >= INFINITE:
        return None
    return value - sign * abs(value) * part + constant


def _trace(log: str, sign: float, constant: float, most: float | None) -> tuple[Point[float], ...]:
    """Incumbent and bound by the lines of a log with changes; a missing value is infinite there."""
    trace: list[Point[float]] = []
    for line in PROGRESS.finditer(log):
        incumbent = float(line["incumbent"])
        found = incumbent + constant if math.isfinite(incumbent) else None
        bound = within(_outwards(float(line["bound"]), sign, constant, PRINTED_IN_LINES), most)
        note(trace, float(line["seconds"]), found, bound)
    return tuple(trace)


def _nodes(log: str) -> int:
    counts = NODES.findall(log)
    return int(counts[-1]) if counts else 0


def _section(solution: str, title: str, names: Mapping[str, str]) -> dict[str, float] | None:
    """The values of all variables in a section of a solution's file, by their own names; None if it has none."""
    lines = solution.splitlines()
    if title not in lines:
        return None
    at = lines.index(title)
    # The line below a title tells whether there are any.
    if lines[at + 1].strip() in ("None", "Infeasible"):
        return None
    first = next((k for k in range(at, len(lines)) if lines[k].startswith("# Columns")), None)
    if first is None:
        return None
    count = int(lines[first].split()[-1])
    given = dict(line.split() for line in lines[first + 1 : first + 1 + count])
    return {own: float(given.get(name, "0")) for own, name in names.items()}


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
