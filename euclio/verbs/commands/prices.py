"""`euclio prices`: what machines cost by the price list of a cloud."""

from __future__ import annotations

import argparse
from pathlib import Path
from shlex import quote

from euclio.core.values import exact_positive, named
from euclio.files.json_writing import json_text
from euclio.verbs.commands import SOLVED
from euclio.verbs.commands.options import own_keywords
from euclio.verbs.prices import currency_of, mapped, prices

OWN = ("map", "currency", "per", "region", "spot", "accelerators")


def prices_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "Find what machines cost by the price list of a cloud: a catalogue of SkyPilot (vms.csv), "
        "cloud-gpus.csv, a CSV with columns instance and price_per_h, or Karpenter's generated list (.go). "
        "An instance's price is divided by its "
        "accelerators. What the list does not say (currency, unit of time, region, accelerators) has to be given. "
        "Prints the prices with their sources, and as the option that other verbs take."
    )
    parser.add_argument("file", metavar="FILE", help="session (JSON), or profiles (CSV), whose hardware is priced")
    parser.add_argument("catalogue", metavar="LIST", help="price list (.csv or .go)")
    parser.add_argument(
        "--map",
        type=mapped,
        required=True,
        metavar="A=X,B=Y",
        help="what each hardware is in the list: an instance type or an accelerator, X+Y for the sum of two; a name "
        "alone: the same in both",
    )
    parser.add_argument(
        "--currency", type=currency_of, required=True, metavar="NAME", help="what the list's prices are in, such as USD"
    )
    parser.add_argument(
        "--per", metavar="UNIT", help="second, minute, hour, day or month (730 h), where the list does not say"
    )
    parser.add_argument("--region", metavar="NAME", help="region, where the list has several")
    parser.add_argument("--spot", action="store_true", help="spot prices instead of those on demand")
    parser.add_argument(
        "--accelerators",
        type=named(exact_positive),
        metavar="X=N",
        help="accelerators of an instance type, where the list does not say; 1: the instance is one machine",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="also write the session with these prices (JSON), or for profiles the prices (CSV, for import csv)",
    )
    parser.add_argument("--json", action="store_true", help="print the prices as JSON instead of a table")


def run_prices(arguments: argparse.Namespace) -> int:
    """Find, print, write."""
    from euclio.core.tables import to_text
    from euclio.files.json_writing import check_outputs
    from euclio.workloads.pricing.price_tables import prices_table

    check_outputs({"--out": arguments.out}, [arguments.file, arguments.catalogue])
    found = prices(arguments.file, arguments.catalogue, **own_keywords(arguments, *OWN, "out"))
    if arguments.json:
        print(json_text(found.describe()))
        return SOLVED
    print(to_text(prices_table(found)))
    print(f"{'--prices' if found.session is None else '--price'} {quote(found.text)}")
    if arguments.out is not None:
        print(arguments.out)
    return SOLVED
