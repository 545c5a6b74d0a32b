"""One setting through all systems of a paper: from a point of the prior to its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count as count_up
from itertools import islice

import numpy as np

from euclio.core.errors import InapplicableError
from euclio.core.tolerances import TIE
from studies.inference.generator import DrawnWorkload, Generator
from studies.inference.measures import SolvedWorkload, measures
from studies.inference.prior import Setting
from studies.inference.systems import SystemOutcome, SystemRow, run_all, systems_of

WORKLOADS = 60
"""Workloads of a setting while settings are drawn; the published 1131 would take twenty times as long."""
DIGITS = 4
"""Digits of numbers, and decimals of places in the cube; computations use the rounded values that are stored."""
ATTEMPTS = 60
"""Candidates for one place, and per workload on average: acceptance is a reading, not a filter of settings."""
PATIENCE = 8
"""Least number of workloads that count before a setting is given up, where only a few are requested."""
LONGEST_SLO_S = 60.0
"""Candidates with a longer objective do not count: captions take a second alone."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """The results of a setting.

    Attributes:
        figures: measures by key of the paper's numbers, where some workload has a value; empty if too few candidates
            count.
        facts: facts about the workloads that nothing is fitted to: `accepted` share of the candidates, `slo_s` and
            `machines` of the paper's own system (means per workload), `three_share` (those with more than two modules).
        refused: candidates refused by each system; only the first refusal of a candidate counts.
    """

    figures: dict[str, float]
    facts: dict[str, float]
    refused: dict[str, int]


def accepted(
    paper: str, setting: Setting, seed: int, count: int = WORKLOADS, *, exactly: bool = False
) -> tuple[list[SolvedWorkload], Counter[str], int]:
    """Workloads of a setting that count, by its acceptance.

    Args:
        paper: the paper.
        setting: the setting.
        seed: seed of the workloads.
        count: places to fill.
        exactly: whether further places replace empty ones.

    Returns:
        The workloads with all outcomes, fewer than `count` if a place stayed empty; refusals by system; draws. There
        are no workloads if too few candidates count.
    """
    solved: list[SolvedWorkload] = []
    refused: Counter[str] = Counter()
    drawn = 0
    for against, found in islice(places(paper, setting, seed), None if exactly else count):
        refused.update(against)
        drawn += len(against)
        if found is not None:
            solved.append(found)
            drawn += 1
        # Give up early if too few candidates count.
        if drawn > ATTEMPTS * (len(solved) + max(PATIENCE, count // 4)):
            return [], refused, drawn
        if len(solved) == count:
            break
    return solved, refused, drawn


def places(paper: str, setting: Setting, seed: int) -> Iterator[tuple[list[str], SolvedWorkload | None]]:
    """The places among a setting's workloads one by one, without end.

    Args:
        paper: the paper.
        setting: the setting.
        seed: seed of the workloads.

    Yields:
        The reasons for refused candidates of the place, and the first candidate that counts. None means that none of
        `ATTEMPTS` counts, and the place stays empty.
    """
    generator = Generator.of(setting, seed)
    rows = systems_of(paper, setting, generator.template)
    for slot in count_up():
        refused: list[str] = []
        filled = None
        for attempt in range(ATTEMPTS):
            workload = generator.draw(slot, attempt)
            outcomes, against = _asked(paper, setting, rows, workload)
            if not against:
                filled = SolvedWorkload(workload, outcomes)
                break
            refused.append(against)
        yield refused, filled


def _asked(
    paper: str, setting: Setting, rows: Mapping[str, SystemRow], workload: DrawnWorkload
) -> tuple[Mapping[str, SystemOutcome | None], str]:
    """The outcomes of all systems on a candidate, or the required system without a plan."""
    if workload.slo_s > LONGEST_SLO_S:
        return {}, "objective"
    try:
        return run_all(rows, workload, tuple(rows) if setting.acceptance == "all" else (paper,))
    except InapplicableError:
        # The objective has more steps than a quantized splitter tries.
        return {}, "inapplicable"


def short(value: float) -> float:
    """A number rounded to the stored digits, without negative zero."""
    return float(f"{value:.{DIGITS}g}") + 0.0


def simulate(paper: str, setting: Setting, seed: int, count: int = WORKLOADS) -> Simulated:
    """Draw a paper's workloads under a setting, run all its systems, and measure.

    Args:
        paper: the paper.
        setting: the setting.
        seed: seed of the workloads.
        count: workloads.
    """
    solved, refused, drawn = accepted(paper, setting, seed, count)
    if not solved:
        return Simulated({}, {"accepted": 0.0}, dict(refused))
    return Simulated(measured(paper, setting, solved), facts(paper, solved, drawn), dict(refused))


def measured(paper: str, setting: Setting, solved: Sequence[SolvedWorkload]) -> dict[str, float]:
    """All measures of a paper's workloads that have a value, by key of its numbers.

    Args:
        paper: the paper.
        setting: the setting.
        solved: its workloads.
    """
    found = measures(paper, solved, setting.given)
    return {key: value for key, value in found.items() if np.isfinite(value)}


def facts(paper: str, solved: Sequence[SolvedWorkload], drawn: int) -> dict[str, float]:
    """Facts about the workloads, next to the numbers."""
    machines = [s.of(paper).machines.sum() + (s.of(paper).partial > TIE).sum() for s in solved]
    return {
        "accepted": len(solved) / drawn,
        "slo_s": float(np.mean([s.workload.slo_s for s in solved])),
        "machines": float(np.mean(machines)),
        "three_share": float(np.mean([s.workload.rate_rps.size > 2 for s in solved])),
    }
