"""`euclio import perf-analyzer` and `euclio import model-analyzer`: profiles from what Triton's tools measured."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from euclio.core.errors import InputError
from euclio.core.numbers import Number
from euclio.core.parameters import NEEDED, Parameter, as_given
from euclio.core.parts import ProfileImporter
from euclio.core.progress import say
from euclio.core.values import divided, file_path, whole
from euclio.core.words import counted
from euclio.files.json_writing import write_text
from euclio.files.row_warnings import tell_doubts
from euclio.problems.session.doubts import doubt_lines
from euclio.problems.session.instance import Configuration
from euclio.workloads.session import model_analyzer, perf_analyzer
from euclio.workloads.session.csv_profiles import profiles_text, read_profiles, with_more
from euclio.workloads.session.served import Server

MOST_SAID = 5
"""Lines on configurations that are said; of more only how many."""
UNBATCHED = "say that the server had no dynamic batching, where that cannot be seen and is refused"


def profiles_out(module: str, configurations: Sequence[Configuration], out: Path, append: bool) -> str:
    """The CSV text of a module's configurations, below what the file has already if that is to be kept.

    Raises:
        InputError: the file cannot be continued, or a name cannot be read again.
    """
    if append and out.exists():
        return profiles_text(with_more(out, module, configurations))
    return profiles_text({module: tuple(configurations)})


def write_profiles(module: str, configurations: Sequence[Configuration], out: Path | None, append: bool) -> None:
    """Write a module's configurations as a profile, with a word on those that are doubted.

    Args:
        module: its name.
        configurations: what was measured.
        out: the file; None if nothing is written.
        append: keep what the file has already.

    Raises:
        InputError: the file cannot be continued, or rows are doubted and `strictly` holds; nothing is written.
    """
    text = None if out is None else profiles_out(module, configurations, out, append)
    before = read_profiles(out).get(module, ()) if out is not None and append and out.exists() else ()
    profile = (*before, *configurations)
    tell_doubts(None if out is None else str(out), doubt_lines(module, profile, lambda k: _named(profile[k])))
    if out is not None and text is not None:
        write_text(text, out)


def _named(configuration: Configuration) -> str:
    """A row that is in no file yet."""
    return f"batch {configuration.batch}, concurrency {configuration.concurrency}"


def whole_numbers(text: Number | Iterable[Number]) -> tuple[int, ...]:
    """Whole numbers from 1 to 1,000,000 divided by commas."""
    return tuple(whole().parse(number) for number in divided(text))


def _read_perf_analyzer(arguments: argparse.Namespace) -> tuple[str, list[Configuration]]:
    files = [str(path) for path in arguments.files]
    batches = _by_file(arguments.batch, files, "--batch")
    instances = _by_file(arguments.instances, files, "--instances")
    known = False if arguments.no_dynamic_batching else None
    servers = [Server(batch, count, known) for batch, count in zip(batches, instances, strict=True)]
    found = perf_analyzer.derive_all(list(zip(files, servers, strict=True)), arguments.hardware)
    say_some([one.remark for one in found if one.remark])
    return arguments.model, [one.configuration for one in found]


def say_some(lines: Sequence[str]) -> None:
    """Say the first few lines, and how many more there are."""
    for line in lines[:MOST_SAID]:
        say(line)
    if len(lines) > MOST_SAID:
        say(f"and {counted(len(lines) - MOST_SAID, 'more such configuration')}")


def _by_file(numbers: tuple[int, ...], files: Sequence[str], option: str) -> tuple[int, ...]:
    """One number per file; one alone is that of all."""
    if len(numbers) == 1:
        return numbers * len(files)
    if len(numbers) != len(files):
        message = f"gives {len(numbers)} numbers for {len(files)} files; give one, or one for each file"
        raise InputError(message, field=option)
    return numbers


def _read_model_analyzer(arguments: argparse.Namespace) -> tuple[str, list[Configuration]]:
    found = model_analyzer.derive_all(
        str(arguments.file), arguments.model, arguments.hardware, never_batches=arguments.no_dynamic_batching
    )
    say_some(found.left_out)
    say_some([one.remark for one in found.derived if one.remark])
    return found.model, [one.configuration for one in found.derived]


HARDWARE = Parameter(
    "--hardware", help="machine type that the server ran on", parse=as_given, metavar="NAME", details=NEEDED
)
NEVER_BATCHES = Parameter("--no-dynamic-batching", help=UNBATCHED)
PERF_ANALYZER = (
    Parameter(
        "files", help="CSV files that perf_analyzer -f wrote", parse=file_path, metavar="FILE", details={"nargs": "+"}
    ),
    Parameter(
        "--model",
        help="model (-m), which becomes the module's name",
        parse=as_given,
        metavar="NAME",
        details=NEEDED,
    ),
    HARDWARE,
    Parameter(
        "--batch",
        help="inputs per request (-b); or B,C,... by file",
        parse=whole_numbers,
        metavar="B",
        details=NEEDED,
    ),
    Parameter(
        "--instances",
        help="instances of the model on the machine (instance_group); or K,L,... by file; default: 1",
        parse=whole_numbers,
        metavar="K",
        details={"default": (1,)},
    ),
    NEVER_BATCHES,
)
MODEL_ANALYZER = (
    Parameter("file", help="metrics-model-inference.csv, or a checkpoint (.ckpt)", parse=file_path, metavar="FILE"),
    Parameter("--model", help="model, where the file has several", parse=as_given, metavar="NAME"),
    HARDWARE,
    NEVER_BATCHES,
)
PROFILE_IMPORTERS = (
    ProfileImporter(
        "perf-analyzer",
        "a profile from Triton's perf_analyzer",
        "Write a profile (CSV, for euclio import csv) of a model that Triton's perf_analyzer measured: per batch and "
        "number of instances the duration at which instances were held at the highest throughput; prints the path.",
        PERF_ANALYZER,
        _read_perf_analyzer,
        reads=("files",),
    ),
    ProfileImporter(
        "model-analyzer",
        "a profile from Triton's model-analyzer",
        "Write a profile (CSV, for euclio import csv) of a model that Triton's model-analyzer measured, from its table "
        "or its checkpoint; says which measurements are left out, and why; prints the path.",
        MODEL_ANALYZER,
        _read_model_analyzer,
        reads=("file",),
    ),
)
