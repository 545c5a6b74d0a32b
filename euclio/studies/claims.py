"""Claims of the papers, held against the scorecards that the last reproduction wrote.

`data/claims.json` has the claims and which of them held when they were last accepted. Checking them reads
`reports/PAPER/scorecard.parquet` and runs nothing: a claim that held and does not any more is lost.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from euclio.core.data_files import data_dir
from euclio.core.errors import InputError
from euclio.studies.store import load
from euclio.studies.verdicts import Verdict

FILE = "claims.json"
SCORECARD = "scorecard.parquet"


class Standing(StrEnum):
    """What is said of a claim; replicated in the sense of ACM's Artifact Review and Badging, version 1.1.

    ACM's other word, reproduced, is for results that were obtained with artifacts of the authors. None are used here:
    all claims are measured by code of our own, on inputs of our own.
    """

    REPLICATED = "replicated"
    CONSISTENT = "consistent, not replicated"
    NOT_REPLICATED = "not replicated"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a paper that figures of its scorecard decide.

    Attributes:
        key: its name.
        paper: study that measures it.
        says: what the paper claims, in a sentence.
        figures: keys of the published figures that have to agree, all of them.
        least: what the measured figure has to be at least, in place of agreement; None: no such bound.
        most: what it may be at most; None: no such bound.
        held: whether it held when claims were last accepted.
    """

    key: str
    paper: str
    says: str
    figures: tuple[str, ...]
    least: float | None = None
    most: float | None = None
    held: bool = False

    @property
    def command(self) -> str:
        """What measures it."""
        return f"euclio reproduce {self.paper}"

    @property
    def tolerance(self) -> str:
        """What it is held to, in words."""
        bounds = [f"at least {self.least:g}"] if self.least is not None else []
        bounds += [f"at most {self.most:g}"] if self.most is not None else []
        return " and ".join(bounds) or "a tenth, or the 95 % interval"


@dataclass(frozen=True, slots=True)
class Card:
    """A scorecard as the last reproduction wrote it.

    Attributes:
        rows: one row per published figure, by key.
        seconds: what the reproduction took.
    """

    rows: pd.DataFrame
    seconds: float


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim next to what the last reproduction says of it.

    Attributes:
        claim: the claim.
        standing: what is said of it.
        measured: the figures, published and measured.
        minutes: what its reproduction took; None: it was not run.
    """

    claim: Claim
    standing: Standing
    measured: tuple[tuple[float, float, str], ...]
    minutes: float | None

    @property
    def holds(self) -> bool:
        """Whether the claim is met within its tolerance."""
        return self.standing == Standing.REPLICATED

    @property
    def lost(self) -> bool:
        """Whether it held when claims were last accepted, and does not."""
        return self.claim.held and not self.holds


@cache
def _stored() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads((data_dir() / FILE).read_text(encoding="utf-8"))
    return found


def stored_claims() -> tuple[Claim, ...]:
    """All claims, in the order of the file."""
    return tuple(Claim(**{**entry, "figures": tuple(entry["figures"])}) for entry in _stored()["claims"])


def verdicts_before(paper: str) -> tuple[int, int] | None:
    """How many figures of a paper agreed, and of how many, before verdicts were given; None: it had no scorecard."""
    found = _stored()["before"].get(paper)
    return None if found is None else (found[0], found[1])


def load_card(reports: Path, paper: str) -> Card | None:
    """The scorecard of a paper; None: it was not run.

    Raises:
        InputError: it is of fewer workloads than the study's: intervals of few workloads hold nearly everything.
    """
    path = reports / paper / SCORECARD
    if not path.exists():
        return None
    rows, how = load(path)
    if not how["whole"]:
        raise InputError(f"is of a smaller run; run `euclio reproduce {paper}` as it is", file=str(path))
    return Card(rows.set_index("key"), float(str(how["seconds"])))


def check(claim: Claim, card: Card | None) -> Checked:
    """Hold a claim against a scorecard.

    Raises:
        KeyError: the scorecard has none of the claim's figures.
    """
    if card is None:
        return Checked(claim, Standing.NOT_RUN, (), None)
    rows = card.rows.loc[list(claim.figures)]
    columns = (rows.published.astype(float), rows.measured.astype(float), rows.unit.astype(str))
    values = tuple(zip(*columns, strict=True))
    return Checked(claim, _standing(claim, rows), values, card.seconds / 60)


def _standing(claim: Claim, rows: pd.DataFrame) -> Standing:
    if claim.least is not None or claim.most is not None:
        low, high = (-float("inf") if claim.least is None else claim.least), claim.most
        holds = bool((rows.measured >= low).all() and (high is None or (rows.measured <= high).all()))
    else:
        holds = bool((rows.verdict == Verdict.AGREES).all())
    if holds:
        return Standing.REPLICATED
    near = rows.verdict.isin([Verdict.AGREES, Verdict.WITHIN]).all() and not rows.roughly.any()
    return Standing.CONSISTENT if near else Standing.NOT_REPLICATED


def check_all(reports: Path, claims: Sequence[Claim] | None = None) -> tuple[Checked, ...]:
    """Hold all claims against the scorecards of a folder of reports.

    Args:
        reports: folder of the reports, one folder per paper.
        claims: the claims; None: the stored ones.

    Raises:
        InputError: a scorecard is of a smaller run.
    """
    chosen = stored_claims() if claims is None else claims
    cards = {paper: load_card(reports, paper) for paper in dict.fromkeys(claim.paper for claim in chosen)}
    return tuple(check(claim, cards[claim.paper]) for claim in chosen)


def accept(checked: Sequence[Checked], path: Path | None = None) -> None:
    """Store what holds now as what has to hold from now on; claims that were not run stay as they are.

    Args:
        checked: all claims, in the order of the file.
        path: the file of the claims; None: `data/claims.json`.
    """
    file = path or data_dir() / FILE
    stored = json.loads(file.read_text(encoding="utf-8"))
    now = {one.claim.key: one.holds for one in checked if one.standing != Standing.NOT_RUN}
    claims = [{**entry, "held": now.get(entry["key"], entry["held"])} for entry in stored["claims"]]
    # One claim a line, so that a change of one claim is a change of one line.
    head = "".join(f" {_text(name)}: {_text(stored[name])},\n" for name in stored if name != "claims")
    rows = ",\n".join(f"  {_text(claim)}" for claim in claims)
    file.write_text(f'{{\n{head} "claims": [\n{rows}\n ]\n}}\n', encoding="utf-8", newline="\n")


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
