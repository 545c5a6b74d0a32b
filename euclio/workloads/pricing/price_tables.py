"""Prices of machines as tables for people, and as a CSV with where each is from (docs/howto/prices.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text as Line

from euclio.core.errors import InputError
from euclio.core.fitted_table import Column, Label, table_of
from euclio.core.numbers import exact_number
from euclio.core.showing import Head, View
from euclio.core.words import DASH, amount, counted, joined
from euclio.files.boundary import FileModel, Name, Text, validated
from euclio.files.csv_files import csv_text, unguarded
from euclio.workloads.pricing.machine_prices import MachinePrice, PriceList
from euclio.workloads.session.csv_rows import at_line, rows_of


def prices_table(found: PriceList) -> RenderableType:
    """A row per machine type: its price and where it is from."""
    currency = f" {found.currency}" if found.currency else ""
    price = Column("price/h", "price_per_h", lambda price: amount(price, currency))
    table = table_of(found.prices, (Label("hardware"), price, Label("source", form=lambda source: source or DASH)))
    if not found.left_out:
        return table
    kept = "keeps its price" if found.session is not None else "has no price yet"
    return Group(table, Line(f"{joined(found.left_out)}: {kept}; --map names what it is in the list"))


def _rows(found: PriceList) -> list[dict[str, Any]]:
    """A row per machine type, of frames and of files."""
    values = ((own.hardware, own.price_per_h, found.currency, own.source) for own in found.prices)
    return [dict(zip(COLUMNS, row, strict=True)) for row in values]


PRICES = View(
    lambda found: Head("", "", (f"{counted(len(found.prices), 'price')} per hour", found.currency or "no currency")),
    prices_table,
    rows=_rows,
)


COLUMNS = ("hardware", "price_per_h", "currency", "source")
"""Columns of the file; the last two may be left out."""


class _PriceRow(FileModel):
    hardware: Name
    price_per_h: Text
    currency: Name | None = None
    source: Name | None = None


def prices_csv(found: PriceList) -> str:
    """The prices as the text of a CSV file, as `read_prices` reads it."""
    return csv_text(COLUMNS, (row.values() for row in _rows(found)))


def read_prices(path: str | Path) -> PriceList:
    """The prices in a CSV.

    Raises:
        InputError: naming file, line and remedy.
    """
    file = str(path)
    found: dict[str, MachinePrice] = {}
    currencies: dict[str | None, int] = {}
    for line, cells in rows_of(file, "prices", lambda columns, line: _check_columns(columns, line, file)):
        said = {name: unguarded(text) for name, text in cells.items() if text or name in COLUMNS[:2]}
        try:
            row = validated(_PriceRow, said, file)
            price_per_h = exact_number(row.price_per_h, "price_per_h", zero=True)
        except InputError as error:
            raise at_line(line, error.message, file, error.field) from None
        if row.hardware in found:
            raise at_line(line, f"prices {row.hardware!a} a second time; keep one of them", file)
        currencies.setdefault(row.currency, line)
        if len(currencies) > 1:
            raise at_line(line, "is another one than above; give all prices in one currency", file, "currency")
        found[row.hardware] = MachinePrice(row.hardware, price_per_h, row.source)
    if not found:
        raise InputError("has no rows below its header; give at least one price", file=file)
    return PriceList(tuple(found.values()), next(iter(currencies)))


def _check_columns(columns: list[str], line: int, file: str) -> None:
    missing = [name for name in COLUMNS[:2] if name not in columns]
    unknown = [name for name in columns if name not in COLUMNS]
    if missing or unknown:
        what = f"lacks column {missing[0]}" if missing else f"names column {unknown[0][:40]!a}"
        raise at_line(line, f"{what}; a file of prices has {', '.join(COLUMNS)}, the last two if they are known", file)
