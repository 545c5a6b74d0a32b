"""The two tiers of the tests: what `make test` takes of all that `make test-all` runs.

A test is *drawn* if it has a parameter `seed`, one of many cases of the same assertion, or if the mark `fifth` names
one. The quick tier takes a fifth of a test's seeds and everything else but what is marked `slow`. Which fifth follows
from the commit, so that commits in a row see most of the seeds, and whoever has the commit has the same tests.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

TIERS = ("quick", "rest", "all")
FIFTHS = 5
VARIABLE = "EUCLIO_FIFTH"
ROOT = Path(__file__).parents[2]
COLLECTED = pytest.StashKey[list[pytest.Item]]()
"""All tests of a run before a tier leaves any out."""
PACKAGES = ("euclio", "studies", "heuristics", "formulations", "bruteforce", "tests")


@dataclass(frozen=True, slots=True)
class Fifth:
    """Which fifth of the seeds is tried, 0 to 4, and what decided it."""

    number: int
    by: str


def chosen_fifth() -> Fifth:
    """The fifth of the variable EUCLIO_FIFTH, else of the commit, else of the bytes of all Python files.

    Raises:
        pytest.UsageError: the variable is none of 0 to 4.
    """
    said = os.environ.get(VARIABLE)
    if said is not None:
        if said not in map(str, range(FIFTHS)):
            raise pytest.UsageError(f"{VARIABLE}={said!r} is no fifth; set it to a number from 0 to {FIFTHS - 1}")
        return Fifth(int(said), VARIABLE)
    commit = _commit()
    if commit:
        return Fifth(int(commit, 16) % FIFTHS, f"commit {commit[:12]}")
    digest = _tree_digest(ROOT)
    return Fifth(int(digest, 16) % FIFTHS, f"files of digest {digest[:12]}")


def _commit() -> str:
    """The checked out commit in hexadecimal; empty where there is no git or no repository."""
    try:
        asked = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return asked.stdout.strip() if asked.returncode == 0 else ""


def _tree_digest(root: Path) -> str:
    """A digest of the names and bytes of all Python files of packages and tests."""
    digest = hashlib.sha256()
    for path in sorted(path for package in PACKAGES for path in (root / package).rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def refuse_addresses(items: Iterable[pytest.Item]) -> None:
    """Refuse tests that are named by an address in memory.

    Each worker process has addresses of its own, so that the workers would collect different tests and run none; in one
    process nothing is seen of it.

    Raises:
        pytest.UsageError: the name of a test has an address.
    """
    for item in items:
        if " at 0x" in item.nodeid:
            raise pytest.UsageError(f"{item.nodeid}: an address is no name; give the parameter `ids` of your own")


def drawn_by(item: pytest.Item) -> str:
    """The parameter of which a fifth of the values is taken: `seed`, or what the mark `fifth` names."""
    mark = item.get_closest_marker("fifth")
    return mark.args[0] if mark is not None else "seed"


def seed_of(item: pytest.Item) -> Any:
    """The seed of a drawn test, None of any other."""
    return _key(item.callspec.params.get(drawn_by(item))) if hasattr(item, "callspec") else None


def _key(value: Any) -> Any:
    """The value, or what it prints as where it is, or holds, a list or a dictionary."""
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value


def is_slow(item: pytest.Item) -> bool:
    """Whether a test is in the second tier alone."""
    return item.get_closest_marker("slow") is not None


def quick(items: Iterable[pytest.Item], fifth: int) -> list[pytest.Item]:
    """The tests of the quick tier, in their order.

    Of the seeds of a test, by its other parameters, every fifth one is taken; of fewer than five seeds one is, in turn.
    """
    return _chosen(_draws(items), fifth)


def all_fifths(items: Iterable[pytest.Item]) -> list[list[pytest.Item]]:
    """The quick tier of each fifth; the marks and parameters of tens of thousands of tests are looked at once."""
    draws = _draws(items)
    return [_chosen(draws, fifth) for fifth in range(FIFTHS)]


@dataclass(frozen=True, slots=True)
class _Draw:
    """A test that is not slow, its seed and what else it is told apart by; nothing of both where it is not drawn."""

    item: pytest.Item
    seed: Any
    claim: tuple[Any, ...]


def _draws(items: Iterable[pytest.Item]) -> list[_Draw]:
    seeds = ((item, seed_of(item)) for item in items if not is_slow(item))
    return [_Draw(item, seed, () if seed is None else _claim(item)) for item, seed in seeds]


def _chosen(draws: list[_Draw], fifth: int) -> list[pytest.Item]:
    seeds: dict[tuple[Any, ...], dict[Any, None]] = {}
    for draw in draws:
        if draw.seed is not None:
            seeds.setdefault(draw.claim, {})[draw.seed] = None
    chosen = {claim: set([*own][fifth % min(FIFTHS, len(own)) :: FIFTHS]) for claim, own in seeds.items()}
    return [draw.item for draw in draws if draw.seed is None or draw.seed in chosen[draw.claim]]


def in_tier(tier: str, items: Iterable[pytest.Item], fifth: int) -> list[pytest.Item]:
    """The tests of a tier, in their order: `quick`, the `rest`, or `all`."""
    items = list(items)
    if tier == "all":
        return items
    taken = quick(items, fifth)
    ids = {id(item) for item in taken}
    return taken if tier == "quick" else [item for item in items if id(item) not in ids]


def _claim(item: pytest.Item) -> tuple[Any, ...]:
    """A test with all of its parameters but the seed."""
    others = [_key(value) for name, value in item.callspec.params.items() if name != drawn_by(item)]
    return item.nodeid.partition("[")[0], *others


def by_seed(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """The tests with the drawn ones of a file at its end, all of one seed after another.

    What a file keeps of a seed, as the optimum by enumeration, is then computed by one process, and once.
    """
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    return [item for own in files.values() for item in _ordered(own)]


def _ordered(items: list[pytest.Item]) -> list[pytest.Item]:
    order: dict[Any, int] = {None: -1}
    for item in items:
        order.setdefault(seed_of(item), len(order))
    return sorted(items, key=lambda item: order[seed_of(item)])
