"""Files as an attacker would write them: what may be put in the place of any value of a good file.

A file that names code names a canary: a Python file that leaves a mark when anything of it is run.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CANARY = "evil"
MARK = "EXECUTED"
CODE = """import os

os.close(os.open({mark!r}, os.O_CREAT | os.O_WRONLY))
from euclio.problems.session.policies import Policy

# {salt}: a text that was not run before in this process.
POL = Policy(name="p", help="", whole=lambda p: 2 * p.duration_s, partial=lambda p: 3 * p.duration_s)
FAMILY = SOLVERS = None


def solve(session):
    return None
"""


def code(here: Path, salt: int) -> str:
    """The canary; the salt makes it a text that was not run before in this process."""
    return CODE.format(mark=str(here / MARK), salt=salt)


REFERENCES = (
    "evil.py:POL",
    "evil.py:solve",
    "./evil.py:POL",
    "{here}/evil.py:POL",
    "{here}/../{room}/evil.py:solve",
    "evil.py:POL@0123456789abcdef",
    "evil.py:POL@{hash}",
    "evil.py:POL@",
    "evil.py:POL@{hash}:x.py:POL",
    "evil.py@{hash}:POL",
    "evil.py",
    ":evil.py",
    "evil.py:",
    "evil.py::POL",
    "evil:POL",
    "evil.POL",
    "evil",
    "file://{here}/evil.py:POL",
    "file:evil.py:POL",
    "~/evil.py:POL",
    "~nobody-is-called-so/evil.py:POL",
    "evil.py:POL\\u0000",
    "evil.py\\u0000:POL",
    "\\u0000.py:POL",
    "evil.py\\n:POL",
    "\\nevil.py:POL",
    " evil.py:POL ",
    "evil.py:\\u202ePOL",
    "evil.py:__import__('evil')",
    "__import__('evil')",
    "os:system",
    "module://evil",
    "euclio.solvers",
    "$(touch EXECUTED)",
    "`touch EXECUTED`",
    "| touch EXECUTED",
    "; touch EXECUTED",
    "tc,evil.py:POL",
)
"""Texts that may be taken for code; as they stand in JSON."""

NASTY = (
    *("null", "true", "false", "0", "-1", "1", "2", "0.5", "-0.0", "1e400", "-1e400", "1e399", "1e-399", "1e-400"),
    *("NaN", "Infinity", "-Infinity", "9223372036854775808", "-9223372036854775809", "1" * 40, "1" * 41),
    *("0." + "3" * 38, "1.0000000000000002", '""', '" "', '"x"', '"\\ud800"', '"\\u001b[2J"', '"' + "y" * 5000 + '"'),
    *('"\\u202e"', '"\\u0000"', '"../../up"', '"/etc/passwd"', '"<script>alert(1)</script>"', '"=1+1"', '"2026-01-01"'),
    *("[]", "{}", "[[]]", "[{}]", "[null]", "[0]", '["x"]', '[["evil.py:POL"]]', '["evil.py:POL"]', '{"x": 1}'),
    *('{"evil.py:POL": 1}', '{"__class__": "evil.py:POL"}', "[" * 40 + "]" * 40, "[" * 3000 + "]" * 3000),
)
"""What is put in the place of a value, as it stands in JSON."""

PLAIN = 3
"""Fields of plain data that are tried."""

REMOVED, TWICE, ADDED = "(removed)", "(twice)", "(one more)"


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """All places of a JSON value, parents first; of long lists, and of plain data, some that stand for all."""
    yield place
    if isinstance(value, dict):
        for key in list(value)[: PLAIN if place and place[-1] in ("provenance", "packages", "stats") else None]:
            yield from places(value[key], (*place, key))
    elif isinstance(value, list):
        for k in sorted({0, len(value) - 1} & set(range(len(value)))):
            yield from places(value[k], (*place, k))


def changed(value: Any, place: tuple[Any, ...], token: str) -> str:
    """The JSON text of a value with a token in a place of it."""
    if not place:
        return {REMOVED: "", TWICE: json.dumps(value) * 2, ADDED: json.dumps(value) + ",1"}.get(token, token)
    value = copy.deepcopy(value)
    parent = value
    for step in place[:-1]:
        parent = parent[step]
    last = place[-1]
    if token == REMOVED:
        del parent[last]
        return json.dumps(value)
    if token == ADDED:
        if isinstance(parent, dict):
            parent["evil.py:POL"] = "evil.py:POL"
        else:
            parent.insert(0, parent[last])
        return json.dumps(value)
    if token == TWICE:
        if isinstance(parent, list):
            parent += [parent[last]] * 2
            return json.dumps(value)
        parent["TWICE-HERE"] = parent[last]
        return json.dumps(value).replace('"TWICE-HERE"', json.dumps(last))
    parent[last] = "TOKEN-HERE"
    return json.dumps(value).replace('"TOKEN-HERE"', token)


def references(here: Path, version: str) -> list[str]:
    """All texts that may be taken for the canary in a folder, as they stand in JSON."""
    words = {"here": str(here), "room": here.name, "hash": version}
    return [f'"{text.format(**words)}"' for text in REFERENCES]


def at(value: Any, place: tuple[Any, ...]) -> Any:
    """What stands in a place."""
    for step in place:
        value = value[step]
    return value


def flipped(draw: random.Random, data: bytes) -> bytes:
    """Bytes with some of them cut off, flipped, removed or doubled."""
    found = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 5))):
        k = draw.randrange(len(found) or 1)
        match draw.randrange(5):
            case 0:
                del found[k:]
            case 1 if found:
                found[k % len(found)] ^= 1 << draw.randrange(8)
            case 2:
                del found[k : k + draw.randrange(1, 9)]
            case 3:
                found[k:k] = found[k : k + draw.randrange(1, 40)]
            case _:
                found[k:k] = bytes(draw.randrange(256) for _ in range(draw.randrange(1, 4)))
    return bytes(found)
