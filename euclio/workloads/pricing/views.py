"""How prices with their sources show themselves, and the rows of their frames and files."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.showing import Head, View
from euclio.core.tables import new_table
from euclio.core.words import DASH, amount, counted, joined
from euclio.workloads.pricing.choosing import PriceList


def prices_table(found: PriceList) -> RenderableType:
    """A row per machine type: its price and where it is from."""
    table = new_table("hardware", "price/h", "source", numbers=("price/h",))
    for own in found.prices:
        currency = f" {found.currency}" if found.currency else ""
        cells = (own.hardware, amount(own.price_per_h, currency), own.source or DASH)
        table.add_row(*(Text(cell) for cell in cells))
    if not found.left_out:
        return table
    kept = "keeps its price" if found.session is not None else "has no price yet"
    return Group(table, Text(f"{joined(found.left_out)}: {kept}; --map names what it is in the list"))


def _rows(found: PriceList) -> list[dict[str, Any]]:
    return [
        {"hardware": own.hardware, "price_per_h": own.price_per_h, "currency": found.currency, "source": own.source}
        for own in found.prices
    ]


PRICES = View(
    lambda found: Head("", "", (f"{counted(len(found.prices), 'price')} per hour", found.currency or "no currency")),
    prices_table,
    rows=_rows,
)
