"""Slices of GPUs that are cut into parts (NVIDIA's Multi-Instance GPU), as limits on the machines of a plan (ours).

A GPU has eight slices of memory, numbered from 0, and seven of compute. Each profile of a part takes neighbouring
slices of memory that begin at one of a few positions. The profiles, their sizes and positions are those of NVIDIA's
user guide on Multi-Instance GPUs for its GPUs with seven compute slices (A100, H100, H200, B200).

The parts of a plan fit on n GPUs exactly if they obey four rows (`ROWS`), each with n times its capacity for one GPU.
Every content of one GPU obeys the rows, so no solver excludes a plan that fits. Conversely, the rows bound a
polytope in six dimensions whose corners are all contents of one GPU. By Carathéodory's theorem, parts that obey the
rows of more than six GPUs contain a corner whose removal leaves parts that obey the rows of one GPU less. A test goes
through all cases of up to six GPUs (`tests/euclio/problems/session/test_gpu_slices.py`). The checker does not rely on
this theorem: it looks for a position of each part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from euclio.core.words import joined

MEMORY_SLICES, COMPUTE_SLICES = 8, 7
"""Slices of a GPU."""


class Profile(NamedTuple):
    """A part of a GPU.

    Attributes:
        memory: slices of memory that it takes, side by side.
        compute: slices of compute that it takes.
        starts: the slices of memory at which it may begin.
    """

    memory: int
    compute: int
    starts: tuple[int, ...]


PROFILES = {
    "7g": Profile(8, 7, (0,)),
    "4g": Profile(4, 4, (0,)),
    "3g": Profile(4, 3, (0, 4)),
    "2g": Profile(2, 2, (0, 2, 4)),
    "1g-double": Profile(2, 1, (0, 2, 4, 6)),
    "1g": Profile(1, 1, (0, 1, 2, 3, 4, 5, 6)),
}
"""Profiles by name, the largest first. `1g-double` has two slices of memory, as 1g.10gb of an A100 with 40 GB."""


class Row(NamedTuple):
    """A row of a GPU: a quantity of which its parts together have a limited amount.

    Attributes:
        words: the quantity.
        capacity: the most on one GPU.
        takes: the amount that a part takes, by its profile; other parts take none.
    """

    words: str
    capacity: int
    takes: dict[str, int]

    def taken(self, parts: Mapping[str, int]) -> int:
        """The amount that parts take, given their numbers by profile."""
        return sum(self.takes.get(name, 0) * n for name, n in parts.items())


ROWS = (
    Row("memory slices", MEMORY_SLICES, {name: profile.memory for name, profile in PROFILES.items()}),
    Row("compute slices", COMPUTE_SLICES, {name: profile.compute for name, profile in PROFILES.items()}),
    # 4g and 7g begin at the first slice only.
    Row("first slices", 1, {"7g": 1, "4g": 1}),
    # A 2g may begin at slice 0, 2 or 4. A 3g on slices 0 to 3 rules out two of these, a 3g on slices 4 to 7 one.
    Row("positions of 2g", 3, {"7g": 3, "4g": 2, "3g": 1, "2g": 1}),
)

Parts = dict[str, int]
"""Numbers of parts by profile."""


class Content(NamedTuple):
    """The parts of some GPUs that are cut alike.

    Attributes:
        gpus: number of these GPUs.
        parts: profile and first slice of each part on one of them.
    """

    gpus: int
    parts: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        """Text such as "2 x (3g at 0, 3g at 4)"."""
        inside = ", ".join(f"{name} at {start}" for name, start in self.parts)
        return f"{self.gpus:,} x ({inside})"


def check_profile(name: str) -> str | None:
    """The fault in the name of a profile; None if there is none."""
    if name in PROFILES:
        return None
    known = joined(list(PROFILES))
    return f"is {name!r}; give a profile of a GPU with seven slices without its memory: {known}"


def rows_of(profiles: Mapping[str, str]) -> list[tuple[Row, dict[str, Fraction]]]:
    """The rows that parts on GPUs obey, with the amounts that machines take, by hardware.

    Args:
        profiles: the profile of a machine, by hardware.
    """
    found = []
    for row in ROWS:
        takes = {name: Fraction(row.takes[profile]) for name, profile in profiles.items() if profile in row.takes}
        if takes:
            found.append((row, takes))
    return found


def least_gpus(parts: Parts) -> int:
    """The number of GPUs below which parts break a row."""
    return max(-(-row.taken(parts) // row.capacity) for row in ROWS)


def layout(parts: Parts, gpus: int) -> list[Content] | None:
    """Positions of parts on the fewest GPUs on which they fit; None if they do not fit.

    The contents of a GPU are taken off one after the other, each as often as the rest still obeys the rows of the
    remaining GPUs. Each content takes at most the capacity of a row, so no row has more left over afterwards. So a
    content that can be taken off no more cannot be taken off later, and one pass over all contents is enough.

    Args:
        parts: numbers of parts by profile.
        gpus: the most GPUs.
    """
    if least_gpus(parts) > gpus:
        return None
    gpus = least_gpus(parts)
    left, found = dict(parts), list[Content]()
    for content in contents():
        each = Counter(name for name, _ in content)
        times = min(gpus, *(left.get(name, 0) // n for name, n in each.items()))
        for row in ROWS:
            # The surplus of the row, if each GPU with this content takes less than its capacity.
            over, less = row.capacity * gpus - row.taken(left), row.capacity - row.taken(each)
            times = min(times, over // less) if less else times
        if times:
            found.append(Content(times, content))
            gpus -= times
            left = {name: n - times * each[name] for name, n in left.items()}
    return None if any(left.values()) else found


@cache
def contents() -> tuple[tuple[tuple[str, int], ...], ...]:
    """All contents of one GPU, one position of each; the most memory first, then the fewest parts."""
    found: dict[tuple[str, ...], tuple[tuple[str, int], ...]] = {}

    def put(content: tuple[tuple[str, int], ...], used: int, compute: int, first: int) -> None:
        for place in range(first, len(names)):
            profile = PROFILES[names[place]]
            for start in profile.starts:
                here = ((1 << profile.memory) - 1) << start
                if used & here or compute + profile.compute > COMPUTE_SLICES:
                    continue
                more = (*content, (names[place], start))
                # Other positions of the same parts may leave room for other parts, so all are tried.
                found.setdefault(tuple(name for name, _ in more), tuple(sorted(more, key=lambda part: part[1])))
                put(more, used | here, compute + profile.compute, place)

    names = list(PROFILES)
    put((), 0, 0, 0)
    size = {content: sum(PROFILES[name].memory for name, _ in content) for content in found.values()}
    return tuple(sorted(size, key=lambda content: (-size[content], len(content))))
