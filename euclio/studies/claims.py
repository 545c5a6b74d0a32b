"""Claims of the papers, held against the scorecards that the last reproduction wrote.

`data/claims.json` has the claims and which of them held when they were last accepted. Checking them reads
`reports/PAPER/scorecard.parquet` and runs nothing: a claim that held and does not any more is lost.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from euclio.analysis.statistics import Measured
from euclio.core.data_files import data_dir
from euclio.core.errors import InputError
from euclio.posterior.targets import full
from euclio.results.tables import load
from euclio.studies.agreement import Agreement, Kind, agreement
from euclio.studies.consistent import stored_posterior
from euclio.studies.stored_reports import SCORECARD, latest

FILE = "claims.json"
NEEDED = {"key", "role", "kind", "exact", "telling", "settings_low", "settings_high", "because"}
"""Columns of a scorecard that verdicts on claims rest on and that older ones did not have."""
POWER = "power.parquet"


class Standing(StrEnum):
    """What is said of a claim, in the words of ACM's Artifact Review and Badging, version 1.1.

    A claim is reproduced where its numbers were obtained with artifacts of the authors, and replicated without. All
    are measured by code of our own; artifacts are the blocks that PPipe's authors measured.
    """

    REPRODUCED = "reproduced"
    REPLICATED = "replicated"
    NOT_DECIDED = "not decided"
    CONSISTENT = "consistent, not replicated"
    NOT_REPRODUCED = "not reproduced"
    NOT_REPLICATED = "not replicated"
    OTHER_MACHINE = "measured on another machine"
    NOT_RUN = "not run"


HOLDS = (Standing.REPRODUCED, Standing.REPLICATED)
"""What is said of a claim that is met within its tolerance."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a paper that numbers of its scorecard decide.

    Attributes:
        key: its name.
        paper: study that measures it.
        says: what the paper claims, in a sentence.
        figures: keys of the published numbers that have to agree, all of them.
        least: what the measured number has to be at least, in place of agreement; None: no such bound.
        most: what it may be at most; None: no such bound.
        every: whether the bound is claimed of every workload: it holds of all that were measured, or does not.
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
        """What measures it."""
        return f"euclio reproduce {self.paper}"

    @property
    def tolerance(self) -> str:
        """What it is held to, in words."""
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
        seconds: what the reproduction took.
        power: how often rules say yes of numbers that mean nothing; None: a report of an older version.
        reports: the folder of reports that it was read from; None: it was read from none.
    """

    rows: pd.DataFrame
    seconds: float
    power: pd.DataFrame | None = None
    reports: Path | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim next to what the last reproduction says of it.

    Attributes:
        claim: the claim.
        standing: what is said of it.
        measured: the numbers, published and measured.
        minutes: what its reproduction took; None: it was not run.
        why: what else has to be said of it: of a time what was timed, of a maximum of how many.
        chance: share of random settings that the same intervals would accept; NaN: not known, or not asked.
    """

    claim: Claim
    standing: Standing
    measured: tuple[tuple[float, float, str], ...]
    minutes: float | None
    why: str = ""
    chance: float = math.nan

    @property
    def holds(self) -> bool:
        """Whether the claim is met within its tolerance."""
        return self.standing in HOLDS

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
    """How many numbers of a paper agreed, of how many, before agreement was a test of equivalence; None: not known."""
    found = _stored()["before"].get(paper)
    return None if found is None else (found[0], found[1])


def load_card(reports: Path, paper: str) -> Card | None:
    """The scorecard of a paper; None: it was not run.

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
    tried = reports / paper / POWER
    power = load(tried)[0] if tried.exists() else None
    return Card(rows.set_index("key"), float(str(how["seconds"])), power, reports)


def check(claim: Claim, card: Card | None) -> Checked:
    """Hold a claim against a scorecard.

    Raises:
        KeyError: the scorecard has none of the claim's numbers.
    """
    if card is None:
        return Checked(claim, Standing.NOT_RUN, (), None)
    rows = card.rows.loc[list(claim.figures)]
    columns = (rows.published.astype(float), rows.measured.astype(float), rows.unit.astype(str))
    values = tuple(zip(*columns, strict=True))
    found = _standing(claim, rows)
    chance = _chance(claim, rows) if found == Standing.CONSISTENT else math.nan
    return Checked(claim, found, values, card.seconds / 60, _why(claim, rows, found), chance)


def _standing(claim: Claim, rows: pd.DataFrame) -> Standing:
    """The first that holds: a run time is a run time; all agree; one is decided against; nothing is decided."""
    if (rows.role == "time").any():
        return Standing.OTHER_MACHINE
    own = [{str(name): value for name, value in row.items()} for row in rows.to_dict("records")]
    found = [_agreement(claim, row) for row in own]
    # A scorecard of an older version has no measures with artifacts.
    artifact = all(bool(row.get("artifact")) for row in own)
    if all(one == Agreement.AGREES for one in found):
        return Standing.REPRODUCED if artifact else Standing.REPLICATED
    if Agreement.DIFFERS not in found:
        return Standing.NOT_DECIDED
    # What is claimed of every workload holds or does not, so that an interval has nothing to say of it.
    universal = claim.every or (rows.kind == Kind.ALL).any()
    near = all(_consistent(row) for row, one in zip(own, found, strict=True) if one != Agreement.AGREES)
    if near and not universal:
        return Standing.CONSISTENT
    return Standing.NOT_REPRODUCED if artifact else Standing.NOT_REPLICATED


def _agreement(claim: Claim, row: Mapping[str, Any]) -> Agreement:
    """Whether a number agrees with what the claim says of it."""
    low, high = (None if math.isnan(row[end]) else float(row[end]) for end in ("low", "high"))
    exact = claim.every or bool(row["exact"])
    measured = Measured(float(row["measured"]), low, high, int(row["n"]), exact)
    bounds: list[tuple[float | None, str]] = [(claim.least, Kind.LEAST), (claim.most, Kind.MOST)]
    asked = [(bound, kind) for bound, kind in bounds if bound is not None]
    found = [agreement(b, measured, k) for b, k in asked or [(float(row["published"]), str(row["kind"]))]]
    return max(found, key=list(Agreement).index)


def _consistent(row: Mapping[str, Any]) -> bool:
    """Whether the printed value lies in what settings give, where that tells something of the paper."""
    return bool(row["telling"]) and row["settings_low"] <= row["published"] <= row["settings_high"]


def _why(claim: Claim, rows: pd.DataFrame, found: Standing) -> str:
    """What is said of the verdict next to it."""
    if found == Standing.OTHER_MACHINE:
        return " ".join(dict.fromkeys(str(text) for text in rows.because if text))
    if claim.every and found in HOLDS:
        return f"on all of {int(rows.n.max())}"
    lacking = rows.low.isna() | ((rows.n == 1) & ~rows.exact)
    return "one run, or a maximum: no interval" if found == Standing.NOT_DECIDED and lacking.any() else ""


def _chance(claim: Claim, rows: pd.DataFrame) -> float:
    """The share of random settings whose numbers the same intervals would all accept.

    Only settings that show all of the claim's numbers are asked; where those are too few or unknown, NaN.
    """
    stored = stored_posterior(claim.paper)
    names = {key: full(claim.paper, key) for key in claim.figures}
    if stored is None or not set(names.values()) <= set(stored.prior):
        return math.nan
    shown = stored.prior[list(names.values())].dropna()
    held = [shown[name].between(rows.settings_low[key], rows.settings_high[key]) for key, name in names.items()]
    return float(pd.concat(held, axis=1).all(axis=1).mean()) if len(shown) else math.nan


def load_cards(reports: Path | None, claims: Sequence[Claim] | None = None) -> dict[str, Card]:
    """The scorecards of the claims' papers, by paper; papers that were not run are left out.

    Args:
        reports: folder of the reports, one folder per paper; None: of each paper the last whole one.
        claims: the claims; None: the stored ones.

    Raises:
        InputError: a scorecard is of a smaller run.
    """
    chosen = stored_claims() if claims is None else claims
    papers = dict.fromkeys(claim.paper for claim in chosen)
    cards = {paper: load_card(reports or latest(paper, whole=True), paper) for paper in papers}
    return {paper: card for paper, card in cards.items() if card is not None}


def check_all(reports: Path | None, claims: Sequence[Claim] | None = None) -> tuple[Checked, ...]:
    """Hold all claims against the scorecards of a folder of reports.

    Args:
        reports: folder of the reports, one folder per paper; None: of each paper the last whole one.
        claims: the claims; None: the stored ones.

    Raises:
        InputError: a scorecard is of a smaller run.
    """
    chosen = stored_claims() if claims is None else claims
    cards = load_cards(reports, chosen)
    return tuple(check(claim, cards.get(claim.paper)) for claim in chosen)


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
