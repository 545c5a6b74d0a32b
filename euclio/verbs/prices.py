"""`euclio prices`: prices of machines from the price list of a cloud."""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from shlex import quote

from euclio.core.errors import InputError
from euclio.core.parameters import Parameter, as_given
from euclio.core.values import exact_positive, file_path, named
from euclio.core.words import joined, listed, nearest
from euclio.files import save_instance
from euclio.files.json_writing import write_text
from euclio.problems.session import Session
from euclio.problems.session.costs import HOURS
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import SOLVED
from euclio.verbs.interface.inputs import GivenInstance, given_instance
from euclio.verbs.interface.keyword_types import ByName
from euclio.verbs.interface.outputs import check_written, print_answer
from euclio.verbs.interface.shared_parameters import json_of
from euclio.verbs.interface.verb import as_read, verb
from euclio.workloads.pricing.catalogues import read_catalogue
from euclio.workloads.pricing.machine_prices import PriceList, Terms, chosen_prices, with_prices
from euclio.workloads.pricing.price_tables import prices_csv, prices_table
from euclio.workloads.session.csv_profiles import read_profiles

LONGEST_CURRENCY = 200
"""Characters of the longest currency, as of names in files."""


def mapped(given: str | Mapping[str, str]) -> dict[str, str]:
    """The name of each hardware in a list: `NAME=WHAT` separated by commas, or one name for both.

    Raises:
        argparse.ArgumentTypeError: a name twice, or an empty one.
    """
    if isinstance(given, Mapping):
        return {str(name): str(what) for name, what in given.items()}
    found: dict[str, str] = {}
    for part in str(given).split(","):
        name, sign, what = (piece.strip() for piece in part.partition("="))
        if not name or (sign and not what):
            raise argparse.ArgumentTypeError(f"{part!r} must be HARDWARE=WHAT; pairs are divided by commas")
        if name in found:
            raise argparse.ArgumentTypeError(f"{name!r} is given twice; keep one of them")
        found[name] = what or name
    return found


def currency_of(text: str) -> str:
    """The name of a currency.

    Raises:
        argparse.ArgumentTypeError: it is none that can be shown in a line.
    """
    name = str(text)
    if not name.strip() or not name.isprintable() or len(name) > LONGEST_CURRENCY:
        raise argparse.ArgumentTypeError(f"{name[:40]!a} must be the name of a currency, such as USD")
    return name.strip()


@verb(
    Parameter("--map", parse=mapped, metavar="A=X,B=Y", details={"required": True}),
    Parameter("--currency", parse=currency_of, metavar="NAME", details={"required": True}),
    Parameter("--per", parse=as_given, metavar="UNIT"),
    Parameter("--region", parse=as_given, metavar="NAME"),
    Parameter("--spot"),
    Parameter("--accelerators", parse=named(exact_positive), metavar="X=N"),
    Parameter("--out", parse=file_path, metavar="FILE"),
)
def prices(
    file: Session | str | Path | GivenInstance,
    catalogue: str | Path,
    *,
    map: str | Mapping[str, str],
    currency: str,
    per: str | None = None,
    region: str | None = None,
    spot: bool = False,
    accelerators: ByName | None = None,
    out: str | Path | None = None,
) -> PriceList:
    """The prices of machines from the price list of a cloud, as `euclio prices` finds them.

    Args:
        file: a session or its file, or a CSV of profiles as for `import_csv`; its hardware is priced.
        catalogue: the price list: a catalogue of SkyPilot (`vms.csv`), `cloud-gpus.csv`, a CSV with columns `instance`
            and `price_per_h`, or Karpenter's generated list (`.go`).
        map: name of each hardware in the list, such as V100=p3.2xlarge: an instance type or an accelerator, X+Y for the
            sum of two; one name if both are the same. In Python also a dict.
        currency: currency of the list, such as USD; if a column states it, the same.
        per: second, minute, hour, day or month (730 h), if the list does not state it.
        region: region, if the list has several.
        spot: spot prices instead of those on demand.
        accelerators: accelerators of an instance type, if the list does not state them; 1 if the instance is one
            machine.
        out: also write the session with these prices (JSON), or for profiles the prices (CSV, for import csv).

    Returns:
        The prices with their sources. `by_name` is for `import_csv` and `solve`; `session` is the session with the
        prices.

    Raises:
        InputError: a name that the list or the file lacks, or missing information; names the keyword.
    """
    session, hardware = _hardware_of(file)
    what = as_read(map)
    for name in what:
        _refuse_unknown(name, hardware, file)
    if per is not None and per not in HOURS:
        raise InputError(f"is {per!r}; give {joined(HOURS, 'or')}", field="--per")
    terms = Terms(per, region, spot, as_read(accelerators), currency)
    try:
        listing = read_catalogue(catalogue)
        others = sorted(one for one in listing.currencies if one.upper() != currency.upper())
        if others:
            message = f"is {currency}, but the list has prices in {listed(others)}; keep rows of one currency in it"
            raise InputError(f"{message}, and give that", field="--currency")
        found = chosen_prices(listing, what, terms)
    except InputError as error:
        raise InputError(error.message, file=error.file or str(catalogue), field=error.field) from None
    changed = None if session is None else with_prices(session, found, currency)
    result = PriceList(found, currency, changed, tuple(name for name in hardware if name not in what))
    if out is not None:
        write_prices(result, out)
    return result


def write_prices(found: PriceList, path: str | Path) -> None:
    """Write the session with the prices, or the prices alone as a CSV where there is none."""
    if found.session is None:
        write_text(prices_csv(replace(found, left_out=())), Path(path))
    else:
        save_instance(found.session, path)


def _hardware_of(given: Session | str | Path | GivenInstance) -> tuple[Session | None, list[str]]:
    """The session, if it is one, and the names of its hardware or of that of the profiles."""
    if isinstance(given, str | Path) and str(given).lower().endswith(".csv"):
        profiles = read_profiles(given)
        return None, list(dict.fromkeys(c.hardware for profile in profiles.values() for c in profile))
    found = given_instance(given)
    if not isinstance(found.instance, Session):
        message = f"is one of {found.family.instances}; give a session, or a CSV of profiles"
        raise InputError(message, file=found.file)
    return found.instance, [hardware.name for hardware in found.instance.hardware]


def _refuse_unknown(name: str, hardware: list[str], given: Session | str | Path | GivenInstance) -> None:
    if name not in hardware:
        file = given.file if isinstance(given, GivenInstance) else str(given) if isinstance(given, str | Path) else None
        message = f"names hardware {name!r}, which is not there; {nearest(name, hardware)}"
        raise InputError(message, file=file, field="--map")


@command(
    prices,
    Parameter("file", help="session (JSON), or profiles (CSV), whose hardware is priced", metavar="FILE"),
    Parameter("catalogue", help="price list (.csv or .go)", metavar="LIST"),
    json_of("the prices"),
    about="Find the prices of machines in the price list of a cloud: a catalogue of SkyPilot (vms.csv), cloud-gpus.csv,"
    " a CSV with columns instance and price_per_h, or Karpenter's generated list (.go). An instance's price is "
    "divided by its accelerators. Options give the data that the list lacks (currency, unit of time, region, "
    "accelerators). Prints the prices with their sources, and as the option for other verbs.",
    first=("--map", "--currency", "--region", "--spot", "--out"),
    page="howto/prices.md",
    examples=(
        "euclio prices session.json vms.csv --map V100 --currency USD --per hour --out priced.json",
        "euclio prices session.json vms.csv --map P100=p100.big --accelerators p100.big=8 --currency EUR --per day",
    ),
)
def print_prices(arguments: Namespace) -> int:
    """Find, print, write."""
    check_written(arguments, ["out"], [arguments.file, arguments.catalogue])
    found = prices(arguments.file, arguments.catalogue, **arguments.keywords)
    print_answer(arguments, found.describe, lambda: prices_table(found))
    if not arguments.json:
        print(f"{'--prices' if found.session is None else '--price'} {quote(found.text)}")
        if "out" in arguments.keywords:
            print(arguments.keywords["out"])
    return SOLVED
