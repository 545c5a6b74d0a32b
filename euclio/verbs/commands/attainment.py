"""Options that ask for plans which hold under random arrivals, of all verbs that plan sessions."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euclio.core.families import find_family
from euclio.core.values import SHARE, exact_positive, exacts, named
from euclio.core.words import full, plain
from euclio.serving.setup import MODULE_PERCENTILES, PERCENTILES
from euclio.verbs.commands.arrivals import add_arrivals, arrival_flags
from euclio.verbs.commands.keywords import arrival_keywords, own_keywords, setup_keywords
from euclio.verbs.commands.setup_options import add_setup_options, setup_flags
from euclio.verbs.defaults import SERVED, SERVING

if TYPE_CHECKING:
    from euclio.core.family import Family
    from euclio.core.result import AnyResult

FLAGS = tuple(f"--{name.replace('_', '-')}" for name in SERVING)
"""Options of simulations that a plan can be made for."""


def add_attainment(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Add the options; percentiles are of several objectives where the verb takes several."""
    family = find_family(SERVED)
    group = parser.add_argument_group(
        "attainment",
        f"of {family.instances}: the cheapest plan found, by margins on rates and SLO, that keeps an attainment under "
        "random arrivals",
    )
    group.add_argument(
        "--attainment", type=SHARE.parse, metavar="A", help="share of requests within the SLO, 0.5 to 0.9999"
    )
    for name, share in PERCENTILES.items():
        group.add_argument(
            f"--{name}",
            type=exacts if several else exact_positive,
            metavar="S,S" if several else "S",
            help=f"seconds within which {full(100 * share)} %% are answered: --attainment {plain(share)} with this SLO",
        )
    for name, share in MODULE_PERCENTILES.items():
        group.add_argument(
            f"--{name.replace('_', '-')}",
            type=named(exact_positive),
            metavar="NAME=S",
            help=f"seconds by module within which {full(100 * share)} %% of its requests pass it, from ready there to "
            f"the end of their last invocation there; alone: with --attainment {plain(share)}",
        )
    add_arrivals(group)
    group.add_argument(
        "--noise", type=SHARE.parse, metavar="X", help="coefficient of variation of durations; default: 0"
    )
    add_setup_options(group, family, FLAGS)


def attainment_keywords(arguments: argparse.Namespace) -> dict[str, Any]:
    """What these options are among the keywords of a verb."""
    own = own_keywords(arguments, "attainment", "noise", *PERCENTILES, *MODULE_PERCENTILES)
    return {**own, **arrival_keywords(arguments), **setup_keywords(arguments)}


ASKED = "--attainment 0.99"
"""What asks for a plan that holds."""


def shown_by(result: AnyResult, family: Family, instance: Path, out: Path | None, trace: Path | None) -> str | None:
    """The command that plays out what a result of an attainment states; None: it states nothing.

    Args:
        result: a checked result.
        family: of its instance.
        instance: file of the instance.
        out: file that the result was written to; None: to none, so that its name stands there as RESULT.
        trace: file of timestamps that requests follow; None: its name is not known, or there is none.
    """
    from euclio.serving.attainment.served import setup_as_asked

    setup = setup_as_asked(result)
    if setup is None or result.plan is None:
        return None
    length = ["--seconds", f"{setup.seconds!r}", "--seed", str(setup.seed)]
    flags = [*arrival_flags(setup, trace), *length, *setup_flags(setup, family), *_own_policy(result)]
    return shlex.join(["euclio", "simulate", str(instance), str(out or "RESULT"), *flags])


def tried_by(result: AnyResult, instance: Path, out: Path | None) -> str:
    """The command that tries a plan for evenly spaced requests with Poisson arrivals; arguments as of `shown_by`."""
    flags = ["--arrivals", "poisson", *_own_policy(result)]
    return shlex.join(["euclio", "simulate", str(instance), str(out or "RESULT"), *flags])


def _own_policy(result: AnyResult) -> list[str]:
    """The option that names the user's own policy of a plan: a result only says it, and a command line has it run."""
    from euclio.core.references import HASH

    policy = getattr(result.space, "policy", None)
    return ["--policy", policy.name.partition(HASH)[0]] if policy is not None and policy.version else []
