"""Tables of simulations that every family has."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from euclio.core.tables import new_table
from euclio.core.words import full


def highest_load_table(loads: dict[str, float], stream: str = "model") -> RenderableType:
    """The highest load factor of each stream of requests at 99 % attainment, and their mean.

    Args:
        loads: load factor by stream.
        stream: what a stream is called.
    """
    table = new_table(stream, "highest load at 99 %", numbers=("highest load at 99 %",))
    for name, load in (*loads.items(), ("mean", sum(loads.values()) / len(loads))):
        table.add_row(Text(name), Text(full(load, digits=3)))
    return table
