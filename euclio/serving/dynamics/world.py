"""The workload of a session over time: clients, their frames, the invocations of each frame (Scrooge §4.2)."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from euclio.problems.session import Session
from euclio.serving.units import NS_PER_S, Floats, Ints
from euclio.workloads.session.scrooge_sessions import MOST_CLIENTS, ScroogeApplication, find_scrooge_application

# Input complexity over time: bounded walks, each of which reverts to its own level (ours; Scrooge §2, Figure 3).


@dataclass(frozen=True, slots=True)
class Complexity:
    """How much input complexity varies; places are positions in a range, 0 at its low and 1 at its high end."""

    settle_s: float = 10.0  # time in which the distance of a walk from its level falls to 1/e, in seconds
    spread: float = 0.15  # standard deviation of the place around the level, before it is held within the range


VARIED = Complexity()
"""The default: it varies within seconds, as human activity does (Scrooge §3.5 footnote 6)."""


def walk(stream: random.Random, complexity: Complexity, seconds: int) -> list[float]:
    """Places in a range, one per second.

    The level is drawn uniformly. Each second the distance from it shrinks by exp(-1/settle_s), and a normal step keeps
    its standard deviation at `spread`. A place outside the range moves to the end of the range.
    """
    level = stream.random()
    kept = math.exp(-1.0 / complexity.settle_s)
    step = complexity.spread * math.sqrt(1.0 - kept * kept)
    place = level + complexity.spread * stream.gauss(0.0, 1.0)
    found = []
    for _ in range(seconds):
        place = min(1.0, max(0.0, place))
        found.append(place)
        place = level + kept * (place - level) + step * stream.gauss(0.0, 1.0)
    return found


def at(place: float, bounds: tuple[float, float]) -> float:
    """The number at a place of a range, on a logarithmic scale."""
    low, high = bounds
    return float(low * (high / low) ** place)


SECONDS = 1000
"""Length of a workload (Scrooge §4.2)."""


@dataclass(frozen=True, slots=True)
class Client:
    """A client, which streams at a fixed rate from when it joins until it leaves."""

    fps: int  # frames per second
    joins_ns: int  # when it joins; its first frame comes then
    leaves_ns: int  # when it leaves; no frame comes then or later

    @property
    def frames_ns(self) -> Ints:
        """When its frames come, in whole nanoseconds."""
        count = -(-(self.leaves_ns - self.joins_ns) * self.fps // NS_PER_S)
        return self.joins_ns + np.arange(count, dtype=np.int64) * NS_PER_S // self.fps


@dataclass(frozen=True, slots=True)
class World:
    """A workload."""

    application: ScroogeApplication  # the application with its modules and worker types
    seconds: int  # length, in which clients come and go
    clients: tuple[Client, ...]  # the clients
    arrival_ns: Ints  # when frames come, ascending
    counts: Ints  # invocations per frame and module, shape (frames, modules)
    balloons: Floats  # execution time over the profiled one by second and module, shape (seconds, modules)

    @property
    def session(self) -> Session:
        """The session of one frame per second, with the middle of all scaling factors."""
        # The factors do not depend on the order of the modules.
        found = find_scrooge_application(self.application.application.name)
        factors = found.application.typical_factors()
        return self.application.application.session("world", Fraction(1), found.objectives_s[0], factors)

    def ingress_rps(self, ns: int) -> int:
        """Frames per second of the clients present at a time."""
        return sum(client.fps for client in self.clients if client.joins_ns <= ns < client.leaves_ns)

    @property
    def changes_ns(self) -> tuple[int, ...]:
        """When clients join or leave, ascending."""
        return tuple(sorted({ns for client in self.clients for ns in (client.joins_ns, client.leaves_ns)}))

    def with_first(self, first: Sequence[int]) -> World:
        """The same frames with some modules before all others, one after the other.

        Each of these has one parent.
        """
        application = self.application.application
        modules = application.modules
        parents = {module.name: module.parents for module in modules}
        for name in (modules[m].name for m in first):
            # Successors of the module now follow its parent, and the first modules of the session follow the module.
            (above,) = parents[name]
            parents = {own: tuple(above if p == name else p for p in ps) for own, ps in parents.items()}
            parents = {own: ps or (name,) for own, ps in parents.items()} | {name: ()}
        changed = replace(application, modules=tuple(replace(m, parents=parents[m.name]) for m in modules))
        return replace(self, application=replace(self.application, application=changed))


def draw_world(
    application: str,
    seed: int,
    clients: int = MOST_CLIENTS,
    seconds: int = SECONDS,
    complexity: Complexity = VARIED,
) -> World:
    """A seeded workload; the same arguments give the same one.

    Every client joins at a time drawn uniformly from the first half and leaves at one from the second half, so that all
    are present in the middle ("clients joining and leaving at random times", Scrooge §4.2; the rest is ours). Its frame
    rate is drawn uniformly from the whole numbers of the application's range. Every client has walks of its own: one
    per module for the scaling factor, one for the ballooning factor.

    Args:
        application: name of one of Scrooge's seven.
        seed: seed of the draws.
        clients: number of clients.
        seconds: length of the workload.
        complexity: how much scaling and ballooning factors vary.

    Raises:
        InputError: no such application; names them all.
    """
    found = find_scrooge_application(application)
    joined: list[Client] = []
    frames: list[Ints] = []
    counts: list[Ints] = []
    weighted = np.zeros((seconds, len(found.application.modules)))
    weights = np.zeros(seconds)
    for number in range(clients):
        client, own, stream = _drawn(found, seed, number, seconds, complexity)
        joined.append(client)
        frames.append(client.frames_ns)
        counts.append(own)
        fps = client.fps * _present(client, seconds)
        weights += fps
        weighted += fps[:, None] * _balloons(found, stream, seconds, complexity)
    arrival = np.concatenate(frames)
    # Frames that come at one time stay in the order of the clients.
    order = np.argsort(arrival, kind="stable")
    balloons = np.where(weights[:, None] > 0, weighted / np.maximum(weights, 1e-9)[:, None], 1.0)
    return World(found, seconds, tuple(joined), arrival[order], np.concatenate(counts)[order], balloons)


def client_counts(application: str, seed: int, number: int, seconds: int = SECONDS) -> Ints:
    """Invocations of the frames of one client of `draw_world`, in their order, shape (frames, modules).

    Args:
        application: name of one of Scrooge's seven.
        seed: seed of the draws.
        number: the client, from 0; the number of others does not change it.
        seconds: length of the workload.

    Raises:
        InputError: no such application; names them all.
    """
    return _drawn(find_scrooge_application(application), seed, number, seconds, VARIED)[1]


def _drawn(
    found: ScroogeApplication, seed: int, number: int, seconds: int, complexity: Complexity
) -> tuple[Client, Ints, random.Random]:
    """A client and its frames' invocations, with the stream from which its ballooning factors are drawn next."""
    stream = random.Random(f"scrooge/changing/{seed}/{found.application.name}/{number}")
    client = _client(stream, found.client_rps, seconds)
    return client, _counts(found, stream, client.frames_ns, seconds, complexity), stream


def _client(stream: random.Random, bounds: tuple[int, int], seconds: int) -> Client:
    low, high = bounds
    fps = low + int((high - low + 1) * stream.random())
    half_ns = seconds * NS_PER_S // 2
    joins, leaves = int(half_ns * stream.random()), half_ns + int(half_ns * stream.random())
    return Client(fps, joins, leaves)


def _present(client: Client, seconds: int) -> Floats:
    """The part of every second in which a client is there."""
    starts = np.arange(seconds, dtype=np.int64) * NS_PER_S
    inside = np.minimum(client.leaves_ns, starts + NS_PER_S) - np.maximum(client.joins_ns, starts)
    return np.asarray(np.clip(inside, 0, None) / NS_PER_S, np.float64)


def _counts(
    found: ScroogeApplication, stream: random.Random, frames_ns: Ints, seconds: int, complexity: Complexity
) -> Ints:
    """Invocations of a client's frames by module: whole numbers that keep up with the factors, from a random phase."""
    factors = np.ones((seconds, len(found.application.modules)))
    index = {module.name: m for m, module in enumerate(found.application.modules)}
    whole = np.zeros((frames_ns.size, len(index)), np.int64)
    for m, module in enumerate(found.application.modules):
        low, high = module.scaling
        if low != high:
            factors[:, m] = [at(place, module.scaling) for place in walk(stream, complexity, seconds)]
        if module.parents:
            factors[:, m] *= factors[:, index[module.parents[0]]]
        total = np.cumsum(factors[frames_ns // NS_PER_S, m])
        phase = stream.random() if np.any(factors[:, m] != 1.0) else 0.0
        whole[:, m] = np.diff(np.floor(total + phase), prepend=0.0).astype(np.int64)
    return whole


def _balloons(found: ScroogeApplication, stream: random.Random, seconds: int, complexity: Complexity) -> Floats:
    """Execution time over the profiled one of a client's frames by second and module."""
    balloons = np.ones((seconds, len(found.application.modules)))
    for m, module in enumerate(found.application.modules):
        low, high = found.ballooning[module.name]
        if low != high:
            balloons[:, m] = [at(place, (low, high)) for place in walk(stream, complexity, seconds)]
    return balloons
