"""How often each verdict's rule says yes of numbers that nobody printed, as a table."""

from __future__ import annotations

import math

import pandas as pd

from euclio.core.words import decimals, percent
from euclio.report import Block, Fold, Paragraph, Table
from euclio.studies.power import summed

WORDS = (
    "Each rule by itself, on check numbers: of how many printed ones it says yes, and of how many of those that it was "
    "tried on, which mean nothing for this paper ({tried_on}; {tried} on average). A rule whose lift is not above 1 "
    "says of this paper no more than of chance."
)
HEADS = ("rule", "numbers", "yes of printed", "yes by chance", "lift")


def power_blocks(power: pd.DataFrame) -> list[Block]:
    """The table of a paper's page, folded; nothing where no number could be tried."""
    own = power[power.role == "check"]
    if own.empty:
        return []
    text = WORDS.format(tried_on=tried_on(own), tried=decimals(float(own.tried.mean())))
    return [Fold("How much a verdict tells", (Paragraph(text), power_table(power)))]


def tried_on(power: pd.DataFrame) -> str:
    """What rules of a paper were tried on, for readers; `power.parquet` calls a printed number a figure."""
    return str(power.tried_on.iloc[0]).replace("figures", "numbers")


def power_table(power: pd.DataFrame) -> Table:
    """One row per rule."""
    return Table("", HEADS, tuple(power_rows(power)), frozenset(range(1, len(HEADS))), stacks=True)


def power_rows(power: pd.DataFrame) -> list[tuple[str, ...]]:
    """The cells, a tuple per rule; rules that a paper has nothing for are left out."""
    rows: list[tuple[str, ...]] = []
    for rule, row in summed(power).iterrows():
        if row.printed or row.chance:
            lift = "–" if math.isnan(row.lift) else f"{row.lift:.2f}"
            rows.append((str(rule), f"{row.figures:.0f}", percent(row.printed, 0), percent(row.chance, 0), lift))
    return rows
