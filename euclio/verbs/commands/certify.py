"""`euclio certify`: an independent prover tries the claim of a written result."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.core.progress import say
from euclio.core.values import seconds
from euclio.verbs.commands.exit_codes import OPEN, REFUSED, SOLVED
from euclio.verbs.commands.families import an_instance
from euclio.verbs.commands.named_code import add_named_code, named_code

if TYPE_CHECKING:
    from euclio.core.certificate import Certificate


def add_options(parser: argparse.ArgumentParser) -> None:
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


def run(arguments: argparse.Namespace) -> int:
    """Certify, print, write."""
    from euclio.files import load_instance, save_result
    from euclio.files.json_writing import check_outputs
    from euclio.files.result_files import certificate_to_text
    from euclio.proving.certifying import better_result
    from euclio.verbs import certify
    from euclio.verbs.opened import Opened
    from euclio.verbs.written import read_result

    given = Opened(load_instance(arguments.instance), arguments.instance)
    said = read_result(arguments.result, given, **named_code(arguments))
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
