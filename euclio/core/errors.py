"""Errors that users can correct: each states the file, the field and the remedy in one line."""

from __future__ import annotations


def printable(text: str) -> str:
    """A text in one line with control and invisible characters written as escapes.

    Files, names of fields and solvers may hold codes that a terminal obeys.
    """
    line = " ".join(text.split())
    if line.isprintable():
        return line
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in line)


def reason_of(error: Exception) -> str:
    """The reason of an error, of the system's ones without number and file."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


class InputError(ValueError):
    """Bad input: one clear line, exit code 2.

    Args:
        message: the fault and its remedy.
        file: the file with the fault, if any.
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
    """Bad input of a call in Python: names the keyword and its value, where the command names an option.

    Args:
        message: the fault and its remedy.
        file: the file with the fault, if any.
        keyword: the keyword.
        given: its value as text; may be empty.
    """

    def __init__(self, message: str, file: str | None, keyword: str, given: str = "") -> None:
        super().__init__(message, file=file, field=f"{keyword}={given}" if given else keyword)
        self.field = keyword


class NoPlanError(InputError):
    """A result has no plan, although one is needed; exit code 4."""


class RefusedError(InputError):
    """The checker rejects a result that has to be valid; exit code 1."""


class TerminatedError(KeyboardInterrupt):
    """SIGTERM ended the command, which ends as after Ctrl-C, with exit code 143."""


class InapplicableError(Exception):
    """The solver does not apply to this instance (say why); exit code 4."""


class OwnSolverError(Exception):
    """A user's own solver raised an exception; the message gives the file, the exception and the line."""


class UnwritableError(Exception):
    """An output cannot be written, such as on a full disk; the message gives the remedy; exit code 1."""


class RefutedError(Exception):
    """A proof that results rest on is refuted; the message names it; exit code 1."""
