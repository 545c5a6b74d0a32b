"""How requests come, and plans that hold under random arrivals, as options that several verbs have."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euclio.core.families import find_family
from euclio.core.values import SHARE, exact_positive, exacts, named
from euclio.core.words import full, plain
from euclio.serving.setup import MODULE_PERCENTILES, PERCENTILES, PHASE_S, VARIABILITY, Arrivals, Setup
from euclio.verbs.attainment import DRAWN
from euclio.verbs.commands.options import add_setup_options, arrival_keywords, own_keywords, setup_flags, setup_keywords
from euclio.verbs.keywords import SERVED, SERVING

if TYPE_CHECKING:
    from euclio.core.family import Family
    from euclio.core.result import AnyResult


PARAMETERS = {"cv": (Arrivals.GAMMA, "--cv"), "on_s": (Arrivals.ON_OFF, "--on"), "off_s": (Arrivals.ON_OFF, "--off")}
"""Fields of setups that one process has, with the option of each."""


def add_arrivals(parser: argparse._ActionsContainer, default: str = "poisson, or as --trace says") -> None:
    """Add the options that say how requests come."""
    parser.add_argument("--arrivals", choices=DRAWN, help=f"how requests come; default: {default}")
    parser.add_argument("--trace", type=Path, metavar="FILE", help="timestamps (CSV, first column) to follow instead")
    parser.add_argument(
        "--cv",
        type=VARIABILITY.parse,
        metavar="X",
        help="coefficient of variation of the gaps, for --arrivals gamma, 0.01 to 100; default: 2",
    )
    for word, what in (("on", "bursts"), ("off", "the silence between bursts")):
        parser.add_argument(
            f"--{word}",
            dest=f"{word}_s",
            type=PHASE_S.parse,
            metavar="S",
            help=f"mean length of {what}, for --arrivals on-off; default: 1",
        )


def arrival_flags(setup: Setup, trace: Path | None) -> list[str]:
    """The options that make the arrivals and the noise of a setup.

    Args:
        setup: the setup.
        trace: file of its timestamps, if it has any; None: its name is not known.
    """
    if setup.arrivals is Arrivals.TRACE:
        found = ["--trace", str(trace or "TRACE")]
    else:
        found = ["--arrivals", setup.arrivals.value]
    for name, (process, flag) in PARAMETERS.items():
        if setup.arrivals is process:
            found += [flag, f"{getattr(setup, name)!r}"]
    return found + (["--noise", f"{setup.noise!r}"] if setup.noise else [])


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
