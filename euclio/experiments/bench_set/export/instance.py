"""One instance of the benchmark set as files that need no euclio: itself, its plan, a program, a point, a proof."""

from __future__ import annotations

import gzip
import time
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from euclio.core.certificate import CHECKER, NoProofError
from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.family import Checked
from euclio.core.numbers import decimal_text, exact
from euclio.core.parameters import verb_text
from euclio.core.result import WrittenResult
from euclio.experiments.bench_set.certificates import is_certified
from euclio.experiments.bench_set.export.record import (
    BY_CHECKER,
    BY_FILE,
    BY_SEARCH,
    MODEL,
    PROOF,
    SOLUTION,
    ExportedInstance,
    described,
)
from euclio.experiments.bench_set.manifest import Entry, best_path, instance_path
from euclio.experiments.task import text_hash
from euclio.files.dataclass_files import plain_data
from euclio.files.instance_files import load_instance
from euclio.files.json_reading import read_text
from euclio.files.json_writing import json_text, one_line
from euclio.files.result_files import load_result
from euclio.proving.certifying import claim_of
from euclio.proving.files.model import Model, Posed
from euclio.proving.files.text import mps_text, packed, solution_text
from euclio.proving.proof_files import Asked, posed, proven

FORMULATIONS = {"session": "F1", "fragments": "F2", "pipeline": "F3"}
"""Number of each family's program; `for_everybody.md` explains their rows."""
WHOLE = ("pipeline",)
"""Families whose program is the whole problem, so that it does not rest on a prover."""
NO_PROGRAM = "the program of the proof only adds up what a search has found"
NOT_CERTIFIED = "no independent prover has certified that the plan is optimal"


class ExportAttempt(NamedTuple):
    """The program and the proof of an instance, or the reasons why they are missing.

    Attributes:
        model: the program; None if there is none.
        point: the plan as a point of it.
        maximised: whether the objective is maximised; the program then has it times -1.
        proof: the text of the proof's file; empty if there is none.
        no_model: why there is no program.
        no_proof: why there is no proof.
    """

    model: Model | None = None
    point: dict[int, Fraction] | None = None
    maximised: bool = False
    proof: str = ""
    no_model: str = ""
    no_proof: str = ""


def source_hash(folder: Path, entry: Entry) -> str:
    """Hash of an instance's entry in the set and of its files; raises an `InputError` if one cannot be read."""
    own = one_line(json_text(plain_data(entry)))
    return text_hash("\n".join((own, *(read_text(path) for path in _sources(folder, entry)))))


def exported(folder: Path, entry: Entry, time_limit_s: float) -> tuple[ExportedInstance, dict[str, bytes]]:
    """An instance's record and its files, by their paths in the export.

    Args:
        folder: folder of the set.
        entry: the instance's entry in the set's manifest.
        time_limit_s: limit in seconds for the program and its proof.

    Raises:
        InputError: a file cannot be read, or the checker refuses the plan.
    """
    instance = load_instance(instance_path(folder, entry))
    said = load_result(best_path(folder, entry.name), instance)
    family = family_of(instance)
    checked = family.evaluate(instance, said.plan, said.space)
    if not checked.feasible or checked.value is None:
        raise InputError(f"the plan is refused; {verb_text('bench-set check')} says why", file=entry.name)
    certified = is_certified(entry, instance, said.plan, checked)
    tried = _tried(instance, said, checked, certified, time_limit_s)
    files = _files(folder, entry, tried)
    found = ExportedInstance(
        name=entry.name,
        family=entry.family,
        difficulty=entry.difficulty.value,
        space=family.describe_space(said.space),
        objective=said.goal.name,
        unit=said.goal.unit,
        # As the record will be read again: a resumed export writes the same as an uninterrupted one.
        value=exact(decimal_text(checked.value)),
        bound=entry.bound,
        evidence=_evidence(entry, certified, tried),
        formulation="" if tried.model is None else FORMULATIONS[entry.family],
        variables=0 if tried.model is None else len(tried.model.variables),
        rows=0 if tried.model is None else len(tried.model.rows),
        no_model=tried.no_model,
        no_proof=tried.no_proof,
        date=entry.date,
        time_limit_s=time_limit_s,
        source_hash=source_hash(folder, entry),
        files=tuple(described(path, data) for path, data in files.items()),
    )
    return found, files


def _sources(folder: Path, entry: Entry) -> tuple[Path, Path]:
    return instance_path(folder, entry), best_path(folder, entry.name)


def _tried(instance: Any, said: WrittenResult, checked: Checked, certified: bool, limit_s: float) -> ExportAttempt:
    """Make the program and its proof; the program alone where only that is ready in time."""
    family = family_of(instance)
    asked = Asked(family, instance, said, checked, claim_of(said, checked).cutoff if certified else None)
    no_proof, text = NOT_CERTIFIED, ""
    if certified:
        try:
            proof, text = proven(asked, time.perf_counter() + limit_s)
            if proof.is_sum:
                return ExportAttempt(proof=text, no_model=NO_PROGRAM)
            if family.name not in WHOLE:
                own = proof.whole or Posed(proof.model, proof.point or {})
                return ExportAttempt(own.model, dict(own.point), proof=text)
            no_proof = ""
        except NoProofError as error:
            no_proof = str(error)
    if not certified and family.name not in WHOLE:
        return ExportAttempt(no_model=NOT_CERTIFIED, no_proof=NOT_CERTIFIED)
    try:
        found = posed(asked, time.perf_counter() + limit_s)
        return ExportAttempt(found.model, dict(found.point), found.maximised, proof=text, no_proof=no_proof)
    except NoProofError as error:
        # Where there could be a proof, the reason why it is missing says more than that of the program.
        why = str(error) if family.name in WHOLE or family.prove is None else no_proof
        return ExportAttempt(no_model=why, proof=text, no_proof=no_proof)


def _files(folder: Path, entry: Entry, tried: ExportAttempt) -> dict[str, bytes]:
    own, best = _sources(folder, entry)
    files = {f"{own.parent.name}/{own.name}": read_text(own).encode(), f"best/{best.name}": read_text(best).encode()}
    name = entry.name
    if tried.model is not None:
        point = tried.point or {}
        files[f"models/{name}{MODEL}"] = _packed(mps_text(tried.model, name, maximised=tried.maximised))
        files[f"models/{name}{SOLUTION}"] = solution_text(tried.model, point, maximised=tried.maximised).encode("ascii")
    if tried.proof:
        files[f"proofs/{name}{PROOF}"] = packed(tried.proof, PROOF)
    return files


def _packed(text: str) -> bytes:
    return gzip.compress(text.encode("ascii"), 9, mtime=0)


def _evidence(entry: Entry, certified: bool, tried: ExportAttempt) -> str:
    if not certified or entry.certificate is None:
        return ""
    if tried.proof:
        return BY_FILE
    return BY_CHECKER if entry.certificate.prover == CHECKER else BY_SEARCH


def is_out_of_time(entry: ExportedInstance, time_limit_s: float) -> bool:
    """Whether an instance has no proof and may get one within a longer limit than it was given."""
    return entry.file(PROOF) is None and time_limit_s > entry.time_limit_s
