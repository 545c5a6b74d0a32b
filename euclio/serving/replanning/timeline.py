"""Fleets by step: the fragments that clients leave to the server while their bandwidth moves.

A step is what a bandwidth holds for. Graft sets the bandwidth of its clients each minute by default (Graft §9,
"Bandwidth trace replay"); here a trace's next value holds for so many seconds, one by default (ours).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from euclio.problems.fragments.instance import Fleet
from euclio.workloads.fragments.clients import Client, draw_clients, fleet_now
from euclio.workloads.fragments.networks import find_model
from euclio.workloads.fragments.neurosurgeon import sending_s
from euclio.workloads.fragments.uplink import SECONDS, Trace


@dataclass(frozen=True, slots=True)
class Timeline:
    """Clients and their fleets, step by step.

    Attributes:
        name: what it is called.
        clients: the clients.
        fleets: the fleet of each step; a client that leaves nothing to the server in a step is not in it. Equal fleets
            are one object, so that they are planned once.
        step_s: seconds that a step takes.
    """

    name: str
    clients: tuple[Client, ...]
    fleets: tuple[Fleet, ...]
    step_s: int = 1

    @property
    def changed(self) -> float:
        """Mean number of clients per step whose partition point or time budget is another one than before."""
        found = [_different(a, b) for a, b in pairwise(self.fleets)]
        return sum(found) / max(1, len(found))

    @property
    def triggers(self) -> tuple[int, ...]:
        """Steps at which a client cuts elsewhere than before, and the first: those at which Graft plans (Graft §3).

        "When any mobile device changes its partition point due to significant network bandwidth changes": the paper
        says no more of what is significant, so that every change of a cut counts.
        """
        cuts = [{f.name: f.partition_point for f in fleet.fragments} for fleet in self.fleets]
        return (0, *(t for t in range(1, len(cuts)) if cuts[t] != cuts[t - 1]))

    def held(self) -> Timeline:
        """The same with the fleets that are planned for where only a trigger has a plan made: each until the next."""
        fired = set(self.triggers)
        fleets: list[Fleet] = []
        for t, fleet in enumerate(self.fleets):
            fleets.append(fleet if t in fired else fleets[-1])
        return replace(self, fleets=tuple(fleets))


def timeline(
    model: str,
    clients: int,
    tx2: int,
    seconds: int,
    seed: int,
    traces: Sequence[Trace] | None = None,
    name: str = "",
    *,
    step_s: int = 1,
) -> Timeline:
    """Clients drawn as fleets are, followed for some seconds.

    Args:
        model: short name of the network.
        clients: number of clients.
        tx2: how many of them are Jetson TX2.
        seconds: how long they are followed.
        seed: seed of the clients and of their traces.
        traces: measured traces, which begin anew where they end; None: seeded ones, as long as it takes.
        name: what it is called; by default the network's short name.
        step_s: seconds that each value of a trace holds for.
    """
    asked = Followed(model, clients, tx2, seconds, seed, traces, name, step_s)
    return _followed(name or model, asked.drawn(), 0, steps_of(seconds, step_s), step_s)


class Followed(NamedTuple):
    """What a timeline is asked of; each as for `timeline`."""

    model: str
    clients: int
    tx2: int
    seconds: int
    seed: int
    traces: Sequence[Trace] | None = None
    name: str = ""
    step_s: int = 1

    def drawn(self) -> list[Client]:
        """The clients, with traces for all steps."""
        values = max(steps_of(self.seconds, self.step_s), SECONDS)
        own = find_model(self.model)
        return draw_clients(own, self.clients, self.seed, tx2=self.tx2, traces=self.traces, trace_values=values)


def stretches(asked: Followed, *, number: int, length: int) -> list[Timeline]:
    """Parts of a timeline, each at the begin of one of so many equal parts of the time.

    Args:
        asked: the whole timeline.
        number: how many parts.
        length: the steps of each.
    """
    steps, drawn = steps_of(asked.seconds, asked.step_s), asked.drawn()
    begins = [k * steps // number for k in range(number)]
    return [_followed(asked.name or asked.model, drawn, begin, length, asked.step_s) for begin in begins]


def steps_of(seconds: int, step_s: int) -> int:
    """Values of a trace that so many seconds take, the last one maybe not to its end."""
    return -(-seconds // step_s)


def _followed(name: str, drawn: Sequence[Client], begin: int, steps: int, step_s: int) -> Timeline:
    """Clients from one step of their traces on."""
    clients = tuple(replace(client, second=client.second + begin) for client in drawn)
    known: dict[tuple[tuple[str, int, Fraction], ...], Fleet] = {}
    fleets = []
    for t in range(steps):
        fleet = fleet_now(f"{name}-{begin + t}", clients, t)
        fleets.append(known.setdefault(tuple((f.name, f.partition_point, f.budget_s) for f in fleet.fragments), fleet))
    return Timeline(name, clients, tuple(fleets), step_s)


def _different(before: Fleet, after: Fleet) -> int:
    a = {f.name: (f.partition_point, f.budget_s) for f in before.fragments}
    b = {f.name: (f.partition_point, f.budget_s) for f in after.fragments}
    return sum(a.get(name) != b.get(name) for name in a.keys() | b.keys())


def budget_at(client: Client, point: int, step: int) -> Fraction | None:
    """The time budget that a client leaves to the server if it cuts at a layer; None: it cannot send anything."""
    mbps = client.uplink_mbps(step)
    if not mbps:
        return None
    mobile = sum(client.model.mobile_s[client.device][:point], Fraction(0))
    return client.slo_s - mobile - sending_s(client.model, point, mbps)
