"""`euclio profile`: measure the durations of a model's batches on this machine."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.core.errors import InputError
from euclio.core.numbers import Number
from euclio.core.parameters import Parameter, as_given, option_text
from euclio.core.progress import late_bar, say
from euclio.core.system import load_average
from euclio.core.values import seconds, whole
from euclio.core.words import amount, counted, milliseconds, percent
from euclio.problems.session.instance import Configuration
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import SOLVED
from euclio.verbs.interface.outputs import check_written, print_answer
from euclio.verbs.interface.shared_parameters import PROFILE_OUTPUTS, STRICT, json_of
from euclio.verbs.interface.verb import verb
from euclio.workloads.profiling.measurement import Effort, measure
from euclio.workloads.session.server_importers import profiles_out, say_some, whole_numbers, write_profiles

if TYPE_CHECKING:
    from rich.console import RenderableType

    from euclio.workloads.profiling.measurement import Sample

MOST_WORKERS = 1000
OTHER_WORK = 0.25
"""Load per core before anything is measured, averaged over a minute, from which on it is said."""


@verb(
    Parameter("--model", parse=as_given, metavar="NAME", details={"required": True}),
    Parameter("--hardware", parse=as_given, metavar="NAME", details={"required": True}),
    Parameter("--batch", parse=whole_numbers, metavar="B,C"),
    Parameter("--concurrency", parse=whole_numbers, metavar="E,F"),
    Parameter("--warm-up", parse=whole().parse, metavar="N"),
    Parameter("--repeats", parse=whole().parse, metavar="N"),
    Parameter("--time-out", parse=seconds, metavar="S"),
    *PROFILE_OUTPUTS,
    STRICT,
)
def profile(
    work: str | Sequence[str],
    *,
    model: str,
    hardware: str,
    batch: Number | Iterable[Number] = (1, 2, 4, 8),
    concurrency: Number | Iterable[Number] = (1,),
    warm_up: Number = 5,
    repeats: Number = 30,
    time_out: Number = 60.0,
    out: str | Path | None = None,
    append: bool = False,
    strict: bool = False,
) -> list[Sample]:
    """Measure the durations of a model's batches on this machine, as `euclio profile` does.

    Args:
        work: ``FILE.py:FUNCTION``, which takes a batch size and returns a function that runs one batch; or the words of
            a command, which runs one batch for each line that it reads.
        model: name of the module in the profile.
        hardware: name of this machine type.
        batch: batch sizes, one or several; default: 1,2,4,8.
        concurrency: batches at once, one or several numbers; default: 1.
        warm_up: first batches, which are not measured; default: 5.
        repeats: batches per process that are measured; default: 30.
        time_out: seconds per batch; default: 60.
        out: CSV file for the profile of medians, as `import_csv` reads it; None means no file.
        append: add to the profiles in `out`, if it exists.
        strict: refuse doubted rows (docs/howto/doubts.md) instead of warning of them.

    Returns:
        The measurements, by batch size and concurrency; `configuration(hardware)` makes each a row of a profile.

    Raises:
        InputError: a worker cannot be started, ends, or does not answer; or a bad value, named with its keyword.
    """
    words = [work] if isinstance(work, str) else list(work)
    batches = tuple(dict.fromkeys(whole_numbers(batch)))
    concurrencies = tuple(dict.fromkeys(whole_numbers(concurrency)))
    if max(concurrencies) > MOST_WORKERS:
        raise InputError(f"is more than {MOST_WORKERS} processes", field="--concurrency")
    if append and out is None:
        raise InputError(f"adds to the file of {option_text('--out')}; give that too", field="--append")
    target = Path(out or os.devnull)
    # Configurations that the file has already and bad names are refused before any measurement.
    expected = [Configuration(hardware, size, number, 1) for size in batches for number in concurrencies]
    profiles_out(model, expected, target, append)
    effort = Effort(int(warm_up), int(repeats), float(time_out))
    load = load_average()
    with late_bar(f"measuring {model}", len(batches) * sum(concurrencies) * effort.repeats) as move:
        samples = measure(words, batches, concurrencies, effort, move)
    found = [sample.configuration(hardware) for sample in samples]
    write_profiles(model, found, None if out is None else target, append)
    if load > OTHER_WORK * (os.cpu_count() or 1):
        say(f"this machine had other work before: a load of {load:.1f} on {counted(os.cpu_count() or 1, 'core')}")
    say_some([remark for sample in samples if (remark := sample.remark())])
    return samples


@command(
    profile,
    Parameter("words", help="FILE.py:FUNCTION, or -- COMMAND", metavar="WORK", details={"nargs": "+"}),
    json_of("what was measured", ""),
    about="Measure the durations of a model's batches on this machine, by batch size and concurrency, and write the "
    "medians as a profile (CSV, for euclio import csv). FILE.py:FUNCTION takes a batch size and returns a "
    "function that runs one batch. A COMMAND, after --, reads a batch size per line, runs one such batch and "
    "prints a line; `took 0.012` gives the seconds by its own clock. --concurrency is the number of parallel "
    "processes.",
    first=("--model", "--hardware", "--batch", "--concurrency", "--out"),
    page="howto/measured.md#measuring-here",
    examples=("euclio profile my_models.py:classifier --model classify --hardware this --out durations.csv",),
)
def print_profile(arguments: Namespace) -> int:
    """Measure, write the profile, print what was measured."""
    file = arguments.words[0].rpartition(":")[0] if len(arguments.words) == 1 else None
    check_written(arguments, ["out"], [file or None])
    keywords = arguments.keywords
    samples = profile(arguments.words, **keywords)
    named = keywords["model"], keywords["hardware"]
    print_answer(arguments, lambda: _data(*named, samples), lambda: _table(*named, samples))
    if not arguments.json:
        print(keywords["out"])
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
