"""CBC, the binary within PuLP; its log has the facts that its solution file lacks.

Traps of CBC that this file closes:

- seed 0 is the time of day, so seeds begin at 1;
- it calls models infeasible that are not, with presolve or without (`formulations.engines.milp.run_twice` asks twice);
- PuLP calls a run that a time limit stopped optimal; its log says how it ended;
- under a time limit the binary ends with an error now and then, which is no answer;
- its log minimises maximised models too, writes 1e50 for missing values, and rounds bounds.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pulp

from euclio.core.errors import InputError
from euclio.core.result import Status, WarmStart
from formulations.engines.interface import EngineLimits, LinearOutcome, LinearValues, Outcome, Point
from formulations.tolerances import ENGINE

RESULT = re.compile(r"^Result - (.*\S)", re.MULTILINE)
PROGRESS = re.compile(
    r"After (?P<nodes>\d+) nodes, \d+ on tree, (?P<incumbent>\S+) best solution, best possible (?P<bound>\S+) "
    r"\((?P<seconds>[\d.]+) seconds\)"
)
FOUND = re.compile(r"ntegral? solution of (?P<incumbent>\S+) found .*\((?P<seconds>[\d.]+) seconds\)")
BOUND = re.compile(r"^(?:Lower|Upper) bound:\s+(\S+)", re.MULTILINE)
NODES = re.compile(r"^Enumerated nodes:\s+(\d+)", re.MULTILINE)
START_TAKEN = "MIPStart provided solution with cost"
FAILED = "CBC ended with an error"
LARGEST_SEED = 2**31 - 1
NOTHING_YET = 1e40
"""CBC writes values beyond this for a missing bound or incumbent."""


@dataclass(frozen=True, slots=True)
class Cbc:
    """The engine CBC for linear models in PuLP."""

    name: str = "cbc"
    prunes: bool = False

    def run(self, model: pulp.LpProblem, limits: EngineLimits, start: LinearValues | None = None) -> LinearOutcome:
        """Solve a model; see `formulations.engines.interface.Engine`.

        Raises:
            InputError: PuLP has no CBC binary on this machine.
        """
        return _run(model, limits, start)


CBC = Cbc()


def _run(model: pulp.LpProblem, limits: EngineLimits, start: LinearValues | None) -> LinearOutcome:
    with tempfile.TemporaryDirectory() as folder:
        log_file = Path(folder) / "cbc.log"
        solver = pulp.PULP_CBC_CMD(
            mip=not limits.relaxed,
            msg=False,
            gapRel=0.0,
            gapAbs=0.0,
            timeLimit=limits.time_limit_s,
            threads=limits.threads if limits.threads > 1 else None,
            warmStart=start is not None,
            logPath=str(log_file),
            options=_options(limits),
        )
        if not solver.available():
            raise InputError("PuLP has no CBC binary on this machine; use the engine highs", field="--engine")
        solver.tmpDir = folder
        if start is not None:
            for variable in model.variables():
                variable.setInitialValue(start[variable.name], check=False)
        try:
            model.solve(solver)
            failed = False
        except pulp.PulpSolverError:  # under a time limit the binary sometimes ends with an error
            failed = True
        log = log_file.read_text(encoding="utf-8", errors="replace") if log_file.exists() else ""
    if limits.log_file is not None:
        with limits.log_file.open("a", encoding="utf-8", newline="\n") as kept:
            kept.write(log)
    if failed:
        return Outcome(Status.UNKNOWN, FAILED)
    return _read(model, log, limits.relaxed, start is not None)


def _options(limits: EngineLimits) -> list[str]:
    seed = limits.seed % LARGEST_SEED + 1  # never 0, the time of day
    return [
        f"primalTolerance {ENGINE:g}",
        f"integerTolerance {ENGINE:g}",
        f"randomSeed {seed}",
        f"randomCbcSeed {seed}",
        *([] if limits.presolve else ["presolve off", "preprocess off"]),
    ]


def _read(model: pulp.LpProblem, log: str, relaxed: bool, started: bool) -> LinearOutcome:
    results = RESULT.findall(log)
    raw = results[-1] if results else str(pulp.LpStatus[model.status])
    sign = -1.0 if model.sense == pulp.LpMaximize else 1.0
    constant = float(model.objective.constant)
    infeasible = "infeasible" in raw.lower()
    found = model.sol_status in (pulp.LpSolutionOptimal, pulp.LpSolutionIntegerFeasible) and not infeasible
    stopped = "stopped" in raw.lower()
    if infeasible:
        status = Status.INFEASIBLE
    elif not found:
        status = Status.UNKNOWN
    else:
        proven = model.sol_status == pulp.LpSolutionOptimal and not stopped
        status = Status.OPTIMAL if proven else Status.FEASIBLE
    objective = float(pulp.value(model.objective)) if found else None
    bound = objective if status is Status.OPTIMAL else None
    if bound is None and stopped and (match := BOUND.search(log)):
        # The log rounds it, so half a unit of its last place keeps it a bound.
        bound = _value(match[1], 1.0, constant)
        bound = None if bound is None else bound - sign * 0.5 * 10.0 ** -len(match[1].partition(".")[2])
    nodes = NODES.search(log)
    warm = WarmStart.NONE if not started else WarmStart.USED if START_TAKEN in log else WarmStart.IGNORED
    return Outcome(
        status,
        raw,
        {variable.name: float(variable.varValue or 0.0) for variable in model.variables()} if found else None,
        objective,
        bound,
        int(nodes[1]) if nodes else 0,
        _trace(log, sign, constant),
        warm,
        {variable.name: float(variable.dj or 0.0) for variable in model.variables()} if found and relaxed else None,
    )


def _trace(log: str, sign: float, constant: float) -> tuple[Point[float], ...]:
    """Incumbent and bound over time; CBC's log minimises maximised models too."""
    points: list[Point[float]] = []
    bound: float | None = None
    incumbent: float | None = None
    for line in log.splitlines():
        if match := PROGRESS.search(line):
            incumbent = _value(match["incumbent"], sign, constant)
            bound = _value(match["bound"], sign, constant)
        elif match := FOUND.search(line):
            incumbent = _value(match["incumbent"], sign, constant)
        else:
            continue
        points.append(Point(float(match["seconds"]), incumbent, bound))
    return tuple(points)


def _value(text: str, sign: float, constant: float) -> float | None:
    number = float(text)
    return sign * number + constant if abs(number) < NOTHING_YET else None
