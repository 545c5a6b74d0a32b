"""`euclio simulate`: serve a load with a written plan, request by request."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euclio.core.errors import InputError
from euclio.core.progress import say
from euclio.core.values import SHARE, positive, seconds, seed
from euclio.files import load_instance
from euclio.files.boundary import at
from euclio.files.json_writing import json_text
from euclio.verbs.commands import SOLVED
from euclio.verbs.commands.attainment import add_arrivals
from euclio.verbs.commands.options import (
    add_named_code,
    add_setup_options,
    arrival_keywords,
    named_code,
    own_keywords,
    setup_keywords,
)
from euclio.verbs.inputs import GivenInstance, given_result
from euclio.verbs.keywords import simulated

if TYPE_CHECKING:
    from euclio.core.parts import Simulator
    from euclio.verbs.inputs import GivenInstance, GivenResult


def simulate_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "Serve a load with the plan of a result: discrete-event simulation, request by request. Prints "
        f"SLO attainment, utilisation and the scheduler's work. Serves {simulated()}. What no option says is as the "
        "plan of a session was made for, which one line says."
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
        "--seconds",
        type=seconds,
        metavar="S",
        help="how long requests come; default: 30, or with neither this nor --seed what an attainment was judged by",
    )
    parser.add_argument(
        "--noise",
        type=SHARE.parse,
        metavar="X",
        help="coefficient of variation of durations around the profiled ones, 0 to 1; default: 0, or as planned",
    )
    parser.add_argument("--seed", type=seed, metavar="N", help="seed of arrivals and noise; default: 0")
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


def run_simulate(arguments: argparse.Namespace) -> int:
    """Simulate, print, plot."""
    from euclio.files.json_writing import check_outputs
    from euclio.report.figure_files import check_figure_path
    from euclio.verbs.simulate import simulated_setup, simulator_of

    figures = _figures(arguments)
    check_outputs(figures, [arguments.instance, arguments.result, arguments.trace])
    given = GivenInstance(load_instance(arguments.instance), arguments.instance)
    simulator = simulator_of(given)
    said = given_result(arguments.result, given, **named_code(arguments))
    keywords = _keywords(arguments)
    setup = simulated_setup(given, simulator, keywords, said)
    for flag, path in figures.items():
        if path is not None and arguments.highest_load:
            raise InputError("shows one load, --highest-load tries many; leave one out", field=flag)
        if path is not None:
            check_figure_path(path)
    with at("", arguments.result):
        how = simulator.as_planned(said.result, setup)
    code = (_search if arguments.highest_load else _once)(arguments, simulator, given, said, keywords)
    if how:
        say(f"{arguments.result}: {how}")
    return code


def _keywords(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the options are among the keywords of the verb."""
    own = own_keywords(arguments, "load", "full_load", "seconds", "noise", "seed", "highest_load")
    return {**own, **arrival_keywords(arguments), **setup_keywords(arguments)}


def _once(
    arguments: argparse.Namespace, simulator: Simulator, given: GivenInstance, said: GivenResult, keywords: Any
) -> int:
    from euclio.core.tables import to_text
    from euclio.verbs.simulate import simulate

    simulation = simulate(given, said, **keywords)
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


def _search(
    arguments: argparse.Namespace, simulator: Simulator, given: GivenInstance, said: GivenResult, keywords: Any
) -> int:
    from euclio.core.tables import to_text
    from euclio.verbs.simulate import simulate, simulated_setup

    loads = simulate(given, said, **keywords)
    if arguments.json:
        setup = simulated_setup(given, simulator, keywords, said)
        described = {key: value for key, value in setup.describe().items() if key != "load"}
        mean = sum(loads.values()) / len(loads)
        name = given.instance.name
        print(json_text({"instance": name, **described, "highest_load": loads, "mean_highest_load": mean}))
    else:
        print(to_text(simulator.loads_table(loads)))
    return SOLVED
