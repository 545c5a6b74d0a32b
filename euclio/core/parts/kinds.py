"""Instances that a family can draw: kinds with their settings (`euclio generate`), designs of the benchmark set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a kind of instance.

    Attributes:
        name: its name, as it stands in an experiment file and, with dashes, on the command line.
        read: plain value in, the value used out; raises an `InputError` where it is none.
        help: one line for the command line.
        text: the option's text in, its plain value out; raises an `argparse.ArgumentTypeError` where it is none.
        metavar: placeholder of the option's value.
        listed: its value is a list, so that a grid of it is a list of lists.
    """

    name: str
    read: Callable[[Any], Any]
    help: str
    text: Callable[[str], Any] = str
    metavar: str = "NAME"
    listed: bool = False

    @property
    def flag(self) -> str:
        """Its option on the command line."""
        return f"--{self.name.replace('_', '-')}"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of instance.

    Attributes:
        name: its name.
        settings: the settings that it takes.
        draw: settings as read, count and seed in, instances out; checks them before it returns.
        example: settings that it can be drawn with in no time, of all that it takes or needs.
        single: one instance only, with nothing drawn.
        seed: seed of its published draws, used where a verb is given none.
        about: what it is, in a line.
    """

    name: str
    settings: tuple[Setting, ...]
    draw: Callable[[dict[str, Any], int, int], Iterator[Any]]
    example: Mapping[str, Any] = field(default_factory=dict)
    single: bool = False
    seed: int = 0
    about: str = ""


class Design(Protocol):
    """What an instance of the set is to be like: a frozen dataclass, whose fields stand in the manifest."""

    @property
    def name(self) -> str:
        """Name of the instance."""

    @property
    def space(self) -> Any:
        """Plan space to solve it in."""

    def make(self, seed: int) -> Any:
        """The instance; the same seed gives the same one."""
