"""What follows from the verbs' declarations: the stub for editors, and the table of `docs/commands.md`.

`python docs/tools/verb_tables.py` writes both; a test holds them against the verbs.
"""

from __future__ import annotations

from collections.abc import Iterator

from pasting import DOCS, ROOT, paste, table

from euclio.core.parameters import Parameter, keyword_of
from euclio.verbs import places
from euclio.verbs.interface.command import Command
from euclio.verbs.interface.parser import commands_of, verbs

STUB, PAGE = ROOT / "euclio" / "__init__.pyi", DOCS / "commands.md"
HEAD = '"""The names that `import euclio` offers, for editors and type checkers (docs/tools/verb_tables.py)."""\n\n'
HEADER = ("verb", "in Python", "what it does", "exit codes of its own")


def stub() -> str:
    """The stub: a line for each function."""
    lines = ["from euclio.experiments import results as results"]
    lines += [f"from {file} import {name} as {name}" for file, names in places().items() for name in names]
    return HEAD + "\n".join(sorted(lines)) + "\n"


def verb_table() -> str:
    """The table: a row for each verb, or for each of its actions."""
    rows = []
    for verb, summary in verbs().items():
        for action, one in commands_of(verb).items():
            typed = " ".join(filter(None, ("euclio", verb, action, *_places(one))))
            rows.append((f"`{typed}`", _function(one, verb, action), _linked(one, summary), one.exits))
    return table(HEADER, rows)


def _places(one: Command) -> Iterator[str]:
    """What is given by its place."""
    for own in one.own:
        if isinstance(own, Parameter) and not own.flag.startswith("-"):
            word = (own.metavar or own.flag.upper()).replace("|", " or ")
            yield {"?": f"[{word}]", "*": f"[{word}…]", "+": f"{word}…"}.get(str(own.details.get("nargs")), word)


def _function(one: Command, verb: str, action: str) -> str:
    """The function in Python; those of importers are named after their kind."""
    if verb == "import":
        return f"`import_{action.replace('-', '_')}`"
    if one.function is None:
        return "–"
    return f"`{one.function.__name__}`" if action else f"`{keyword_of(verb)}`"


def _linked(one: Command, summary: str) -> str:
    """What a verb does, with the page that says more."""
    words = one.summary or summary
    return f"{words}: [more]({one.page})" if one.page else words


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
    paste(PAGE, {"verbs": verb_table()})
