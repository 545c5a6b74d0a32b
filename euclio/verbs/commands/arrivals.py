"""How requests come, as options that several verbs have."""

from __future__ import annotations

import argparse
from pathlib import Path

from euclio.serving.setup import PHASE_S, VARIABILITY, Arrivals, Setup
from euclio.verbs.arrivals import DRAWN

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
