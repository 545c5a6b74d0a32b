"""Prices of machines as a CSV, with a row for each and where it is from (docs/howto/prices.md)."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from euclio.core.errors import InputError
from euclio.core.numbers import exact_number
from euclio.files.boundary import FileModel, Name, Text, validated
from euclio.files.csv_writing import csv_text, unguarded
from euclio.workloads.pricing.choosing import MachinePrice, PriceList
from euclio.workloads.session.csv_rows import Row, at_line, rows_of

COLUMNS = ("hardware", "price_per_h", "currency", "source")
"""Columns of the file; the last two may be left out."""


class _Row(FileModel):
    hardware: Name
    price_per_h: Text
    currency: Name | None = None
    source: Name | None = None


def prices_csv(found: PriceList) -> str:
    """The prices as the text of a CSV file, as `read_prices` reads it."""
    rows = [(own.hardware, own.price_per_h, found.currency, own.source) for own in found.prices]
    return csv_text(COLUMNS, rows)


def read_prices(path: str | Path) -> PriceList:
    """The prices in a CSV.

    Raises:
        InputError: naming file, line and remedy.
    """
    file = str(path)
    found: dict[str, MachinePrice] = {}
    currencies: dict[str | None, int] = {}
    for line, cells in rows_of(file, "prices", lambda columns, line: _check_columns(columns, line, file)):
        row = _row(cells, line, file)
        if row.hardware in found:
            raise at_line(line, f"prices {row.hardware!a} a second time; keep one of them", file)
        currencies.setdefault(row.currency, line)
        if len(currencies) > 1:
            raise at_line(line, "is another one than above; give all prices in one currency", file, "currency")
        found[row.hardware] = MachinePrice(row.hardware, _price(row.price_per_h, line, file), row.source)
    if not found:
        raise InputError("has no rows below its header; give at least one price", file=file)
    return PriceList(tuple(found.values()), next(iter(currencies)))


def _check_columns(columns: list[str], line: int, file: str) -> None:
    missing = [name for name in COLUMNS[:2] if name not in columns]
    unknown = [name for name in columns if name not in COLUMNS]
    if missing or unknown:
        what = f"lacks column {missing[0]}" if missing else f"names column {unknown[0][:40]!a}"
        raise at_line(line, f"{what}; a file of prices has {', '.join(COLUMNS)}, the last two if they are known", file)


def _row(cells: Row, line: int, file: str) -> _Row:
    said = {name: unguarded(text) for name, text in cells.items() if text or name in COLUMNS[:2]}
    try:
        return validated(_Row, said, file)
    except InputError as error:
        raise at_line(line, error.message, file, error.field) from None


def _price(text: str, line: int, file: str) -> Fraction:
    try:
        return exact_number(text, "price_per_h", zero=True)
    except InputError as error:
        raise at_line(line, error.message, file, "price_per_h") from None
