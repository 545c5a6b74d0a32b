"""Price lists in files: SkyPilot's, Karpenter's of AWS, Full Stack Deep Learning's of clouds (docs/howto/prices.md).

A list says what it says: what its prices are per, and what of an instance's accelerators it leaves out, is asked for
where the prices are chosen (`euclio.workloads.pricing.machine_prices`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from shlex import quote

from euclio.core.errors import InputError, reason_of
from euclio.core.numbers import exact_number
from euclio.core.system import read_bytes
from euclio.core.values import NOT_NEGATIVE, POSITIVE
from euclio.problems.session.costs import HOURS
from euclio.workloads.session.csv_rows import LONGEST_NUMBER, Place, Row, at_line
from euclio.workloads.session.table_shapes import table_rows

SKYPILOT = {
    "instance": "InstanceType",
    "accelerator": "AcceleratorName",
    "count": "AcceleratorCount",
    "price": "Price",
    "region": "Region",
    "zone": "AvailabilityZone",
    "spot_price": "SpotPrice",
}
"""Columns of SkyPilot's catalogues (`vms.csv` of a cloud), of which each has the first four."""
CLOUD_GPUS = {
    "region": "Cloud",
    "accelerator": "GPU Type",
    "count": "GPUs",
    "price": "On-demand",
    "spot_price": "Spot",
    "instance": "Name",
}
"""Columns of Full Stack Deep Learning's comparison of clouds (`cloud-gpus.csv`); the cloud stands for the region."""
INSTANCES = {"instance": "instance", "price": "price_per_h", "region": "region"}
"""Columns of a list of instance types, of which the first two are needed."""
LISTS = ((SKYPILOT, 4), (CLOUD_GPUS, 6), (INSTANCES, 2))
"""Columns of price lists by what they say, with how many of the first are needed."""
GO_MAP = "InitialOnDemandPrices"
"""How the variables in Karpenter's generated list begin (`zz_generated.pricing_aws.go`)."""
OTHER_TERM = re.compile(r"\W*(reserv|commit|saving|[13][ -]?y(ea)?r|spot|preempt|interrupt)", re.IGNORECASE)
"""How texts begin by which a price is that of a reservation or of a spot instance."""
PERIOD = re.compile(r"unit|^per$|period", re.IGNORECASE)
"""Columns that may say what a price is per."""
TIMES = {
    "second": r"s(ec\w*)?",
    "minute": r"min\w*",
    "hour": r"h(rs?|ours?)?",
    "day": r"days?",
    "month": r"mo(s|nths?)?",
    "year": r"y(rs?|ears?)?",
}
"""What such a column says, by unit of time."""
CONVERTED = (
    'jq -r \'"instance,price_per_h,region", (.. | objects | select(has("PRICE")) | [.NAME, .PRICE, .REGION] | @csv)\''
)
"""A command that makes a list of instance types of JSON with prices per hour, however deep its objects are."""

_REGION = re.compile(r'^\s*"([a-z0-9-]+)":\s*\{\s*$')
_ENTRY = re.compile(r'"([\w.-]+)":\s*([0-9][0-9.eE+-]*)')


@dataclass(frozen=True, slots=True)
class Offer:
    """What a line of a price list offers.

    Attributes:
        instance: instance type; empty means accelerators that are sold apart from the instance that hosts them.
        accelerator: name of its accelerators; empty if the list says none.
        count: how many of them; None if the list does not say.
        region: region; empty if the list does not say.
        zone: zone of the region; empty means all of them.
        price: price on demand; None if it is not offered so.
        spot_price: price of spot instances; None if it is not offered so.
        reserved: what the list says by which the price is that of a reservation or of a spot instance; empty if
            nothing.
        line: its place in the file; None if that is not known.
    """

    instance: str
    accelerator: str
    count: Fraction | None
    region: str
    zone: str
    price: Fraction | None
    spot_price: Fraction | None
    reserved: str = ""
    line: Place | None = None


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A price list.

    Attributes:
        file: its file.
        offers: what it offers, in its order.
        per: the unit of time that its prices are said to be for, a key of `HOURS`; None if it does not say.
        currencies: what a column of it says that its prices are in.
    """

    file: str
    offers: tuple[Offer, ...]
    per: str | None
    currencies: frozenset[str] = frozenset()


def read_catalogue(path: str | Path) -> Catalogue:
    """The price list in a file: Karpenter's generated Go source by its ending ``.go``, else a table by its columns.

    Raises:
        InputError: naming file, line and remedy.
    """
    file = str(path)
    found = _of_go(file) if file.endswith(".go") else _of_csv(file)
    if not found.offers:
        raise InputError("offers nothing; name a price list with at least one price", file=file)
    return found


def _of_csv(file: str) -> Catalogue:
    columns: list[str] = []

    def check(found: list[str], line: Place) -> None:
        columns.extend(found)
        if not any(_has(found, *known) for known in LISTS):
            skypilot, clouds, own = (list(known.values())[:needed] for known, needed in LISTS)
            lists = f"{', '.join(skypilot)} (SkyPilot's catalogues), {', '.join(clouds)} (cloud-gpus.csv)"
            message = f"names the columns {', '.join(found)[:80]!a}; a price list has {lists}, or {' and '.join(own)}"
            if Path(file).suffix.lower() == ".json":
                made = f"{CONVERTED} {quote(file)} > prices.csv"
                message = f"has other fields than a price list; make one, with those for NAME, PRICE and REGION: {made}"
            raise at_line(line, message, file)

    rows = list(table_rows(file, "prices", check))
    known = next(known for known, needed in LISTS if _has(columns, known, needed))
    further = [name for name in columns if name not in known.values()]
    offers = []
    for line, cells in rows:
        offers.append(replace(_offer(known, cells, line, file), reserved=_reserved(cells, further), line=line))
    said = frozenset(cells[name] for _, cells in rows for name in further if name.lower() == "currency") - {""}
    return Catalogue(file, tuple(offers), _per(rows, further, "hour" if known is INSTANCES else None, file), said)


def _per(rows: Sequence[tuple[Place, Row]], further: Sequence[str], named: str | None, file: str) -> str | None:
    """The unit of time that prices are per, by a column of units or by the name of theirs; None if neither says it."""
    for line, cells in rows:
        for name in filter(PERIOD.search, further):
            text = cells[name].lower()
            unit = next((unit for unit, words in TIMES.items() if re.search(rf"\b\d*{words}\b", text)), None)
            if unit is not None and (unit not in HOURS or unit != (named or unit)):
                message = f"is {text[:40]!a}; give all prices per {named or 'hour'}, and leave other rows out"
                raise at_line(line, message, file, name)
            named = named or unit
    return named


def _has(columns: Sequence[str], known: Mapping[str, str], needed: int) -> bool:
    """Whether a header has the columns that a price list needs."""
    return set(list(known.values())[:needed]) <= set(columns)


def _reserved(cells: Row, further: Sequence[str]) -> str:
    """The cell by which a row's price is not that on demand, with its column; empty if there is none."""
    for name in further:
        if OTHER_TERM.match(cells[name]) or (OTHER_TERM.match(name) and cells[name].lower() in ("true", "yes")):
            return f"{name} {cells[name][:40]}"
    return ""


def _offer(known: Mapping[str, str], cells: Row, line: Place, file: str) -> Offer:
    """The offer of a row, which has to say enough of what it offers."""
    said = {name: cells.get(header, "") for name, header in known.items()}
    numbers = {
        name: _number(said[name], known[name], line, file, zero=name != "count")
        for name in ("count", "price", "spot_price")
        if name in known
    }
    instance, accelerator, region = (said.get(name, "") for name in ("instance", "accelerator", "region"))
    if known is INSTANCES and not (instance and numbers["price"] is not None):
        raise at_line(line, "has an empty cell; give instance and price_per_h", file)
    if known is CLOUD_GPUS:
        for name in ("region", "accelerator", "count"):
            if not said[name]:
                message = "is empty; say which cloud offers how many GPUs of which type"
                raise at_line(line, message, file, known[name])
        instance = instance or f"{said['count']} x {accelerator}"
    if not (instance or accelerator):
        raise at_line(line, "names neither an instance type nor an accelerator", file)
    if accelerator and numbers["count"] is None:
        raise at_line(line, "is empty; say how many accelerators there are", file, known["count"])
    count, price, spot = (numbers.get(name) for name in ("count", "price", "spot_price"))
    return Offer(instance, accelerator, count, region, said.get("zone", ""), price, spot)


def _number(text: str, column: str, line: Place, file: str, *, zero: bool = True) -> Fraction | None:
    """The number in a cell; None if it is empty."""
    if not text:
        return None
    values = NOT_NEGATIVE if zero else POSITIVE
    if values.number(text) is None or len(text) > LONGEST_NUMBER:
        raise at_line(line, f"is {text[:40]!a}; it must be {values.words}", file, column)
    try:
        return exact_number(text, column, zero=zero)
    except InputError as error:
        raise at_line(line, error.message, file, column) from None


def _of_go(file: str) -> Catalogue:
    """The maps of Karpenter's list: by region, prices by instance type."""
    try:
        text = read_bytes(Path(file)).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = reason_of(error).lower() if isinstance(error, OSError) else "is not UTF-8 text"
        raise InputError(f"cannot be read: {reason}; name a price list", file=file) from None
    if GO_MAP not in text:
        raise InputError(f"has no variable {GO_MAP}…, as Karpenter's generated list has; name such a file", file=file)
    offers: list[Offer] = []
    region = ""
    for line, row in enumerate(text.splitlines(), 1):
        begun = _REGION.match(row)
        if begun:
            region = begun[1]
        elif not row.lstrip().startswith("//"):
            for name, price in _ENTRY.findall(row):
                offers.append(Offer(name, "", None, region, "", _number(price, "price", line, file), None))
    return Catalogue(file, tuple(offers), None)
