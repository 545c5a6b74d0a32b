"""What follows from the verbs' declarations: the stub for editors, and the table of verbs in `docs/commands.md`.

`python docs/tools/verb_tables.py` writes both; a test holds them against the verbs.
"""

from __future__ import annotations

from pathlib import Path

from euclio.verbs import places

ROOT = Path(__file__).resolve().parents[2]
STUB = ROOT / "euclio" / "__init__.pyi"
HEAD = '"""The names that `import euclio` offers, for editors and type checkers (docs/tools/verb_tables.py)."""\n\n'


def stub() -> str:
    """The stub: a line for each function."""
    lines = ["from euclio.experiments import results as results"]
    lines += [f"from {file} import {name} as {name}" for file, names in places().items() for name in names]
    return HEAD + "\n".join(sorted(lines)) + "\n"


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
