"""Claims of the papers, held against the scorecards that the last reproduction wrote.

`data/claims.json` has the claims and which of them held when they were last accepted. Checking them reads
`reports/PAPER/scorecard.parquet` and runs nothing. A claim that held and no longer holds is lost.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import pandas as pd

from euclio.core.errors import InputError
from euclio.core.folders import data_dir
from euclio.experiments.results.tables import load
from euclio.report.analysis.statistics import Measured
from studies.agreement import NumberKind, Verdict, agreement
from studies.papers.published import TIME
from studies.scorecard import IN_PRINT
from studies.stored_reports import SCORECARD, latest

FILE = "claims.json"
NEEDED = {"key", "role", "exact", "verdict", "why", "artifact"}
"""Columns of a scorecard that verdicts on claims need and that older scorecards lack."""


class ClaimStanding(StrEnum):
    """The verdicts on a claim, in the words of ACM's Artifact Review and Badging, version 1.1.

    A claim is reproduced if its numbers were obtained with the authors' artifacts, and replicated otherwise. Our own
    code measures all of them; the only artifacts are the blocks that PPipe's authors measured.
    """

    REPRODUCED = "reproduced"
    REPLICATED = "replicated"
    NOT_DECIDED = "not decided"
    NOT_REPRODUCED = "not reproduced"
    NOT_REPLICATED = "not replicated"
    OTHER_MACHINE = "measured on another machine"
    NOT_RUN = "not run"


HOLDS = (ClaimStanding.REPRODUCED, ClaimStanding.REPLICATED)
"""The verdicts on a claim that is met within its tolerance."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a paper that numbers of its scorecard decide.

    Attributes:
        key: its name.
        paper: study that measures it.
        says: what the paper claims, in a sentence.
        figures: keys of the published numbers, all of which have to agree.
        least: the lower bound on the measured number, in place of agreement; None means no such bound.
        most: the upper bound on it; None means no such bound.
        every: whether the paper claims the bound for every workload.
        held: whether it held when claims were last accepted.
    """

    key: str
    paper: str
    says: str
    figures: tuple[str, ...]
    least: float | None = None
    most: float | None = None
    every: bool = False
    held: bool = False

    @property
    def command(self) -> str:
        """The command that measures it."""
        return f"euclio reproduce {self.paper}"

    @property
    def tolerance(self) -> str:
        """Its tolerance, in words."""
        bounds = [f"at least {self.least:g}"] if self.least is not None else []
        bounds += [f"at most {self.most:g}"] if self.most is not None else []
        if not bounds:
            return "the interval within a tenth"
        return f"{' and '.join(bounds)}{' on every workload' if self.every else ', by the interval'}"


@dataclass(frozen=True, slots=True)
class Card:
    """A scorecard as the last reproduction wrote it.

    Attributes:
        rows: one row per published number, by key.
        seconds: time of the reproduction.
        reports: the folder of reports that it was read from; None if there is none.
    """

    rows: pd.DataFrame
    seconds: float
    reports: Path | None = None


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim with the result of the last reproduction.

    Attributes:
        claim: the claim.
        standing: the verdict on it.
        measured: the numbers, published and measured.
        minutes: time of its reproduction; None if it was not run.
        why: a note on it: the meaning of a time, or the number of values behind a maximum.
    """

    claim: Claim
    standing: ClaimStanding
    measured: tuple[tuple[float, float, str], ...]
    minutes: float | None
    why: str = ""

    @property
    def holds(self) -> bool:
        """Whether the claim is met within its tolerance."""
        return self.standing in HOLDS

    @property
    def lost(self) -> bool:
        """Whether it held when claims were last accepted, and does not."""
        return self.claim.held and not self.holds


def stored_claims() -> tuple[Claim, ...]:
    """All claims, in the order of the file."""
    found: list[dict[str, Any]] = json.loads((data_dir() / FILE).read_text(encoding="utf-8"))["claims"]
    return tuple(Claim(**{**entry, "figures": tuple(entry["figures"])}) for entry in found)


def load_card(reports: Path, paper: str) -> Card | None:
    """The scorecard of a paper; None if it was not run.

    Raises:
        InputError: it is of fewer workloads than the study's, or of an older version.
    """
    path = reports / paper / SCORECARD
    if not path.exists():
        return None
    rows, how = load(path)
    if not how["whole"]:
        raise InputError(f"is of a smaller run; run `euclio reproduce {paper}` as it is", file=str(path))
    if not set(rows) >= NEEDED:
        raise InputError(f"is of an older version; run `euclio reproduce {paper}` anew", file=str(path))
    return Card(rows.set_index("key"), float(str(how["seconds"])), reports)


def check(claim: Claim, card: Card | None) -> CheckedClaim:
    """Hold a claim against a scorecard.

    Raises:
        KeyError: the scorecard has none of the claim's numbers.
    """
    if card is None:
        return CheckedClaim(claim, ClaimStanding.NOT_RUN, (), None)
    rows = card.rows.loc[list(claim.figures)]
    columns = (rows.published.astype(float), rows.measured.astype(float), rows.unit.astype(str))
    values = tuple(zip(*columns, strict=True))
    found = [_verdict(claim, {str(name): value for name, value in row.items()}) for row in rows.to_dict("records")]
    standing = ClaimStanding.OTHER_MACHINE if (rows.role == TIME).any() else _standing(found, bool(rows.artifact.all()))
    return CheckedClaim(claim, standing, values, card.seconds / 60, _why(claim, rows, standing, found))


def _standing(found: Sequence[Verdict], artifact: bool) -> ClaimStanding:
    """Whether all numbers agree, else whether one is off, else undecided."""
    if all(one == Verdict.AGREES for one in found):
        return ClaimStanding.REPRODUCED if artifact else ClaimStanding.REPLICATED
    if Verdict.OFF in found:
        return ClaimStanding.NOT_REPRODUCED if artifact else ClaimStanding.NOT_REPLICATED
    return ClaimStanding.NOT_DECIDED


def _verdict(claim: Claim, row: Mapping[str, Any]) -> Verdict:
    """The verdict on a number; if the claim bounds it, the test of equivalence is on the bounds."""
    bounds: list[tuple[float | None, str]] = [(claim.least, NumberKind.LEAST), (claim.most, NumberKind.MOST)]
    asked = [(bound, kind) for bound, kind in bounds if bound is not None]
    word = Verdict(row["verdict"])
    if word == Verdict.NOT_COMPARED or not asked:
        return word
    low, high = (None if math.isnan(row[end]) else float(row[end]) for end in ("low", "high"))
    measured = Measured(float(row["measured"]), low, high, int(row["n"]), claim.every or bool(row["exact"]))
    return max((agreement(bound, measured, kind) for bound, kind in asked), key=list(Verdict).index)


def _why(claim: Claim, rows: pd.DataFrame, standing: ClaimStanding, found: Sequence[Verdict]) -> str:
    """The note next to the verdict."""
    if standing == ClaimStanding.OTHER_MACHINE:
        return " ".join(dict.fromkeys(str(text).partition(IN_PRINT)[0].strip() for text in rows.why if text))
    if claim.every and standing in HOLDS:
        return f"on all of {int(rows.n.max())}"
    if standing == ClaimStanding.NOT_DECIDED and Verdict.NOT_COMPARED in found:
        return "a number is not compared, as print contradicts it"
    lacking = rows.low.isna() | ((rows.n == 1) & ~rows.exact)
    return "one run, or a maximum: no interval" if standing == ClaimStanding.NOT_DECIDED and lacking.any() else ""


def load_cards(reports: Path | None, claims: Sequence[Claim] | None = None) -> dict[str, Card]:
    """The scorecards of the claims' papers, by paper; papers that were not run are left out.

    Args:
        reports: folder of the reports, one folder per paper; None means of each paper the last whole one.
        claims: the claims; None means the stored ones.

    Raises:
        InputError: a scorecard is of a smaller run.
    """
    chosen = stored_claims() if claims is None else claims
    papers = dict.fromkeys(claim.paper for claim in chosen)
    cards = {paper: load_card(reports or latest(paper, whole=True), paper) for paper in papers}
    return {paper: card for paper, card in cards.items() if card is not None}


def check_all(reports: Path | None, claims: Sequence[Claim] | None = None) -> tuple[CheckedClaim, ...]:
    """Hold all claims against the scorecards of a folder of reports.

    Args:
        reports: folder of the reports, one folder per paper; None means of each paper the last whole one.
        claims: the claims; None means the stored ones.

    Raises:
        InputError: a scorecard is of a smaller run.
    """
    chosen = stored_claims() if claims is None else claims
    cards = load_cards(reports, chosen)
    return tuple(check(claim, cards.get(claim.paper)) for claim in chosen)


def accept(checked: Sequence[CheckedClaim], path: Path | None = None) -> None:
    """Store the claims that hold now as those that have to hold from now on; claims without a run stay as they are.

    Args:
        checked: all claims, in the order of the file.
        path: the file of the claims; None means `data/claims.json`.
    """
    file = path or data_dir() / FILE
    stored = json.loads(file.read_text(encoding="utf-8"))
    now = {one.claim.key: one.holds for one in checked if one.standing != ClaimStanding.NOT_RUN}
    claims = [{**entry, "held": now.get(entry["key"], entry["held"])} for entry in stored["claims"]]
    # One claim a line, so that a change of one claim is a change of one line.
    head = "".join(f" {_text(name)}: {_text(stored[name])},\n" for name in stored if name != "claims")
    rows = ",\n".join(f"  {_text(claim)}" for claim in claims)
    file.write_text(f'{{\n{head} "claims": [\n{rows}\n ]\n}}\n', encoding="utf-8", newline="\n")


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
