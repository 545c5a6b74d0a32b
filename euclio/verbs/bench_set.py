"""`euclio bench-set`: check the benchmark set, run a solver on it, list it, make it, export it.

`check_bench_set` is `euclio bench-set check`, and so on.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from euclio.core.certificate import Verdict
from euclio.core.compiled import time_runs
from euclio.core.errors import InputError
from euclio.core.families import families, homes
from euclio.core.folders import made_folder
from euclio.core.numbers import Number
from euclio.core.parameters import Group, Parameter, as_given, option_text
from euclio.core.progress import progress_bar, say, waiting
from euclio.core.registry import find_solver
from euclio.core.tables import to_text
from euclio.core.values import count, file_path
from euclio.core.warm_up import compile_solver
from euclio.experiments.bench_set.best_known import compare_with_best
from euclio.experiments.bench_set.build import TIME_LIMIT_S as BUILD_LIMIT_S
from euclio.experiments.bench_set.build import build, designs
from euclio.experiments.bench_set.export.whole_set import TIME_LIMIT_S as EXPORT_LIMIT_S
from euclio.experiments.bench_set.export.whole_set import export
from euclio.experiments.bench_set.manifest import instance_path, read_manifest, set_folder
from euclio.experiments.bench_set.table import (
    certificate_table,
    certificates,
    compared_table,
    exported_table,
    listed_row,
    proofs_table,
    summary,
)
from euclio.files.json_writing import json_text
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import REFUSED, SOLVED
from euclio.verbs.interface.shared_parameters import JSON, SEED, TIME_LIMIT
from euclio.verbs.interface.verb import as_read, verb

if TYPE_CHECKING:
    import pandas as pd

    from euclio.core.certificate import Certificate
    from euclio.core.solver import SolverLike
    from euclio.experiments.bench_set.best_known import Compared
    from euclio.experiments.bench_set.export.record import Export
    from euclio.experiments.bench_set.manifest import Entry, Manifest

CLASSES = ("easy", "medium", "hard", "open")
"""Classes of the benchmark set."""
ALL = "all"
"""Word for all proofs of the benchmark set."""
SAMPLE = 20
"""Proofs of the benchmark set that are tried."""


def _sample(given: Any) -> Any:
    """A whole number, at least 1, or "all"."""
    return given if given == ALL else count(given)


FOLDER = Parameter("--folder", help="default: the set that comes with euclio", parse=file_path, metavar="DIR")
FAMILY = Parameter("--family", choices=tuple(homes()))
CLASS = Parameter("--class", choices=CLASSES)
AGAIN = Parameter("--again")


@dataclass(frozen=True, slots=True)
class SetChecked:
    """The outcome of a check of the benchmark set.

    Attributes:
        entries: the instances that were checked.
        defects: a line for each defect of the files; with any, nothing else is tried.
        certified: the proofs that were tried, each with its certificate.
        against: a line for each proof with a wrong certificate.
        compared: the runs of the requested solver.
    """

    entries: tuple[Entry, ...]
    defects: tuple[str, ...] = ()
    certified: tuple[tuple[Entry, Certificate], ...] = ()
    against: tuple[str, ...] = ()
    compared: tuple[Compared, ...] = ()

    @property
    def good(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.defects or self.against or any(run.wrong for run in self.compared))


@verb(
    Parameter("--solve", parse=as_given, metavar="SOLVER"),
    Parameter("--certify"),
    Parameter("--sample", parse=_sample, metavar="N"),
    SEED,
    Parameter("--proofs", parse=file_path, metavar="DIR"),
    TIME_LIMIT,
    FAMILY,
    CLASS,
    FOLDER,
)
def check_bench_set(
    folder: str | Path | None = None,
    *,
    family: str | None = None,
    class_: str | None = None,
    solve: SolverLike | None = None,
    certify: bool = False,
    sample: Number | Literal["all"] | None = None,
    seed: Number | None = None,
    proofs: str | Path | None = None,
    time_limit: Number | None = None,
) -> SetChecked:
    """Read and price the whole benchmark set again, as `euclio bench-set check` does.

    Args:
        folder: the set; None means the one that comes with euclio.
        family: only this problem family.
        class_: only this class, "easy", "medium", "hard" or "open".
        solve: also run this solver on the instances of its family. In Python also a function.
        certify: also try a sample of the proofs with the prover.
        sample: number of proofs, or "all"; None means 20.
        seed: seed of the sample; None means 0.
        proofs: write a proof file of each proof that is tried into this folder, named after its instance, and show the
            sizes.
        time_limit: limit of each run or search in seconds; None means no limit for runs and 60 for searches.

    Returns:
        The outcome.

    Raises:
        InputError: a bad value, named with its keyword, or one without its `solve` or `certify`.
    """
    from euclio.experiments.bench_set.check import defects, defects_of_set

    if time_limit is not None and solve is None and not certify:
        raise InputError(
            f"is the limit of a run; ask for one by {option_text('--solve')} or {option_text('--certify')}",
            field="--time-limit",
        )
    for name, value in (("sample", sample), ("seed", seed), ("proofs", proofs)):
        if value is not None and not certify:
            raise InputError(
                f"is for the proofs that are tried; add {option_text('--certify')}, or leave it out", field=f"--{name}"
            )
    place, chosen = _chosen(folder, family, class_)
    wrong = defects(place, chosen)
    if class_ is None and family is None:
        wrong += defects_of_set(place, chosen)
    if wrong:
        return SetChecked(chosen, tuple(wrong))
    files = None if proofs is None else made_folder(Path(proofs))
    tried, against = (
        _certified(place, chosen, (as_read(sample), as_read(seed)), as_read(time_limit), files) if certify else ((), ())
    )
    runs = () if solve is None else _compared(place, chosen, solve, as_read(time_limit))
    return SetChecked(chosen, (), tried, against, runs)


def _certified(
    folder: Path,
    entries: tuple[Entry, ...],
    sampled: tuple[Any, int | None],
    limit_s: float | None,
    files: Path | None,
) -> tuple[tuple[tuple[Entry, Certificate], ...], tuple[str, ...]]:
    """A sample of the proofs (size and seed) with their certificates, and what is wrong with these."""
    from euclio.experiments.bench_set.certificates import TIME_LIMIT_S, certified, proofs, sample, wrong

    size, seed = sampled
    most = None if size == ALL else SAMPLE if size is None else size
    chosen = sample(proofs(entries), most, seed or 0)
    made, against = [], []
    with progress_bar("certify", len(chosen)) as advance:
        for entry in chosen:
            found = certified(folder, entry, limit_s or TIME_LIMIT_S, files)
            made.append((entry, found))
            against.append(wrong(entry, found))
            advance()
    return tuple(made), tuple(line for line in against if line)


def _compared(
    folder: Path, entries: tuple[Entry, ...], solver: SolverLike, limit_s: float | None
) -> tuple[Compared, ...]:
    """The runs of a solver on the instances of its family."""
    known = find_solver(solver)
    chosen = [e for e in entries if e.family == known.family]
    found: list[Compared] = []
    time_runs()
    with waiting(f"loading {known.name}, or compiling it"):
        compile_solver(known, known.space)
    with progress_bar(known.name, len(chosen)) as advance:
        for compared in compare_with_best(folder, chosen, solver, limit_s):
            found.append(compared)
            advance()
    return tuple(found)


class Listed(list[Path]):
    """Paths of instances of the benchmark set.

    Attributes:
        entries: what is known of each of them.
    """

    def __init__(self, paths: Iterable[Path], entries: Iterable[Entry]) -> None:
        super().__init__(paths)
        self.entries = tuple(entries)

    def frame(self) -> pd.DataFrame:
        """A row per instance: class, design, best value, gap, effort, path."""
        import pandas as pd

        return pd.DataFrame([{**listed_row(e), "path": str(p)} for e, p in zip(self.entries, self, strict=True)])


@verb(FAMILY, CLASS, FOLDER)
def list_bench_set(folder: str | Path | None = None, *, family: str | None = None, class_: str | None = None) -> Listed:
    """The instances of the benchmark set, as `euclio bench-set list` lists them.

    Args:
        folder: the set; None means the one that comes with euclio.
        family: only this problem family.
        class_: only this class, "easy", "medium", "hard" or "open".

    Returns:
        Their paths; `entries` says what is known of them, `frame()` as a table.

    Raises:
        InputError: an unknown family or class.
    """
    place, chosen = _chosen(folder, family, class_)
    return Listed([instance_path(place, e) for e in chosen], chosen)


@verb(TIME_LIMIT, AGAIN, FAMILY, FOLDER)
def build_bench_set(
    folder: str | Path | None = None,
    *,
    time_limit: Number | None = None,
    again: bool = False,
    family: str | None = None,
) -> Manifest:
    """Make the benchmark set again, as `euclio bench-set build` does.

    Args:
        folder: its folder; None means the set that comes with euclio.
        time_limit: limit of each run in seconds; None means 20.
        again: measure and prove all of them again, and keep plans that are better.
        family: with `again`, of this problem family only.

    Returns:
        Its manifest.

    Raises:
        InputError: nothing can be written there; a family without `again`.
    """
    if family is not None and not again:
        raise InputError(
            f"says of which family all is made again; give {option_text('--again')} too, or leave it out",
            field="--family",
        )
    names = {one.name for own in families() if family in (None, own.name) for one in own.designs()} if again else set()
    with progress_bar("instances", len(designs())) as advance:
        place = None if folder is None else Path(folder)
        return build(
            place, as_read(time_limit) or BUILD_LIMIT_S, advance=advance, again=lambda design: design.name in names
        )


@verb(TIME_LIMIT, AGAIN, FAMILY, FOLDER)
def certify_bench_set(
    folder: str | Path | None = None,
    *,
    time_limit: Number | None = None,
    again: bool = False,
    family: str | None = None,
) -> Manifest:
    """Certify the proofs without a certificate and store the verdicts, as `euclio bench-set certify` does.

    Args:
        folder: the set; None means the one that comes with euclio.
        time_limit: limit of each search in seconds; None means 60.
        again: make all certificates again.
        family: only this problem family.

    Returns:
        The manifest of the set.

    Raises:
        InputError: an unknown family, or a set that cannot be read.
    """
    from euclio.experiments.bench_set.certificates import TIME_LIMIT_S, fill, has_certificate, proofs

    place, entries = _chosen(folder, family)
    asked = proofs(entries)
    chosen = [entry.name for entry in asked if again or not has_certificate(place, entry)]
    with progress_bar("certificates", len(chosen)) as advance:
        return fill(place, chosen, as_read(time_limit) or TIME_LIMIT_S, advance)


@verb(TIME_LIMIT, FAMILY, CLASS, FOLDER)
def export_bench_set(
    out: str | Path,
    folder: str | Path | None = None,
    *,
    time_limit: Number | None = None,
    family: str | None = None,
    class_: str | None = None,
) -> Export:
    """Write the benchmark set for use without euclio, as `euclio bench-set export` does.

    Args:
        out: the folder to write to: a new one, an empty one, or that of an earlier export, which is resumed.
        folder: the set; None means the one that comes with euclio.
        time_limit: limit in seconds for the program of an instance and its proof; None means 10.
        family: only this problem family.
        class_: only this class, "easy", "medium", "hard" or "open".

    Returns:
        The content of the export, with the size and the hash of each file.

    Raises:
        InputError: an unknown family or class, or one without instances; a set that cannot be read, or a folder that
            cannot be written to or holds something else.
    """
    place, chosen = _chosen(folder, family, class_)
    if not chosen:
        raise InputError("the set has no such instances; ask for another family or class", file=str(place))
    with progress_bar("export", len(chosen)) as advance:
        return export(place, chosen, Path(out), as_read(time_limit) or EXPORT_LIMIT_S, advance)


def _chosen(
    folder: str | Path | None, family: str | None = None, class_: str | None = None
) -> tuple[Path, tuple[Entry, ...]]:
    """The folder of the set, and its instances of a family and of a class."""
    place = Path(folder) if folder is not None else set_folder()
    entries = read_manifest(place).entries
    return place, tuple(e for e in entries if class_ in (None, e.difficulty) and family in (None, e.family))


@command(
    check_bench_set,
    name="bench-set check",
    summary="read and price everything again; with --solve, run a solver against the best known; with --certify, try "
    "proofs again",
    about="Check that every instance can be read, every plan has the stated value, bounds and classes agree, and no "
    "instance occurs twice.",
    page="formats/bench-set.md",
    exits="1 something is wrong",
    examples=("euclio bench-set check --solve harpagon --class easy",),
)
def print_checked(arguments: Namespace) -> int:
    """Check, compare, print."""
    found = check_bench_set(**arguments.keywords)
    for line in found.defects:
        print(line)
    if found.defects:
        say(f"the benchmark set has {len(found.defects)} defects")
        return REFUSED
    print(summary(found.entries))
    if "certify" in arguments.keywords:
        print(to_text(certificate_table(found.certified)))
        if "proofs" in arguments.keywords:
            print(to_text(proofs_table(found.certified)))
        _exit_code(found.against)
    if "solve" in arguments.keywords:
        print(to_text(compared_table(found.compared)))
    return SOLVED if found.good else REFUSED


@command(
    list_bench_set,
    Group(
        "",
        "",
        (
            Parameter("--table", help="print the table also where the output is no terminal"),
            replace(JSON, help="print paths and manifest entries as JSON"),
        ),
        exclusive=True,
    ),
    name="bench-set list",
    summary="list instances: a table, or in a pipe their paths",
    about="A table of instances with their designs; in a pipe their paths.",
    examples=("euclio bench-set list --family session --class easy --table",),
)
def print_listed(arguments: Namespace) -> int:
    """Print a table, JSON or the paths."""
    found = list_bench_set(**arguments.keywords)
    if arguments.json:
        from euclio.experiments.bench_set.manifest import entry_data

        known = [{"path": str(path), **entry_data(one)} for path, one in zip(found, found.entries, strict=True)]
        print(json_text({"schema": "euclio/bench-list/1", "instances": known}))
    elif arguments.table or sys.stdout.isatty():
        from euclio.core.tables import to_text
        from euclio.experiments.bench_set.table import listed_table

        print(to_text(listed_table(found.entries)))
    else:
        print("".join(f"{path}\n" for path in found), end="")
    return SOLVED


@command(
    build_bench_set,
    name="bench-set build",
    summary="make the set again",
    about="Write the seeded instances; solve those that are new or changed, and open ones if the limit is longer than "
    "before.",
)
def print_built(arguments: Namespace) -> int:
    """Make the set."""
    print(summary(build_bench_set(**arguments.keywords).entries))
    return SOLVED


@command(
    certify_bench_set,
    name="bench-set certify",
    summary="certify the proofs that have no certificate, and store the verdicts",
    about="Make the certificates that are missing or open, and store them in the manifest.",
    page="formats/bench-set.md",
    exits="1 a proof is refuted",
)
def print_certified(arguments: Namespace) -> int:
    """Make certificates and keep them."""
    manifest = certify_bench_set(**arguments.keywords)
    print(certificates(manifest.entries))
    refuted = [e.name for e in manifest.entries if e.certificate and e.certificate.verdict is Verdict.REFUTED]
    return _exit_code([f"{name}: its proof is REFUTED; `euclio certify` prints the better plan" for name in refuted])


@command(
    export_bench_set,
    Parameter("out", help="a new folder, or that of an earlier export", metavar="DIR"),
    name="bench-set export",
    summary="write the set for use without euclio: programs, proofs and checkers",
    about="Write instances, plans, programs (MPS), points and proofs (VIPR), values in MIPLIB's format, and two "
    "checkers that need nothing but Python. An interrupted export resumes.",
    page="howto/without-euclio.md",
    examples=("euclio bench-set export set --family fragments --class easy",),
)
def print_exported(arguments: Namespace) -> int:
    """Write the set for people without euclio."""
    print(to_text(exported_table(export_bench_set(arguments.out, **arguments.keywords))))
    return SOLVED


def _exit_code(problems: Sequence[str]) -> int:
    """Say what is wrong; the exit code."""
    for line in problems:
        say(line)
    return REFUSED if problems else SOLVED
