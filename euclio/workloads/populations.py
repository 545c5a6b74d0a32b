"""Populations: named sets of instances that a share or a mean is of, each with a seed, a size and a hash.

The one place where they are registered. "Harpagon is optimal on 68 %" says nothing without the workloads that it is
optimal on. So each page with such a number states its population by name, seed and hash (`Identity`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.lazy import late
from euclio.core.words import counted, nearest

SHOWN_DIGITS = 12
"""Hexadecimal digits of a hash that are shown."""
PROTOCOL_SEED = 20240917
"""Seed of all populations of sessions."""

_setting = late("studies.drawn_workloads", "drawn_sessions")
_profiled = late("euclio.workloads.session.profile_libraries", "library_sessions")
_protocol = late("euclio.workloads.session.acceptance", "sessions_of_all_systems")
_in_space = late("euclio.workloads.session.acceptance", "sessions_in_the_space_of")


@dataclass(frozen=True, slots=True)
class Population:
    """A named set of instances.

    Attributes:
        name: its name, as `euclio generate` and experiments take it.
        about: what it is, in a line.
        drawn: how it is drawn, in a line: from what, and what is left out.
        seed: seed of its published draw.
        count: how much is drawn unless asked otherwise.
        draw: count and seed in, instances out, each made when it is asked for.
        sha256: hash of the published draw (`Identity`), which a test holds.
        of: what `count` counts, where that is not instances.
    """

    name: str
    about: str
    drawn: str
    seed: int
    count: int
    draw: Callable[[int, int], Iterator[Any]]
    sha256: str
    of: str = "instances"

    @property
    def published(self) -> Identity:
        """The identity of its published draw; its size is `count`, in the unit `of`."""
        return Identity(self.name, self.seed, self.count, self.sha256)


@dataclass(frozen=True, slots=True)
class Identity:
    """Which instances something is about: the same identity is the same instances, byte by byte.

    Attributes:
        name: name of the population, or of the kind that was drawn.
        seed: seed of the draw; None if nothing was drawn from a seed, such as files.
        size: number of instances.
        sha256: SHA-256 of the lines that ``sha256sum *.json`` prints in a folder of the instances: the SHA-256 of each
            instance's canonical text and the name of its file, in the order of these names.
    """

    name: str
    seed: int | None
    size: int
    sha256: str

    @property
    def short(self) -> str:
        """The hash as it is shown."""
        return self.sha256[:SHOWN_DIGITS]

    @property
    def label(self) -> str:
        """Name, seed and shown hash in one word, for columns."""
        return "/".join([self.name, *([] if self.seed is None else [str(self.seed)]), self.short])

    @property
    def text(self) -> str:
        """Name, size, seed and shown hash in words."""
        seed = "" if self.seed is None else f"seed {self.seed}, "
        return f"{self.name} ({counted(self.size, 'instance')}, {seed}sha256 {self.short})"


class Identifying:
    """Takes instances one by one and says who they all are; their texts are not kept."""

    def __init__(self) -> None:
        self._lines: dict[str, str] = {}

    def add(self, name: str, text: str) -> None:
        """Take an instance.

        Args:
            name: its name.
            text: its canonical JSON text.
        """
        file = f"{name}.json"
        self._lines[file] = f"{hashlib.sha256(text.encode()).hexdigest()}  {file}\n"

    def identity(self, name: str, seed: int | None) -> Identity:
        """The identity of all that were taken.

        Args:
            name: name of the population.
            seed: seed of the draw; None if there is none.
        """
        text = "".join(self._lines[file] for file in sorted(self._lines))
        return Identity(name, seed, len(self._lines), hashlib.sha256(text.encode()).hexdigest())


def identify(instances: Iterable[Any], name: str, seed: int | None) -> Identity:
    """The identity of some instances.

    Args:
        instances: the instances, with names of their own.
        name: name of the population.
        seed: seed of the draw; None if there is none.
    """
    found = Identifying()
    for instance in instances:
        found.add(instance.name, family_of(instance).to_text(instance))
    return found.identity(name, seed)


POPULATIONS = {
    one.name: one
    for one in (
        Population(
            "harpagon",
            "the workloads that Harpagon's study runs on",
            "from the reference setting, which has all that print fixes; kept: those that Harpagon has a plan for",
            PROTOCOL_SEED,
            1131,
            lambda count, seed: _setting("harpagon", count, seed),
            "01680c4aef1eef10acd1f9e847c28196c25cd3d251ad25418ac88b2cdd6e8c48",
        ),
        Population(
            "piccolo",
            "the workloads that Piccolo's study runs on",
            "from Piccolo's reference setting, which has all that print fixes; kept: those that Piccolo has a plan for",
            PROTOCOL_SEED,
            663,
            lambda count, seed: _setting("piccolo", count, seed),
            "fa825daf86fa77a626216c7eb1fdd09b446e5484f82d4ebb1d56ad4ffdba815e",
        ),
        Population(
            "harpagon-unselected",
            "workloads like harpagon's before any system has refused one",
            "from the reference setting; kept: objectives of at most 60 s",
            PROTOCOL_SEED,
            300,
            lambda count, seed: _setting("harpagon", count, seed, accept=False),
            "97a21cb9f2fda00cc24a9c77569e52249004edc5b1bb0c8da0d8cb4827659536",
        ),
        Population(
            "nvidia",
            "Harpagon's five applications with NVIDIA's published profiles",
            "kind profiled, library nvidia; all are kept",
            PROTOCOL_SEED,
            300,
            lambda count, seed: _profiled("nvidia", count, seed),
            "43de510179f79a2550162bfe844feb72200beca814e1edca7a0dbe7726cc278c",
        ),
        Population(
            "parvagpu",
            "Harpagon's five applications with ParvaGPU's measured profiles",
            "kind profiled, library parvagpu; all are kept",
            PROTOCOL_SEED,
            300,
            lambda count, seed: _profiled("parvagpu", count, seed),
            "c322bb18d97f16d5453e47a6c91d979874242866d8914a19924b916250ecdde5",
        ),
        Population(
            "protocol",
            "the protocol workloads: the older set over fixed profiles, its ranges fitted by hand",
            "kind workloads; kept: those that all 20 systems of Harpagon §IV have a plan for",
            PROTOCOL_SEED,
            1131,
            _protocol,
            "1e46128a237c212a59c655c8c5f201d032191fdcf7a9db5421ba9b2729ab9760",
        ),
        Population(
            "protocol-scrooge",
            "the protocol workloads that Scrooge's study runs on next to its own decisions",
            "as protocol; kept: those that have a plan in Scrooge's plan space, by proof",
            PROTOCOL_SEED,
            200,
            lambda count, seed: _in_space("scrooge-milp", count, seed),
            "ff1ceb9b8033f3b1b60bc39fee3e9b962ea9a688da58707c28daab8fb207a1a4",
        ),
        Population(
            "scrooge",
            "the allocation decisions of Scrooge §4.2: traffic, face and tracker within their tightest objective",
            "Scrooge's applications with CPU modules; kept: those that have a plan in Scrooge's plan space, by proof",
            PROTOCOL_SEED,
            25,
            late("euclio.workloads.session.scrooge_sessions", "decisions"),
            "445d4af3bb644fbfa6ddef87bc16ad6e52a3b0e49060a4cfca054f9c87eb07a9",
            "decisions of each application",
        ),
        Population(
            "graft",
            "the fleets that Graft's study runs on",
            "every draw of its five networks at its four scales, at a moment of the bandwidth's trace",
            0,
            10,
            late("studies.graft.scales", "fleets"),
            "1470edddcf748d13a7f07e2c4739eed267d0ef0101e218b8b9b2d7fa334636df",
            "draws of each network and scale",
        ),
        Population(
            "ppipe",
            "the clusters of PPipe §7.2: three models on 100 GPUs",
            "groups of models on the four large clusters, with synthetic layers",
            0,
            6,
            late("studies.ppipe.cases", "group_clusters"),
            "3e8973ff1a1dbfe50537c22f6b9dc462b274b941392abc5bf11f3eaa53bd25c8",
            "groups of models",
        ),
    )
}
"""All populations by name."""
POPULATIONS["harpagon-as-printed"] = replace(
    POPULATIONS["harpagon"], name="harpagon-as-printed", about="another name of harpagon"
)


def find_population(name: str) -> Population:
    """The population of this name.

    Raises:
        InputError: there is none; names the nearest one, or all of them.
    """
    if name not in POPULATIONS:
        raise InputError(f"unknown population {name!r}; {nearest(name, POPULATIONS)}", field="population")
    return POPULATIONS[name]


def population(name: str, count: int | None = None, seed: int | None = None) -> Iterator[Any]:
    """The instances of a population, each made when it is asked for; the same arguments give the same ones.

    Args:
        name: its name (`POPULATIONS`).
        count: how much to draw; None means the population's. Of sessions fewer are the first ones of more.
        seed: seed; None means the population's.

    Raises:
        InputError: there is no such population, or the count is none.
    """
    found = find_population(name)
    if count is not None and count < 1:
        raise InputError(f"is {count}; it must be at least 1", field="count")
    return found.draw(found.count if count is None else count, found.seed if seed is None else seed)
