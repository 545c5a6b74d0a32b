"""A seeded sample of a study's proofs, made again and tried by an independent prover."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from euclio.core.certificate import Verdict
from euclio.core.errors import RefutedError
from euclio.core.result import AnyResult, Status
from euclio.experiments.execution import prepared
from euclio.experiments.task import SolverSetting
from euclio.proving.certifying import certify, counts
from euclio.report import Block, Heading, Paragraph, Table
from studies.collector import PROOF_LIMIT_S

SAMPLE = 30
COLUMNS = ("workload", "solver", "status", "verdict", "claim", "reason", "nodes", "wall_s")


@dataclass(frozen=True, slots=True)
class SampledProof:
    """A run of the study with a proof.

    Attributes:
        workload: name of the workload or case.
        solver: label of the run.
        again: makes the run again; returns the instance and the result.
    """

    workload: str
    solver: str
    again: Callable[[], tuple[Any, AnyResult]]


@dataclass(frozen=True, slots=True)
class Certified:
    """The verdicts on a study's proofs.

    Attributes:
        table: one row per tried proof, with the columns `COLUMNS`.
        proofs: number of proofs of the study.
        seed: seed of the sample.
    """

    table: pd.DataFrame
    proofs: int
    seed: int


def proofs_of(
    frame: pd.DataFrame, instances: Iterable[Any], settings: Iterable[SolverSetting], seed: int = 0
) -> list[SampledProof]:
    """The solvers' runs with a proof.

    Args:
        frame: results frame.
        instances: its instances.
        settings: its settings.
        seed: seed of its solvers.
    """
    by_name = {instance.name: instance for instance in instances}
    by_label = {setting.label: setting for setting in settings}
    proven = frame[frame.status == Status.OPTIMAL]
    return [
        SampledProof(name, label, partial(_again, by_name[name], by_label[label], seed))
        for name, label in zip(proven.instance, proven.label, strict=True)
    ]


def _again(instance: Any, setting: SolverSetting, seed: int) -> tuple[Any, AnyResult]:
    return instance, made_again(instance, setting, seed)


def made_again(instance: Any, setting: SolverSetting, seed: int = 0) -> AnyResult:
    """The checked result of a setting on an instance, made in this process."""
    ready = prepared(instance, setting, setting.time_s, seed)
    ready.warm_up()
    return ready.check(*ready.answer())


def certify_sample(proofs: Sequence[SampledProof], size: int, seed: int, advance: Callable[[int], None]) -> Certified:
    """Make a sample of the proofs again and try each.

    Args:
        proofs: all proofs of the study; the sample does not depend on their order.
        size: number of tried proofs.
        seed: seed of the sample.
        advance: called with 1 after each.
    """
    proofs = sorted(proofs, key=lambda proof: (proof.workload, proof.solver))
    rows = []
    for k in sorted(random.Random(f"certify/{seed}").sample(range(len(proofs)), min(size, len(proofs)))):
        rows.append(_row(proofs[k]))
        advance(1)
    return Certified(pd.DataFrame(rows, columns=list(COLUMNS)), len(proofs), seed)


def _row(proof: SampledProof) -> dict[str, Any]:
    instance, result = proof.again()
    head = {"workload": proof.workload, "solver": proof.solver, "status": result.status.value}
    if result.status is not Status.OPTIMAL:
        reason = "made again, it ended without a proof"
        return {**head, "verdict": Verdict.OPEN.value, "claim": "", "reason": reason, "nodes": 0, "wall_s": 0.0}
    found = certify(instance, result, PROOF_LIMIT_S)
    return {
        **head,
        "verdict": found.verdict.value,
        "claim": found.claim,
        "reason": found.reason,
        "nodes": found.nodes,
        "wall_s": found.wall_s,
    }


def refuted_blocks(certified: Certified) -> list[Block]:
    """The refuted proofs, which open a page; nothing if there are none."""
    rows = certified.table[certified.table.verdict == Verdict.REFUTED]
    if rows.empty:
        return []
    cells = tuple((row["workload"], row["solver"], row["claim"], row["reason"]) for row in rows.to_dict("records"))
    return [
        Heading("Refuted proofs"),
        Paragraph(f"{_refuted(certified)} Numbers measured against such proofs may be wrong."),
        Table(
            "Refuted claims, with reasons",
            ("workload", "solver", "claim", "why"),
            cells,
            marked=frozenset(range(len(cells))),
        ),
    ]


def certificate_blocks(certified: Certified) -> list[Block]:
    """The number of proofs, of tried ones, and of each verdict."""
    table = certified.table
    if not certified.proofs:
        return []
    text = (
        f"{certified.proofs:,} runs ended with a proof of their optimum. We ran a sample of {len(table)} (seed "
        f"{certified.seed}) again and gave it to an independent prover in exact arithmetic, "
        f"{PROOF_LIMIT_S:g} s each: {counts(len(table), (Verdict(word) for word in table.verdict))}."
    )
    rows = []
    for label, runs in table.groupby("solver"):
        numbers = (str(len(runs)), *(str(int((runs.verdict == verdict).sum())) for verdict in Verdict))
        rows.append((str(label), *numbers, f"{runs.wall_s.median():.3g}", f"{runs.wall_s.max():.3g}"))
    columns = ("run", "tried", *Verdict, "median time (s)", "longest time (s)")
    shown = Table("Proofs that were tried", columns, tuple(rows), frozenset(range(1, 7)))
    return [Heading("Which proofs are certified?"), Paragraph(text), *([shown] if rows else [])]


def refuse_refuted(certified: Certified, page: Path) -> None:
    """Fail if a proof was refuted, after the page is written.

    Raises:
        RefutedError: a proof was refuted.
    """
    if (certified.table.verdict == Verdict.REFUTED).any():
        raise RefutedError(f"{_refuted(certified)} {page} begins with them")


def _refuted(certified: Certified) -> str:
    count = int((certified.table.verdict == Verdict.REFUTED).sum())
    return f"{count} of {len(certified.table)} proofs that were tried {'is' if count == 1 else 'are'} REFUTED."
