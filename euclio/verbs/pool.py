"""`euclio pool`: several sessions that share one pool of machines, as one session."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import Any

from euclio.core.parameters import NEEDED, Parameter
from euclio.core.values import file_path
from euclio.files import save_instance
from euclio.problems.session import Session
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import SOLVED
from euclio.verbs.interface.inputs import given_instances, pooled_instance
from euclio.verbs.interface.outputs import check_written
from euclio.verbs.interface.shared_parameters import out_of
from euclio.verbs.interface.verb import verb


@verb()
def pool(sessions: Any) -> Session:
    """One session of several applications that share their machines.

    Args:
        sessions: sessions, or paths of their files. Each keeps its objective, its rates and its name as an application.

    Returns:
        The session: stock, resources, spare machines and running machines are those of all applications together.

    Raises:
        InputError: another instance than a session, or sessions that describe a machine type differently.
    """
    found: Session = pooled_instance(given_instances(sessions)).instance
    return found


@command(
    pool,
    Parameter("files", help="sessions (JSON)", parse=file_path, metavar="FILE", details={"nargs": "+"}),
    replace(out_of("write the session (JSON, euclio/session/1)"), details=NEEDED),
    about="Put several sessions into one pool of machines, as one session with an application for each.",
    page="model/services.md#applications",
    exits="0 written",
    examples=("euclio pool session.json --out pool.json",),
)
def write_pool(arguments: Namespace) -> int:
    """Pool, write."""
    check_written(arguments, ("out",), tuple(arguments.files))
    save_instance(pool(arguments.files), arguments.out)
    print(arguments.out)
    return SOLVED
