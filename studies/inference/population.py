"""Settings near a paper's printed numbers: a population that is changed and kept (ours).

Thirty parameters are free, so few random settings are near. So settings are changed along the difference of two others
(ter Braak 2006), and a changed one replaces its parent if it is nearer. Both are simulated on the same workloads, which
every generation draws anew; a setting that fits one sample of workloads alone is soon replaced. Some settings of the
population are compared with all numbers but those of one group, so that this group chose none of them. The share of
optimal splits is in no distance.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from euclio.core.errors import InputError
from euclio.core.parameters import option_text
from euclio.core.progress import progress_bar, say
from euclio.core.versions import provenance
from studies.inference.prior import NAMES, PRIORS, Choice, Setting, from_unit
from studies.inference.references import REFERENCE_KEYS, Again, resimulate
from studies.inference.simulation import DIGITS, short, simulate
from studies.inference.store import FACT, PLACE, PRIOR, Stored, save_stored, stored_of
from studies.inference.targets import Values, distance, fitted, full, groups_of, of_paper, without

AT_ONCE = 4
"""Number of things that a process gets at a time."""


class SearchJournal(AbstractContextManager["SearchJournal"]):
    """Makes things and notes them, one line of JSON each; a noted thing is not made again.

    A note names its input. If a resumed draw chooses other things than before, as an emulator of another version does,
    these are made anew and do not get the numbers of the earlier ones.

    Attributes:
        path: the file.
        jobs: processes.
        fresh: number of things made, without those that were noted already.
    """

    def __init__(self, path: Path, head: Mapping[str, Any], jobs: int = 1) -> None:
        """Open a journal, anew or where it was left.

        Args:
            path: the file.
            head: the facts that decide every result: plan, parameters, version.
            jobs: processes.

        Raises:
            InputError: the file is of other draws.
        """
        self.path, self.jobs, self.fresh = path, jobs, 0
        self._made: dict[tuple[str, int, str], Any] = {}
        self._pool: ProcessPoolExecutor | None = None
        wanted = json.dumps(head, sort_keys=True)
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        if lines and lines[0] != wanted:
            raise InputError(f"is of other draws; give another {option_text('--out')}, or remove it", file=str(path))
        entries = [entry for entry in map(_entry, lines[1:]) if entry is not None]
        self._made = {(entry["label"], entry["place"], entry.get("of", "")): entry["made"] for entry in entries}
        # Drop the rest of a line that an interruption cut.
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = [wanted, *map(json.dumps, entries)]
        path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8", newline="\n")
        self._file = path.open("a", encoding="utf-8", newline="\n")

    def made(self, label: str, function: Any, things: Sequence[Any]) -> list[Any]:
        """A function's results for some things, in their order; each is noted, so it has to be plain JSON.

        Args:
            label: name of the things.
            function: makes a result from one.
            things: the things; the `repr` of each identifies it.
        """
        keys = [(label, n, _hash(thing)) for n, thing in enumerate(things)]
        missing = [n for n, key in enumerate(keys) if key not in self._made]
        with progress_bar(label, len(missing)) as advance:
            for n, found in zip(missing, self._mapped(function, [things[n] for n in missing]), strict=True):
                self._made[keys[n]] = found
                self.fresh += 1
                self._file.write(json.dumps({"label": label, "place": n, "of": keys[n][2], "made": found}) + "\n")
                self._file.flush()
                advance()
        return [self._made[key] for key in keys]

    def _mapped(self, function: Any, things: Sequence[Any]) -> Iterator[Any]:
        """A function's results for some things, in their order, by the journal's processes."""
        if self.jobs <= 1 or len(things) < 2:
            return map(function, things)
        if self._pool is None:
            # Compiled code and its threads do not survive a fork.
            self._pool = ProcessPoolExecutor(self.jobs, mp_context=get_context("spawn"))
        return self._pool.map(function, things, chunksize=AT_ONCE)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file and end the processes."""
        self._file.close()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def _hash(thing: Any) -> str:
    """Digits that identify a thing."""
    return sha256(repr(thing).encode()).hexdigest()[:16]


def _entry(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


LENGTHS, CHANGED, JITTER, REDRAWN = (0.4, 0.8), (0.1, 0.25, 0.6), 0.03, 0.25
"""Factors of a step, shares of the parameters it changes, its random addition, and how often a choice is redrawn."""
LEADERS = 8
"""Nearest settings that half of the steps also go towards."""
DOUBT = 0.02
"""Addition to the distance of a setting with few workloads, divided by the root of its samples."""
STARTS, WORKLOADS = 120, 48
"""Random settings that a population begins with; workloads of a setting in a generation."""
GENERATIONS = {"harpagon": 60, "piccolo": 40}
"""Generations of the stored searches, by paper."""
RUNS = 2
"""Independent populations; a result of both is not chance."""


@dataclass(frozen=True, slots=True)
class SettingSearch:
    """A search of a paper's settings.

    Attributes:
        paper: the paper.
        seed: seed of everything.
        generations: how often each population is changed.
        size: settings of a population that are compared with all numbers.
        held_out: settings of it, for every group of numbers, that are compared with the other groups.
        starts: random settings that it begins with.
        workloads: workloads of a setting in a generation; repetitions have more in proportion.
        readings: readings that are not those of the solvers' own rows.
    """

    paper: str
    seed: int
    generations: int
    size: int = 24
    held_out: int = 2
    starts: int = STARTS
    workloads: int = WORKLOADS
    readings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def small(self) -> float:
        """Workloads of a setting over the usual ones."""
        return min(1.0, self.workloads / WORKLOADS)

    def setting(self, places: Sequence[float]) -> Setting:
        """The setting at a point of the cube."""
        return from_unit(self.paper, np.array(places), **self.readings)


@dataclass(frozen=True, slots=True)
class _AskedSetting:
    """A setting to be simulated on some workloads."""

    search: SettingSearch
    places: tuple[float, ...]
    seed: int


@dataclass(slots=True)
class _Population:
    """Settings: points of the cube, the numbers each is compared with, its distances in sum and number."""

    points: Values
    wanted: list[str]
    total: Values
    count: Values

    @property
    def mean(self) -> Values:
        """Mean distance of each."""
        return np.asarray(self.total / self.count)

    @property
    def doubted(self) -> Values:
        """Mean distance of each, with the addition for few workloads."""
        return np.asarray(self.mean + DOUBT / np.sqrt(self.count))

    def leaders(self, group: str) -> Values:
        """Indices of the nearest settings that are compared with the same numbers."""
        own = np.array([n for n, name in enumerate(self.wanted) if name == group])
        return own[np.argsort(self.doubted[own], kind="stable")[:LEADERS]]


def search_settings(search: SettingSearch, jobs: int, out: Path) -> Stored:
    """Search, simulate the kept settings again on other workloads, and store them.

    Args:
        search: the search.
        jobs: processes, which change no digit of it.
        out: the file of all settings; the kept ones are stored next to it, as is the journal of a running search.

    Raises:
        InputError: a journal of another search is there, or no setting has workloads.
    """
    version = provenance()["packages"]["euclio"]
    head = {"search": asdict(search), "parameters": list(NAMES), "version": version}
    with SearchJournal(out.with_suffix(".journal"), head, jobs) as journal:
        rows: list[dict[str, Any]] = []
        kept: list[dict[str, Any]] = []
        for run in range(1, RUNS + 1):
            kept += _kept_of(_run(journal, search, run, rows), run)
        random_ones = [row for row in rows if row["wave"] == PRIOR and np.isfinite(row["distance"])]
        some = [row for run in range(1, RUNS + 1) for row in _of_run(random_ones, run)[: search.size]]
        if not some:
            raise InputError("none of the settings has workloads; ask for more", field="generations")
        for row, found in zip(kept, _again(journal, search, kept, "kept settings again"), strict=True):
            row |= {"distance_again": distance(found, _keys(search)), **found}
        for row, found in zip(some, _again(journal, search, some, "random settings again"), strict=True):
            row |= {key: value for key, value in found.items() if key.partition(":")[2] in REFERENCE_KEYS}
        stored = stored_of(rows, kept, {"paper": search.paper, **head, "draws": len(rows)})
        save_stored(stored, out)
    journal.path.unlink()
    return stored


def _keys(search: SettingSearch) -> tuple[str, ...]:
    """The numbers that settings are compared with."""
    return of_paper(fitted(), search.paper)


def _run(journal: SearchJournal, search: SettingSearch, run: int, rows: list[dict[str, Any]]) -> _Population:
    """Change a population once per generation; every setting is noted in rows as it is first simulated."""
    stream = np.random.default_rng(seed_of(search.seed, search.paper, run))
    keys = {"": _keys(search), **{name: without(_keys(search), name) for name in groups_of(_keys(search))}}
    starts = np.round(stream.random((search.starts, len(NAMES))), DIGITS)
    known = _figures_of(journal, search, starts, f"run {run}, random settings")
    rows += _rows(search, run, PRIOR, [""] * len(starts), starts, known)
    own = _first(search, keys, starts, [one["figures"] for one in known])
    for generation in range(1, search.generations + 1):
        children = _children(search.paper, own, stream)
        both = np.concatenate((own.points, children))
        found = _figures_of(journal, search, both, f"run {run}, generation {generation}")
        rows += _rows(search, run, generation, own.wanted, children, found[len(children) :])
        # A setting without workloads is farther than any.
        apart = [min(2.0, distance(one["figures"], keys[w])) for one, w in zip(found, own.wanted * 2, strict=True)]
        parents, new = np.split(np.array(apart), 2)
        own.total, own.count = own.total + parents, own.count + 1
        # Nearer on these workloads, and nearer than the parent's mean distance.
        nearer = (new < parents) & (new < own.mean)
        own.points[nearer], own.total[nearer], own.count[nearer] = children[nearer], new[nearer], 1
        mean = np.sort(own.mean[: search.size])
        say(f"{search.paper}, run {run}, generation {generation}: {mean[0]:.3f} to {mean[-1]:.3f}")
    return own


def _first(
    search: SettingSearch, keys: Mapping[str, Sequence[str]], starts: Values, figures: Sequence[Mapping[str, float]]
) -> _Population:
    """The nearest of the random settings, by every distance."""
    points, wanted, total = [], [], []
    for name, own in keys.items():
        apart = np.array([min(2.0, distance(one, own)) for one in figures])
        nearest = np.argsort(apart, kind="stable")[: search.held_out if name else search.size]
        points += [starts[n] for n in nearest]
        wanted += [name] * len(nearest)
        total += [apart[n] for n in nearest]
    return _Population(np.array(points), wanted, np.array(total), np.ones(len(total)))


def _children(paper: str, own: _Population, stream: np.random.Generator) -> Values:
    """One changed setting of each."""
    points = own.points
    size, free = points.shape
    one, other = points[stream.integers(size, size=size)], points[stream.integers(size, size=size)]
    leader = points[[stream.choice(own.leaders(name)) for name in own.wanted]]
    towards = (stream.random((size, 1)) < 0.5) * (leader - points)
    moved = points + stream.choice(LENGTHS, size=(size, 1)) * (one - other + towards)
    moved += stream.normal(0.0, JITTER, (size, free))
    # A difference of two settings rarely changes the value of a choice.
    choice = np.array([isinstance(prior, Choice) for prior in PRIORS[paper].values()])
    moved = np.where(choice & (stream.random((size, free)) < REDRAWN), stream.random((size, free)), moved)
    changed = stream.random((size, free)) < stream.choice(CHANGED, size=(size, 1))
    changed[np.arange(size), stream.integers(free, size=size)] = True
    # Mirrored at the walls of the cube.
    folded = np.where(changed, moved, points) % 2.0
    return np.asarray(np.round(np.where(folded > 1.0, 2.0 - folded, folded), DIGITS), np.float64)


def seed_of(seed: int, *names: object) -> int:
    """A seed of its own for everything that has a name."""
    return random.Random("/".join(map(str, (seed, *names)))).getrandbits(31)


def _figures_of(journal: SearchJournal, search: SettingSearch, points: Values, label: str) -> list[dict[str, Any]]:
    """Numbers and facts of some settings on the same workloads; equal ones are simulated once."""
    seed = seed_of(search.seed, search.paper, label)
    places = [tuple(one) for one in points.tolist()]
    unlike = list(dict.fromkeys(places))
    made = journal.made(label, _simulated, [_AskedSetting(search, one, seed) for one in unlike])
    known = dict(zip(unlike, made, strict=True))
    return [known[one] for one in places]


def _simulated(asked: _AskedSetting) -> dict[str, Any]:
    """Numbers and facts of a setting by PAPER:NAME, as plain values."""
    search = asked.search
    found = simulate(search.paper, search.setting(asked.places), asked.seed, search.workloads)
    return {
        "figures": {full(search.paper, key): short(value) for key, value in found.figures.items()},
        "facts": {full(search.paper, key): short(value) for key, value in found.facts.items()},
    }


def _rows(
    search: SettingSearch,
    run: int,
    wave: int,
    wanted: Sequence[str],
    points: Values,
    known: Sequence[Mapping[str, Any]],
) -> Iterator[dict[str, Any]]:
    """The simulated settings, as rows of the stored search."""
    for place, (name, point, one) in enumerate(zip(wanted, points.tolist(), known, strict=True)):
        yield {
            "run": run,
            "wave": wave,
            "wanted": name,
            "place": place,
            "distance": distance(one["figures"], _keys(search)),
            **_places(point),
            **one["figures"],
            **{FACT + name: value for name, value in one["facts"].items()},
        }


def _kept_of(own: _Population, run: int) -> list[dict[str, Any]]:
    """The final settings of a population that were compared with all numbers, with their mean distance."""
    return [
        {"run": run, "distance": short(float(own.mean[n])), **_places(own.points[n].tolist())}
        for n, name in enumerate(own.wanted)
        if not name
    ]


def _places(point: Sequence[float]) -> dict[str, float]:
    """A point by columns."""
    return {PLACE + name: place for name, place in zip(NAMES, point, strict=True)}


def _of_run(rows: Sequence[dict[str, Any]], run: int) -> list[dict[str, Any]]:
    return [row for row in rows if row["run"] == run]


def _again(
    journal: SearchJournal, search: SettingSearch, rows: Sequence[Mapping[str, Any]], label: str
) -> list[dict[str, float]]:
    """The numbers of settings on more workloads of other seeds, with best splits and plans."""
    asked = [
        Again.of(
            search.paper,
            search.setting([row[PLACE + name] for name in NAMES]),
            seed_of(search.seed, search.paper, label, n),
            search.small,
        )
        for n, row in enumerate(rows)
    ]
    return journal.made(label, resimulate, asked)
