"""Names of a session as the names that serving systems allow."""

from __future__ import annotations

import re

LONGEST_LABEL = 63
"""Characters of a DNS label (RFC 1123) and of the value of a Kubernetes label at most."""
_CUT = 50
"""Characters of a name that are kept, so that an ending and a number behind it fit."""


def dns_label(text: str, ending: str = "") -> str:
    """A DNS label that begins with a letter, as names of services have to (RFC 1035), close to a text.

    Args:
        text: any text.
        ending: what the label is to end with, such as "-1".
    """
    plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    if not plain[:1].isalpha():
        plain = f"m-{plain}".strip("-")
    return plain[:_CUT].rstrip("-") + ending


def label_value(text: str) -> str:
    """The value of a Kubernetes label, close to a text; letters, digits and what stands between them are kept."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", text)[:LONGEST_LABEL]
    return plain.strip("-._") or "unnamed"


def file_name(text: str) -> str:
    """The name of a folder, close to a text, that every file system takes and no path leads out of."""
    return label_value(text)


class UniqueNames:
    """Hands out names, each only once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def taken(self, name: str) -> str:
        """The name, or the first of NAME-2, NAME-3, ... that has not been handed out."""
        number, found = 1, name
        while found in self._taken:
            number += 1
            found = f"{name}-{number}"
        self._taken.add(found)
        return found
