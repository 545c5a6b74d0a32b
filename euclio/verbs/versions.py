"""`euclio versions`: versions of euclio, its dependencies and this machine."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from euclio.core.versions import show_versions, versions_text
from euclio.core.versions import versions as known_versions
from euclio.files.json_writing import json_text
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import SOLVED
from euclio.verbs.interface.shared_parameters import json_of
from euclio.verbs.interface.verb import verb

__all__ = ["show_versions", "versions"]


@verb()
def versions() -> dict[str, Any]:
    """Versions of euclio, its dependencies and this machine, as of `euclio versions`.

    `euclio.show_versions` prints them.

    Returns:
        `euclio`, `git`, `python`, `platform`, `cpu`, `cores`, `packages`, `extras`, `engines` and `kernels`; None is
        what is not installed.
    """
    return known_versions()


@command(
    versions,
    json_of("the versions", " instead of lines"),
    about="Versions of euclio, of its dependencies, extras and engines, and of this machine, for issues.",
    examples=("euclio versions",),
)
def print_versions(arguments: Namespace) -> int:
    """Print the versions."""
    found = versions()
    print(json_text(found) if arguments.json else versions_text(found))
    return SOLVED
