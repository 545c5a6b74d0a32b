"""Doubts about measured durations: rows of a profile whose durations are unlikely (ours).

Let the batch size b grow for one machine type and concurrency. A batch takes no less time than a smaller one, and no
longer than its requests in smaller batches one after the other: with d the duration of batch b, a batch of c·b takes
from d to c·d. The same holds for growing concurrency at one batch size. Measurements break this by a little, because of
noise and of kernels that libraries choose by size. A slipped decimal point, a duration in another unit or a row of
another machine break it by much. So there are four kinds of doubt (docs/howto/doubts.md counts them in published
measurements):

- a larger batch that takes less than a smaller one, by more than `FASTER`;
- throughput that falls to less than 1/`DIP` of what it was, and rises again to more than `DIP` times that;
- a duration more than `OFF` times above or below the line through its neighbours. At an end of the row, and with one
  neighbour only, the line is kept between d and c·d of the neighbour;
- durations that hardly change over the batch sizes, as times per request do.

If two rows disagree, the wrong one is the one without which the rest is smoother. Doubts are in floating point and
decide nothing about plans.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import groupby

from euclio.core.lazy import late
from euclio.core.words import full, joined
from euclio.problems.session.instance import Configuration, Module, Session, level_share
from euclio.problems.session.latency.paths import longest_path

objectives_kept = late("euclio.problems.session.parts_of_plans", "objectives_kept")

# Hints about a session that looks odd without being wrong: an objective in another unit than the durations (ours).

MOST_TIMES = 100
"""An SLO of more than this many times the least latency is likely in milliseconds; no measured session has one."""
LEAST_SHARE = 0.1
"""An SLO of less than this share of the least latency likely stands next to durations in milliseconds. An SLO that is
only a little too short needs no hint, because the explanation of why there is no plan is enough."""


def slo_hint(session: Session) -> str:
    """One line if the SLO and the durations seem to be in different units; otherwise empty.

    The least latency is that of the longest path of fastest machines, each of which collects its batches at the whole
    rate of its module.
    """
    each = [Fraction(_least_s(module)) for module in session.modules]
    if session.objectives:
        said = (_unit_hint(f"objective {one.name}", one.slo_s, one.latency_s) for one in objectives_kept(session, each))
        return next(filter(None, said), "")
    return _unit_hint("the SLO", session.slo_s, longest_path(session, each)[0])


def _unit_hint(what: str, slo_s: Fraction, least_s: Fraction) -> str:
    """The line on one objective; empty if it and the durations seem to be in one unit."""
    least = float(least_s)
    ratio = float(slo_s) / least
    if ratio > MOST_TIMES:
        return (
            f"{what} is {full(slo_s)} s, {ratio:,.0f} times the least latency that plans have, about "
            f"{full(least, digits=3)} s; if it is meant in milliseconds, give {full(slo_s / 1000)}"
        )
    if ratio < LEAST_SHARE:
        return (
            f"{what} is {full(slo_s)} s, and plans take at least about {full(least, digits=3)} s; "
            "SLO and durations have to be in seconds, both of them"
        )
    return ""


def _least_s(module: Module) -> float:
    rate = float(module.rate_rps)
    return min(_alone_s(c, rate) for c in module.profile)


def _alone_s(c: Configuration, rate: float) -> float:
    """Seconds on machines of one configuration that are filled up with dummies."""
    throughput = float(c.throughput_rps)
    return float(c.duration_s) + c.batch / (math.ceil(rate / throughput) * throughput)


FASTER = 0.25
"""The share by which a larger batch may be faster than a smaller one."""
DIP = 2.0
"""The factor by which throughput may be lower than before and after."""
OFF = 5.0
"""The factor by which a duration may be above or below the line through its neighbours."""
WIDE = 4
"""The ratio of the largest to the smallest batch from which on durations have to change."""
FLAT = 1.1
"""The largest ratio of the largest batch's duration to the smallest one's if durations do not change."""
HIGH = Fraction(9, 10)
"""A quantile from this one on is not below the duration, whether that is the median or the mean."""
MOST = 100
"""The most rows of one machine type and concurrency that are doubted."""
NEAR = 3
"""Rows on each side that show how smooth the rest is without one of them."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A doubt about a row of a profile.

    Attributes:
        place: its place in the profile.
        others: places of the rows with which it is compared.
        says: the doubt and the evidence of its neighbours, where ``{0}``, ``{1}`` and so on stand for `others`.
    """

    place: int
    others: tuple[int, ...]
    says: str


Label = Callable[[int], str]
"""The position of a row of a profile, such as "line 6", by its place in the profile."""


@dataclass(frozen=True, slots=True)
class _Point:
    """A row in a series of growing sizes: batch sizes, or concurrency."""

    place: int
    size: int
    seconds: float

    @property
    def throughput(self) -> float:
        return self.size / self.seconds


def session_doubts(session: Session, field: str = "") -> list[str]:
    """A line on each doubtful row of a session's profiles.

    Modules with one profile have one line together.

    Args:
        session: the session.
        field: text before the fields of its modules in the file, such as "session.".
    """
    found: list[str] = []
    seen: set[int] = set()
    for i, module in enumerate(session.modules):
        if id(module.profile) not in seen:
            seen.add(id(module.profile))
            found += doubt_lines(module.name, module.profile, f"{field}modules[{i}].profile[{{}}]".format)
    return found


def doubt_lines(module: str, profile: Sequence[Configuration], label: Label) -> list[str]:
    """A line on each doubtful row of a module's profile, the durations first, then each quantile of them.

    Args:
        module: the module's name.
        profile: its rows.
        label: the position of a row.
    """
    found = [_line(module, profile, doubt, label, "") for doubt in doubts_of(profile)]
    for level in dict.fromkeys(level for c in profile for level in c.quantiles_s):
        places = [k for k, c in enumerate(profile) if level in c.quantiles_s]
        rows = [replace(profile[k], duration_s=profile[k].quantiles_s[level]) for k in places]
        own = partial(_label_of, places, label)
        found += [_line(module, rows, doubt, own, f"{level} ") for doubt in doubts_of(rows)]
        if level_share(level, "") >= HIGH:
            shorter = [k for k in places if profile[k].quantiles_s[level] < profile[k].duration_s]
            found += [_line(module, profile, _below(profile[k], k, level), label, "") for k in shorter]
    return found


def _below(c: Configuration, place: int, level: str) -> Doubt:
    """The doubt about a high quantile below the duration: the longest batches take at least that long."""
    quantile = _seconds(float(c.quantiles_s[level]))
    return Doubt(place, (), f"takes {_seconds(float(c.duration_s))}, and its {level} is {quantile}, which is less")


def _label_of(places: Sequence[int], label: Label, k: int) -> str:
    return label(places[k])


def _line(module: str, profile: Sequence[Configuration], doubt: Doubt, label: Label, what: str) -> str:
    c = profile[doubt.place]
    of = f"{module} on {c.hardware}, batch {c.batch}, concurrency {c.concurrency}"
    return f"{label(doubt.place)}: {of}: {what}{doubt.says.format(*map(label, doubt.others))}"


def doubts_of(profile: Sequence[Configuration]) -> tuple[Doubt, ...]:
    """The doubts about the rows of a profile, in its order."""
    found: dict[int, Doubt] = {}
    places = range(len(profile))
    by_batch = _series(profile, places, lambda c: (c.hardware, c.concurrency), lambda c: c.batch)
    for series in by_batch:
        found |= {doubt.place: doubt for doubt in _doubted(series, "batch")}
        if not any(point.place in found for point in series):
            found |= {doubt.place: doubt for doubt in _flat(series)}
    left = [place for place in places if place not in found]
    for series in _series(profile, left, lambda c: (c.hardware, c.batch), lambda c: c.concurrency):
        found |= {doubt.place: doubt for doubt in _doubted(series, "concurrency")}
    return tuple(found[place] for place in sorted(found))


def _series(
    profile: Sequence[Configuration],
    places: Sequence[int],
    group: Callable[[Configuration], tuple[str, int]],
    size: Callable[[Configuration], int],
) -> Iterator[list[_Point]]:
    """The rows of each group by growing size."""
    ordered = sorted(places, key=lambda place: (group(profile[place]), size(profile[place])))
    for _, members in groupby(ordered, key=lambda place: group(profile[place])):
        yield [_Point(place, size(profile[place]), float(profile[place].duration_s)) for place in members]


def _doubted(series: list[_Point], what: str) -> Iterator[Doubt]:
    """The points of a series that are left out until the others agree."""
    kept = list(series)
    out: list[tuple[_Point, str, list[_Point]]] = []
    while len(out) < MOST and (conflict := _conflict(kept)) is not None:
        why, places = conflict
        wrong = min(places, key=lambda k: (_roughness_without(kept, k), -k))
        others = [kept[k] for k in places if k != wrong]
        out.append((kept.pop(wrong), why, others))
    for point, why, others in out:
        yield _told(point, why, others, kept, what)


def _flat(series: Sequence[_Point]) -> Iterator[Doubt]:
    """The doubt about the largest batch of a series whose durations hardly change."""
    first, last = series[0], series[-1]
    if last.size >= WIDE * first.size and last.seconds <= FLAT * first.seconds:
        says = f"takes {_seconds(last.seconds)}, and batch {first.size} ({{0}}) {_seconds(first.seconds)}"
        yield Doubt(last.place, (first.place,), f"{says}: a time per request hardly moves, a time per batch does")


def _conflict(points: Sequence[_Point]) -> tuple[str, tuple[int, ...]] | None:
    """The first points that disagree: the reason and their places; None if all agree."""
    for why, found in (("faster", _faster(points)), ("dip", _dip(points)), ("off", _off(points))):
        if found is not None:
            return why, found
    return None


def _faster(points: Sequence[_Point]) -> tuple[int, ...] | None:
    """A point, and the first larger one that is faster by more than `FASTER`."""
    longest = 0
    for k, point in enumerate(points):
        if point.seconds < (1 - FASTER) * points[longest].seconds:
            return longest, k
        if point.seconds > points[longest].seconds:
            longest = k
    return None


def _dip(points: Sequence[_Point]) -> tuple[int, ...] | None:
    """The first point of low throughput, and the highest before and after it."""
    after = [0] * len(points)
    best = len(points) - 1
    for k in range(len(points) - 1, -1, -1):
        best = after[k] = k if points[k].throughput > points[best].throughput else best
    before = 0
    for k, point in enumerate(points):
        if min(points[before].throughput, points[after[k]].throughput) > DIP * point.throughput:
            return before, k, after[k]
        if point.throughput > points[before].throughput:
            before = k
    return None


def _off(points: Sequence[_Point]) -> tuple[int, ...] | None:
    """The first point that is far from the line through its neighbours, and these neighbours."""
    for k in range(len(points)):
        if abs(_distance(points, k)) > math.log(OFF):
            return tuple(sorted({k, *_neighbours(points, k)}))
    return None


def _neighbours(points: Sequence[_Point], k: int) -> tuple[int, ...]:
    """The points on both sides of a point, or the nearest two of an end."""
    near = (k - 1, k + 1) if 0 < k < len(points) - 1 else (k + 1, k + 2) if k == 0 else (k - 2, k - 1)
    return tuple(j for j in near if 0 <= j < len(points))


def _span(points: Sequence[_Point], k: int) -> tuple[float, float]:
    """The seconds of a point by its neighbours: the line through them; with one neighbour, from d to c·d."""
    near = [points[j] for j in _neighbours(points, k)]
    if not near:
        return 0.0, math.inf
    first, last, size = near[0], near[-1], points[k].size
    nearest = first if k == 0 else last
    ends = sorted((nearest.seconds, nearest.seconds * size / nearest.size))
    if first is last:
        return ends[0], ends[1]
    slope = (last.seconds - first.seconds) / (last.size - first.size)
    line = first.seconds + slope * (size - first.size)
    inside = 0 < k < len(points) - 1
    line = line if inside else min(max(line, ends[0]), ends[1])
    return line, line


def _distance(points: Sequence[_Point], k: int) -> float:
    """The logarithm of a point's seconds over the seconds by its neighbours; 0 within them."""
    least, most = _span(points, k)
    seconds = points[k].seconds
    return math.log(seconds / least) if seconds < least else math.log(seconds / most) if seconds > most else 0.0


def _roughness_without(points: Sequence[_Point], k: int) -> float:
    """The total distance of the points near one from the lines through their neighbours, if that one is left out."""
    near = [*points[max(0, k - NEAR - 2) : k], *points[k + 1 : k + NEAR + 3]]
    return sum(abs(_distance(near, j)) for j in range(len(near)))


def _told(point: _Point, why: str, others: Sequence[_Point], kept: Sequence[_Point], what: str) -> Doubt:
    """The doubt about a point, with the evidence of the points that are left."""
    points = sorted([*kept, point], key=lambda one: one.size)
    k = points.index(point)
    near, (least, most) = _neighbours(points, k), _span(points, k)
    of = [f"{what} {one.size} ({{{i}}}) {_seconds(one.seconds)}" for i, one in enumerate(others)]
    took = f"takes {_seconds(point.seconds)}"
    if why == "faster":
        took += f", and {of[0]}"
    elif why == "dip":
        took += f", and {joined(of)}: throughput falls by over half and rises again"
    if not near:
        return Doubt(point.place, tuple(one.place for one in others), took)
    says = (
        f"the line through its neighbours says {_seconds(least)}"
        if len(near) > 1
        else f"its neighbour, {what} {points[near[0]].size}, says {_seconds(least)} to {_seconds(most)}"
    )
    return Doubt(point.place, tuple(one.place for one in others), f"{took}; {says}")


def _seconds(seconds: float) -> str:
    return full(seconds, " s", digits=3)
