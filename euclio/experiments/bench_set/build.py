"""Make the benchmark set: ``python -m euclio.experiments.bench_set.build``, or ``euclio bench-set build``.

Instances depend on the seed alone. Best known values do not get worse: results on unchanged instances are kept. Only
open instances are tried again, under a longer limit or where the reference method ended before its limit. On request,
effort and bounds of a family are made again, and better plans are kept. Certificates stay while instance and plan stay;
`euclio bench-set certify` makes the missing ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from euclio.core.errors import InputError
from euclio.core.families import families, family_of
from euclio.core.parts import Design
from euclio.core.progress import progress_bar, told
from euclio.core.result import Answer, Status
from euclio.core.solver import Limits
from euclio.core.solving import check
from euclio.core.versions import provenance
from euclio.experiments.bench_set.best_known import BestFound, better, improved, measured
from euclio.experiments.bench_set.certificates import has_certificate
from euclio.experiments.bench_set.manifest import (
    FILE,
    Difficulty,
    Entry,
    Manifest,
    best_path,
    difficulty_of,
    instance_path,
    instance_text,
    read_best,
    read_manifest,
    rooms,
    set_folder,
    write_manifest,
)
from euclio.experiments.task import text_hash
from euclio.files.json_writing import compact, write_text
from euclio.files.result_files import result_to_text

SEED = 1
TIME_LIMIT_S = 20.0


def designs() -> list[Design]:
    """All designs of the set, family by family."""
    return [design for family in families() for design in family.designs()]


@told("making the benchmark set")
def build(
    folder: Path | None = None,
    time_limit_s: float = TIME_LIMIT_S,
    chosen: Callable[[Design], bool] = lambda design: True,
    advance: Callable[[], None] = lambda: None,
    again: Callable[[Design], bool] = lambda design: False,
) -> Manifest:
    """Write instances, best known results and manifest.

    Args:
        folder: the folder to write; None means that of the set.
        time_limit_s: limit of each run in seconds.
        chosen: which designs; the others are left out of the manifest.
        advance: called after each instance.
        again: the designs whose effort and bound are made again even if known.

    Raises:
        InputError: nothing can be written there.
    """
    out = set_folder() if folder is None else folder
    known = _known(out)
    entries: list[Entry] = []
    for design in filter(chosen, designs()):
        entries.append(_entry(out, design, known.get(design.name), time_limit_s, again(design)))
        # If the work ends here, later instances keep their known results.
        rest = [entry for name, entry in known.items() if name not in {e.name for e in entries}]
        write_manifest(Manifest(SEED, provenance()["cpu"], (*entries, *rest)), out)
        advance()
    manifest = Manifest(SEED, provenance()["cpu"], tuple(entries))
    write_manifest(manifest, out)
    _remove_others(out, manifest)
    return manifest


def _known(folder: Path) -> dict[str, Entry]:
    for name in rooms():
        try:
            (folder / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot be made: {error.strerror}; choose another folder", file=str(folder)) from None
    return {e.name: e for e in read_manifest(folder).entries} if (folder / FILE).is_file() else {}


def _entry(folder: Path, design: Design, known: Entry | None, time_limit_s: float, again: bool) -> Entry:
    instance = design.make(SEED)
    text = instance_text(instance)
    before = BestFound()
    if known is not None and known.text_hash == text_hash(text) and best_path(folder, known.name).is_file():
        if not again and not _to_be_tried_again(known, time_limit_s):
            write_text(text, instance_path(folder, known))
            return known
        before = _found(folder, instance, known)
        before = replace(before, bound=None, bound_solver="") if again else before
    space, family = design.space, family_of(instance)
    goal = family.goal(space)
    effort, first = measured(instance, space, time_limit_s)
    best, tried = improved(instance, space, better(before, first, goal.maximised), time_limit_s)
    if best.value is None:
        raise RuntimeError(f"{design.name}: no method found a plan; change the design")
    proven = goal.proven(best.value, best.bound)
    since = known if known is not None and (best.value, best.bound) == (before.value, before.bound) else None
    entry = Entry(
        design.name,
        family.name,
        text_hash(text),
        _plain(design),
        difficulty_of(proven, effort),
        best.value,
        best.solver,
        best.bound,
        best.bound_solver,
        datetime.now(UTC).date().isoformat() if since is None else since.date,
        provenance()["packages"]["euclio"] if since is None else since.euclio,
        effort,
        (effort.solver, *tried),
        time_limit_s,
    )
    write_text(text, instance_path(folder, entry))
    write_text(_best_text(instance, space, best, entry), best_path(folder, entry.name))
    certified = entry if known is None else replace(entry, certificate=known.certificate)
    return certified if has_certificate(folder, certified) else entry


def _to_be_tried_again(known: Entry, time_limit_s: float) -> bool:
    """Whether an unchanged instance may get a better answer: with more time, or where the method took it as proven."""
    if known.difficulty is not Difficulty.OPEN:
        return False
    return time_limit_s > known.time_limit_s or known.effort.status == Status.OPTIMAL


def _found(folder: Path, instance: Any, entry: Entry) -> BestFound:
    """The folder's result on an unchanged instance, its plan priced again."""
    written = read_best(folder, instance)
    checked = family_of(instance).evaluate(instance, written.plan, written.space)
    value = checked.value if checked.feasible else None
    return BestFound(value, entry.solver, written.plan, entry.bound, entry.bound_solver)


def _best_text(instance: Any, space: Any, best: BestFound, entry: Entry) -> str:
    """The result file of the best plan and bound, without data of single runs."""
    bound = None if best.bound is None else float(best.bound)
    answer: Answer[Any] = Answer(best.plan, "best known", bound=bound)
    result = check(instance, best.solver, space, Limits(), answer, 0.0)
    result.provenance.clear()
    result.provenance.update(date=entry.date, euclio=entry.euclio, bound_solver=entry.bound_solver)
    return compact(result_to_text(result, instance))


def _plain(design: Design) -> dict[str, Any]:
    """A design as plain data; the plan space stands in the result."""
    data = asdict(design)  # type: ignore[call-overload]
    for field in ("space", "mark"):
        data.pop(field, None)
    return {key: str(value) if key == "objective" else value for key, value in data.items()}


def _remove_others(folder: Path, manifest: Manifest) -> None:
    """Remove files of instances that are no longer in the set."""
    kept = {path for e in manifest.entries for path in (instance_path(folder, e), best_path(folder, e.name))}
    for name in rooms():
        for path in (folder / name).glob("*.json"):
            if path not in kept:
                path.unlink()


def main() -> None:
    """Build the set where it stands, with a progress bar."""
    with progress_bar("instances", len(designs())) as advance:
        build(advance=advance)


if __name__ == "__main__":
    main()
