"""`euclio simulate`: serve a load with a written plan on a simulated cluster."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.commands.exit_codes import NO_PLAN, SOLVED
from euclio.core.arguments import positive, seconds, seed
from euclio.core.errors import InputError
from euclio.core.progress import noticed
from euclio.core.saying import say

if TYPE_CHECKING:
    from euclio.core.arguments import Verbs
    from euclio.files import WrittenResult
    from euclio.pipeline import Cluster
    from euclio.pipeline.simulation import Setup, Simulation

MOST_REQUESTS = 20_000_000
"""Requests beyond which a simulation would not fit into the memory of a usual machine."""


def add_to(verbs: Verbs) -> None:
    """Add the verb to the command."""
    parser = verbs.add_parser(
        "simulate",
        help="serve a load with a written plan on a simulated cluster",
        description="Serve a load with the plan of a result: discrete-event simulation of batches, virtual GPUs and "
        "the servers' links. Prints SLO attainment, utilisation and the scheduler's work.",
        allow_abbrev=False,
    )
    parser.add_argument("instance", metavar="INSTANCE", help="cluster (JSON, euclio/pipeline/1)")
    parser.add_argument("result", metavar="RESULT", help="result with a plan (JSON, euclio/result/1)")
    parser.add_argument(
        "--arrivals",
        choices=("uniform", "poisson", "bursty"),
        help="how requests come; default: poisson, or as --trace says",
    )
    parser.add_argument("--trace", type=Path, metavar="FILE", help="timestamps (CSV, first column) to follow instead")
    parser.add_argument("--load", type=positive, default=1.0, metavar="F", help="load factor; default: 1")
    parser.add_argument(
        "--full-load",
        type=positive,
        metavar="R",
        help="requests per second and weight at load 1; default: what the plan serves as checked",
    )
    parser.add_argument(
        "--seconds", type=seconds, default=30.0, metavar="S", help="how long requests come; default: 30"
    )
    parser.add_argument(
        "--scheduler",
        choices=("reservation", "reactive"),
        default="reservation",
        help="who forms batches; default: reservation",
    )
    parser.add_argument(
        "--noise",
        type=_noise,
        default=0.0,
        metavar="X",
        help="coefficient of variation of durations around the profiled ones, 0 to 1; default: 0",
    )
    parser.add_argument("--seed", type=seed, default=0, metavar="N", help="seed of arrivals and noise; default: 0")
    parser.add_argument(
        "--highest-load",
        action="store_true",
        help="find the highest load factor at 99 %% attainment, from 1 down to 0.05, instead of taking --load",
    )
    parser.add_argument("--timeline", type=Path, metavar="OUT", help="also draw a timeline (.svg, .png or .pdf)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON instead of a table")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Simulate, print, draw."""
    from euclio.files import load_instance, load_result
    from euclio.files.outputs import check_outputs
    from euclio.pipeline import Cluster
    from euclio.report.figure_files import check_figure_path

    read = [arguments.instance, arguments.result, arguments.trace]
    check_outputs({"--timeline": arguments.timeline}, read)
    cluster = load_instance(arguments.instance)
    if not isinstance(cluster, Cluster):
        raise InputError("is a session; `euclio simulate` serves clusters (euclio/pipeline/1)", file=arguments.instance)
    written = load_result(arguments.result, cluster)
    setup = _setup(arguments)
    if arguments.timeline is not None:
        if arguments.highest_load:
            raise InputError("shows one load, --highest-load tries many; leave one out", field="--timeline")
        check_figure_path(arguments.timeline)
    if written.plan is None:
        status = written.status.value
        say(f"{arguments.result}: there is no plan to simulate (status {status})")
        return NO_PLAN
    _refuse_too_many(arguments, cluster, written, setup)
    with noticed("simulating; compiling takes a while at the first use after installation"):
        return (_search if arguments.highest_load else _once)(arguments, cluster, written, setup)


def _once(arguments: argparse.Namespace, cluster: Cluster, written: WrittenResult, setup: Setup) -> int:
    from euclio.files.boundary import at
    from euclio.files.json_writing import json_text
    from euclio.pipeline.simulation import describe, simulate

    with at("", arguments.result):
        simulation = simulate(cluster, written.plan, setup, written.space)
    if arguments.json:
        print(json_text(describe(simulation)))
    else:
        from euclio.core.tables import to_text
        from euclio.pipeline.simulation.table import simulation_table

        print(to_text(simulation_table(simulation)))
    _say_speed(simulation)
    if arguments.timeline is not None:
        from euclio.pipeline.simulation.timeline_figure import draw
        from euclio.report.figure_files import save_figure

        save_figure(draw(simulation), arguments.timeline)
    return SOLVED


def _search(arguments: argparse.Namespace, cluster: Cluster, written: WrittenResult, setup: Setup) -> int:
    from euclio.files.boundary import at
    from euclio.files.json_writing import json_text
    from euclio.pipeline.simulation import highest_loads

    with at("", arguments.result):
        loads = highest_loads(cluster, written.plan, setup, written.space)
    if arguments.json:
        described = {key: value for key, value in setup.describe().items() if key != "load"}
        mean = sum(loads.values()) / len(loads)
        print(json_text({"instance": cluster.name, **described, "highest_load": loads, "mean_highest_load": mean}))
    else:
        from euclio.core.tables import to_text
        from euclio.pipeline.simulation.table import highest_load_table

        print(to_text(highest_load_table(loads)))
    return SOLVED


def _setup(arguments: argparse.Namespace) -> Setup:
    from euclio.pipeline.simulation import Arrivals, Setup, load_trace

    if arguments.trace is not None and arguments.arrivals is not None:
        raise InputError("is given next to --arrivals; leave one out", field="--trace")
    return Setup(
        arrivals=Arrivals.TRACE if arguments.trace is not None else Arrivals(arguments.arrivals or "poisson"),
        load=arguments.load,
        seconds=arguments.seconds,
        scheduler=arguments.scheduler,
        seed=arguments.seed,
        noise=arguments.noise,
        full_load_rps=arguments.full_load,
        trace_s=load_trace(arguments.trace) if arguments.trace is not None else (),
    )


def _refuse_too_many(arguments: argparse.Namespace, cluster: Cluster, written: WrittenResult, setup: Setup) -> None:
    from euclio.files.boundary import at
    from euclio.pipeline.simulation.simulation import offered_rps

    with at("", arguments.result):
        expected = sum(offered_rps(cluster, written.plan, setup, written.space)) * setup.seconds
    if expected > MOST_REQUESTS:
        raise InputError(
            f"would bring about {expected:.3g} requests; up to {MOST_REQUESTS:.0e} are simulated, take fewer seconds",
            field="--seconds",
        )


def _say_speed(simulation: Simulation) -> None:
    """How long the event loop took, which is not the same from run to run."""
    from euclio.core.tables import duration
    from euclio.pipeline.simulation.metrics import seconds_per_batch

    each = seconds_per_batch(simulation)
    if each is not None:
        say(f"simulated in {duration(simulation.wall_s)}, {duration(each)} per batch")


def _noise(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} must be a number from 0 to 1")
    return number
