"""`euclio simulate`: serve a load with a written plan, request by request."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

from euclio.core.errors import InputError, NoPlanError
from euclio.core.lazy import late
from euclio.core.numbers import Number
from euclio.core.parameters import Parameter, as_typed, verb_text
from euclio.core.progress import say
from euclio.core.result import AnyResult, Status, WrittenResult
from euclio.core.solving import solve
from euclio.core.values import file_path, positive
from euclio.core.values import seconds as read_seconds
from euclio.core.words import amount, full
from euclio.files.boundary import at
from euclio.verbs.interface.attainment import arrival_fields
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import SOLVED
from euclio.verbs.interface.family_keywords import LIMIT_S, setup_fields, simulated
from euclio.verbs.interface.inputs import GivenInstance, GivenResult, given_instance, given_result
from euclio.verbs.interface.now import NOW, now, running
from euclio.verbs.interface.outputs import check_written, draw_answer, print_answer
from euclio.verbs.interface.shared_parameters import (
    INSTANCE,
    NOISE,
    POLICY,
    RESULT,
    SEED,
    arrivals,
    json_of,
    simulations,
)
from euclio.verbs.interface.supervised import Supervised
from euclio.verbs.interface.verb import verb

if TYPE_CHECKING:
    from euclio.core.parts import Simulator
    from euclio.problems.fragments import Fleet
    from euclio.problems.pipeline import Cluster
    from euclio.problems.session import Session
    from euclio.serving.fragments.record import Simulation as FleetSimulation
    from euclio.serving.pipeline.record import Simulation as ClusterSimulation
    from euclio.serving.session.record import Simulation as SessionSimulation
    from euclio.serving.setup import Setup

draw_timeline = late("euclio.serving.timeline_figure", "draw")
draw_latencies = late("euclio.serving.latency_figure", "draw")
highest_load_table = late("euclio.serving.requests", "highest_load_table")


MACHINES = "--machines"


class Serving(TypedDict, total=False):
    """Arrivals and serving, as of `euclio simulate`."""

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
    machines: Mapping[str, Number] | str | None
    batch: Number | Mapping[str, Number | str] | str | None


AnyGiven = AnyResult | WrittenResult | str | Path | GivenResult


@overload
def simulate(
    instance: Session,
    result: AnyGiven | None = None,
    *,
    highest_load: Literal[False] = False,
    **keywords: Unpack[Serving],
) -> SessionSimulation: ...
@overload
def simulate(
    instance: Cluster,
    result: AnyGiven | None = None,
    *,
    highest_load: Literal[False] = False,
    **keywords: Unpack[Serving],
) -> ClusterSimulation: ...
@overload
def simulate(
    instance: Fleet,
    result: AnyGiven | None = None,
    *,
    highest_load: Literal[False] = False,
    **keywords: Unpack[Serving],
) -> FleetSimulation: ...
@overload
def simulate(
    instance: Any, result: AnyGiven | None = None, *, highest_load: Literal[True], **keywords: Unpack[Serving]
) -> dict[str, float]: ...
@overload
def simulate(
    instance: Any, result: AnyGiven | None = None, *, highest_load: bool = False, **keywords: Unpack[Serving]
) -> Any: ...
@verb(
    POLICY,
    *arrivals(),
    Parameter("--load", help="load factor; default: 1", parse=positive, metavar="F"),
    Parameter(
        "--full-load",
        help="requests per second at load 1, for a cluster per weight, for a fleet per client; default: the checked "
        "throughput of the cluster's plan, or the rates of the session or fleet",
        parse=positive,
        metavar="R",
    ),
    Parameter(
        "--seconds",
        help="duration of the arrivals; default: 30, or without this and --seed that of the attainment's simulation",
        parse=read_seconds,
        metavar="S",
    ),
    replace(
        NOISE,
        help="coefficient of variation of durations around the profiled ones, 0 to 1; default: 0, or as planned",
    ),
    replace(SEED, help="seed of arrivals and noise; default: 0"),
    Parameter("--highest-load"),
    *running(MACHINES),
    simulations,
    typed=Serving,
)
def simulate(
    instance: Any,
    result: AnyGiven | None = None,
    *,
    highest_load: bool = False,
    machines: Any = None,
    batch: Any = None,
    **keywords: Any,
) -> Any | dict[str, float]:
    """Serve a load with the plan of a result, request by request, as `euclio simulate` does.

    Keywords that are not given follow the purpose of a session's plan (`Result.planned_for`). A plan for an attainment
    is served as it was judged: the same arrivals, without dummies, for as long. A plan for evenly spaced requests is
    served Poisson arrivals for 30 s.

    Args:
        instance: a session, cluster or fleet, without the changes that the result states; or the path of its file.
        result: a result of `euclio.solve`, or the path of a file; None where `machines` are given.
        highest_load: find the highest load factor at 99 % attainment, from 1 down to 0.05, instead of taking `load`.
        machines: machines of a session that run now, in place of a result, such as detect:L4=3,embed:A10G=2.
        batch: their batch, or batches by module such as detect=8,embed=4 (8x2: two at a time); None means the only one
            of the profile.
        **keywords: the options of `euclio simulate` by their names; `policy` as of `euclio.verify`.

    Returns:
        The simulation, as the family has it; with `highest_load` the load factor by stream of requests.

    Raises:
        NoPlanError: the result has no plan.
        InputError: a bad value, named with its keyword, or one that does not go with the instance.
    """
    given = given_instance(instance)
    simulator = simulator_of(given)
    said = _served(given, result, machines, batch, keywords.get("policy"))
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


def _served(given: GivenInstance, result: AnyGiven | None, machines: Any, batch: Any, policy: Any) -> GivenResult:
    """The result whose plan is served: the one that is given, or that of the machines that run now.

    Raises:
        InputError: neither or both are given, or they do not fit the instance.
    """
    own = now(given.family, given.instance, machines, batch, MACHINES)
    if own is not None and result is not None:
        raise InputError("is given next to a result; leave one out", field=MACHINES)
    if own is None and result is None and as_typed():
        raise InputError(f"is missing; name a result, or state the machines that run now by {MACHINES}", field="RESULT")
    served: Any = result if own is None else solve(given.instance, own)
    return given_result(served, given, policy)


def simulator_of(given: GivenInstance) -> Simulator:
    """The simulator of an instance; raises an `InputError` if its family has none."""
    if given.family.simulator is None:
        own = given.family.instance.__name__.lower()
        raise InputError(f"is a {own}; {verb_text('simulate')} serves {simulated()}", file=given.file)
    return given.family.simulator()


def simulated_setup(given: GivenInstance, simulator: Simulator, keywords: Any, said: GivenResult) -> Setup:
    """The simulation that keywords set, apart from instance and plan; the rest follows the plan's purpose.

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
        "seconds": length.get("seconds", 30.0) if seconds is None else seconds,
        "seed": length.get("seed", 0) if seed is None else seed,
        "noise": planned.get("noise", 0.0) if noise is None else noise,
        "load": keywords.get("load") or 1.0,
        "full_load_rps": keywords.get("full_load"),
        **setup_fields(given.family, keywords),
    }
    setup: Setup = simulator.setup(**fields)
    return setup


COMING = ("arrivals", "trace", "cv", "on", "off")
"""Keywords of how requests come."""


def _as_long_as_judged(keywords: Any) -> bool:
    """Whether nothing is said about how long requests come, nor that many loads are tried."""
    return keywords.get("seconds") is None and keywords.get("seed") is None and not keywords.get("highest_load")


@command(
    simulate,
    INSTANCE,
    replace(RESULT, help="result with a plan (JSON, euclio/result/1); --machines in its place", details={"nargs": "?"}),
    Parameter("--timeline", help="also plot a timeline (.svg, .png or .pdf)", parse=file_path, metavar="OUT"),
    Parameter(
        "--latencies",
        help="also plot the distribution of latencies (.svg, .png or .pdf)",
        parse=file_path,
        metavar="OUT",
    ),
    json_of("the numbers"),
    about=lambda: (
        "Serve a load with the plan of a result: discrete-event simulation, request by request. Prints SLO attainment, "
        f"utilisation and the scheduler's work. Serves {simulated()}. Options that are not given follow the purpose "
        "of a session's plan; one line states them."
    ),
    first=("--load", "--seconds", "--arrivals", "--machines", "--batch", "--highest-load", "--timeline"),
    research=(
        *("--full-load", "--noise", "--seed", "--dispatch", "--time-out", "--no-dummies", "--hold", "--dropping"),
        *("--partial", "--clients", "--scheduler", "--phases", "--policy"),
    ),
    page="model/serving.md",
    exits="4 the result has no plan",
    examples=(
        "euclio simulate session.json result.json --seconds 10",
        "euclio simulate session.json result.json --arrivals gamma --cv 3 --load 0.8",
        "euclio simulate session.json --machines detect:V100=1,classify:V100=2",
    ),
)
def print_simulation(arguments: Namespace) -> int:
    """Simulate, print, plot."""
    keywords = arguments.keywords
    machines, batch = keywords.pop("machines", None), keywords.pop("batch", None)
    read = (arguments.instance, arguments.result, keywords.get("trace"))
    check_written(arguments, (), read, figures=("timeline", "latencies"))
    given = given_instance(arguments.instance)
    simulator = simulator_of(given)
    said = _served(given, arguments.result, machines, batch, keywords.get("policy"))
    setup = simulated_setup(given, simulator, keywords, said)
    if keywords.get("trace") is not None:
        keywords["trace"] = setup.trace_s  # the file is read, and doubted, once
    for name in ("timeline", "latencies"):
        if getattr(arguments, name) is not None and keywords.get("highest_load"):
            raise InputError("shows one load, --highest-load tries many; leave one out", field=f"--{name}")
    with at("", said.file):
        how = simulator.as_planned(said.result, setup)
    if keywords.get("highest_load"):
        _print_highest_loads(arguments, simulator, given, said)
    else:
        _print_one_load(arguments, simulator, given, said)
    if how:
        say(f"{arguments.result or NOW}: {how}")
    return SOLVED


def _print_one_load(arguments: Namespace, simulator: Simulator, given: GivenInstance, said: GivenResult) -> None:
    simulation = simulate(given, said, **arguments.keywords)
    data, lines = ({}, []) if arguments.result else _next_to_optimum(given, said.result)
    print_answer(arguments, lambda: {**simulator.describe(simulation), **data}, lambda: simulator.table(simulation))
    if not arguments.json:
        print(*lines, sep="\n", end="\n" * bool(lines))
    speed = simulator.speed(simulation)
    if speed:  # not the same from run to run, hence on standard error
        say(speed)
    draw_answer({arguments.timeline: lambda: draw_timeline(simulation)})
    draw_answer({arguments.latencies: lambda: draw_latencies(simulation)})


def _print_highest_loads(arguments: Namespace, simulator: Simulator, given: GivenInstance, said: GivenResult) -> None:
    loads = simulate(given, said, **arguments.keywords)

    def data() -> dict[str, Any]:
        setup = simulated_setup(given, simulator, arguments.keywords, said)
        described = {key: value for key, value in setup.describe().items() if key != "load"}
        mean = sum(loads.values()) / len(loads)
        return {"instance": given.instance.name, **described, "highest_load": loads, "mean_highest_load": mean}

    print_answer(arguments, data, lambda: highest_load_table(loads, simulator.stream))


def _next_to_optimum(given: GivenInstance, running: WrittenResult) -> tuple[dict[str, Any], list[str]]:
    """What the machines that run now cost next to the optimum of their plan space, as data and in lines."""
    family, instance, goal = given.family, given.instance, running.goal
    priced = family.evaluate(instance, running.plan, running.space)
    with Supervised([instance]) as other:
        best = other.solve(instance, space=running.space, time_limit_s=LIMIT_S)
    proven = best.status is Status.OPTIMAL
    lines = [
        "",
        f"{NOW}: {family.summary(instance, running.space, priced)}",
        *priced.violations,
        f"{'optimum' if proven else 'best plan found'}: {full(best.value)} {goal.unit}"
        if best.value is not None
        else f"optimum: {best.status.value}",
        f"both: {family.describe_space(running.space)}",
        *filter(None, [family.caveat(instance, running.space, running.plan, priced)]),
    ]
    of_now = {goal.value_field: priced.value, "violations": priced.violations}
    return {NOW: {**of_now, f"optimum_{goal.suffix}": best.value, "optimum_status": best.status.value}}, lines
