"""`euclio certify`: check the claim of a result with an independent prover."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from euclio.core.certificate import Certificate, Verdict
from euclio.core.numbers import Number
from euclio.core.parameters import Parameter
from euclio.core.progress import say
from euclio.core.result import AnyResult, WrittenResult
from euclio.core.values import file_path
from euclio.files import save_result
from euclio.files.boundary import at
from euclio.files.json_writing import check_outputs
from euclio.files.result_files import certificate_to_text
from euclio.proving.certifying import better_result
from euclio.proving.certifying import certify as certify_result
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import OPEN, REFUSED, SOLVED
from euclio.verbs.interface.family_keywords import time_limit_of
from euclio.verbs.interface.inputs import GivenResult, given_instance, given_result
from euclio.verbs.interface.outputs import check_written
from euclio.verbs.interface.shared_parameters import INSTANCE, POLICY, RESULT, TIME_LIMIT, json_of, out_of
from euclio.verbs.interface.verb import verb

EXIT_CODES = {Verdict.CERTIFIED: SOLVED, Verdict.REFUTED: REFUSED, Verdict.OPEN: OPEN}


@verb(POLICY, TIME_LIMIT, Parameter("--proof", parse=file_path, metavar="FILE"))
def certify(
    instance: Any,
    result: AnyResult | WrittenResult | str | Path | GivenResult,
    time_limit_s: Number | None = None,
    *,
    time_limit: Number | None = None,
    proof: str | Path | None = None,
    policy: Any = None,
) -> Certificate:
    """Certify or refute the claim of a result, as `euclio certify` does.

    The claim is the strongest that the result makes (`euclio.proving.certifying.certify`).

    Args:
        instance: the instance of the result, without the changes that it states; or the path of its file.
        result: a result of `euclio.solve`, or the path of a file.
        time_limit_s: as `time_limit`.
        time_limit: limit of the search in seconds, and of making the proof file; None means no limit.
        proof: write a proof that other programs can check (VIPR) to this file, if the claim is certified and has one;
            packed if the name ends in ``.gz``.
        policy: the user's own policy of a written result (``"FILE.py:NAME"``).

    Returns:
        The certificate. A refutation contains the better plan (`euclio.proving.certifying.better_result`). `proof` is
        the written file; without one, `no_proof` says why.

    Raises:
        InputError: the result claims nothing that could be certified, or is of another instance; the proof file cannot
            be written.
    """
    given = given_instance(instance)
    said = given_result(result, given, policy)
    limit_s = time_limit_of({"time_limit": time_limit, "time_limit_s": time_limit_s})
    check_outputs({"--proof": proof}, [given.file, said.file])
    with at("", said.file):
        target = given.instance if isinstance(result, WrittenResult) else said.result.changed
        return certify_result(target, said.result, limit_s, proof)


@command(
    certify,
    INSTANCE,
    RESULT,
    out_of("write the better plan, if there is one, as a result"),
    json_of("the certificate"),
    about="Prove the claim of a result (optimal, infeasible, or a bound), or find a better plan and print it.",
    first=("--proof", "--time-limit", "--out"),
    page="certificates.md",
    exits="0 certified, 1 refuted, 4 open",
    examples=(
        "euclio certify session.json result.json --time-limit 10",
        "euclio certify session.json result.json --proof proof.vipr",
    ),
)
def print_certificate(arguments: Namespace) -> int:
    """Certify, print, write."""
    given = given_instance(arguments.instance)
    said = given_result(arguments.result, given, arguments.keywords.get("policy"))
    instance = said.result.changed
    check_written(arguments, ("out", "proof"), (arguments.instance, arguments.result))
    certificate = certify(given, said, **arguments.keywords)
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
    return EXIT_CODES[certificate.verdict]
