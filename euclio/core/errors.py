"""Errors that users can put right: each says the file, the field and the remedy in one line."""

from __future__ import annotations


def printable(text: str) -> str:
    """A text in one line in which nothing but what can be seen is left: other characters are written as escapes.

    Files, names of fields and solvers may hold codes that a terminal obeys.
    """
    line = " ".join(text.split())
    if line.isprintable():
        return line
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in line)


class InputError(ValueError):
    """Bad input: one clear line, exit code 2.

    Args:
        message: what is wrong and how to put it right.
        file: the file it stands in, if any.
        field: the field in the file, as a path such as ``modules[2].rate_rps``.
    """

    def __init__(self, message: str, *, file: str | None = None, field: str | None = None) -> None:
        self.message = message
        self.file = file
        self.field = field
        super().__init__(printable(": ".join(part for part in (file, field, message) if part)))

    def in_file(self, file: str) -> InputError:
        """A copy of the error that names the file in which it was found."""
        return InputError(self.message, file=file, field=self.field)


class KeywordError(InputError):
    """Bad input of a call in Python: names the keyword with what it was given, where the command names an option.

    Args:
        message: what is wrong and how to put it right.
        file: the file it stands in, if any.
        keyword: the keyword.
        given: what it was given, as text; empty: it says nothing.
    """

    def __init__(self, message: str, file: str | None, keyword: str, given: str = "") -> None:
        super().__init__(message, file=file, field=f"{keyword}={given}" if given else keyword)
        self.field = keyword


class NoPlanError(InputError):
    """A result has no plan, which is needed here; exit code 4."""


class RefusedError(InputError):
    """The checker refuses a result, which has to be accepted here; exit code 1."""


class TerminatedError(KeyboardInterrupt):
    """The command was ended with SIGTERM: it ends as after Ctrl-C, with exit code 143."""


class InapplicableError(Exception):
    """The solver does not apply to this instance (say why); exit code 4."""


class OwnSolverError(Exception):
    """A user's own solver raised (says its file, what, and where in it)."""


class UnwritableError(Exception):
    """What was to be kept cannot be written, such as on a full disk (say what and the remedy); exit code 1."""


class RefutedError(Exception):
    """A proof that results rest on is refuted (say which); exit code 1."""
