"""Fleets of five networks at four scales, under parameters that Graft does not print.

Each network has its own part of the work that a batch pays once. It is fitted to row 1 of Table III alone
(`docs/tools/graft_once.py`). Fleets that `euclio generate fleets` draws have one such part for all networks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache

from euclio.core.folders import data_dir
from euclio.files.json_reading import read_json
from euclio.problems.fragments import Fleet
from euclio.workloads.fragments.clients import SLO_RATIO, Client, draw_clients, fleet_at_mean, fleet_now
from euclio.workloads.fragments.networks import Model, model_of

NETWORKS = {"inc": "Inc", "res": "Res", "vgg": "VGG", "mob": "Mob", "vit": "ViT"}
"""Graft's names of the networks by short name (Graft Tab. II)."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A number of clients (Graft §5.1).

    Attributes:
        key: its name in keys of published numbers.
        words: its name for people.
        clients: number of clients.
        tx2: how many of them are Jetson TX2.
    """

    key: str
    words: str
    clients: int
    tx2: int


SCALES = (
    Scale("small_homo", "4 Nano", 4, 0),
    Scale("small_heter", "4 Nano, 2 TX2", 6, 2),
    Scale("large_homo", "20 Nano", 20, 0),
    Scale("large_heter", "15 Nano, 5 TX2", 20, 5),
)


@dataclass(frozen=True, slots=True)
class Parameters:
    """The fleets' parameters that Graft does not print.

    Attributes:
        fixed: part of the kernels' launches that no share makes shorter; None means the fitted one.
        once: part of the rest that a batch pays once; None means the network's own (`fitted_once`).
        sent_part: part of the bytes of a layer's output that is sent; None means the fitted one.
        median_mbps: median of the clients' median bandwidths.
        step_ms: time budgets are whole multiples of it.
    """

    fixed: float | None = None
    once: float | None = None
    sent_part: float | None = None
    median_mbps: float = 60.0
    step_ms: float = 1.0

    @property
    def step_s(self) -> Fraction:
        """The step of time budgets, in seconds."""
        return Fraction(str(self.step_ms)) / 1000


DEFAULT = Parameters()


@dataclass(frozen=True, slots=True)
class FleetSampling:
    """Sizes of the study's samples.

    Attributes:
        draws: fleets per network and scale.
        steps: fleets per network of the studies of Graft's steps.
        proven: fleets per network and scale that are compared with the optimum.
        limit_s: seconds that the optimum may take.
        massive: numbers of clients of Figure 18.
        amounts: clients that GSLICE serves within the shares of Figure 17.
        ratios: SLO ratios of Figure 20.
        enumerated: networks with all groupings tried, bounds on larger fleets, and simulated requests.
        grouped: clients of the fleets of Table III's third row of which all groupings are tried.
        swept: fleets per network, scale and value of a parameter.
        bounded: numbers of clients of the fleets whose least share is bounded.
        simulated: fleets per network and scale whose requests are simulated.
    """

    draws: int
    steps: int
    proven: int
    limit_s: float
    massive: tuple[int, ...]
    amounts: tuple[int, ...]
    ratios: tuple[float, ...]
    enumerated: tuple[str, ...]
    grouped: int
    swept: int
    bounded: tuple[int, ...]
    simulated: int


RATIOS = (0.5, 0.6, 0.7, 0.8, 0.9)
"""SLO over mobile latency of Figure 20."""
SAMPLED = FleetSampling(10, 2, 2, 4.0, (500, 1000), (4, 8), RATIOS, tuple(NETWORKS), 20, 1, (500,), 3)
FULL = FleetSampling(
    50, 10, 10, 60.0, (500, 1000, 2000, 4000), (4, 8, 12), RATIOS, tuple(NETWORKS), 20, 5, (500, 1000), 10
)
"""The paper's repetitions: 50, and 10 of those with Optimal (Graft §5.1)."""
LEAST = FleetSampling(1, 1, 1, 1.0, (60,), (2,), (0.9,), ("inc",), 8, 0, (30,), 1)


def sampling_of(workloads: int | None, *, full: bool) -> FleetSampling:
    """The sample sizes for a number of workloads, which is the number of fleets per network and scale."""
    if workloads is None:
        return FULL if full else SAMPLED
    return replace(LEAST, draws=workloads)


@dataclass(frozen=True, slots=True)
class DrawnFleet:
    """The same clients twice.

    Attributes:
        network: short name of their network.
        draw: number of the draw.
        now: the layers that they leave to the server at a moment.
        mean: the layers that they would leave to it at their mean bandwidth.
    """

    network: str
    draw: int
    now: Fleet
    mean: Fleet


@cache
def fitted_once() -> Mapping[str, float]:
    """Part of each network's work that a batch pays once, by its short name: fitted to row 1 of Table III alone."""
    fit = read_json(str(data_dir() / "profiles" / "graft.json"))["fit_by_network"]
    return {key: float(once) for key, once in fit["once"].items()}


@cache
def model_under(key: str, parameters: Parameters = DEFAULT) -> Model:
    """A network under parameters."""
    once = fitted_once()[key] if parameters.once is None else parameters.once
    return model_of(key, fixed=parameters.fixed, once=once, sent_part=parameters.sent_part)


def clients_of(
    key: str,
    clients: int,
    seed: int,
    tx2: int = 0,
    slo_ratio: float = SLO_RATIO,
    parameters: Parameters = DEFAULT,
) -> list[Client]:
    """Clients of a network.

    Raises:
        InputError: a client finds no second with a fragment that can be served.
    """
    return draw_clients(
        model_under(key, parameters),
        clients,
        seed,
        tx2=tx2,
        slo_ratio=slo_ratio,
        median_mbps=parameters.median_mbps,
        step_s=parameters.step_s,
    )


DRAWN_AT_ONCE = (20, 60, 100, 1000, 4000)
"""Numbers of Nano clients that are drawn; a smaller fleet is the first clients of a larger one."""


def nanos(name: str, key: str, number: int, seed: int, draw: int = 0, parameters: Parameters = DEFAULT) -> DrawnFleet:
    """The first Nano clients of a network's draw.

    Raises:
        InputError: a client finds no second with a fragment that can be served.
    """
    most = next((n for n in DRAWN_AT_ONCE if number <= n), number)
    found = _most_nanos(key, most, 1000 * seed + draw, parameters)
    return DrawnFleet(key, draw, _first(name, found.now, number), _first(f"{name} at the mean", found.mean, number))


@lru_cache(maxsize=512)
def _most_nanos(key: str, number: int, seed: int, parameters: Parameters) -> DrawnFleet:
    clients = clients_of(key, number, seed, parameters=parameters)
    return DrawnFleet(key, 0, fleet_now("now", clients), fleet_at_mean("mean", clients))


def _first(name: str, fleet: Fleet, number: int) -> Fleet:
    return Fleet(name, fleet.network, fleet.fragments[:number], fleet.points)


def first_of(fleets: DrawnFleet, number: int) -> DrawnFleet:
    """The first clients of a draw."""
    now, mean = (_first(fleet.name, fleet, number) for fleet in (fleets.now, fleets.mean))
    return replace(fleets, now=now, mean=mean)


def drawn(key: str, scale: Scale, seed: int, draw: int, parameters: Parameters = DEFAULT) -> DrawnFleet:
    """A draw of a network's clients at a scale."""
    name = f"{scale.key} {key} {draw}"
    if not scale.tx2:
        return nanos(name, key, scale.clients, seed, draw, parameters)
    clients = clients_of(key, scale.clients, 1000 * seed + draw, scale.tx2, parameters=parameters)
    return DrawnFleet(key, draw, fleet_now(name, clients), fleet_at_mean(f"{name} at the mean", clients))
