"""Options of `euclio solve` that ask for a plan which holds under random arrivals."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from euclio.commands.arrivals import add_arrivals, arrivals
from euclio.commands.setup_options import add_setup_options, setup_options
from euclio.core.errors import InputError
from euclio.core.family import find_family
from euclio.core.values import SHARE

if TYPE_CHECKING:
    from euclio.core.family import Family
    from euclio.session.attainment.demand import Demand

SERVED = "session"
"""The family whose plans can be asked for an attainment."""
FLAGS = ("--dispatch", "--time-out", "--hold", "--dropping")
"""Options of its simulations that a plan can be made for; the others are what the plan pays for."""


def add_attainment(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    family = find_family(SERVED)
    group = parser.add_argument_group(
        "attainment",
        f"of {family.instances}: the cheapest plan found, by margins on rates and SLO, that keeps an attainment under "
        "random arrivals",
    )
    group.add_argument(
        "--attainment", type=SHARE.parse, metavar="A", help="share of requests within the SLO, 0.5 to 0.9999"
    )
    add_arrivals(group)
    group.add_argument(
        "--noise", type=SHARE.parse, metavar="X", help="coefficient of variation of durations; default: 0"
    )
    add_setup_options(group, family, FLAGS)


def attainment_demand(arguments: argparse.Namespace, family: Family) -> Demand | None:
    """The demand that the options make; None: none is asked for.

    Raises:
        InputError: of another family, without an attainment, or options that do not go together.
    """
    served = find_family(SERVED)
    if arguments.attainment is None:
        for flag, field in _dependent().items():
            if vars(arguments).get(field) is not None:
                raise InputError("says what --attainment is asked under; give that too, or leave this out", field=flag)
        return None
    if family.name != SERVED:
        raise InputError(f"is an option for {served.instances}; leave it out", field="--attainment")
    from euclio.session.attainment.demand import Demand
    from euclio.session.simulation.setup import Setup

    setup = Setup(noise=arguments.noise or 0.0, **arrivals(arguments), **setup_options(arguments, family))
    return Demand(arguments.attainment, setup)


def _dependent() -> dict[str, str]:
    """Options that mean nothing without an attainment, with their places among the arguments."""
    own = {"--arrivals": "arrivals", "--trace": "trace", "--cv": "cv", "--on": "on_s", "--off": "off_s"}
    return {**own, "--noise": "noise", **{flag: flag for flag in FLAGS}}
