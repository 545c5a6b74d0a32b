"""`euclio profile`: measure on this machine what batches of a model take, and write them as a profile."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from euclio.core.values import seconds, whole
from euclio.core.words import amount, milliseconds, percent
from euclio.verbs.commands import SOLVED
from euclio.verbs.commands.import_instance import add_profile_outputs
from euclio.verbs.commands.options import add_strict, own_keywords
from euclio.workloads.session.server_importers import whole_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from euclio.workloads.profiling.measurement import Sample


def profile_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "Measure what batches of a model take on this machine, by batch size and by how many run at once, and write "
        "the medians as a profile (CSV, for euclio import csv). FILE.py:FUNCTION is given a batch size and returns a "
        "function that runs one batch. A COMMAND, after --, runs one batch for each line that it reads, of the size "
        "that the line says, and prints a line when it is done; `took 0.012` gives the seconds by its own clock. As "
        "many processes run at once as --concurrency says."
    )
    parser.add_argument("words", nargs="+", metavar="WORK", help="FILE.py:FUNCTION, or -- COMMAND")
    parser.add_argument("--model", required=True, metavar="NAME", help="name of the module in the profile")
    parser.add_argument("--hardware", required=True, metavar="NAME", help="what this machine type is called")
    parser.add_argument(
        "--batch", type=whole_numbers, default=(1, 2, 4, 8), metavar="B,C", help="batch sizes; default: 1,2,4,8"
    )
    parser.add_argument(
        "--concurrency", type=whole_numbers, default=(1,), metavar="E,F", help="batches at once; default: 1"
    )
    parser.add_argument("--warm-up", type=whole().parse, default=5, metavar="N", help="first, unmeasured; default: 5")
    parser.add_argument("--repeats", type=whole().parse, default=30, metavar="N", help="per process; default: 30")
    parser.add_argument("--time-out", type=seconds, default=60.0, metavar="S", help="seconds per batch; default: 60")
    add_profile_outputs(parser)
    add_strict(parser)
    parser.add_argument("--json", action="store_true", help="print what was measured as JSON")


def run_profile(arguments: argparse.Namespace) -> int:
    """Measure, write the profile, print what was measured."""
    from euclio.core.tables import to_text
    from euclio.files.json_writing import check_outputs, json_text
    from euclio.verbs.profile import profile

    file = arguments.words[0].rpartition(":")[0] if len(arguments.words) == 1 else None
    check_outputs({"--out": arguments.out}, [file or None])
    own = own_keywords(arguments, "model", "hardware", "batch", "concurrency", "warm_up", "repeats", "time_out")
    samples = profile(arguments.words, **own, **own_keywords(arguments, "out", "append"))
    if arguments.json:
        print(json_text(_data(arguments.model, arguments.hardware, samples)))
    else:
        print(to_text(_table(arguments.model, arguments.hardware, samples)))
        print(arguments.out)
    return SOLVED


def _table(model: str, hardware: str, samples: Sequence[Sample]) -> RenderableType:
    from euclio.core.fitted_table import Column, table_of

    columns = (
        Column("batch"),
        Column("concurrency"),
        Column("median (ms)", "median_s", milliseconds),
        Column("spread", form=lambda share: percent(share, 1)),
        Column("longest (ms)", "longest_s", milliseconds),
        Column("outliers", lambda sample: f"{sample.outliers} of {len(sample.durations_ns)}"),
        Column("inputs/s", "rate_rps", lambda rate: amount(rate, digits=4)),
    )
    return table_of(samples, columns, f"{model} on {hardware}")


def _data(model: str, hardware: str, samples: Sequence[Sample]) -> dict[str, object]:
    return {
        "schema": "euclio/measured/1",
        "module": model,
        "hardware": hardware,
        "measured": [
            {
                "batch": s.batch,
                "concurrency": s.concurrency,
                "duration_s": s.configuration(hardware).duration_s,
                "first_quartile_s": s.quartiles_s[0],
                "third_quartile_s": s.quartiles_s[1],
                "longest_s": s.longest_s,
                "outliers": s.outliers,
                "repeats": len(s.durations_ns),
                "rate_rps": s.rate_rps,
            }
            for s in samples
        ],
    }
