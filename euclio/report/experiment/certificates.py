"""Which proofs an independent prover certified, and first of all those that it refuted."""

from __future__ import annotations

import pandas as pd

from euclio.core import registry
from euclio.core.certificate import Verdict
from euclio.core.result import Status
from euclio.core.words import counted, number
from euclio.proving.certifying import EXACT, counts
from euclio.report import Block, Heading, Paragraph, Table

MOST_REFUTED = 50


def refuted_blocks(frame: pd.DataFrame) -> list[Block]:
    """The proofs that were refuted, which a page begins with; none: nothing."""
    rows = frame[frame.certificate.astype(object) == Verdict.REFUTED]
    if rows.empty:
        return []
    shown = rows.head(MOST_REFUTED)
    cells = tuple((row["label"], row["instance"], row["reason"]) for row in shown.to_dict("records"))
    caption = "Proofs that an independent prover refuted; the solver is wrong, and the runs count as errors"
    if len(shown) < len(rows):
        caption += f"; the first {len(shown)} of {len(rows):,}"
    return [
        Heading("Refuted proofs"),
        Paragraph(f"{counted(len(rows), 'proof is', 'proofs are')} REFUTED: a plan is better than they say."),
        Table(caption, ("solver", "instance", "why"), cells, marked=frozenset(range(len(cells)))),
    ]


def certificate_blocks(frame: pd.DataFrame) -> list[Block]:
    """How many proofs were certified, by solver."""
    table = frame.assign(verdict=frame.certificate.astype(object))
    proofs = table[_are_proofs(table)]
    if proofs.empty:
        return []
    tried = proofs.verdict.notna()
    text = f"{counts(len(proofs), _of(proofs.verdict))} by an independent prover in exact arithmetic."
    if not tried.all():
        text += (
            f" {int((~tried).sum()):,} were not tried: a table [certify] in the experiment file asks for all of them "
            "or a sample."
        )
    blocks: list[Block] = [Heading("Which proofs are certified?"), Paragraph(f"Proofs: {text}")]
    return [*blocks, _table(proofs)] if tried.any() else blocks


def _table(proofs: pd.DataFrame) -> Table:
    rows = []
    for label, runs in proofs.groupby(proofs.label.astype(str)):
        verdicts = _of(runs.verdict)
        seconds = pd.to_numeric(runs.certify_s).dropna()
        rows.append(
            (
                str(label),
                f"{len(runs):,}",
                f"{len(verdicts):,}",
                *(f"{verdicts.count(verdict):,}" for verdict in Verdict),
                number(float(seconds.median())) if len(seconds) else "",
                number(float(seconds.max())) if len(seconds) else "",
            )
        )
    return Table(
        "Proofs by solver: optimal, or infeasible by an exact solver; tried by the prover, and what became of them",
        ("solver", "proofs", "tried", *Verdict, "median time (s)", "longest time (s)"),
        tuple(rows),
        frozenset(range(1, 8)),
        frozenset(k for k, row in enumerate(rows) if row[4] != "0"),
    )


def _of(verdicts: pd.Series[str]) -> list[Verdict]:
    return [Verdict(word) for word in verdicts.dropna()]


def _are_proofs(table: pd.DataFrame) -> pd.Series[bool]:
    exact = [solver.name for solver in registry.solvers().values() if solver.kind == EXACT]
    infeasible = (table.status == Status.INFEASIBLE) & table.solver.isin(exact)
    found: pd.Series[bool] = (table.status == Status.OPTIMAL) | infeasible | table.verdict.notna()
    return found
