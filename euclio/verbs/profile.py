"""`profile`: what batches of a model take on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.core.errors import InputError
from euclio.core.numbers import Number
from euclio.core.progress import say
from euclio.core.values import seconds, whole
from euclio.core.words import counted
from euclio.verbs.keywords import read
from euclio.verbs.verb import verb
from euclio.workloads.session.server_importers import profiles_out, say_some, whole_numbers, write_profiles

if TYPE_CHECKING:
    from euclio.workloads.profiling.measurement import Sample

MOST_WORKERS = 1000
OTHER_WORK = 0.25
"""Load per core before anything is measured, averaged over a minute, from which on it is said."""


@verb()
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
    """Measure on this machine what batches of a model take, as `euclio profile` does.

    Args:
        work: ``FILE.py:FUNCTION``, which is given a batch size and returns a function that runs one batch; or the words
            of a command, which runs one batch for each line that it reads.
        model: name of the module in the profile.
        hardware: what this machine type is called.
        batch: batch sizes, one or several.
        concurrency: batches at once, one or several numbers.
        warm_up: first batches, which are not measured.
        repeats: batches per process that are measured.
        time_out: seconds per batch.
        out: also write the medians as a CSV for `import_csv`.
        append: add to the profiles that `out` has, if it is there.
        strict: refuse rows that are doubted (docs/howto/measured.md), where there is a warning otherwise.

    Returns:
        What was measured, by batch size and concurrency; `configuration(hardware)` of each is its place in a profile.

    Raises:
        InputError: a worker cannot be started, ends, or does not answer; or a bad value, named with its keyword.
    """
    from euclio.core.progress import late_bar
    from euclio.core.system import load_average
    from euclio.problems.session.instance import Configuration
    from euclio.workloads.profiling.measurement import Effort, measure

    words = [work] if isinstance(work, str) else list(work)
    batches = _once(read(whole_numbers, batch, "--batch"))
    concurrencies = _once(read(whole_numbers, concurrency, "--concurrency"))
    if max(concurrencies) > MOST_WORKERS:
        raise InputError(f"is more than {MOST_WORKERS} processes", field="--concurrency")
    if append and out is None:
        raise InputError("adds to the file of --out; give that too", field="--append")
    target = Path(out or os.devnull)
    # What the file has already, or what cannot be named, is refused before anything is measured.
    expected = [Configuration(hardware, size, number, 1) for size in batches for number in concurrencies]
    profiles_out(model, expected, target, append)
    firsts, each = read(whole().parse, warm_up, "--warm-up"), read(whole().parse, repeats, "--repeats")
    effort = Effort(firsts, each, read(seconds, time_out, "--time-out"))
    load = load_average()
    with late_bar(f"measuring {model}", len(batches) * sum(concurrencies) * effort.repeats) as move:
        samples = measure(words, batches, concurrencies, effort, move)
    found = [sample.configuration(hardware) for sample in samples]
    write_profiles(model, found, None if out is None else target, append)
    if load > OTHER_WORK * (os.cpu_count() or 1):
        say(f"this machine had other work before: a load of {load:.1f} on {counted(os.cpu_count() or 1, 'core')}")
    say_some([remark for sample in samples if (remark := sample.remark())])
    return samples


def _once(numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Each number once, in the order in which they are given."""
    return tuple(dict.fromkeys(numbers))
