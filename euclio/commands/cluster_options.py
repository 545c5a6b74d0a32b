"""Options of the verbs that make clusters."""

from __future__ import annotations

import argparse
import math

from euclio.core.arguments import count, positive


def add_cluster_options(options: argparse._ActionsContainer) -> None:
    """Add the options that say which GPUs there are and on what terms models are served; the defaults are PPipe's."""
    options.add_argument("--cluster", default="HC1-L", metavar="NAME", help="setup HC1-L to HC4-S; default: HC1-L")
    options.add_argument("--high", type=count, metavar="N", help="high-class GPUs; default: the setup's")
    options.add_argument("--low", type=count, metavar="N", help="low-class GPUs; default: the setup's")
    options.add_argument(
        "--slo-scale", type=positive, default=5, metavar="X", help="SLO over latency on L4; default: 5"
    )
    options.add_argument(
        "--margin", type=part, default=0.4, metavar="X", help="part of the SLO left free; default: 0.4"
    )
    options.add_argument("--max-partitions", type=count, metavar="N", help="default: 3 for one model, else 2")


def part(text: str) -> float:
    """A number from 0 to less than 1."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} must be a number from 0 to less than 1")
    return number


def numbers(text: str) -> tuple[float, ...]:
    """Positive numbers divided by commas."""
    return tuple(positive(number) for number in text.split(","))
