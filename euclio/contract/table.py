"""The report of a contract for people."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.contract.findings import Report, Verdict
from euclio.core.tables import new_table


def report_table(report: Report) -> RenderableType:
    """A line with the outcome, then one row per claim."""
    broken = len(report.broken)
    tried = sum(finding.verdict is not Verdict.UNTRIED for finding in report.findings)
    outcome = f"{broken} of {tried} claims broken" if broken else f"all {tried} claims that could be tried are kept"
    header = ", ".join(part for part in (report.solver, report.kind, report.version) if part)
    seen = "what a solver promises, and what was seen"
    table = new_table("claim", "verdict", seen, wrapped=(seen,))
    for finding in report.findings:
        both = Text(f"{finding.text}\n{finding.evidence}")
        table.add_row(Text(finding.claim), Text(finding.verdict.value), both)
    return Group(Text(f"{header}: {outcome}"), Text(""), table)
