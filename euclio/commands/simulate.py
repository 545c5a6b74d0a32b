"""`euclio simulate`: serve a load with a written plan, request by request."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euclio.commands.arrivals import add_arrivals, arrivals
from euclio.commands.attainment import otherwise
from euclio.commands.exit_codes import NO_PLAN, SOLVED
from euclio.commands.named_code import add_named_code, named_code
from euclio.commands.setup_options import add_setup_options, setup_options
from euclio.core.errors import InputError
from euclio.core.families import families, family_of
from euclio.core.progress import say
from euclio.core.values import SHARE, positive, seconds, seed
from euclio.core.words import joined

if TYPE_CHECKING:
    from euclio.core.family import Family
    from euclio.core.parts.simulator import Simulator
    from euclio.simulation.setup import Setup


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "Serve a load with the plan of a result: discrete-event simulation, request by request. Prints "
        f"SLO attainment, utilisation and the scheduler's work. Serves {_served()}."
    )
    parser.add_argument("instance", metavar="INSTANCE", help="instance (JSON)")
    parser.add_argument("result", metavar="RESULT", help="result with a plan (JSON, euclio/result/1)")
    add_named_code(parser)
    add_arrivals(parser)
    parser.add_argument("--load", type=positive, metavar="F", help="load factor; default: 1")
    parser.add_argument(
        "--full-load",
        type=positive,
        metavar="R",
        help="requests per second at load 1, of a cluster per weight, of a fleet per client; default: what the "
        "cluster's plan serves as checked, or the rates of the session or fleet",
    )
    parser.add_argument(
        "--seconds", type=seconds, default=30.0, metavar="S", help="how long requests come; default: 30"
    )
    parser.add_argument(
        "--noise",
        type=SHARE.parse,
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
    add_setup_options(parser)
    parser.add_argument("--timeline", type=Path, metavar="OUT", help="also plot a timeline (.svg, .png or .pdf)")
    parser.add_argument(
        "--latencies", type=Path, metavar="OUT", help="also plot the distribution of latencies (.svg, .png or .pdf)"
    )
    parser.add_argument("--json", action="store_true", help="print the numbers as JSON instead of a table")


def _served() -> str:
    """The instances that can be simulated, with their schemas."""
    served = [family for family in families() if family.simulator is not None]
    return joined(f"{family.instances} ({family.schema})" for family in served)


def run(arguments: argparse.Namespace) -> int:
    """Simulate, print, plot."""
    from euclio.files import load_instance, load_result
    from euclio.files.boundary import at
    from euclio.files.outputs import check_outputs
    from euclio.report.figure_files import check_figure_path

    read = [arguments.instance, arguments.result, arguments.trace]
    figures = _figures(arguments)
    check_outputs(figures, read)
    instance = load_instance(arguments.instance)
    family = family_of(instance)
    if family.simulator is None:
        own = family.instance.__name__.lower()
        raise InputError(f"is a {own}; `euclio simulate` serves {_served()}", file=arguments.instance)
    written = load_result(arguments.result, instance, **named_code(arguments))
    simulator = family.simulator()
    setup = _setup(arguments, family, simulator)
    for flag, path in figures.items():
        if path is not None and arguments.highest_load:
            raise InputError("shows one load, --highest-load tries many; leave one out", field=flag)
        if path is not None:
            check_figure_path(path)
    if written.plan is None:
        say(f"{arguments.result}: there is no plan to simulate (status {written.status.value})")
        return NO_PLAN
    given = written.changed, written.plan, setup, written.space
    with at("", arguments.result):
        expected = sum(simulator.offered_rps(*given)) * setup.seconds
    if expected > simulator.most_requests:
        raise InputError(
            f"would bring about {expected:.3g} requests; up to {simulator.most_requests:.0e} are simulated, take fewer "
            "seconds",
            field="--seconds",
        )
    with at("", arguments.result):
        differing = otherwise(written, family, setup, arguments.trace)
    if differing is not None:
        say(f"{arguments.result}: {differing}")
    return (_search if arguments.highest_load else _once)(arguments, simulator, *given)


def _once(arguments: argparse.Namespace, simulator: Simulator, *given: Any) -> int:
    from euclio.core.tables import to_text
    from euclio.files.boundary import at
    from euclio.files.json_writing import json_text

    with at("", arguments.result):
        simulation = simulator.simulate(*given)
    print(json_text(simulator.describe(simulation)) if arguments.json else to_text(simulator.table(simulation)))
    speed = simulator.speed(simulation)
    if speed:  # not the same from run to run, hence on standard error
        say(speed)
    drawings = {"--timeline": simulator.draw, "--latencies": simulator.draw_latencies}
    for flag, path in _figures(arguments).items():
        if path is not None:
            from euclio.report.figure_files import save_figure

            save_figure(drawings[flag](simulation), path)
    return SOLVED


def _figures(arguments: argparse.Namespace) -> dict[str, Path | None]:
    """The figures that are asked for, by option."""
    return {"--timeline": arguments.timeline, "--latencies": arguments.latencies}


def _search(arguments: argparse.Namespace, simulator: Simulator, *given: Any) -> int:
    from euclio.core.tables import to_text
    from euclio.files.boundary import at
    from euclio.files.json_writing import json_text

    with at("", arguments.result):
        loads = simulator.highest_loads(*given)
    instance, _, setup, _ = given
    if arguments.json:
        described = {key: value for key, value in setup.describe().items() if key != "load"}
        mean = sum(loads.values()) / len(loads)
        print(json_text({"instance": instance.name, **described, "highest_load": loads, "mean_highest_load": mean}))
    else:
        print(to_text(simulator.loads_table(loads)))
    return SOLVED


def _setup(arguments: argparse.Namespace, family: Family, simulator: Simulator) -> Setup:
    setup: Setup = simulator.setup(
        **arrivals(arguments),
        load=arguments.load or 1.0,
        seconds=arguments.seconds,
        seed=arguments.seed,
        noise=arguments.noise,
        full_load_rps=arguments.full_load,
        **setup_options(arguments, family),
    )
    return setup
