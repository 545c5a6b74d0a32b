"""`simulate`: a load served with a plan, request by request."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

from euclio.core.errors import InputError, NoPlanError
from euclio.core.numbers import Number
from euclio.core.result import AnyResult, WrittenResult
from euclio.core.values import SHARE, positive
from euclio.core.values import seconds as read_seconds
from euclio.core.values import seed as read_seed
from euclio.core.words import amount
from euclio.files.boundary import at
from euclio.verbs.attainment import arrival_fields
from euclio.verbs.inputs import GivenInstance, GivenResult, given_instance, given_result
from euclio.verbs.keywords import of_families, read_if, setup_fields, simulated
from euclio.verbs.verb import verb

if TYPE_CHECKING:
    from euclio.core.parts import Simulator
    from euclio.problems.fragments import Fleet
    from euclio.problems.pipeline import Cluster
    from euclio.problems.session import Session
    from euclio.serving.fragments.record import Simulation as FleetSimulation
    from euclio.serving.pipeline.record import Simulation as ClusterSimulation
    from euclio.serving.session.record import Simulation as SessionSimulation
    from euclio.serving.setup import Setup


class Serving(TypedDict, total=False):
    """How a load comes and is served.

    Attributes:
        policy: the user's own policy that a written result was made under.
        arrivals: how requests come, such as "poisson".
        trace: file of timestamps (CSV, first column), or the timestamps in seconds, to follow instead.
        cv: coefficient of variation of the gaps, for arrivals "gamma".
        on: mean length of bursts in seconds, for arrivals "on-off".
        off: mean length of the silence between bursts in seconds, for arrivals "on-off".
        load: load factor.
        full_load: requests per second at load 1.
        seconds: how long requests come.
        noise: coefficient of variation of durations.
        seed: seed of arrivals and noise.
        dispatch: of sessions who is given the next invocation, of fleets how instances get requests.
        time_out: of sessions: seconds that a batch waits to be filled, or "none".
        no_dummies: of sessions: send none of the plan's dummies.
        dummies: of sessions: send them, also where the plan was made without.
        hold: of sessions: modules hand requests on no earlier than after their worst-case latency.
        no_hold: of sessions: they hand them on at once, also where the plan was made otherwise.
        dropping: of sessions and fleets: which requests are dropped.
        partial: of sessions: whether a machine that is not used in full stands alone or is shared.
        clients: of sessions: clients that send their next request when the last one is answered.
        scheduler: of clusters: who forms batches.
        phases: of fleets: when in its period a client sends.
    """

    policy: Any
    arrivals: str | None
    trace: str | Path | Sequence[float] | None
    cv: Number | None
    on: Number | None
    off: Number | None
    load: Number | None
    full_load: Number | None
    seconds: Number | None
    noise: Number | None
    seed: Number | None
    dispatch: str | None
    time_out: Number | None
    no_dummies: bool
    dummies: bool
    hold: bool
    no_hold: bool
    dropping: str | None
    partial: str | None
    clients: Number | None
    scheduler: str | None
    phases: str | None


AnyGiven = AnyResult | WrittenResult | str | Path | GivenResult


@overload
def simulate(
    instance: Session, result: AnyGiven, *, highest_load: Literal[False] = False, **keywords: Unpack[Serving]
) -> SessionSimulation: ...
@overload
def simulate(
    instance: Cluster, result: AnyGiven, *, highest_load: Literal[False] = False, **keywords: Unpack[Serving]
) -> ClusterSimulation: ...
@overload
def simulate(
    instance: Fleet, result: AnyGiven, *, highest_load: Literal[False] = False, **keywords: Unpack[Serving]
) -> FleetSimulation: ...
@overload
def simulate(
    instance: Any, result: AnyGiven, *, highest_load: Literal[True], **keywords: Unpack[Serving]
) -> dict[str, float]: ...
@overload
def simulate(instance: Any, result: AnyGiven, *, highest_load: bool = False, **keywords: Unpack[Serving]) -> Any: ...
@verb(Serving, more=of_families)
def simulate(instance: Any, result: AnyGiven, *, highest_load: bool = False, **keywords: Any) -> Any | dict[str, float]:
    """Serve a load with the plan of a result, request by request, as `euclio simulate` does.

    What no keyword says is as the plan of a session was made for (`Result.planned_for`): a plan that keeps an
    attainment is served the arrivals of that, without dummies, for as long as it was judged. One for evenly spaced
    requests is served Poisson arrivals for 30 s.

    Args:
        instance: a session, cluster or fleet, without the changes that the result states; or the path of its file.
        result: a result of `euclio.solve`, or the path of a file.
        highest_load: find the highest load factor at 99 % attainment, from 1 down to 0.05, instead of one load.
        **keywords: each as the option of the command. `policy` as of `verify`; `arrivals`, `trace`, `cv`, `on`, `off`;
            `load`, `full_load`, `seconds`, `noise`, `seed`; of sessions `dispatch`, `time_out`, `no_dummies`,
            `dummies`, `hold`, `no_hold`, `dropping`, `partial`, `clients`, of clusters `scheduler`, of fleets
            `dispatch`, `dropping`, `phases`.

    Returns:
        The simulation, as the family has it; with `highest_load` the load factor by stream of requests.

    Raises:
        NoPlanError: the result has no plan.
        InputError: a bad value, which it names with its keyword, or one that does not go with the instance.
    """
    given = given_instance(instance)
    simulator = simulator_of(given)
    said = given_result(result, given, keywords.get("policy"))
    setup = simulated_setup(given, simulator, {**keywords, "highest_load": highest_load}, said)
    if said.result.plan is None:
        raise NoPlanError(f"there is no plan to simulate (status {said.result.status.value})", file=said.file)
    asked = said.result.changed, said.result.plan, setup, said.result.space
    with at("", said.file):
        expected = sum(simulator.offered_rps(*asked)) * setup.seconds
    if expected > simulator.most_requests:
        raise InputError(
            f"would bring about {amount(round(expected))} requests; up to {simulator.most_requests:,} are simulated, "
            "take fewer seconds",
            field="--seconds",
        )
    with at("", said.file):
        return simulator.highest_loads(*asked) if highest_load else simulator.simulate(*asked)


def simulator_of(given: GivenInstance) -> Simulator:
    """The simulator of an instance.

    Raises:
        InputError: its family has none.
    """
    if given.family.simulator is None:
        own = given.family.instance.__name__.lower()
        raise InputError(f"is a {own}; `euclio simulate` serves {simulated()}", file=given.file)
    return given.family.simulator()


def simulated_setup(given: GivenInstance, simulator: Simulator, keywords: Any, said: GivenResult) -> Setup:
    """The simulation that keywords ask for, apart from instance and plan; the rest is as the plan was made for.

    Raises:
        InputError: a bad value, keywords that do not go together, or a result that states no setup.
    """
    with at("", said.file):
        planned = simulator.planned(said.result)
    length = planned if _as_long_as_judged(keywords) else {}
    asked = dict(zip(COMING, (keywords.get(name) for name in COMING), strict=True))
    if asked["arrivals"] is None and asked["trace"] is None and "arrivals" in planned:
        asked["arrivals"] = planned["arrivals"].value
    seconds, noise, seed = (keywords.get(name) for name in ("seconds", "noise", "seed"))
    fields = {
        **planned,
        **arrival_fields(*asked.values()),
        "seconds": length.get("seconds", 30.0) if seconds is None else read_if(read_seconds, seconds, "--seconds"),
        "seed": length.get("seed", 0) if seed is None else read_if(read_seed, seed, "--seed"),
        "noise": planned.get("noise", 0.0) if noise is None else read_if(SHARE.parse, noise, "--noise"),
        "load": read_if(positive, keywords.get("load"), "--load") or 1.0,
        "full_load_rps": read_if(positive, keywords.get("full_load"), "--full-load"),
        **setup_fields(given.family, keywords),
    }
    setup: Setup = simulator.setup(**fields)
    return setup


COMING = ("arrivals", "trace", "cv", "on", "off")
"""Keywords of how requests come."""


def _as_long_as_judged(keywords: Any) -> bool:
    """Whether nothing is said about how long requests come, nor that many loads are tried."""
    return keywords.get("seconds") is None and keywords.get("seed") is None and not keywords.get("highest_load")
