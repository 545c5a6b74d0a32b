"""The finding on each claim, and the report of all."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.fitted_table import Label, Sentence, table_of

SCHEMA = "euclio/contract/1"


class Verdict(StrEnum):
    """The verdict of the trials on a claim."""

    KEPT = "kept"
    BROKEN = "broken"
    UNTRIED = "untried"
    """No trial could break it."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict and its evidence, in one line."""

    verdict: Verdict
    evidence: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim and the judgement on it.

    Attributes:
        claim: name of the claim.
        text: the promise of a solver.
        verdict: whether the trials kept it.
        evidence: the observation, in one line.
    """

    claim: str
    text: str
    verdict: Verdict
    evidence: str


@dataclass(frozen=True, slots=True)
class Report:
    """All findings on one solver.

    Attributes:
        solver: its name.
        kind: its kind.
        version: its version.
        findings: one per claim.
    """

    solver: str
    kind: str
    version: str
    findings: tuple[Finding, ...]

    @property
    def kept(self) -> bool:
        """Whether no claim is broken."""
        return not self.broken

    @property
    def broken(self) -> tuple[str, ...]:
        """Names of the broken claims."""
        return tuple(finding.claim for finding in self.findings if finding.verdict is Verdict.BROKEN)

    def describe(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "schema": SCHEMA,
            "solver": self.solver,
            "kind": self.kind,
            "version": self.version,
            "kept": self.kept,
            "claims": [
                {"claim": f.claim, "text": f.text, "verdict": f.verdict.value, "evidence": f.evidence}
                for f in self.findings
            ],
        }


def report_table(report: Report) -> RenderableType:
    """The report for people: a line with the outcome, then one row per claim."""
    broken = len(report.broken)
    tried = sum(finding.verdict is not Verdict.UNTRIED for finding in report.findings)
    outcome = f"{broken} of {tried} claims broken" if broken else f"all {tried} claims that could be tried are kept"
    header = ", ".join(part for part in (report.solver, report.kind, report.version) if part)
    seen = Sentence("what a solver promises, and what was seen", lambda finding: f"{finding.text}\n{finding.evidence}")
    table = table_of(report.findings, (Label("claim"), Label("verdict", form=lambda verdict: verdict.value), seen))
    return Group(Text(f"{header}: {outcome}"), Text(""), table)


def judged(failures: list[str], tried: int, what: str, lacking: str = "nothing to try it on") -> Judgement:
    """The judgement where each trial either fails in a line of words or is in order.

    Args:
        failures: one line per failure.
        tried: number of trials.
        what: the things tried, in the plural.
        lacking: the evidence to state where there was no trial.
    """
    if failures:
        more = f" (and {len(failures) - 1} more of {tried})" if len(failures) > 1 else f" (1 of {tried})"
        return Judgement(Verdict.BROKEN, failures[0] + more)
    if not tried:
        return Judgement(Verdict.UNTRIED, lacking)
    return Judgement(Verdict.KEPT, f"{tried} {what}")
