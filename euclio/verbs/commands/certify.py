"""`euclio verify`, `certify` and `check-proof`: price a written result again, prove its claim, check the proof."""

from __future__ import annotations

import argparse
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.core.numbers import exact_decimal_text
from euclio.core.progress import say
from euclio.core.values import seconds
from euclio.files.json_writing import json_text
from euclio.verbs.commands import OPEN, REFUSED, SOLVED
from euclio.verbs.commands.options import add_named_code, an_instance, named_code

if TYPE_CHECKING:
    from euclio.core.certificate import Certificate
    from euclio.proving.files.checker import Accepted
    from euclio.verbs.certify import ProofChecked


def certify_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "Show that nothing is better than a result claims (optimal, infeasible, or a bound), or find the "
        "better plan and print it. Exit code 0: certified, 1: refuted, 4: open."
    )
    parser.add_argument("instance", metavar="INSTANCE", help=f"{an_instance()} (JSON)")
    parser.add_argument("result", metavar="RESULT", help="result (JSON, euclio/result/1)")
    add_named_code(parser)
    parser.add_argument("--time-limit", type=seconds, metavar="S", help="time limit of the search in seconds")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the better plan, if there is one, as a result")
    parser.add_argument(
        "--proof",
        type=Path,
        metavar="FILE",
        help="write a proof that other programs can check (VIPR), if the claim is certified and has one; .gz: packed",
    )
    parser.add_argument("--json", action="store_true", help="print the certificate as JSON instead of a table")


def run_certify(arguments: argparse.Namespace) -> int:
    """Certify, print, write."""
    from euclio.files import load_instance, save_result
    from euclio.files.json_writing import check_outputs
    from euclio.files.result_files import certificate_to_text
    from euclio.proving.certifying import better_result
    from euclio.verbs.certify import certify
    from euclio.verbs.inputs import GivenInstance, given_result

    given = GivenInstance(load_instance(arguments.instance), arguments.instance)
    said = given_result(arguments.result, given, **named_code(arguments))
    instance = said.result.changed
    outputs = {"--out": arguments.out, "--proof": arguments.proof}
    check_outputs(outputs, [arguments.instance, arguments.result])
    certificate = certify(given, said, time_limit=arguments.time_limit, proof=arguments.proof)
    if arguments.json:
        print(certificate_to_text(certificate, instance), end="")
    else:
        from euclio.core.tables import to_text
        from euclio.proving.table import certificate_table

        print(to_text(certificate_table(instance, certificate)))
    if arguments.out is not None:
        if certificate.plan is None:
            say(f"{arguments.out} is not written: there is no better plan to write")
        else:
            save_result(better_result(instance, certificate), instance, arguments.out)
    return exit_code(certificate)


def exit_code(certificate: Certificate) -> int:
    """The exit code of a verdict."""
    from euclio.core.certificate import Verdict

    return {Verdict.CERTIFIED: SOLVED, Verdict.REFUTED: REFUSED, Verdict.OPEN: OPEN}[certificate.verdict]


def verify_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = "Check a result against its instance. Exit code 0: accepted, 1: refused, with the reason."
    parser.add_argument("instance", metavar="INSTANCE", help=f"{an_instance()} (JSON)")
    parser.add_argument("result", metavar="RESULT", help="result (JSON, euclio/result/1)")
    add_named_code(parser)


def run_verify(arguments: argparse.Namespace) -> int:
    """Check and print the verdict."""
    from euclio.files import load_instance
    from euclio.verbs.certify import verify
    from euclio.verbs.inputs import GivenInstance

    given = GivenInstance(load_instance(arguments.instance), arguments.instance)
    found = verify(given, arguments.result, **named_code(arguments))
    if not found.accepted:
        print(f"refused: {'; '.join(found.reasons)}")
        return REFUSED
    said, family = found.result, given.family
    print(f"accepted: {family.summary(said.changed, said.space, found.evaluation)}")
    caveat = (
        "" if "attainment" in said.options else family.caveat(said.changed, said.space, said.plan, found.evaluation)
    )
    if caveat:
        print(caveat)
    if said.changes is not None:
        print(f"with {said.changes.in_words()}")
    print(f"plan space: {family.describe_space(said.space)}")
    return SOLVED


def check_proof_options(parser: argparse.ArgumentParser) -> None:
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


def run_check_proof(arguments: argparse.Namespace) -> int:
    """Check and print what is shown."""
    from euclio.verbs.certify import check_proof

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
