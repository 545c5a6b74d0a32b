"""Names of a session as serving systems allow them; different ones stay different (docs/howto/deployment.md)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from euclio.core.target_names import target_names
from euclio.problems.session.instance import Session

LONGEST_LABEL = 63
"""The most characters of a DNS label (RFC 1123) and of the value of a Kubernetes label."""
_CUT = 50
"""Characters of a module's name that a DNS label keeps, so that a number fits behind it."""
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
"""Names that no file has on Windows, with any ending."""


def dns_label(text: str, longest: int = _CUT) -> str:
    """A DNS label that begins with a letter, as names of services have to (RFC 1035), close to a text."""
    plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    if not plain[:1].isalpha():
        plain = f"m-{plain}".strip("-")
    return plain[:longest].rstrip("-")


def label_value(text: str, longest: int = LONGEST_LABEL) -> str:
    """The value of a Kubernetes label, close to a text; letters, digits and characters between them are kept."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", text)[:longest]
    return plain.strip("-._") or "unnamed"


def folder_name(text: str, longest: int = LONGEST_LABEL) -> str:
    """The name of a folder, close to a text; the name of a device loses its dots, as any ending leaves it a device."""
    plain = label_value(text, longest)
    return plain.replace(".", "-") if _is_device(plain) else plain


@dataclass(frozen=True, slots=True)
class NameMap:
    """Names by the names in the files of another system; no two of them are equal there.

    Attributes:
        what: the things that have the names, in words.
        near: the target of a name if no other name has the same one.
        targets: the target of each name.
    """

    what: str
    near: Callable[[str], str]
    targets: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        return self.targets[name]

    @property
    def told_apart(self) -> tuple[str, ...]:
        """The names whose targets have a hash behind them: others would be equal, or the target is reserved."""
        return tuple(name for name, target in self.targets.items() if target != self.near(name))

    def remarks(self, prefix: str = "") -> Iterator[str]:
        """The names that differ from their targets, in a sentence; none if all are equal.

        Args:
            prefix: text before each target name in the files.
        """
        other = [name for name, target in self.targets.items() if target != name]
        if other:
            pairs = ", ".join(f"{json.dumps(name, ensure_ascii=False)} is {prefix}{self[name]}" for name in other)
            yield f"- names of {self.what} as they are in the session: {pairs}."


@dataclass(frozen=True, slots=True)
class TargetNames:
    """The names of all modules and hardware of a session, used in a plan or not, so that all its plans agree.

    Attributes:
        labels: DNS labels of modules; they begin the names of groups and are part of names of images.
        module_values: values of Kubernetes labels, of modules.
        hardware_values: values of Kubernetes labels, of hardware; they are the names of Ray's resources too.
        folders: names of modules' folders. They differ even if a file system does not distinguish small and capital
            letters, and none is the name of a device.
    """

    labels: NameMap
    module_values: NameMap
    hardware_values: NameMap
    folders: NameMap


def of_session(session: Session) -> TargetNames:
    """The target names of a session."""
    modules = [module.name for module in session.modules]
    hardware = [one.name for one in session.hardware]
    return TargetNames(
        NameMap("modules in names of groups", dns_label, target_names(modules, dns_label, _CUT)),
        NameMap("modules in labels", label_value, target_names(modules, label_value, LONGEST_LABEL)),
        NameMap("hardware", label_value, target_names(hardware, label_value, LONGEST_LABEL)),
        NameMap("modules in names of folders", folder_name, folder_names(modules)),
    )


def folder_names(names: Iterable[str]) -> dict[str, str]:
    """By name, the name of a folder; every file system takes it, and no path leads out of it."""
    return target_names(names, folder_name, LONGEST_LABEL, same=str.lower, reserved=_is_device)


def _is_device(name: str) -> bool:
    return _DEVICE.fullmatch(name) is not None


@dataclass(slots=True)
class UniqueNames:
    """Hands out names, each only once."""

    _taken: set[str] = field(default_factory=set)

    def taken(self, name: str) -> str:
        """The name, or the first of NAME-2, NAME-3, ... that has not been handed out."""
        number, found = 1, name
        while found in self._taken:
            number += 1
            found = f"{name}-{number}"
        self._taken.add(found)
        return found
