"""Sessions drawn over a library of measured profiles (ours): the papers' applications, with other networks in them.

An application gives the DAG and how often its modules are invoked; the networks are drawn from the library. Rates run
from half a machine to twenty of the busiest module, objectives from below what can be kept without dummy requests to
eight times that. Nothing is asked of any system, so that sessions which a planner has no plan for are among them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from euclio.core.numbers import short
from euclio.problems.session import Session
from euclio.workloads.session.applications import Application, applications
from euclio.workloads.session.libraries import Library, find_library
from euclio.workloads.session.protocol import latency_range, log_uniform, one_machine_rate, round_up

MACHINES = (0.5, 20.0)
"""Range of the machines that the busiest module needs at its best configuration, drawn on a logarithmic scale."""
SLO_OVER_LEAST = (0.8, 8.0)
"""Range of the objective over the least latency without dummy requests, drawn on a logarithmic scale.

Below 1 the longest path of all modules' least d + b/T is too long, and a plan needs dummy requests, if there is one."""


def draw(library: Library, seed: int, number: int) -> Session:
    """A session over a library's profiles; it depends on its library, seed and number alone.

    Args:
        library: the profiles.
        seed: seed of the draws.
        number: number of the draw, from 0.
    """
    stream = random.Random(f"{library.name}/{seed}/{number}")
    known = tuple(applications().values())
    shape = known[int(stream.random() * len(known))]
    application = _with_networks(shape, library, stream)
    factors = application.factors([stream.random() for _ in application.modules])
    rate = short(log_uniform(stream, MACHINES) * one_machine_rate(application, factors))
    over = log_uniform(stream, SLO_OVER_LEAST)
    session = application.session(f"{library.name}-{shape.name}-{number:04d}", rate, Fraction(1), factors)
    least, _ = latency_range(session)
    return replace(session, slo_s=round_up(over * least))


def library_sessions(name: str, count: int, seed: int) -> Iterator[Session]:
    """The first sessions over a library's profiles, each made when it is asked for.

    Args:
        name: name of the library.
        count: how many.
        seed: seed of the draws.

    Raises:
        InputError: there is no such library.
    """
    library = find_library(name)
    return (draw(library, seed, number) for number in range(count))


def _with_networks(shape: Application, library: Library, stream: random.Random) -> Application:
    """An application's DAG with different networks of the library as its modules, which are named after them."""
    networks = stream.sample(sorted(library.profiles), len(shape.modules))
    named = dict(zip((module.name for module in shape.modules), networks, strict=True))
    modules = tuple(
        replace(
            module,
            name=named[module.name],
            profile=library.profiles[named[module.name]],
            parents=tuple(named[parent] for parent in module.parents),
        )
        for module in shape.modules
    )
    return Application(shape.name, library.hardware, modules)
