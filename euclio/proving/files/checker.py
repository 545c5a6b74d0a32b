"""Check a proof file: does every step follow, and does the last one say what the file promises?

This file uses the standard library alone and nothing of euclio, so that it can be read, copied and run by itself:
``python checker.py FILE``. All arithmetic is in fractions. The format is VIPR 1.0, as in "Verifying integer programming
results" (Cheung, Gleixner and Steffy 2017), with the rules asm, lin, rnd and uns; only CON bounds variables. Exit code
is 0 for accepted, 1 for refused, 2 for a file that is missing or no proof. Time and memory grow as the text's length.
"""

from __future__ import annotations

import gzip
import io
import math
import re
import sys
import zlib
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from pathlib import Path

Terms = dict[int, Fraction]
ZERO, NOTHING = Fraction(0), frozenset[int]()
SENSES, SIDES = {"L": -1, "E": 0, "G": 1}, {"min": 1, "max": -1}
COUNT = re.compile(r"[0-9]{1,18}\Z")
NUMBER = re.compile(r"(?=.{1,4000}\Z)[+-]?[0-9]+(/0*[1-9][0-9]*|\.[0-9]+)?\Z")
"""Words that are numbers. Python reads more: underscores, digits of other scripts, exponents of any size."""
UNSEEN = re.compile(r"[^\n\t -~]")
"""Characters that a reader would not see, and at which Python might end a line or a word."""
MOST_BYTES, MOST_BITS = 2**28, 2**16
"""Limits: bytes of a text, unpacked, and bits of the denominator of a sum, which many short fractions may swell."""
MOST_UNPACKED, MOST_WORK, ASSUMED, LONG = 50, 50, 25, 2048
"""Limits against small files that take hours and gigabytes: bytes for each packed one, and products for each byte of
the text; an assumption of a step counts as so many products. A product of numbers of this many bits or more counts by
the square of the bits, as time does. Files of euclio's provers are packed to a third, with 2 products a byte."""


class UnreadableError(Exception):
    """The file is no proof at all; says why in one line."""


class RefusedError(Exception):
    """The file does not prove what it promises; says why in one line."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """A sum of terms that is at least (sense 1), at most (-1) or exactly (0) a number.

    It holds for every feasible point that keeps its assumptions; `assumed` lists their indices.
    """

    sense: int
    number: Fraction
    terms: Terms
    assumed: frozenset[int] = NOTHING

    def implies(self, other: Constraint) -> bool:
        """Whether every point that satisfies it satisfies the other, assumptions apart."""
        # Nothing satisfies a sum of no terms with a number on the wrong side of 0.
        if not self.terms and ((self.sense >= 0 and self.number > 0) or (self.sense <= 0 and self.number < 0)):
            return True
        if self.terms != other.terms or self.sense not in (0, other.sense):
            return False
        over = self.number - other.number
        return over * other.sense >= 0 if other.sense else over == 0


@dataclass(frozen=True)
class Accepted:
    """Results that a file shows.

    Attributes:
        bound: no feasible point has a better objective; None if no such bound is shown.
        solved: some feasible point has this objective, or a better one; None if none is shown.
        infeasible: whether there is no feasible point.
        size: how large the file's problem and its proof are, in words.
    """

    bound: Fraction | None
    solved: Fraction | None
    infeasible: bool
    size: str

    def __str__(self) -> str:
        said = ["there is no feasible point"] if self.infeasible else []
        said += [] if self.bound is None else [f"no feasible point has an objective better than {self.bound}"]
        said += [] if self.solved is None else [f"a feasible point has {self.solved} or better"]
        return f"{', '.join(said)} ({self.size})"


class _Checker:
    """Reads a file from its first to its last word, and checks each step as it is read."""

    def __init__(self, text: str) -> None:
        # Comments are whole lines, as a reader sees them.
        lines = (found.group() for found in re.finditer("[^\n]+", text))
        self.words = (w for line in lines if not line.lstrip().startswith("%") for w in line.split())
        self.work = MOST_WORK * len(text)
        if UNSEEN.search(text) or next(self.words, None) != "VER":
            raise UnreadableError("is no VIPR file: these are printable ASCII, and begin with VER")
        self.solved: Fraction | None = None

    def check(self) -> Accepted:
        self.one_of("1.0")
        self.variables = self.counted("VAR")
        _names = [self.word() for _ in range(self.variables)]
        self.integer = frozenset(self.index(self.variables) for _ in range(self.counted("INT")))
        self.one_of("OBJ")
        self.sign = SIDES[self.one_of(*SIDES)]
        self.objective = self.terms(self.count())
        self.given, _bounds = self.counted("CON"), self.count()
        self.known = [self.constraint() for _ in range(self.given)]
        self.one_of("RTP")
        infeasible, bound, solved = self.promise()
        for _ in range(self.counted("SOL")):
            self.solution()
        for k in range(self.counted("DER")):
            self.step(k)
        need(next(self.words, None) is None, "goes on after its last step")
        last = self.known[-1] if self.known else Constraint(0, ZERO, {})
        if infeasible or bound is not None:
            need(not last.assumed, "has a last step that rests on an assumption")
            # Where no point is feasible, 0 is at least 1.
            wanted = Constraint(1, Fraction(1), {}) if bound is None else Constraint(self.sign, bound, self.objective)
            need(last.implies(wanted), "does not show what it promises")
        if solved is not None:
            reached = self.solved is not None and self.solved * self.sign <= solved * self.sign
            need(reached, "has no solution as good as it promises")
        size = f"{self.variables} variables, {len(self.known) - self.given} steps"
        return Accepted(bound, solved, infeasible, size)

    def word(self) -> str:
        found = next(self.words, None)
        if found is None:
            raise RefusedError("ends early")
        return found

    def one_of(self, *known: str) -> str:
        found = self.word()
        need(found in known, f"has {found[:40]!r} where {' or '.join(known)} stands")
        return found

    def counted(self, section: str) -> int:
        self.one_of(section)
        return self.count()

    def count(self, found: str | None = None) -> int:
        found = self.word() if found is None else found
        need(bool(COUNT.match(found)), f"has {found[:40]!r} where a count or an index stands")
        return int(found)

    def index(self, below: int) -> int:
        found = self.count()
        need(found < below, f"has index {found}, which is not below {below}")
        return found

    def number(self, found: str | None = None) -> Fraction:
        found = self.word() if found is None else found
        need(bool(NUMBER.match(found)), f"has {found[:40]!r} where a number of at most 4000 characters stands")
        return Fraction(found)

    def terms(self, count: int) -> Terms:
        found: Terms = {}
        for _ in range(count):
            j = self.index(self.variables)
            need(j not in found, f"has two coefficients of variable {j} in one sum")
            found[j] = self.number()
        return {j: a for j, a in found.items() if a}

    def constraint(self) -> Constraint:
        _name, sense, number, first = self.word(), SENSES[self.one_of(*SENSES)], self.number(), self.word()
        return Constraint(sense, number, self.objective if first == "OBJ" else self.terms(self.count(first)))

    def promise(self) -> tuple[bool, Fraction | None, Fraction | None]:
        if self.one_of("infeas", "range") == "infeas":
            return True, None, None
        ends = [(self.word(), none) for none in ("-inf", "inf")]
        # Of a minimum the first is the bound, and the second what a solution reaches; of a maximum the other way round.
        bound, solved = [None if end == none else self.number(end) for end, none in ends][:: self.sign]
        need((bound, solved) != (None, None), "promises nothing")
        return False, bound, solved

    def solution(self) -> None:
        """A feasible point: integer variables are whole there, and every given constraint holds."""
        name, point = self.word()[:40], self.terms(self.count())
        good = all(a.denominator == 1 for j, a in point.items() if j in self.integer)
        good = good and all(Constraint(0, self.at(point, one.terms), one.terms).implies(one) for one in self.known)
        need(good, f"solution {name} is not feasible")
        value = self.at(point, self.objective)
        self.solved = value if self.solved is None else min(value, self.solved, key=lambda one: one * self.sign)

    def at(self, point: Terms, terms: Terms) -> Fraction:
        """A sum at a point; variables that the point leaves out are 0."""
        self.spend(3)
        return reduce(lambda found, j: self.plus(found, terms[j], point.get(j, ZERO)), terms, ZERO)

    def step(self, k: int) -> None:
        try:
            said = self.constraint()
            self.one_of("{")
            assumed = self.follows(said, self.one_of("asm", "lin", "rnd", "uns"))
            self.spend(ASSUMED * len(assumed))
            self.one_of("}")
            # The last step that uses it, or -1; only programs that forget constraints need it.
            self.count(self.word().removeprefix("-"))
        except RefusedError as error:
            raise RefusedError(f"step {k}: {error}") from None
        self.known.append(Constraint(said.sense, said.number, said.terms, assumed))

    def spend(self, work: int) -> None:
        self.work -= work
        need(self.work >= 0, "needs more time or memory than proofs of its length do")

    def follows(self, said: Constraint, rule: str) -> frozenset[int]:
        """The assumptions under which a step holds."""
        if rule == "asm":
            return frozenset((len(self.known),))
        if rule == "uns":
            return self.joined(said)
        found = self.sum()
        said_by = self.rounded(found, said.sense) if rule == "rnd" else found
        need(said_by.implies(said), f"does not follow by {rule}")
        return found.assumed

    def sum(self) -> Constraint:
        """Earlier constraints, each times a number: then all that are no equations must have the same sense."""
        terms: Terms = {}
        assumed, senses = set[int](), set()
        for _ in range(self.count()):
            one, weight = self.known[self.index(len(self.known))], self.number()
            self.spend(1 + len(one.assumed))
            assumed |= one.assumed
            # The numbers are summed like coefficients, as those of a variable -1.
            for j, a in ((-1, one.number), *one.terms.items()):
                terms[j] = self.plus(terms.get(j, ZERO), weight, a)
            if weight and one.sense:
                senses.add(one.sense if weight > 0 else -one.sense)
        need(len(senses) < 2, "adds what is at least and what is at most")
        sense, number = senses.pop() if senses else 0, terms.pop(-1, ZERO)
        return Constraint(sense, number, {j: a for j, a in terms.items() if a}, frozenset(assumed))

    def plus(self, number: Fraction, weight: Fraction, a: Fraction) -> Fraction:
        """A sum with a product, unless its denominator has grown so long that sums would take too long."""
        bits = sum(x.numerator.bit_length() + x.denominator.bit_length() for x in (number, weight, a))
        self.spend(1 + (bits // LONG) ** 2)
        number += weight * a
        need(number.denominator.bit_length() <= MOST_BITS, "has fractions whose sum is too long")
        return number

    def whole(self, terms: Terms) -> bool:
        """Whether a sum is whole at every feasible point."""
        return all(j in self.integer and a.denominator == 1 for j, a in terms.items())

    def rounded(self, one: Constraint, sense: int) -> Constraint:
        """A whole sum is at least its bound rounded up, or at most it rounded down; an equation is read either way."""
        side = one.sense or sense
        need(side != 0 and self.whole(one.terms), "rounds an equation, or a sum whose terms are not whole")
        return Constraint(side, Fraction(math.ceil(one.number) if side > 0 else math.floor(one.number)), one.terms)

    def joined(self, said: Constraint) -> frozenset[int]:
        """A statement of both halves of a split holds: a whole sum is at most some whole k, or at least k + 1."""
        first, a, second, b = (self.index(len(self.known)) for _ in range(4))
        self.spend(sum(1 + len(self.known[i].terms) for i in (first, a, second, b)))
        low, high = sorted((self.known[a], self.known[b]), key=lambda one: one.sense)
        split = low.sense < 0 < high.sense and low.terms == high.terms and self.whole(low.terms)
        split = split and low.number.denominator == 1 and high.number == low.number + 1
        need(split, "splits what is no whole sum, or with a gap")
        for part in (first, second):
            need(self.known[part].implies(said), "does not hold in both halves of its split")
        # One of the two assumptions holds in any case, so neither half rests on its own any more.
        return (self.known[first].assumed - {a}) | (self.known[second].assumed - {b})


def need(so: bool, otherwise: str) -> None:
    """Refuse the file unless something is so."""
    if not so:
        raise RefusedError(otherwise)


def check_text(text: str) -> Accepted:
    """Check a proof. Raises an `UnreadableError` if the text is no proof, a `RefusedError` if it proves nothing."""
    return _Checker(text).check()


def text_of(data: bytes) -> str:
    """The text that a file holds, packed by gzip or not. Raises an `UnreadableError`."""
    most = MOST_BYTES
    try:
        if data.startswith(b"\x1f\x8b"):
            most = min(MOST_BYTES, MOST_UNPACKED * (len(data) + 1000))
            data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(most + 1)
        text = data.decode("ascii")
    except (OSError, EOFError, ValueError, zlib.error):
        raise UnreadableError("is no text of ASCII, or damaged") from None
    if len(text) > most:
        raise UnreadableError(f"is longer than {most} bytes")
    return text.replace("\r\n", "\n")


def main(arguments: list[str]) -> int:
    """Check the file that is named."""
    try:
        with Path(*arguments).open("rb") as file:
            print(f"accepted: {check_text(text_of(file.read(MOST_BYTES + 1)))}")
    except RefusedError as error:
        print(f"refused: {error}")
        return 1
    except (OSError, UnreadableError) as error:
        print(f"{' '.join(arguments)}: {error}; usage: checker.py FILE", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
