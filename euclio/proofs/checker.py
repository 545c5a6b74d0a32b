"""Check a proof file: does every step follow, and does the last one say what the file promises? (VIPR 1.0)

This file uses the standard library alone and nothing of euclio, so that it can be read, copied and run by itself:
``python checker.py FILE``. All arithmetic is in fractions. A file has the sections VER, VAR, INT, OBJ, CON, RTP, SOL and
DER, as in "Verifying integer programming results" (Cheung, Gleixner and Steffy 2017); the rules read are
asm, lin, rnd and uns. Exit code 0: accepted, 1: refused, 2: no such file, or it is none.
"""

from __future__ import annotations

import gzip
import math
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

ZERO = Fraction(0)
SENSES = {"L": -1, "E": 0, "G": 1}
Terms = dict[int, Fraction]


class RefusedError(Exception):
    """The file proves nothing; says why in one line."""


@dataclass(frozen=True)
class Constraint:
    """A sum of terms that is at least (sense 1), at most (-1) or exactly (0) a number, under some assumptions."""

    sense: int
    number: Fraction
    terms: Terms
    assumed: frozenset[int] = frozenset()

    @property
    def absurd(self) -> bool:
        """Whether nothing satisfies it: no terms, and a number on the wrong side of 0."""
        if self.terms:
            return False
        return (self.sense >= 0 and self.number > 0) or (self.sense <= 0 and self.number < 0)

    def implies(self, other: Constraint) -> bool:
        """Whether whatever satisfies it satisfies the other."""
        if self.absurd:
            return True
        if self.terms != other.terms or (self.sense and self.sense != other.sense):
            return False
        if other.sense == 0:
            return self.sense == 0 and self.number == other.number
        return (self.number - other.number) * other.sense >= 0


@dataclass(frozen=True)
class Accepted:
    """What a file shows.

    Attributes:
        least: no feasible point has a smaller objective; None: no such bound is shown.
        most: some feasible point has no larger one; None: none is shown.
        infeasible: whether there is no feasible point.
        variables: number of variables.
        constraints: number of constraints of the problem, bounds of variables among them.
        derivations: number of steps.
    """

    least: Fraction | None
    most: Fraction | None
    infeasible: bool
    variables: int
    constraints: int
    derivations: int


class _Tokens:
    """The words of a text, comments left out."""

    def __init__(self, text: str) -> None:
        lines = (line for line in text.splitlines() if not line.lstrip().startswith("%"))
        self._words: Iterator[str] = (word for line in lines for word in line.split())

    def word(self) -> str:
        found = next(self._words, None)
        if found is None:
            raise RefusedError("ends early")
        return found

    def section(self, name: str) -> None:
        found = self.word()
        if found != name:
            raise RefusedError(f"has {found!r} where section {name} begins")

    def whole(self) -> int:
        found = self.word()
        if not found.isascii() or not found.removeprefix("-").isdigit():
            raise RefusedError(f"has {found[:40]!r} where a whole number stands")
        return int(found)

    def count(self) -> int:
        found = self.whole()
        if found < 0:
            raise RefusedError(f"counts {found}")
        return found

    def number(self) -> Fraction:
        found = self.word()
        # Fraction itself takes more: underscores, digits of other scripts, and exponents of any size.
        if not set(found) <= set("0123456789+-./"):
            raise RefusedError(f"has {found[:40]!r} where a number stands")
        try:
            return Fraction(found)
        except (ValueError, ZeroDivisionError):
            raise RefusedError(f"has {found[:40]!r} where a number stands") from None

    def end(self) -> None:
        found = next(self._words, None)
        if found is not None:
            raise RefusedError(f"goes on with {found[:40]!r} after the last step")


class _Checker:
    def __init__(self, text: str) -> None:
        self.tokens = _Tokens(text)
        self.variables = 0
        self.integer: frozenset[int] = frozenset()
        self.minimised = True
        self.objective: Terms = {}
        self.given = 0
        self.known: list[Constraint] = []
        self.best: Fraction | None = None

    def check(self) -> Accepted:
        """Read the file from its first to its last word, and check each step as it is read."""
        t = self.tokens
        t.section("VER")
        if t.word() not in ("1.0", "1.1"):
            raise RefusedError("is of another version; 1.0 is read")
        t.section("VAR")
        self.variables = t.count()
        for _ in range(self.variables):
            t.word()
        t.section("INT")
        self.integer = frozenset(self._variable() for _ in range(t.count()))
        t.section("OBJ")
        goal = t.word()
        if goal not in ("min", "max"):
            raise RefusedError(f"has the objective {goal!r}; it is min or max")
        self.minimised = goal == "min"
        self.objective = self._terms(t.count())
        t.section("CON")
        self.given = t.count()
        t.count()
        for _ in range(self.given):
            t.word()
            self.known.append(self._constraint(frozenset()))
        t.section("RTP")
        infeasible, least, most = self._promise()
        t.section("SOL")
        for _ in range(t.count()):
            self._solution()
        t.section("DER")
        steps = t.count()
        for k in range(steps):
            self._step(k)
        t.end()
        self._keep(infeasible, least, most)
        return Accepted(least, most, infeasible, self.variables, self.given, steps)

    def _variable(self) -> int:
        j = self.tokens.count()
        if j >= self.variables:
            raise RefusedError(f"names variable {j} of {self.variables}")
        return j

    def _terms(self, count: int) -> Terms:
        found: Terms = {}
        for _ in range(count):
            j = self._variable()
            if j in found:
                raise RefusedError(f"has two coefficients of variable {j} in one sum")
            found[j] = self.tokens.number()
        return {j: a for j, a in found.items() if a}

    def _constraint(self, assumed: frozenset[int]) -> Constraint:
        sense = self.tokens.word()
        if sense not in SENSES:
            raise RefusedError(f"has the sense {sense!r}; it is L, E or G")
        number, first = self.tokens.number(), self.tokens.word()
        if first == "OBJ":
            return Constraint(SENSES[sense], number, dict(self.objective), assumed)
        if not first.isascii() or not first.isdigit():
            raise RefusedError(f"has {first[:40]!r} where a number of terms stands")
        return Constraint(SENSES[sense], number, self._terms(int(first)), assumed)

    def _promise(self) -> tuple[bool, Fraction | None, Fraction | None]:
        kind = self.tokens.word()
        if kind == "infeas":
            return True, None, None
        if kind != "range":
            raise RefusedError(f"promises {kind!r}; it is infeas or range")
        ends = [self.tokens.word() for _ in range(2)]
        low = None if ends[0] == "-inf" else _Tokens(ends[0]).number()
        high = None if ends[1] == "inf" else _Tokens(ends[1]).number()
        return False, low, high

    def _solution(self) -> None:
        """A feasible point: every given constraint holds, integer variables are whole."""
        name = self.tokens.word()
        point = self._terms(self.tokens.count())
        for j in self.integer & set(point):
            if point[j].denominator != 1:
                raise RefusedError(f"solution {name}: variable {j} is {point[j]}, not whole")
        for i, one in enumerate(self.known[: self.given]):
            total = sum((a * point.get(j, ZERO) for j, a in one.terms.items()), ZERO)
            if (total - one.number) * one.sense < 0 or (one.sense == 0 and total != one.number):
                raise RefusedError(f"solution {name}: constraint {i} is broken")
        value = sum((a * point.get(j, ZERO) for j, a in self.objective.items()), ZERO)
        if self.best is None or (value < self.best if self.minimised else value > self.best):
            self.best = value

    def _step(self, k: int) -> None:
        name = self.tokens.word()
        said = self._constraint(frozenset())
        self.tokens.section("{")
        rule = self.tokens.word()
        try:
            assumed = self._follows(said, rule)
        except RefusedError as error:
            raise RefusedError(f"step {k} ({name}): {error}") from None
        self.tokens.section("}")
        # The last use of a constraint, which programs that forget it need; here it is read and not used.
        self.tokens.whole()
        self.known.append(Constraint(said.sense, said.number, said.terms, assumed))

    def _follows(self, said: Constraint, rule: str) -> frozenset[int]:
        """The assumptions under which a step holds.

        Raises:
            RefusedError: it does not follow.
        """
        if rule == "asm":
            return frozenset({len(self.known)})
        if rule == "uns":
            return self._joined(said)
        if rule not in ("lin", "rnd"):
            raise RefusedError(f"has the rule {rule[:40]!r}; asm, lin, rnd and uns are read")
        found, assumed = self._sum()
        if rule == "rnd":
            found = self._rounded(found, said.sense)
        if not found.implies(said):
            raise RefusedError(f"does not follow by {rule}")
        return assumed

    def _sum(self) -> tuple[Constraint, frozenset[int]]:
        """A sum of earlier constraints, each times a number; all that are no equations have to say the same way."""
        terms: Terms = {}
        number, assumed = ZERO, frozenset[int]()
        senses = set()
        for _ in range(self.tokens.count()):
            one, weight = self._earlier(), self.tokens.number()
            number += weight * one.number
            assumed |= one.assumed
            for j, a in one.terms.items():
                terms[j] = terms.get(j, ZERO) + weight * a
            if weight and one.sense:
                senses.add(one.sense if weight > 0 else -one.sense)
        if len(senses) > 1:
            raise RefusedError("adds what is at least and what is at most")
        return Constraint(senses.pop() if senses else 0, number, {j: a for j, a in terms.items() if a}), assumed

    def _rounded(self, one: Constraint, sense: int) -> Constraint:
        """A sum of whole terms is itself whole: its number is rounded to that side; an equation is read either way."""
        for j, a in one.terms.items():
            if j not in self.integer or a.denominator != 1:
                raise RefusedError("rounds a sum whose terms are not whole")
        side = one.sense or sense
        if side == 0:
            raise RefusedError("rounds an equation")
        return Constraint(side, Fraction(math.ceil(one.number) if side > 0 else math.floor(one.number)), one.terms)

    def _joined(self, said: Constraint) -> frozenset[int]:
        """What holds in both halves of a split holds: a whole sum is at most k, or at least k + 1."""
        (first, a), (second, b) = [(self._earlier(), self._index()) for _ in range(2)]
        low, high = self.known[a], self.known[b]
        if low.sense > 0:
            low, high = high, low
        whole = all(j in self.integer and c.denominator == 1 for j, c in low.terms.items())
        if not (low.sense < 0 < high.sense and low.terms == high.terms and whole):
            raise RefusedError("splits what is no whole sum")
        if low.number.denominator != 1 or high.number != low.number + 1:
            raise RefusedError("splits with a gap, or where no gap is whole")
        if not (first.implies(said) and second.implies(said)):
            raise RefusedError("does not hold in both halves of its split")
        return (first.assumed - {a}) | (second.assumed - {b})

    def _index(self) -> int:
        i = self.tokens.count()
        if i >= len(self.known):
            raise RefusedError(f"uses constraint {i}, which comes later")
        return i

    def _earlier(self) -> Constraint:
        return self.known[self._index()]

    def _keep(self, infeasible: bool, least: Fraction | None, most: Fraction | None) -> None:
        """Whether the last step, without an assumption, and the solutions say what was promised."""
        last = self.known[-1] if len(self.known) > self.given else None
        shown, solved = (least, most) if self.minimised else (most, least)
        if infeasible or shown is not None:
            if last is None or last.assumed:
                raise RefusedError("has no last step, or one that rests on an assumption")
            wanted = Constraint(1, Fraction(1), {})
            if shown is not None:
                wanted = Constraint(1 if self.minimised else -1, shown, self.objective)
            if not (last.absurd if infeasible else last.implies(wanted)):
                raise RefusedError("does not show what it promises")
        if solved is not None:
            if self.best is None or (self.best > solved if self.minimised else self.best < solved):
                raise RefusedError("has no solution as good as it promises")


def check_text(text: str) -> Accepted:
    """Check a proof.

    Args:
        text: the file's text.

    Raises:
        RefusedError: it proves nothing.
    """
    return _Checker(text).check()


def read(path: Path) -> str:
    """The text of a file; one whose name ends in ``.gz`` is unpacked.

    Raises:
        OSError: it cannot be read.
        RefusedError: it is no text.
    """
    data = path.read_bytes()
    try:
        return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("ascii")
    except (UnicodeDecodeError, EOFError, zlib.error) as error:
        raise RefusedError(f"is no text ({type(error).__name__})") from None


def words(found: Accepted) -> str:
    """What a file shows, in a line."""
    size = f"{found.variables} variables, {found.constraints} constraints, {found.derivations} steps"
    if found.infeasible:
        return f"accepted: there is no feasible point ({size})"
    low = "no bound" if found.least is None else f"at least {found.least} ({float(found.least):.12g})"
    high = "" if found.most is None else f", at most {found.most} ({float(found.most):.12g})"
    return f"accepted: the optimum is {low}{high} ({size})"


def main(arguments: list[str]) -> int:
    """Check the file that is named."""
    if len(arguments) != 1:
        print("usage: checker.py FILE", file=sys.stderr)
        return 2
    try:
        print(words(check_text(read(Path(arguments[0])))))
    except OSError as error:
        print(f"{arguments[0]}: cannot be read ({type(error).__name__})", file=sys.stderr)
        return 2
    except RefusedError as error:
        print(f"refused: {arguments[0]}: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
