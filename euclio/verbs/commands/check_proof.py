"""`euclio check-proof`: read a proof file step by step."""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import TYPE_CHECKING

from euclio.core.numbers import exact_decimal_text
from euclio.files.json_writing import json_text
from euclio.verbs.commands.exit_codes import OPEN, REFUSED, SOLVED

if TYPE_CHECKING:
    from euclio.proving.files.checker import Accepted
    from euclio.verbs.checking import ProofChecked


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "Check a proof file of `euclio certify --proof`: does every step follow, and does the last one say what is "
        "promised? With INSTANCE and RESULT also: are its comments, its program and its promise those of the result's "
        "claim, made anew? Exit code 0: accepted, with what it shows, 1: refused, with the reason, 4: open, as the "
        "claim's program could not be made anew."
    )
    parser.add_argument("file", metavar="FILE", help="proof file (VIPR 1.0), packed by gzip or not")
    parser.add_argument("instance", nargs="?", metavar="INSTANCE", help="the instance that it is said to be of")
    parser.add_argument("result", nargs="?", metavar="RESULT", help="the result whose claim it is said to prove")
    parser.add_argument("--time-limit", metavar="S", help="seconds to make the program anew in; default: none")
    parser.add_argument("--policy", metavar="FILE.py:NAME", help="your own policy that the result was made under")
    parser.add_argument("--json", action="store_true", help="print what is found as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Check and print what is shown."""
    from euclio.verbs import check_proof

    found = check_proof(
        arguments.file,
        arguments.instance,
        arguments.result,
        time_limit=arguments.time_limit,
        policy=arguments.policy,
    )
    print(json_text(_data(found)) if arguments.json else "\n".join(_lines(found)))
    return OPEN if found.open else SOLVED if found.accepted else REFUSED


def _lines(found: ProofChecked) -> list[str]:
    """What is found, line by line."""
    of_claim = [f"claim: {found.claim}"] if found.claim else []
    of_claim += [f"with {found.changes}"] if found.changes else []
    of_claim += [f"plan space: {found.plan_space}"] if found.plan_space else []
    if found.shown is None:
        return [f"refused: {found.reason}", *of_claim]
    if found.open:
        return [f"open: {found.reason}", *of_claim, f"of the program in it the file shows: {_in_words(found.shown)}"]
    size = f"the file has {found.shown.size}; its first lines say what they mean"
    compared = _MADE_ANEW if found.of_claim else _NOT_COMPARED
    return [f"accepted: {_in_words(found.shown)}", *of_claim, size, compared]


_MADE_ANEW = "these and its program are those of the claim, made anew from the instance and the result"
_NOT_COMPARED = "its program is taken as it is: only INSTANCE and RESULT show that it is what these lines say"


def _data(found: ProofChecked) -> dict[str, object]:
    """What is found, as plain data of schema ``euclio/proof-checked/1``; numbers as text, since they are fractions."""
    shown = found.shown
    bound, solved = (None, None) if shown is None else (shown.bound, shown.solved)
    return {
        "schema": "euclio/proof-checked/1",
        "accepted": found.accepted,
        "open": found.open,
        "reason": found.reason or None,
        "of_claim": found.of_claim,
        "claim": found.claim or None,
        "plan_space": found.plan_space or None,
        "changes": found.changes or None,
        "infeasible": shown is not None and shown.infeasible,
        "bound": None if bound is None else _number(bound),
        "solved": None if solved is None else _number(solved),
    }


def _in_words(shown: Accepted) -> str:
    """What a file shows, with numbers as decimals where they are."""
    said = ["there is no feasible point"] if shown.infeasible else []
    said += [] if shown.bound is None else [f"no feasible point is better than {_number(shown.bound)}"]
    said += [] if shown.solved is None else [f"one has {_number(shown.solved)} or better"]
    return ", ".join(said)


def _number(value: Fraction) -> str:
    """A number as a decimal where it is one, else as a fraction; files of others may hold any."""
    return exact_decimal_text(value) or str(value)
