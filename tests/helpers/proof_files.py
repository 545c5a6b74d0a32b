"""Proof files read as programs, and spoilt at random; no code of `euclio.proving.files`."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from fractions import Fraction

from tests.helpers.exact_milp import Program, minimum

NUMBER = re.compile(r"-?\d+(?:/\d+)?")


@dataclass(frozen=True)
class Stated:
    """What a file is about: its program, to be minimised, and what it promises."""

    program: Program
    infeasible: bool
    low: Fraction | None
    high: Fraction | None


def stated(text: str) -> Stated:
    """The problem and the promise of a file of a minimum."""
    words = iter([w for line in text.splitlines() if not line.lstrip().startswith("%") for w in line.split()])
    assert [next(words) for _ in range(3)] == ["VER", "1.0", "VAR"]
    variables = int(next(words))
    for _ in range(variables):
        next(words)
    assert next(words) == "INT"
    integer = frozenset(int(next(words)) for _ in range(int(next(words))))
    assert [next(words), next(words)] == ["OBJ", "min"]
    cost = _terms(words, int(next(words)))
    assert next(words) == "CON"
    given = int(next(words))
    next(words)
    rows = []
    for _ in range(given):
        next(words)
        sense, number, count = next(words), Fraction(next(words)), next(words)
        rows.append((sense, number, dict(cost) if count == "OBJ" else _terms(words, int(count))))
    assert next(words) == "RTP"
    program = Program(variables, integer, cost, tuple(rows))
    if next(words) == "infeas":
        return Stated(program, True, None, None)
    low, high = next(words), next(words)
    return Stated(program, False, None if low == "-inf" else Fraction(low), None if high == "inf" else Fraction(high))


def _terms(words, count: int) -> dict[int, Fraction]:
    return {j: a for j, a in ((int(next(words)), Fraction(next(words))) for _ in range(count)) if a}


def is_true(said: Stated) -> bool:
    """Whether what a file states is so, by solving its program again in fractions."""
    least = minimum(said.program)
    if said.infeasible:
        return least is None
    good = said.low is None or least is None or least >= said.low
    return good and (said.high is None or (least is not None and least <= said.high))


def spoilt(text: str, draw: random.Random) -> str:
    """The file with one thing changed: a digit, a sign, an index, a line, a count, the promise, or an assumption."""
    lines = text.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("VER"))
    kinds = [_digit, _digit, _sign, _dropped, _swapped, _doubled, _index, _promise, _assumption, _turned, _reason]
    draw.choice(kinds)(lines, begin, draw)
    return "\n".join(lines) + "\n"


def _line(lines, begin, draw, pattern=r"\d"):
    return draw.choice([i for i in range(begin, len(lines)) if re.search(pattern, lines[i])] or [begin])


def _replaced(line: str, match: re.Match[str], new: str) -> str:
    return line[: match.start()] + new + line[match.end() :]


def _digit(lines, begin, draw):
    i = _line(lines, begin, draw)
    found = draw.choice(list(re.finditer(r"\d", lines[i])))
    lines[i] = _replaced(lines[i], found, str((int(found[0]) + draw.randint(1, 9)) % 10))


def _sign(lines, begin, draw):
    i = _line(lines, begin, draw)
    found = draw.choice(list(NUMBER.finditer(lines[i])))
    lines[i] = _replaced(lines[i], found, found[0][1:] if found[0].startswith("-") else "-" + found[0])


def _dropped(lines, begin, draw):
    del lines[draw.randrange(begin, len(lines))]


def _swapped(lines, begin, draw):
    i, k = draw.randrange(begin, len(lines)), draw.randrange(begin, len(lines))
    lines[i], lines[k] = lines[k], lines[i]


def _doubled(lines, begin, draw):
    i = draw.randrange(begin, len(lines))
    lines.insert(i, lines[i])
    # The count of its section too, half of the time, so that only what it says is wrong.
    heads = [k for k in range(begin, i + 1) if re.match(r"(VAR|CON|DER|SOL) \d", lines[k])]
    if heads and draw.random() < 0.5:
        head = lines[heads[-1]].split()
        lines[heads[-1]] = " ".join([head[0], str(int(head[1]) + 1), *head[2:]])


def _index(lines, begin, draw):
    i = _line(lines, begin, draw, r"\{ (lin|uns)")
    found = list(re.finditer(r"\b\d+\b", lines[i]))
    one = draw.choice(found)
    lines[i] = _replaced(lines[i], one, draw.choice(found)[0])


def _promise(lines, begin, draw):
    i = _line(lines, begin, draw, r"^RTP")
    words = lines[i].split()
    if words[0] != "RTP":  # A file that has been spoilt before may have lost its promise.
        return
    if words[1] == "infeas":
        lines[i] = f"RTP range {draw.choice(['0', '1', '-5/3'])} inf"
        return
    k = draw.choice([2, 3])
    if words[k] not in ("inf", "-inf"):
        by = Fraction(draw.choice([1, -1]), 10 ** draw.choice([0, 3, 9, 15]))
        words[k] = str(Fraction(words[k]) + by)
        lines[i] = " ".join(words)
    else:
        lines[i] = "RTP infeas"


def _assumption(lines, begin, draw):
    i = _line(lines, begin, draw, r"\{ (asm|uns)")
    if "asm" in lines[i]:
        lines[i] = lines[i].replace("{ asm }", "{ lin 0 }")
        return
    words = lines[i].split()
    if "uns" not in words:
        return
    k = words.index("uns")
    words[k + 1 : k + 5] = draw.choice(
        [[words[k + 1], words[k + 2]] * 2, [words[k + 3], words[k + 2], words[k + 1], words[k + 4]]]
    )
    lines[i] = " ".join(words)


def _turned(lines, begin, draw):
    i = _line(lines, begin, draw, r" [LGE] ")
    found = draw.choice(list(re.finditer(r" ([LGE]) ", lines[i])) or [None])
    if found is not None:
        lines[i] = _replaced(lines[i], found, f" {draw.choice('LGE')} ")


def _reason(lines, begin, draw):
    i = _line(lines, begin, draw, r"\{ (lin|asm|uns)")
    lines[i] = re.sub(r"\{ (lin|asm|uns|rnd)", "{ " + draw.choice(["lin", "rnd", "asm", "uns"]), lines[i], count=1)
