"""euclio reads all that it writes: each result goes into a file and through every verb that reads one."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

from euclio.cli import main
from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.numbers import exact
from euclio.core.result import Status
from euclio.files import load_instance, load_result, save_instance, save_result

from .search import Found, Search
from .written_results import Written, results

CERTIFY_S = "0.2"
REQUESTS = 60
"""Requests that a simulation is to bring, roughly."""
LONGEST_S = 10**9
NOT_SERVED = ("the data plane needs one size per pipeline", "are simulated")
"""Words of a simulator that refuses a plan: batches that differ, too many machines or calls."""
IN_FRACTIONS = "give a feasible plan that counts whole GPUs"
"""Its words for plans in fractions of GPUs that need more GPUs than there are."""


def look(seed: int) -> Found:
    """Write the results of a seed, and read them again."""
    faults: list[str] = []
    cases = undecided = 0
    with tempfile.TemporaryDirectory() as folder:
        for k, written in enumerate(results(seed)):
            cases += 1
            found, is_open = _round_trip(written, Path(folder) / str(k))
            faults += [f"{written.result.solver}: {fault}" for fault in found]
            undecided += is_open
    return Found(cases, tuple(faults), undecided)


def _round_trip(written: Written, folder: Path) -> tuple[list[str], bool]:
    """The fault of one result, and whether its proof was left open."""
    folder.mkdir()
    files = str(folder / "instance.json"), str(folder / "result.json")
    try:
        save_instance(written.original, files[0])
        save_result(written.result, written.instance, files[1])
        if load_instance(files[0]) != written.original:
            return ["the instance is another one when it is read again"], False
        faults = _read_back(written, files[1])
    except InputError as error:
        return [f"bad input: {error}"], False
    code = 0
    if written.result.bound is not None or written.result.status is Status.INFEASIBLE:
        code, _, said = _run("certify", *files, "--time-limit", CERTIFY_S)
        if code not in (0, 4):
            faults.append(f"certify: {code} {said}")
    if written.result.value is not None:
        faults += _verbs(written, files)
    return faults, code == 4


def _read_back(written: Written, file: str) -> list[str]:
    """The part of a result that differs from the written one."""
    result, instance = written.result, written.instance
    read = load_result(file, written.original)
    faults = [] if read.changed == instance else ["the changed instance is another one"]
    if (read.status, read.space) != (result.status, result.space):
        faults.append(f"status or plan space is another one: {read.status}, {read.space}")
    floats = ("claimed", read.claimed, result.claimed), ("bound", read.bound, result.bound)
    for name, found, given in floats:
        if found != (None if given is None else exact(given)):
            faults.append(f"the {name} is {found}, not {given!r}")
    if result.value is None:
        return faults
    checked = family_of(instance).evaluate(instance, read.plan, read.space)
    if read.plan != result.plan or checked != result.evaluation or checked.value != result.value:
        faults.append("the plan is another one when it is read again")
    return faults


def _verbs(written: Written, files: tuple[str, str]) -> list[str]:
    """The verbs' objections to the result, which each of them has to accept."""
    faults: list[str] = []
    family = family_of(written.instance)
    unserved = NOT_SERVED if getattr(written.result.space, "whole_gpus", True) else (*NOT_SERVED, IN_FRACTIONS)
    asked: list[tuple[str, ...]] = [("verify", *files)]
    asked += [("export", *files, "--to", kind) for kind in _exports(written)]
    if family.simulator is not None:
        asked.append(("simulate", *files, "--seconds", _seconds(written)))
    for words in asked:
        code, _, said = _run(*words)
        served = words[0] != "simulate" or not any(limit in said for limit in unserved)
        if code != 0 and served:
            faults.append(f"{words[0]}: {code} {said}")
    code, printed, said = _run("diff", files[1], files[1], "--json")
    if code != 0:
        faults.append(f"diff: {code} {said}")
    elif _differs(json.loads(printed)):
        faults.append("diff: a plan differs from itself")
    return faults


def _exports(written: Written) -> tuple[str, ...]:
    known = {exporter.name for exporter in family_of(written.instance).exporters()}
    return tuple(kind for kind in ("csv",) if kind in known)


def _seconds(written: Written) -> str:
    """As many seconds as bring some requests; dummies are simulated too."""
    family, instance = family_of(written.instance), written.instance
    assert family.simulator is not None
    simulator = family.simulator()
    rates = simulator.offered_rps(instance, written.result.plan, simulator.setup(), written.result.space)
    if family.name == "session":  # a request may call a module a million times
        dummies = [own.dummy_rps for own in written.result.evaluation.modules]
        rates = [*(module.rate_rps for module in instance.modules), *dummies]
    total = sum((Fraction(rate) for rate in rates), Fraction(0))
    return repr(float(min(REQUESTS / total, Fraction(LONGEST_S)))) if total else "30"


def _differs(found: dict[str, Any]) -> bool:
    """Whether a difference of plans says that something changes."""
    return any(bool(found.get(key)) for key in ("added", "removed", "moved", "changed"))


def _run(*words: str) -> tuple[int, str, str]:
    """The command's exit code, and what it prints on both streams."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(words))
    # Measurements of drawn sessions are doubted, in as many lines as there are; what is refused stands behind them.
    said = [line for line in err.getvalue().splitlines() if not line.startswith("euclio: warning: ")]
    return code, out.getvalue(), " ".join((out.getvalue() if code == 1 else "", *said)).strip()[:300]


SEARCH = Search(
    name="round-trips",
    what="results of every solver are read, verified, simulated, exported and compared as they were written",
    unit="round trips",
    look=look,
    sample=(*range(32), 910051),
)
