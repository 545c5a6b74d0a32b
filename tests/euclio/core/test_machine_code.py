"""Kernels run interpreted and compiled, machine code is kept per function, and a long call goes on compiled."""

from __future__ import annotations

import inspect
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest
from kernel_module import CALL_ALL, COMPILED, SOURCE, functions

from euclio.core import compiled as kernels_of
from euclio.core.code_cache import described, digest
from euclio.core.compiled import Kernel, compiled, using
from euclio.core.ways import Way, current_way

# Not in the quick tier: compiling, in processes of their own.
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]


class Two(NamedTuple):
    """A named tuple as kernels are given."""

    values: np.ndarray
    count: int


class Renamed(NamedTuple):
    """One with the same types under other names."""

    count: np.ndarray
    values: int


def test_a_change_compiles_what_depends_on_it_and_nothing_else(module):
    """With one hash of all sources each change of a line had everything compiled again: minutes."""
    assert module.run(CALL_ALL, **COMPILED) == [4.0, 0.0]
    before = module.kept()
    assert functions(before) == ["alone", "leaf", "middle"]
    module.write(("x + STEP", "x + STEP + 1.0"))
    assert module.run(CALL_ALL, **COMPILED) == [6.0, 0.0]
    assert functions(module.kept() - before) == ["leaf", "middle"]


@pytest.mark.slow
def test_a_constant_is_part_of_what_is_compiled_with_it(module):
    """Numba writes the values of names into machine code, and looks at the text of the function alone."""
    module.run(CALL_ALL, **COMPILED)
    module.write(("STEP = 1.0", "STEP = 5.0"))
    assert module.run(CALL_ALL, **COMPILED) == [12.0, 0.0]


def test_a_number_that_stands_in_a_call_is_no_type_of_its_own(module):
    """Numba compiles a function for 1 and for 2 apart, and so all that calls it: a quarter of all machine code."""
    assert module.run("print(json.dumps(kernels.thrice(2.0, 4)))", **COMPILED) == 14.0
    assert functions(module.kept()) == ["scaled", "thrice"]


@pytest.mark.slow
def test_words_and_places_are_no_part_of_it(module):
    """Comments, docstrings and lines above change nothing that a machine does."""
    module.run(CALL_ALL, **COMPILED)
    before = module.kept()
    module.write(
        ("def leaf(x):\n", 'def leaf(x):\n    """Another word."""\n\n    # and another\n'),
        ("STEP = 1.0", "\n\nSTEP = 1.0"),
    )
    module.run(CALL_ALL, **COMPILED)
    assert module.kept() == before


@pytest.mark.slow
def test_a_named_tuple_counts_with_the_order_of_its_parts(module):
    """Machine code takes the parts by their places, which the function that asks for a name does not say."""
    code = "print(json.dumps(float(kernels.first_of(kernels.Pair(**{'first': np.ones(1), 'second': np.zeros(1)})))))"
    assert module.run(code, **COMPILED) == 1.0
    module.write(("    first: np.ndarray\n    second: np.ndarray\n", "    second: np.ndarray\n    first: np.ndarray\n"))
    assert module.run(code, **COMPILED) == 1.0


def test_kernels_that_call_each_other_have_a_hash():
    """A walk over what a function reaches must end where it comes round."""
    found: dict[str, Kernel] = {}

    def even(n):
        return True if n == 0 else found["odd"](n - 1)

    def odd(n):
        return False if n == 0 else found["even"](n - 1)

    found["even"], found["odd"] = Kernel(even, {}), Kernel(odd, {})
    assert digest(found["even"]) != digest(found["odd"])


def test_a_number_that_is_taken_of_a_module_counts():
    """Kernels name columns of tables by the module that has them: moved columns are other machine code."""

    def place_in(columns):
        return Kernel(lambda table: table[columns.PLACE], {})

    modules = [ModuleType("columns") for _ in range(3)]
    for module, place in zip(modules, (1, 1, 2), strict=True):
        module.PLACE = place
    one, same, other = (digest(place_in(module)) for module in modules)
    assert one == same != other


VALUES = (
    True,
    np.True_,
    3,
    np.int64(3),
    np.int16(3),
    2.5,
    np.float64(2.5),
    None,
    (),
    (1, 2.0),
    np.zeros(3),
    np.zeros(0),
    np.zeros((2, 3)),
    np.zeros((2, 3), order="F"),
    np.zeros((4, 4))[::2, ::2],
    np.zeros((1, 4))[:, ::2],
    np.zeros(3, bool),
    np.zeros(3, np.int16),
    np.broadcast_to(np.zeros(1), (3,)),
    Two(np.zeros(2), 1),
    (Two(np.zeros(2), 1), (np.zeros((2, 2)),)),
)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_types_are_told_alike_with_numba_and_without(value):
    """Whether machine code is at hand is asked without numba; a type that is told differently is never found."""
    from euclio.core.machine_code import description_of, numba

    assert described((value,)) == description_of((numba.typeof(value),))


def test_types_that_differ_are_told_apart():
    told = [
        repr(described((value,))) for value in (True, 3, np.int16(3), 2.5, None, (1, 2), np.zeros(3), np.zeros(3)[::2])
    ]
    assert len(set(told)) == len(told)
    assert described((Two(np.zeros(2), 1),)) != described((Renamed(np.zeros(2), 1),))


def test_a_folder_that_cannot_be_written_is_no_fault(module):
    """A container may be read only, its home folder too: machine code is made and not kept."""
    (module.folder / "machine").write_text("a file where a folder should be", encoding="utf-8")
    assert module.run(CALL_ALL, **COMPILED) == [4.0, 0.0]


@pytest.mark.slow
def test_machine_code_that_was_kept_is_used_from_a_folder_that_cannot_be_written(module):
    """An image may have been warmed up before it became read only."""
    module.run(CALL_ALL, **COMPILED)
    code = "from euclio.core import code_cache; code_cache._can_be_written = lambda place: False\n"
    code += "code_cache.ensure_room()\n"
    code += "kernels.middle(1.0); kernels.alone(np.float64(2))\n"
    code += "print(json.dumps([sum(kernels.middle.machine.stats.cache_hits.values()), len(code_cache.places())]))"
    before = module.kept()
    assert module.run(code, **COMPILED) == [1, 2]
    assert module.kept() == before


@pytest.mark.slow
def test_machine_code_made_in_the_background_is_found_where_the_folder_cannot_be_written(module):
    """The process that makes it writes into the temporary folder of the one that wished, and into none of its own."""
    (module.folder / "machine").write_text("a file where a folder should be", encoding="utf-8")
    code = """
import time
from euclio.core import background_compiler, code_cache
arguments = (1.0,)
background_compiler.wish(kernels.middle, arguments) if not code_cache.is_cached(kernels.middle, arguments) else None
patience = time.monotonic() + 60
while not code_cache.is_cached(kernels.middle, arguments) and time.monotonic() < patience:
    time.sleep(0.1)
print(json.dumps(code_cache.is_cached(kernels.middle, arguments)))
"""
    assert module.run(code) is True


@pytest.mark.slow
@pytest.mark.parametrize("content", [b"", b"no pickle", b"\x80\x04N."])
def test_a_file_that_is_no_machine_code_is_made_again(module, content):
    """A disk that was full, or a machine that lost power, leaves such files."""
    module.run(CALL_ALL, **COMPILED)
    for file in (module.folder / "machine").rglob("middle-*.machine"):
        file.write_bytes(content)
    assert module.run(CALL_ALL, **COMPILED) == [4.0, 0.0]


@pytest.mark.slow
def test_two_processes_make_the_same_at_once(module):
    """Each has all of it, and no file is left half written or by another name."""
    command = [sys.executable, "-c", f"import json, kernels\n{CALL_ALL}"]
    environment = module.environment(**COMPILED)
    both = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate()[0].strip() for process in both] == ["[4.0, 0.0]"] * 2
    assert functions(module.kept()) == ["alone", "leaf", "middle"]
    assert not [path for path in (module.folder / "machine").rglob("*") if path.is_file() and path.suffix != ".machine"]


LONG = """
from euclio.core import compiled
compiled.WORTH_LOADING_S, compiled.WORTH_MAKING_S, compiled.LOOK_EVERY_S = 0.05, {making}, 0.1
values = np.arange(5.0)
found = kernels.fill(values, {rounds})
print(json.dumps([found, values.tolist(), "numba" in sys.modules, compiled.how_kernels_ran()]))
"""
ROUNDS = 300_000


@pytest.mark.slow
def test_a_long_call_that_began_interpreted_goes_on_compiled_with_the_same_result(module):
    """It begins again with its arguments as they were: what it had written into them is taken back."""
    code = LONG.format(making=99, rounds=ROUNDS)
    compiled_first = module.run(code, **COMPILED)
    interpreted = module.run(code, EUCLIO_KERNELS="interpreted")
    both = module.run(code)
    assert [run[2:] for run in (compiled_first, interpreted, both)] == [
        [True, "compiled"],
        [False, "interpreted"],
        [True, "both"],
    ]
    assert compiled_first[:2] == interpreted[:2] == both[:2]


@pytest.mark.slow
def test_what_is_interpreted_for_long_is_compiled_in_the_background_for_the_next_process(module):
    """Nobody waits for a compiler, and nobody interprets for long twice."""
    module.run(LONG.format(making=0.1, rounds=3 * ROUNDS))
    patience = time.monotonic() + 120
    while "fill" not in functions(module.kept()) and time.monotonic() < patience:
        time.sleep(0.2)
    assert "fill" in functions(module.kept())
    assert module.run(LONG.format(making=99, rounds=ROUNDS))[3] == "both"


@pytest.mark.slow
def test_calls_on_arguments_that_are_not_copied_take_machine_code_one_call_later(module):
    """They cannot begin again, and one that looks often must not keep the next one from looking."""
    module.run(LONG.format(making=99, rounds=10), **COMPILED)
    code = """
from euclio.core import compiled
compiled.WORTH_LOADING_S, compiled.WORTH_MAKING_S, compiled.LOOK_EVERY_S = 0.05, 99, 0.01
compiled.COPIED_ALWAYS_BYTES = compiled.COPIED_AT_FIRST_BYTES = 0
for _ in range(3):
    kernels.fill(np.arange(5.0), 100_000)
print(json.dumps(kernels.fill._taken is not None))
"""
    assert module.run(code) is True


SUPERVISED = """
from euclio.core import background_compiler, compiled
from euclio.supervision.process import forked
compiled.WORTH_LOADING_S, compiled.WORTH_MAKING_S, compiled.LOOK_EVERY_S = 0.05, 0.1, 0.1
process = forked()
found = process.call(kernels.filled, limit_s=60)
process.close()
print(json.dumps([found, len(background_compiler._compiler.told)]))
"""


@pytest.mark.slow
def test_a_supervised_process_leaves_making_to_the_one_above(module):
    """All that it starts is ended with it, so machine code would never be finished."""
    work = f"def filled(report):\n    return fill(np.arange(5.0), {ROUNDS})\n"
    (module.folder / "kernels.py").write_text(SOURCE + work, encoding="utf-8")
    value, told = module.run(SUPERVISED)
    assert (value > 0, told) == (True, 1)
    patience = time.monotonic() + 120
    while "fill" not in functions(module.kept()) and time.monotonic() < patience:
        time.sleep(0.2)
    assert "fill" in functions(module.kept())


@pytest.mark.slow
def test_making_that_is_killed_leaves_nothing_in_the_way(module):
    """Whoever switches the machine off while it compiles finds what was whole, and makes the rest."""
    process = subprocess.Popen(
        [sys.executable, "-c", f"import json, kernels\n{CALL_ALL}"], env=module.environment(**COMPILED)
    )
    patience = time.monotonic() + 120
    while not module.kept() and time.monotonic() < patience and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert module.run(CALL_ALL, **COMPILED) == [4.0, 0.0]


def test_short_work_never_loads_numba(module):
    """Its import takes longer than most first answers."""
    assert module.run('kernels.middle(1.0); print(json.dumps("numba" in sys.modules))') is False


def test_a_division_by_zero_is_infinite_either_way():
    """An infeasible latency is infinite in both, and no warning is given."""

    @compiled
    def divided(a, b):
        return a / b

    for way in (Way.INTERPRETED, Way.COMPILED):
        with using(way):
            assert divided(np.float64(1), np.float64(0)) == np.inf


def test_a_way_holds_within_its_block():
    """Also the machine code that a kernel has taken is given back."""
    before = current_way()
    with using(Way.INTERPRETED):
        assert kernels_of.is_past(np.inf) is False
        assert "both" not in {kernels_of.how_kernels_ran()}
    assert current_way() is before


NUMBA = "numba"


@pytest.mark.slow
def test_the_solvers_answer_without_a_compiler():
    """The first answer after installing: no numba, and in seconds."""
    code = """
    import sys
    from euclio import solve
    from euclio.problems.session.family import FAMILY
    instance, space = FAMILY.tiny(FAMILY.full_space)
    result = solve(instance, "exact", space=space)
    print(result.status, result.provenance["kernels"], "numba" in sys.modules)
    """
    environment = {**os.environ, "EUCLIO_KERNELS": "either"}
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["optimal", "interpreted", "False"]


def test_a_kernel_says_what_its_function_says():
    """Help, documentation and editors read a kernel like the function that it is made of."""
    assert inspect.signature(kernels_of.is_past) == inspect.signature(kernels_of.is_past.__wrapped__)
    assert (kernels_of.is_past.__doc__ or "").startswith("Whether a deadline")
