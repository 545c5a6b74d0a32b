"""The instances of an experiment: checked once at the start, then read from their files one by one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from euclio.core.errors import InputError, reason_of
from euclio.core.families import family_of, find_family
from euclio.experiments.durable import replaced
from euclio.experiments.experiment import DrawnSource, Experiment, FileSource, GivenSource
from euclio.experiments.solver_settings import solver_of
from euclio.experiments.task import Setting, SolverSetting, text_hash
from euclio.files.boundary import at, shown
from euclio.files.instance_files import instance_from_json
from euclio.files.json_reading import parse_json, read_text
from euclio.files.row_warnings import doubted
from euclio.workloads.generation import amount, draw_instances
from euclio.workloads.populations import Identifying


@dataclass(frozen=True, slots=True)
class InstanceEntry:
    """An instance and the place of its text.

    Attributes:
        family: problem family.
        hash: hash of its text (`text_hash`).
        file: file that holds it.
        offset: byte at which its line begins in a file of drawn instances; None if the whole file is its text.
        population: label of the population that it was drawn as one of; empty if it was not drawn.
    """

    family: str
    name: str
    hash: str
    file: Path
    offset: int | None = None
    population: str = ""

    def text(self) -> str:
        """Its JSON text; raises an `InputError` if the file is not as it was when the experiment was started."""
        text = read_text(self.file) if self.offset is None else _line(self.file, self.offset)
        if text_hash(text) != self.hash:
            raise InputError("has changed since the experiment was started; start it again", file=str(self.file))
        return text


class InstanceIndex:
    """The instances of an experiment, each once, checked against the solvers' plan spaces.

    Args:
        experiment: the experiment.
        advance: called for each instance that was checked.

    Attributes:
        entries: the instances found so far.
    """

    def __init__(self, experiment: Experiment, advance: Callable[[], None] = lambda: None) -> None:
        self.entries: list[InstanceEntry] = []
        self._sources = experiment.instances
        self._advance = advance
        self._spaces = _spaces_by_family(experiment.solvers)
        self._places: dict[str, InstanceEntry] = {}

    def look_at_files(self) -> None:
        """Read and check the instances in files, and the settings of those to be drawn; nothing is written.

        Raises:
            InputError: no such file, a bad instance, one that does not go with a solver's plan space, two different
                instances of one name, or wrong settings.
        """
        for i, source in enumerate(self._sources):
            if isinstance(source, DrawnSource):
                with at(f"instances[{i}]", None):
                    _drawn(source)
            elif isinstance(source, FileSource):
                for path in _paths(source, f"instances[{i}]"):
                    text = read_text(path)
                    instance = instance_from_json(parse_json(text, file=str(path)), str(path))
                    self._check(doubted(instance, str(path)), str(path))
                    self._advance()
                    self._add(InstanceEntry(family_of(instance).name, instance.name, text_hash(text), path))

    def draw(self, folder: Path) -> None:
        """Draw instances, or take those drawn before; they are kept in a folder.

        Raises:
            InputError: as for files.
            UnwritableError: they cannot be kept.
        """
        for source in self._sources:
            if isinstance(source, DrawnSource):
                count, seed = amount(source.kind, source.count, source.seed)
                settings = [source.kind, count, seed, source.settings, version("euclio")]
                path = folder / f"instances-{text_hash(json.dumps(settings, sort_keys=True, default=str))[:16]}.jsonl"
                self._keep(path, partial(_drawn_texts, source), partial(_label, source.kind, seed))
            elif isinstance(source, GivenSource):
                given = list(_with_texts(source.instances))
                path = folder / f"instances-{text_hash(json.dumps([text for _, text in given]))[:16]}.jsonl"
                self._keep(path, partial(iter, given))

    def _keep(
        self,
        path: Path,
        instances: Callable[[], Iterable[tuple[Any, str]]],
        label: Callable[[Identifying], str] | None = None,
    ) -> None:
        """Write instances to a file, and register them.

        Args:
            path: the file; if it exists, they are read from it.
            instances: draws them, each with its text.
            label: the label of their population, when all of them are known; None if they are no population.
        """
        new = not path.exists()
        if new:
            with replaced(path) as stream:
                for instance, text in instances():
                    self._check(instance, instance.name)
                    row = {"family": family_of(instance).name, "name": instance.name, "text": text}
                    stream.write(json.dumps(row).encode() + b"\n")
                    self._advance()
        found, known = [], Identifying()
        for entry, text in _kept(path):
            found.append(entry)
            known.add(entry.name, text)
            if not new:
                if self._spaces.get(entry.family):
                    self._check(find_family(entry.family).read(parse_json(text), None), entry.name)
                self._advance()
        population = "" if label is None else label(known)
        for entry in found:
            self._add(replace(entry, population=population))

    def _check(self, instance: Any, where: str) -> None:
        family = family_of(instance)
        for label, space in self._spaces.get(family.name, ()):
            try:
                family.check_space(instance, space)
            except InputError as error:
                field = None if error.field is None else error.field.removeprefix("--")
                raise InputError(f"{error.message} (solver {label!r} asks for it)", file=where, field=field) from None

    def _add(self, entry: InstanceEntry) -> None:
        """Register an instance; a duplicate is left out."""
        known = self._places.setdefault(entry.name, entry)
        if known is entry:
            self.entries.append(entry)
        elif known.hash != entry.hash:
            raise InputError(
                f"another instance is called {entry.name!r} too, in {known.file}; rename one", file=str(entry.file)
            )


def _spaces_by_family(settings: Iterable[Setting]) -> dict[str, list[tuple[str, Any]]]:
    """Labels and plan spaces of the settings that change theirs, by problem family."""
    found: dict[str, list[tuple[str, Any]]] = {}
    for setting in settings:
        if isinstance(setting, SolverSetting) and setting.space:
            solver = solver_of(setting)
            found.setdefault(solver.family, []).append((setting.label, replace(solver.space, **dict(setting.space))))
    return found


def _paths(source: FileSource, field: str) -> Iterator[Path]:
    """The files of a source, sorted within each of its paths.

    Raises:
        InputError: a path stands for no file, or is none.
    """
    for given in source.paths:
        try:
            yield from _found(given, source.folder)
        except (OSError, RuntimeError, ValueError) as error:  # too long, no such home, two stars in a name
            if isinstance(error, InputError):
                raise
            reason = reason_of(error)
            raise InputError(f"is {shown(given)}, no path ({reason}); name another", field=f"{field}.files") from None


def _found(given: str, folder: Path) -> list[Path]:
    path = folder / Path(given).expanduser()
    with suppress(FileNotFoundError, NotADirectoryError):
        path.stat()  # of a name that is too long, newer Pythons otherwise say that there is no such file
    pattern = not path.exists() and any(sign in given for sign in "*?[")
    if pattern:
        # Older Pythons refuse it, newer ones take it for one star.
        if any("**" in part and part != "**" for part in path.parts):
            raise ValueError("** stands between slashes only")
        base = Path(path.anchor)
        found = sorted(file for file in base.glob(str(path.relative_to(base))) if file.is_file())
    elif path.is_dir():
        found = sorted(path.glob("*.json"))
    else:
        found = [path]
    if not found:
        what = "matches no file" if pattern else "has no file that ends in .json"
        raise InputError(f"{what}; name another path", file=str(path))
    for file in found:
        if file.exists() and not (file.is_file() or file.is_dir()):
            raise InputError("is no file that can be read twice; name another path", file=str(file))
    return found


def _drawn(source: DrawnSource) -> Iterator[Any]:
    """The instances of a source, drawn one by one.

    Raises:
        InputError: no such kind, or wrong settings; names the field as experiment files do.
    """
    try:
        return draw_instances(source.kind, source.count, source.seed, source.settings)
    except InputError as error:
        place = {"kind": "generate", "count": "count", None: None}.get(error.field, f"settings.{error.field}")
        raise InputError(error.message, file=error.file, field=place) from None


def _drawn_texts(source: DrawnSource) -> Iterator[tuple[Any, str]]:
    return _with_texts(_drawn(source))


def _label(name: str, seed: int, known: Identifying) -> str:
    """The label of the population of drawn instances."""
    return known.identity(name, seed).label


def _with_texts(instances: Iterable[Any]) -> Iterator[tuple[Any, str]]:
    """Each instance with its JSON text."""
    return ((instance, family_of(instance).to_text(instance)) for instance in instances)


def _kept(path: Path) -> Iterator[tuple[InstanceEntry, str]]:
    """The instances of a file of drawn ones, with their texts."""
    offset = 0
    with path.open("rb") as stream:
        for line in stream:
            family, name, text = _parts(line, path)
            yield InstanceEntry(family, name, text_hash(text), path, offset), text
            offset += len(line)


def _line(path: Path, offset: int) -> str:
    with path.open("rb") as stream:
        stream.seek(offset)
        return _parts(stream.readline(), path)[2]


def _parts(line: bytes, path: Path) -> tuple[str, str, str]:
    """Family, name and text of the instance in a line of a file of drawn ones.

    Raises:
        InputError: it holds something else.
    """
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        row = json.loads(line)
        parts = row["family"], row["name"], row["text"]
        if all(isinstance(part, str) for part in parts):
            # `encode` refuses half a surrogate pair, which was not written here.
            "".join(parts).encode()
            return parts
    raise InputError("is damaged; remove it, then its instances are drawn again", file=str(path))
