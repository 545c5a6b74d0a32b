"""Long kernels have machine code of their own, which callers find by its name in whichever process made it."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest
from kernel_module import CALL_ALL, COMPILED, functions

from euclio.core.code_cache import LOCK
from euclio.core.folders import exclusive

# Not in the quick tier: compiling, in processes of their own.
pytestmark = pytest.mark.slow

ALL_LONG = "from euclio.core import machine_code; machine_code.LONG = 1\n"
NAMES = "print(json.dumps(sorted(machine_code._links)))"
MADE = "print(json.dumps([sum(k.machine.stats.cache_misses.values()) for k in (kernels.leaf, kernels.middle)]))"
TIMES = 5
WAITED_S = 0.5


def file_of(module, name):
    (found,) = (module.folder / "machine").rglob(f"{name}-*.machine")
    return found


def test_a_caller_has_no_code_of_a_long_kernel_and_all_of_a_short_one(module):
    """Numba writes the code of all that a kernel calls into its own, once more for every kernel above it."""
    assert module.run(CALL_ALL, **COMPILED) == [4.0, 0.0]
    linked_in = file_of(module, "middle").read_bytes()
    file_of(module, "middle").unlink()
    file_of(module, "leaf").unlink()
    assert module.run(ALL_LONG + CALL_ALL, **COMPILED) == [4.0, 0.0]
    by_name = file_of(module, "middle").read_bytes()
    assert len(by_name) < len(linked_in)


@pytest.mark.parametrize("order", ["", "kernels.alone(1.0); kernels.thrice(1.0, 2); "])
def test_names_in_machine_code_depend_on_no_process(module, order):
    """Numba counts the functions of a process and writes the number into their names: files would not fit together."""
    code = f"{ALL_LONG}{order}kernels.middle(1.0)\nnames = [n for n in machine_code._links if 'leaf' in n]\n"
    names = module.run(code + "print(json.dumps(names))", **COMPILED)
    for file in (module.folder / "machine").rglob("*.machine"):
        file.unlink()
    again = module.run(f"{ALL_LONG}kernels.leaf(1.0)\n{NAMES}", **COMPILED)
    assert again == names


@pytest.mark.parametrize("calls", ["kernels.middle(1.0), kernels.leaf(1.0)", "kernels.leaf(3.0), kernels.middle(0.0)"])
def test_a_long_kernel_and_its_caller_are_loaded(module, calls):
    """Numba gives no address of a name that it was not told: calling what was loaded ended the process."""
    module.run(ALL_LONG + CALL_ALL, **COMPILED)
    before = module.kept()
    assert module.run(f"print(json.dumps([{calls}]))", **COMPILED) == [4.0, 2.0]
    assert module.run(f"{calls}\n{MADE}", **COMPILED) == [0, 0]
    assert module.kept() == before


def test_a_long_kernel_whose_file_is_gone_is_made_again(module):
    """A name that is called and is not there ends the process without a word."""
    module.run(ALL_LONG + CALL_ALL, **COMPILED)
    before = module.kept()
    file_of(module, "leaf").unlink()
    assert module.run(ALL_LONG + CALL_ALL, **COMPILED) == [4.0, 0.0]
    assert module.kept() == before


def test_a_long_kernel_whose_file_is_damaged_is_made_again(module):
    module.run(ALL_LONG + CALL_ALL, **COMPILED)
    file_of(module, "leaf").write_bytes(b"no pickle")
    assert module.run(ALL_LONG + CALL_ALL, **COMPILED) == [4.0, 0.0]


def test_a_changed_long_kernel_is_called_as_it_is_now(module):
    """The caller's code would name the kernel as it was."""
    module.run(ALL_LONG + CALL_ALL, **COMPILED)
    module.write(("x + STEP", "x + STEP + 1.0"))
    assert module.run(ALL_LONG + CALL_ALL, **COMPILED) == [6.0, 0.0]
    module.write()
    assert module.run(ALL_LONG + CALL_ALL, **COMPILED) == [4.0, 0.0]


@pytest.mark.parametrize("links", ["", ALL_LONG])
def test_processes_that_want_the_same_at_once_make_it_once(module, links):
    """On two cores two processes took twice as long for everything: each compiled what both need."""
    code = f"import json, kernels\n{links}kernels.middle(1.0)\n{MADE}"
    begun = [
        subprocess.Popen(
            [sys.executable, "-c", code], env=module.environment(**COMPILED), stdout=subprocess.PIPE, text=True
        )
        for _ in range(TIMES)
    ]
    made = [json.loads(process.communicate()[0]) for process in begun]
    assert [sum(counts) for counts in zip(*made, strict=True)] == [1, 1]
    assert functions(module.kept()) == ["leaf", "middle"]


def test_nobody_waits_for_a_process_that_stands_still(module):
    """One that was stopped holds its lock; the others make what they need themselves."""
    module.run(CALL_ALL, **COMPILED)
    file = file_of(module, "middle")
    file.unlink()
    code = f"from euclio.core import machine_code; machine_code.MOST_WAITED_S = {WAITED_S}\n{CALL_ALL}"
    with exclusive(file.with_suffix(LOCK), 1.0):
        began = time.monotonic()
        assert module.run(code, **COMPILED) == [4.0, 0.0]
    assert time.monotonic() - began >= WAITED_S
