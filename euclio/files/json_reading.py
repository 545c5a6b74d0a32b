"""JSON in: numbers keep their decimal text, and every defect of the text is one clear line."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from decimal import Decimal, DecimalException
from pathlib import Path
from typing import Any

from euclio.core.errors import InputError, reason_of
from euclio.core.numbers import LONGEST_NUMBER
from euclio.core.system import LARGEST_FILE_BYTES, read_bytes

DEEPEST_NESTING = 32
"""No format of ours nests more than eight deep."""

SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape that stands for a character together with another one only."""

BINARY = "is not UTF-8 text but binary data; give a text file"


class _Object(dict[str, Any]):
    """A JSON object that remembers a key written twice."""

    duplicate: str | None = None


class _BadNumber:
    """A number that cannot be used; stands in the parsed value until its place is known."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


def read_json(path: str | Path) -> Any:
    """The value in a JSON file; whole numbers are `int`, others `Decimal`.

    Raises:
        InputError: no such file, a directory, no permission, too large, binary, empty, not JSON, nested too
            deeply, a key written twice, or a number that is not finite.
    """
    return parse_json(read_text(Path(path)), file=str(path))


def parse_json(text: str, *, file: str | None = None) -> Any:
    """The value in a JSON text, as `read_json` reads it; `file` is named in errors."""
    if not text.strip():
        raise InputError("is empty; give a JSON file", file=file)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_float=_decimal,
            parse_int=_int,
            parse_constant=lambda word: _BadNumber(f"is {word}; give a finite decimal number"),
        )
    except json.JSONDecodeError as error:
        if "\0" in text:
            raise InputError(BINARY, file=file) from None
        where = f"line {error.lineno} column {error.colno}"
        raise InputError(f"is not JSON at {where}: {error.msg.lower()}; correct the text there", file=file) from None
    except RecursionError:
        raise too_deep(file) from None
    _refuse_defects(value, file)
    if SURROGATE.search(text):
        _refuse_surrogates(value, file)
    return value


def json_lines(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of JSON lines with the number of each line, blank ones left out.

    Raises:
        InputError: a line is no object; names the line.
    """
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                value = parse_json(line)
            except InputError as error:
                raise InputError(error.message, field=f"line {number}") from None
            if not isinstance(value, dict):
                raise InputError("is no object; give one in each line", field=f"line {number}")
            yield number, value


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        InputError: no such file, a directory, no permission, too large, or binary.
    """
    try:
        return read_data(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(BINARY, file=str(path)) from None


def read_data(path: Path) -> bytes:
    """What a file holds.

    Raises:
        InputError: no such file, a directory, no permission, or too large.
    """
    file = str(path)
    try:
        if path.is_dir():
            raise InputError("is a directory; name a file in it", file=file)
        if path.stat().st_size > LARGEST_FILE_BYTES:
            raise _too_large(file)
        data = read_bytes(path, LARGEST_FILE_BYTES + 1)
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError("no such file; check the path", file=file) from None
    except PermissionError:
        raise InputError("cannot be read: permission denied; change its permissions", file=file) from None
    except (OSError, ValueError) as error:
        reason = reason_of(error)
        raise InputError(f"cannot be read: {reason}; check the path", file=file) from None
    if len(data) > LARGEST_FILE_BYTES:
        raise _too_large(file)
    return data


def _too_large(file: str) -> InputError:
    limit = LARGEST_FILE_BYTES // 1024**2
    return InputError(f"is larger than the limit of {limit} MiB; check that it is the right file", file=file)


def too_deep(file: str | None, field: str | None = None) -> InputError:
    """The error of a value that nests deeper than `DEEPEST_NESTING`."""
    return InputError(f"is nested more than {DEEPEST_NESTING} deep; flatten it", file=file, field=field)


def _object(pairs: list[tuple[str, Any]]) -> _Object:
    found = _Object(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                found.duplicate = key
                break
            seen.add(key)
    return found


def _int(text: str) -> int | _BadNumber:
    return int(text) if len(text) <= LONGEST_NUMBER else _too_long(text)


def _decimal(text: str) -> Decimal | _BadNumber:
    if len(text) > LONGEST_NUMBER:
        return _too_long(text)
    try:
        number = Decimal(text)
    except DecimalException:
        return _BadNumber(f"is {text}; give a finite decimal number")
    # Whatever reads it may make a float of it, so that it has to be one: neither infinite nor, unless it is 0, 0.
    rounded = float(number)
    if math.isinf(rounded) or (rounded == 0) != (number == 0):
        return _BadNumber(f"is {text}; give a number of ordinary size")
    return number


def _refuse_surrogates(value: Any, file: str | None) -> None:
    """Raise the first text or key with half a character, which no file can hold, with its place."""
    waiting: list[tuple[Any, str]] = [(value, "")]
    while waiting:
        node, field = waiting.pop()
        if isinstance(node, dict):
            for key in node:
                _refuse_surrogate(key, file, join_field(field, key))
            waiting += [(v, join_field(field, k)) for k, v in reversed(node.items())]
        elif isinstance(node, list):
            waiting += [(node[i], f"{field}[{i}]") for i in reversed(range(len(node)))]
        elif isinstance(node, str):
            _refuse_surrogate(node, file, field)


def _refuse_surrogate(text: str, file: str | None, field: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError("holds half of a surrogate pair, no character; correct it", file=file, field=field) from None


def _too_long(text: str) -> _BadNumber:
    return _BadNumber(f"is a number of {len(text)} characters; give at most {LONGEST_NUMBER}")


def _refuse_defects(value: Any, file: str | None) -> None:
    """Raise the first key written twice, unusable number, or nesting that is too deep, with its place."""
    waiting: list[tuple[Any, str, int]] = [(value, "", 0)]
    while waiting:
        node, field, depth = waiting.pop()
        if depth > DEEPEST_NESTING:
            raise too_deep(file, field[:60])
        if isinstance(node, _Object):
            if node.duplicate is not None:
                place = join_field(field, node.duplicate)
                raise InputError("is written twice in one object; keep one of them", file=file, field=place)
            nested = [(k, v) for k, v in node.items() if isinstance(v, _Object | list | _BadNumber)]
            waiting += [(v, join_field(field, k), depth + 1) for k, v in reversed(nested)]
        elif isinstance(node, list):
            places = [i for i, v in enumerate(node) if isinstance(v, _Object | list | _BadNumber)]
            waiting += [(node[i], f"{field}[{i}]", depth + 1) for i in reversed(places)]
        elif isinstance(node, _BadNumber):
            raise InputError(node.reason, file=file, field=field or None)


def join_field(parent: str, key: str) -> str:
    """The path of a key below a field; keys that are neither plain words nor numbers are quoted."""
    plain = (key.isidentifier() or key.isdecimal()) and len(key) <= 60
    word = key if plain else ascii(key[:60])
    return f"{parent}.{word}" if parent else word
