"""A user's own policy from a Python file, named ``path/to/file.py:NAME``; found in the same way as a user's solver."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

from euclio.core.errors import InputError
from euclio.core.own_solver import named_in_file
from euclio.core.references import HASH, own_name
from euclio.problems.session.policies.record import Form, Policy


def load_policy(reference: str, folder: Path | None = None) -> Policy:
    """The policy of a name; it is the same record as long as the file stays the same.

    Args:
        reference: ``path/to/file.py:NAME``, where NAME is an `euclio.problems.session.policies.Policy` of the file.
            The hash that the file must have may follow, as in ``path/to/file.py:NAME@0123456789abcdef``.
        folder: folder to which the path is relative; None means the current folder.

    Returns:
        The policy; its name is the reference with the file's hash. It is of form `GENERAL`, because the assumptions of
        exact methods are proven for the built-in policies only.

    Raises:
        InputError: no such file or policy, an error in the file, or a file with another hash.
    """
    file, divides, _ = reference.rpartition(":")
    own, wanted = own_name(reference)
    bare = f"{file}:{own}" if divides else reference
    found, version, _ = named_in_file(bare, folder, "policy", lambda value: isinstance(value, Policy), wanted)
    return _named(found, f"{bare}{HASH}{version}", version)


@cache
def _named(policy: Policy, name: str, version: str) -> Policy:
    return replace(policy, name=name, version=version, form=Form.GENERAL, bounded_by="", floats=None)


def loaded_policy(policy: Policy) -> Policy:
    """A policy that a user's module defines, loaded from the module's file, so that result files can name it.

    Raises:
        InputError: it is not a name of an imported file.
    """
    module = sys.modules.get(policy.whole.__module__)
    file = getattr(module, "__file__", None)
    names = [name for name, value in vars(module).items() if value is policy] if module is not None else []
    # A program that runs as the main module is not run a second time.
    if file is None or not names or policy.whole.__module__ == "__main__":
        raise InputError(
            f"policy {policy.name!r} is of no file, so no result could name it; put it into one of its own and give "
            "FILE.py:NAME",
            field="policy",
        )
    return load_policy(f"{file}:{names[0]}")
