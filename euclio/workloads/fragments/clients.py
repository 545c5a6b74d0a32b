"""Mobile clients with a device, a network and a bandwidth that changes, and the fleets that they are at a moment.

A fleet *now* has each client at some second of its trace. A fleet *at the mean* has the same clients cut their networks
for the mean bandwidth of their traces: what Static and Static+ plan for (Graft §5.1).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

from euclio.core.errors import InputError
from euclio.core.numbers import exact
from euclio.core.words import full
from euclio.problems.fragments.instance import Fleet, Fragment, Points
from euclio.workloads.fragments.networks import Device, Model
from euclio.workloads.fragments.neurosurgeon import BUDGET_STEP_S, fragment_of
from euclio.workloads.fragments.uplink import MEDIAN_MBPS, SECONDS, Trace, mean_mbps, read_traces, seeded_trace

SLO_RATIO = 0.95
"""Latency objective over mobile latency (Graft §5.1)."""
TRIES = 50
"""Most traces that are tried for a client until one has a second at which it leaves a fragment to the server."""


@dataclass(frozen=True, slots=True)
class Client:
    """A mobile client.

    Attributes:
        name: its name.
        model: the network that it runs.
        device: the device that it runs on.
        slo_s: latency objective in seconds, from end to end.
        rate_rps: requests per second.
        trace: its bandwidth by second.
        second: the second that it is at now.
        step_s: what its time budgets are whole multiples of.
    """

    name: str
    model: Model
    device: Device
    slo_s: Fraction
    rate_rps: int
    trace: Trace
    second: int = 0
    step_s: Fraction = BUDGET_STEP_S

    def fragment(self, uplink_mbps: Fraction) -> Fragment | None:
        """What it leaves to the server at a bandwidth; None if nothing that can be served (see `fragment_of`)."""
        return fragment_of(self.name, self.model, self.device, uplink_mbps, self.slo_s, self.rate_rps, self.step_s)

    def after(self, seconds: int) -> Fragment | None:
        """What it leaves to the server some seconds from now; its trace begins anew where it ends."""
        return self.fragment(self.uplink_mbps(seconds))

    def uplink_mbps(self, seconds: int) -> Fraction:
        """Its bandwidth some seconds from now, in 10^6 bits per second; its trace begins anew where it ends."""
        return self.trace[(self.second + seconds) % len(self.trace)]

    def at_mean(self) -> Fragment | None:
        """What it would leave to the server at its mean bandwidth."""
        return self.fragment(mean_mbps(self.trace))


def draw_clients(
    model: Model,
    number: int,
    seed: int,
    *,
    tx2: int = 0,
    slo_ratio: float = SLO_RATIO,
    traces: Sequence[Trace] | None = None,
    median_mbps: float = MEDIAN_MBPS,
    step_s: Fraction = BUDGET_STEP_S,
    trace_values: int = SECONDS,
) -> list[Client]:
    """Clients of one network, each at a random second of a trace at which it leaves a fragment to the server.

    Args:
        model: the network.
        number: number of clients.
        seed: the seed.
        tx2: how many of them, the last, are Jetson TX2; the others are Jetson Nano.
        slo_ratio: latency objective over the device's mobile latency.
        traces: measured traces, one drawn for each client; None means seeded ones.
        median_mbps: median bandwidth of seeded traces.
        step_s: what time budgets are whole multiples of.
        trace_values: length of seeded traces.

    Raises:
        InputError: a client finds no such second.
    """
    rng = random.Random(f"clients {seed}")
    devices = [Device.NANO] * (number - tx2) + [Device.TX2] * tx2
    seeded = partial(seeded_trace, rng, trace_values, median_mbps)
    drawn = seeded if traces is None else partial(rng.choice, traces)
    return [
        _client(rng, f"{device}-{k}", model, device, exact(slo_ratio), drawn, step_s)
        for k, device in enumerate(devices)
    ]


def _client(
    rng: random.Random,
    name: str,
    model: Model,
    device: Device,
    slo_ratio: Fraction,
    drawn: Callable[[], Trace],
    step_s: Fraction,
) -> Client:
    slo_s = slo_ratio * model.mobile_latency_s(device)
    for _ in range(TRIES):
        trace = drawn()
        client = Client(name, model, device, slo_s, model.rate_rps, trace, rng.randrange(len(trace)), step_s)
        if client.after(0) is not None and client.at_mean() is not None:
            return client
    server = model.network.server
    room = "" if server is None else f" within {server.words}"
    raise InputError(
        f"at {full(slo_ratio)} of its mobile latency, {model.name} on {device} finds no partition point that a "
        f"server can keep{room}, in {TRIES} tries; give a larger ratio or faster links",
        field="slo_ratio",
    )


def fleet_now(name: str, clients: Sequence[Client], seconds: int = 0) -> Fleet:
    """The fragments that clients leave to the server some seconds from now.

    Raises:
        InputError: none leaves one.
    """
    return _fleet(name, clients, (client.after(seconds) for client in clients), Points.NOW)


def fleet_at_mean(name: str, clients: Sequence[Client]) -> Fleet:
    """The fragments that clients leave to the server at the mean bandwidth of their traces.

    Raises:
        InputError: none leaves one.
    """
    return _fleet(name, clients, (client.at_mean() for client in clients), Points.MEAN)


def _fleet(name: str, clients: Sequence[Client], fragments: Iterable[Fragment | None], points: Points) -> Fleet:
    left = [fragment for fragment in fragments if fragment is not None]
    return Fleet(name, clients[0].model.network, left, points)


def fleets_of(
    model: Model,
    number: int,
    tx2: int,
    fleets: int,
    seed: int,
    *,
    slo_ratio: float = SLO_RATIO,
    bandwidth: str = "now",
    trace: Path | None = None,
) -> Iterator[Fleet]:
    """Fleets of clients of one network, of successive seeds.

    Args:
        model: the network, on the server that they leave fragments to.
        number: clients of a fleet.
        tx2: how many of them are Jetson TX2.
        fleets: number of fleets.
        seed: the first seed.
        slo_ratio: latency objective over the device's mobile latency.
        bandwidth: "now": each client at a random second of its trace; "mean": the same clients at their mean bandwidth.
        trace: file or folder of measured traces; None means seeded ones.

    Raises:
        InputError: the traces cannot be read.
    """
    traces = None if trace is None else read_traces(trace)
    fleet = fleet_now if bandwidth == "now" else fleet_at_mean
    seeds = range(seed, seed + fleets)
    return (
        fleet(f"fleet-{model.key}-{k}", draw_clients(model, number, k, tx2=tx2, slo_ratio=slo_ratio, traces=traces))
        for k in seeds
    )
