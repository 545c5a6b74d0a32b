"""The benchmark set: `check_bench_set` is `euclio bench-set check`, and so on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from euclio.core.compiled import time_runs
from euclio.core.errors import InputError
from euclio.core.families import families, homes
from euclio.core.numbers import Number
from euclio.core.progress import progress_bar, waiting
from euclio.core.values import count, seconds
from euclio.core.values import seed as read_seed
from euclio.verbs.keywords import ALL, CLASSES, SAMPLE, one_of, read, read_if
from euclio.verbs.verb import verb

if TYPE_CHECKING:
    import pandas as pd

    from euclio.core.certificate import Certificate
    from euclio.core.solver import SolverLike
    from euclio.experiments.bench_set.best_known import Compared
    from euclio.experiments.bench_set.export.record import Export
    from euclio.experiments.bench_set.manifest import Entry, Manifest


@dataclass(frozen=True, slots=True)
class SetChecked:
    """What a check of the benchmark set found.

    Attributes:
        entries: the instances that were checked.
        defects: a line for each thing that is wrong with the files; where there are any, nothing else is tried.
        certified: the proofs that were tried, each with its certificate.
        against: a line for each proof whose certificate is not as it should be.
        compared: the runs of the solver that was asked for.
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


@verb()
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
    """Read and price everything of the benchmark set again, as `euclio bench-set check` does.

    Args:
        folder: the set; None: the one that comes with euclio.
        family: only this problem family.
        class_: only this class, "easy", "medium", "hard" or "open".
        solve: also run this solver, named or a function, on the instances of its family.
        certify: also try a sample of the proofs with the prover.
        sample: how many proofs, or "all"; None: 20.
        seed: seed of the sample; None: 0.
        proofs: write proof files of the proofs that are tried into this folder, each named after its instance.
        time_limit: limit of each run or search in seconds; None: none of runs, 60 of searches.

    Returns:
        What was found.

    Raises:
        InputError: a bad value, which it names with its keyword, or one of work that is not asked for.
    """
    from euclio.experiments.bench_set.check import defects, defects_of_set
    from euclio.experiments.bench_set.manifest import read_manifest, set_folder

    limit_s = read_if(seconds, time_limit, "--time-limit")
    if limit_s is not None and solve is None and not certify:
        raise InputError("is the limit of a run; ask for one by --solve or --certify", field="--time-limit")
    for name, value in (("sample", sample), ("seed", seed), ("proofs", proofs)):
        if value is not None and not certify:
            raise InputError("is for the proofs that are tried; add --certify, or leave it out", field=f"--{name}")
    asked, of = _class(class_), _family(family)
    place = Path(folder) if folder is not None else set_folder()
    entries = read_manifest(place).entries
    chosen = tuple(e for e in entries if asked in (None, e.difficulty) and of in (None, e.family))
    wrong = defects(place, chosen)
    if asked is None and of is None:
        wrong += defects_of_set(place, entries)
    if wrong:
        return SetChecked(chosen, tuple(wrong))
    files = None if proofs is None else _folder(Path(proofs))
    tried, against = _certified(place, chosen, (sample, seed), limit_s, files) if certify else ((), ())
    runs = () if solve is None else _compared(place, chosen, solve, limit_s)
    return SetChecked(chosen, (), tried, against, runs)


def _certified(
    folder: Path,
    entries: tuple[Entry, ...],
    sampled: tuple[object, Number | None],
    limit_s: float | None,
    files: Path | None,
) -> tuple[tuple[tuple[Entry, Certificate], ...], tuple[str, ...]]:
    """A sample of the proofs (size and seed) with their certificates, and what is wrong with these."""
    from euclio.experiments.bench_set.certificates import TIME_LIMIT_S, certified, proofs, sample, wrong

    size, seed = sampled
    most = None if size == ALL else SAMPLE if size is None else read(count, size, "--sample")
    chosen = sample(proofs(entries), most, read_if(read_seed, seed, "--seed") or 0)
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
    from euclio.core.registry import find_solver
    from euclio.core.warm_up import compile_solver
    from euclio.experiments.bench_set.best_known import compare_with_best

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
        """A row per instance: class, what it was drawn from, best value, what its bound leaves open, effort, path."""
        import pandas as pd

        from euclio.experiments.bench_set.table import listed_row

        return pd.DataFrame([{**listed_row(e), "path": str(p)} for e, p in zip(self.entries, self, strict=True)])


@verb()
def list_bench_set(folder: str | Path | None = None, *, family: str | None = None, class_: str | None = None) -> Listed:
    """The instances of the benchmark set, as `euclio bench-set list` lists them.

    Args:
        folder: the set; None: the one that comes with euclio.
        family: only this problem family.
        class_: only this class, "easy", "medium", "hard" or "open".

    Returns:
        Their paths; `entries` says what is known of them, `frame()` as a table.

    Raises:
        InputError: an unknown family or class.
    """
    from euclio.experiments.bench_set.manifest import instance_path, read_manifest, set_folder

    asked, of = _class(class_), _family(family)
    place = Path(folder) if folder is not None else set_folder()
    entries = read_manifest(place).entries
    chosen = [e for e in entries if asked in (None, e.difficulty) and of in (None, e.family)]
    return Listed([instance_path(place, e) for e in chosen], chosen)


@verb()
def build_bench_set(
    folder: str | Path | None = None,
    *,
    time_limit: Number | None = None,
    again: bool = False,
    family: str | None = None,
) -> Manifest:
    """Make the benchmark set again, as `euclio bench-set build` does.

    Args:
        folder: where; None: where the set stands that comes with euclio.
        time_limit: limit of each run in seconds; None: 20.
        again: whether efforts and bounds are made again, whatever is known; better plans are kept.
        family: with `again`, of this problem family only.

    Returns:
        Its manifest.

    Raises:
        InputError: nothing can be written there; a family without `again`.
    """
    from euclio.experiments.bench_set.build import TIME_LIMIT_S, build, designs

    limit_s, of = read_if(seconds, time_limit, "--time-limit") or TIME_LIMIT_S, _family(family)
    if of is not None and not again:
        raise InputError("says of which family all is made again; give --again too, or leave it out", field="--family")
    names = {one.name for own in families() if of in (None, own.name) for one in own.designs()} if again else set()
    with progress_bar("instances", len(designs())) as advance:
        place = None if folder is None else Path(folder)
        return build(place, limit_s, advance=advance, again=lambda design: design.name in names)


@verb()
def certify_bench_set(
    folder: str | Path | None = None,
    *,
    time_limit: Number | None = None,
    again: bool = False,
    family: str | None = None,
) -> Manifest:
    """Have the proofs without a certificate tried, and keep what comes out, as `euclio bench-set certify` does.

    Args:
        folder: the set; None: the one that comes with euclio.
        time_limit: limit of each search in seconds; None: 60.
        again: make all certificates again.
        family: only this problem family.

    Returns:
        The manifest of the set.

    Raises:
        InputError: an unknown family, or a set that cannot be read.
    """
    from euclio.experiments.bench_set.certificates import TIME_LIMIT_S, fill, has_certificate, proofs
    from euclio.experiments.bench_set.manifest import read_manifest, set_folder

    of, limit_s = _family(family), read_if(seconds, time_limit, "--time-limit") or TIME_LIMIT_S
    place = Path(folder) if folder is not None else set_folder()
    asked = [entry for entry in proofs(read_manifest(place).entries) if of in (None, entry.family)]
    chosen = [entry.name for entry in asked if again or not has_certificate(place, entry)]
    with progress_bar("certificates", len(chosen)) as advance:
        return fill(place, chosen, limit_s, advance)


@verb()
def export_bench_set(
    out: str | Path,
    folder: str | Path | None = None,
    *,
    time_limit: Number | None = None,
    family: str | None = None,
    class_: str | None = None,
) -> Export:
    """Write the benchmark set for people who do not install euclio, as `euclio bench-set export` does.

    Args:
        out: the folder to write to: a new one, an empty one, or one of an earlier export, which is gone on with.
        folder: the set; None: the one that comes with euclio.
        time_limit: limit in seconds for the program of an instance and its proof; None: 10.
        family: only this problem family.
        class_: only this class, "easy", "medium", "hard" or "open".

    Returns:
        What the export holds, with the size and the hash of each file.

    Raises:
        InputError: an unknown family or class, none of which the set has instances of; a set that cannot be read, or a
            folder that cannot be written to or holds something else.
    """
    from euclio.experiments.bench_set.export.whole_set import TIME_LIMIT_S, export
    from euclio.experiments.bench_set.manifest import read_manifest, set_folder

    asked, of, limit_s = _class(class_), _family(family), read_if(seconds, time_limit, "--time-limit") or TIME_LIMIT_S
    place = Path(folder) if folder is not None else set_folder()
    entries = read_manifest(place).entries
    chosen = [e for e in entries if asked in (None, e.difficulty) and of in (None, e.family)]
    if not chosen:
        raise InputError("the set has no such instances; ask for another family or class", file=str(place))
    with progress_bar("export", len(chosen)) as advance:
        return export(place, chosen, Path(out), limit_s, advance)


def _folder(path: Path) -> Path:
    """A folder for files, which is made if it is not there.

    Raises:
        InputError: it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"cannot be a folder: {reason.lower()}; choose another one", file=str(path)) from None
    return path


def _class(given: str | None) -> str | None:
    return None if given is None else str(one_of(CLASSES, given, "--class"))


def _family(given: str | None) -> str | None:
    return None if given is None else str(one_of(homes(), given, "--family"))
