"""The checker of proof files on tiny files by hand: each rule accepted and refused, and no text is its undoing."""

from __future__ import annotations

import gzip
import subprocess
import sys
import tracemalloc
from fractions import Fraction
from pathlib import Path

import pytest

from euclio.proving.files import checker
from euclio.proving.files.checker import RefusedError, UnreadableError, check_text, text_of

WHOLE = """VER 1.0
VAR 2
x y
INT 1
0
OBJ min
2 0 1 1 1
CON 3 0
at_least G 1/2 1 0 1
above G 0 1 1 1
small L 5 2 0 1 1 1
"""
"""x whole and at least one half, y at least 0, together at most 5; least is x + y, which is 1."""


def file(*steps: str, promise: str = "range 1 inf", solutions: tuple[str, ...] = (), problem: str = WHOLE) -> str:
    """A file with these steps; each is written without its name and its end."""
    rows = [f"s{k} {step} -1" for k, step in enumerate(steps)]
    sol = [f"SOL {len(solutions)}", *solutions]
    return problem + "\n".join([f"RTP {promise}", *sol, f"DER {len(rows)}", *rows]) + "\n"


ROUNDED = "G 1 1 0 1 { rnd 1 0 1 }"
SUM = "G 1 OBJ { lin 2 3 1 1 1 }"


def refused(text: str) -> str:
    with pytest.raises(RefusedError) as error:
        check_text(text)
    return str(error.value)


def test_a_rounded_bound_and_a_sum_show_the_optimum():
    """1/2 ≤ x rounds to 1 ≤ x; with 0 ≤ y that is 1 ≤ x + y."""
    shown = check_text(file(ROUNDED, SUM, promise="range 1 1", solutions=("best 1 0 1",)))
    assert (shown.bound, shown.solved, shown.infeasible) == (1, 1, False)


def test_what_is_shown_is_said_in_a_line():
    shown = check_text(file(ROUNDED, SUM))
    assert str(shown) == "no feasible point has an objective better than 1 (2 variables, 2 steps)"


def test_a_weaker_promise_than_the_last_step_is_kept():
    assert check_text(file(ROUNDED, SUM, promise="range 1/3 inf")).bound == Fraction(1, 3)


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        (("G 2 1 0 1 { rnd 1 0 1 }", SUM), "does not follow by rnd"),
        (("G 1 1 1 1 { rnd 1 1 1 }", SUM), "whole"),
        (("G 1 1 0 1/2 { rnd 1 0 1/2 }", SUM), "whole"),
        ((ROUNDED, "G 2 OBJ { lin 2 3 1 1 1 }"), "does not follow by lin"),
        ((ROUNDED, "G 1 OBJ { lin 2 3 1 1 2 }"), "does not follow by lin"),
        ((ROUNDED, "G 1 OBJ { lin 2 3 1 2 1 }"), "at least and what is at most"),
        ((ROUNDED, "G 1 OBJ { lin 2 3 -1 1 1 }"), "at least and what is at most"),
        ((ROUNDED, "L 9 OBJ { lin 2 3 1 1 1 }"), "does not follow by lin"),
        ((ROUNDED, "E 1 OBJ { lin 2 3 1 1 1 }"), "does not follow by lin"),
        ((ROUNDED, "G 1 OBJ { lin 2 4 1 1 1 }"), "not below 4"),
        ((ROUNDED, "G 1 OBJ { lin 2 3 1 }"), "where a count or an index stands"),
        ((ROUNDED, "G 1 OBJ { sol 2 3 1 1 1 }"), "asm or lin or rnd or uns"),
        (("G 1 OBJ { asm }",), "rests on an assumption"),
        (("G 1 1 0 1 { rnd 1 0 1 }",), "does not show what it promises"),
        ((), "does not show what it promises"),
    ],
)
def test_a_step_that_does_not_follow_is_refused(steps, why):
    assert why in refused(file(*steps))


SPLIT = (
    "L 1 1 0 1 { asm }",  # 3: x at most 1
    "G 2 1 0 1 { asm }",  # 4: x at least 2
    ROUNDED,  # 5
    "G 1 OBJ { lin 2 5 1 1 1 }",  # 6: below
    "G 2 OBJ { lin 2 4 1 1 1 }",  # 7: above, under 4
)


def test_a_split_is_joined():
    assert check_text(file(*SPLIT, "G 1 OBJ { uns 6 3 7 4 }")).bound == 1


@pytest.mark.parametrize(
    ("last", "why"),
    [
        ("G 2 OBJ { uns 6 3 7 4 }", "both halves"),
        ("G 1 OBJ { uns 6 4 7 4 }", "splits"),
        ("G 1 OBJ { uns 6 3 7 3 }", "splits"),
        ("G 1 OBJ { uns 6 3 7 0 }", "splits"),
        ("G 1 OBJ { uns 7 3 6 4 }", "rests on an assumption"),
        ("G 1 OBJ { uns 6 3 7 }", "where a count or an index stands"),
    ],
)
def test_a_split_that_leaves_something_out_is_refused(last, why):
    """Halves that are the wrong way round leave the assumption of step 7 where it was."""
    assert why in refused(file(*SPLIT, last))


@pytest.mark.parametrize(
    ("low", "high"),
    [
        ("L 1 1 0 1", "G 3 1 0 1"),
        ("L 1/2 1 0 1", "G 3/2 1 0 1"),
        ("L 1 1 1 1", "G 2 1 1 1"),
        ("L 1 1 0 1/2", "G 2 1 0 1/2"),
        ("L 1 1 0 1", "G 2 1 1 1"),
        ("E 1 1 0 1", "G 2 1 0 1"),
        ("G 2 1 0 1", "G 3 1 0 1"),
    ],
)
def test_only_whole_sums_are_split_and_without_a_gap(low, high):
    """Between 1 and 3 there is 2, and y, or half of x, need not be whole."""
    steps = (f"{low} {{ asm }}", f"{high} {{ asm }}", ROUNDED, SUM.replace("3 1", "5 1"))
    assert "split" in refused(file(*steps, "G 1 OBJ { uns 6 3 6 4 }"))


def test_an_assumption_goes_with_a_step_through_sums():
    steps = ("G 7 1 0 1 { asm }", "G 7 OBJ { lin 2 3 1 1 1 }", "G 6 OBJ { lin 1 4 1 }")
    assert "rests on an assumption" in refused(file(*steps, promise="range 6 inf"))


def test_an_assumption_of_weight_0_is_one_too():
    """A step must not name an assumption that it does not need; refusing it is safe."""
    steps = ("G 7 1 0 1 { asm }", ROUNDED, "G 1 OBJ { lin 3 4 1 1 1 3 0 }")
    assert "rests on an assumption" in refused(file(*steps))


def test_a_step_that_nothing_satisfies_implies_all():
    """From x ≥ 1/2 and x ≤ 0 follows 0 ≥ 1/2, and from that every step."""
    problem = WHOLE.replace("small L 5 2 0 1 1 1", "small L 0 1 0 1")
    steps = ("G 1/2 0 { lin 2 0 1 2 -1 }", "G 99 OBJ { lin 1 3 1 }")
    assert check_text(file(*steps, promise="range 99 inf", problem=problem)).bound == 99


def test_no_feasible_point_is_shown_by_an_absurd_step():
    problem = WHOLE.replace("small L 5 2 0 1 1 1", "small L 0 1 0 1")
    assert check_text(file("G 1/2 0 { lin 2 0 1 2 -1 }", promise="infeas", problem=problem)).infeasible


@pytest.mark.parametrize("step", ["G 0 0 { lin 0 }", "E 0 0 { lin 0 }", "L 3 0 { lin 0 }", "G -1 0 { lin 0 }"])
def test_what_always_holds_shows_no_infeasibility(step):
    assert "does not show" in refused(file(step, promise="infeas"))


@pytest.mark.parametrize("step", ["G 1 0 { lin 0 }", "L -1 0 { lin 0 }", "E 1 0 { lin 0 }", "G 1 0 { asm }"])
def test_nothing_absurd_follows_from_nothing(step):
    assert refused(file(step, promise="infeas"))


@pytest.mark.parametrize(
    "solution",
    [
        "half 1 0 1/2",  # x is whole
        "low 1 1 1",  # x is 0, below one half
        "high 2 0 4 1 2",  # 6 is above 5
        "far 1 0 2",  # no better than 2
        "twice 2 0 1 0 0",
        "other 1 2 1",
    ],
)
def test_a_solution_has_to_be_one_and_as_good_as_promised(solution):
    assert refused(file(ROUNDED, SUM, promise="range 1 1", solutions=(solution,)))


def test_the_best_solution_counts():
    solutions = ("far 1 0 2", "best 1 0 1", "farther 1 0 3")
    assert check_text(file(ROUNDED, SUM, promise="range 1 1", solutions=solutions)).solved == 1


def test_a_promised_solution_that_is_missing_is_refused():
    assert "no solution" in refused(file(ROUNDED, SUM, promise="range 1 1"))


LARGEST = WHOLE.replace("OBJ min", "OBJ max")


def test_a_maximum_is_bounded_from_above():
    """That x + y ≤ 5 is given, and 5 + 0 reaches it."""
    text = file("L 5 OBJ { lin 1 2 1 }", promise="range 5 5", solutions=("best 1 0 5",), problem=LARGEST)
    assert (check_text(text).bound, check_text(text).solved) == (5, 5)


@pytest.mark.parametrize(
    ("step", "promise"),
    [
        ("L 5 OBJ { lin 1 2 1 }", "range 5 4"),
        ("L 5 OBJ { lin 1 2 1 }", "range -inf 4"),
        ("G 0 OBJ { lin 2 0 1 1 1 }", "range -inf 5"),
        ("L 5 OBJ { lin 1 2 1 }", "range 6 5"),
    ],
)
def test_a_maximum_is_not_bounded_from_below(step, promise):
    assert refused(file(step, promise=promise, solutions=("best 1 0 5",), problem=LARGEST))


def test_an_equation_is_used_in_both_directions_and_rounded_either_way():
    """2x = 3 has no whole x: 2x ≤ 3 is x ≤ 3/2, so x ≤ 1, and x ≥ 2 likewise."""
    problem = WHOLE.replace("small L 5 2 0 1 1 1", "odd E 3 1 0 2")
    steps = ("L 1 1 0 1 { rnd 1 2 1/2 }", "G 2 1 0 1 { rnd 1 2 1/2 }", "G 1 0 { lin 2 4 1 3 -1 }")
    assert check_text(file(*steps, promise="infeas", problem=problem)).infeasible
    assert "rounds" in refused(file("E 1 1 0 1 { rnd 1 2 1/2 }", promise="infeas", problem=problem))


@pytest.mark.parametrize(
    "change",
    [
        ("OBJ min", "OBJ some"),
        ("VER 1.0", "VER 1.1"),
        ("RTP range 1 inf", "RTP range -inf inf"),
        ("RTP range 1 inf", "RTP range inf inf"),
        ("RTP range 1 inf", "RTP about 1 inf"),
        ("2 0 1 1 1\nCON", "2 0 1 0 1\nCON"),
        ("2 0 1 1 1\nCON", "3 0 1 1 1\nCON"),
        ("2 0 1 1 1\nCON", "2 0 1 2 1\nCON"),
        ("2 0 1 1 1\nCON", "2 0 1 -1 1\nCON"),
        ("CON 3", "CON 4"),
        ("CON 3", "CON 2"),
        ("DER 2", "DER 3"),
        ("DER 2", "DER 1"),
        ("SOL 0", "SOL 1"),
        ("INT 1\n0", "INT 0\n"),
        ("INT 1\n0", "INT 1\n1"),
        ("INT 1\n0", "INT 2\n0"),
        ("VAR 2", "VAR 1"),
        ("G 1/2", "G 1/0"),
        ("G 1/2", "G 1e-3"),
        ("G 1/2", "G 1_0/20"),
        ("G 1/2", "G nan"),
        ("G 1/2", "G " + "9" * 5000),
        ("CON 3", "CON " + "9" * 5000),
        ("CON 3", "CON +3"),
        ("above G", "above GE"),
        ("{ rnd", "( rnd"),
        ("} -1\ns1", "} last\ns1"),
        ("-1\n", "-1\nmore\n", "last"),
    ],
)
def test_a_file_that_is_put_wrongly_is_refused(change):
    text = file(ROUNDED, SUM)
    check_text(text)
    at = text.rindex(change[0]) if len(change) > 2 else text.index(change[0])
    assert refused(text[:at] + change[1] + text[at + len(change[0]) :])


@pytest.mark.parametrize("length", range(8, len(file(ROUNDED, SUM)) - 1, 7))
def test_a_file_that_ends_early_is_refused(length):
    assert refused(file(ROUNDED, SUM)[:length])


def test_lines_of_comments_are_left_out():
    text = "% VER 2.0\n" + file(ROUNDED, SUM).replace("CON", "% CON 9\n  % more\nCON")
    assert check_text(text).bound == 1


@pytest.mark.parametrize("sign", ["\r", "\v", "\x1c", "\x85", "\u2028", "\0", "é"])
def test_nothing_stands_in_a_file_that_its_reader_does_not_see(sign):
    """Some of these end a line for Python, and what follows a comment would count."""
    with pytest.raises(UnreadableError):
        check_text(f"% note{sign} more\n" + file(ROUNDED, SUM))


@pytest.mark.parametrize("text", ["", "{}", "% only", '{"schema": "euclio/session/1"}'])
def test_what_is_no_such_file_is_told_from_a_wrong_proof(text):
    with pytest.raises(UnreadableError):
        check_text(text)


def test_sums_do_not_swell_for_ever():
    """Fractions with denominators that share nothing: a sum of a thousand is as long as all of them together."""
    rows = [f"r{k} G 1/{10**300 + 2 * k + 1} 1 0 1" for k in range(400)]
    problem = WHOLE.replace("CON 3 0\n", f"CON {len(rows)} 0\n" + "\n".join(rows) + "\n")
    problem = problem[: problem.index("at_least")]
    step = f"G 0 1 0 {len(rows)} {{ lin {len(rows)} {' '.join(f'{k} 1' for k in range(len(rows)))} }}"
    assert "too long" in refused(file(step, problem=problem))


def test_a_long_list_of_assumptions_takes_little_room():
    steps = [f"G {k} 1 0 1 {{ asm }}" for k in range(3000)]
    total = 3000 * 2999 // 2
    steps.append(f"G {total} 1 0 3000 {{ lin 3000 {' '.join(f'{k + 3} 1' for k in range(3000))} }}")
    assert "rests on an assumption" in refused(file(*steps, promise="range 0 inf"))


def test_room_grows_as_the_length():
    """Of n assumptions each was a bit among n: 40,000 of them took 100 MB, and a packed file of 14 kB took 6 GB."""
    text = file(*["G 0 0 { asm }"] * 40_000, promise="infeas")
    tracemalloc.start()
    assert "rests on an assumption" in refused(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6


def in_sequence(count: int, of: str) -> str:
    """The number of items, and the items, with their index in place of K."""
    return f"{count} {' '.join(of.replace('K', str(k)) for k in range(count))}"


def long_work(given: list[str], rest: str) -> str:
    """A file that promises that nothing is feasible, of 2,000 whole variables whose sum is the objective."""
    constraints = "".join(f"c{k} {one}\n" for k, one in enumerate(given))
    head = f"VER 1.0\nVAR {in_sequence(2000, 'xK')}\nINT {in_sequence(2000, 'K')}\nOBJ min {in_sequence(2000, 'K 1')}\n"
    return f"{head}CON {len(given)} 0\n{constraints}RTP infeas\n{rest}\n"


@pytest.mark.parametrize(
    "text",
    [
        long_work(["G 0 OBJ"], f"SOL 0\nDER 1\nd G 0 OBJ {{ lin {in_sequence(2000, '0 1')} }} -1"),
        long_work(["G 1 0", "L 0 OBJ", "G 1 OBJ"], f"SOL 0\nDER {in_sequence(2000, 'dK G 1 0 { uns 0 1 0 2 } -1')}"),
        long_work(["G 0 0"] * 2000, f"SOL {in_sequence(2000, 'sK 0')}\nDER 0"),
        long_work(
            [f"G 1/{10**3990 + k} 0" for k in (1, 3, 7, 9)],
            f"SOL 0\nDER 1\nd G 1 0 {{ lin 2004 0 1 1 1 2 1 3 1 {'0 1 ' * 2000} }} -1",
        ),
    ],
    ids=["sums of long sums", "splits of long sums", "solutions of many constraints", "sums of long fractions"],
)
def test_what_takes_more_time_than_its_length_is_refused(text, monkeypatch):
    """Each of 2,000 words asks for 2,000 products; or for a sum with a denominator of 53,000 bits, which takes 1 ms.

    Files of n words of these kinds took n² products, or hours. A tenth of the work that is allowed shows it sooner.
    """
    monkeypatch.setattr(checker, "MOST_WORK", 5)
    assert "more time or memory" in refused(text)


def test_a_packed_file_is_unpacked_as_far_as_is_allowed(monkeypatch):
    """A limit of 10,000 bytes stands for the checker's own, as which unpacking takes seconds."""
    assert check_text(text_of(gzip.compress(file(ROUNDED, SUM).encode()))).bound == 1
    monkeypatch.setattr(checker, "MOST_BYTES", 10_000)
    assert text_of(gzip.compress(b" " * 10_000)) == " " * 10_000
    with pytest.raises(UnreadableError, match="longer"):
        text_of(gzip.compress(b" " * 10_001))


@pytest.mark.parametrize("damage", [lambda d: d[:-9], lambda d: d[:30] + b"xx" + d[32:], lambda d: b"\x1f\x8b"])
def test_a_damaged_file_is_none(damage):
    with pytest.raises(UnreadableError):
        text_of(damage(gzip.compress(file(ROUNDED, SUM).encode())))


def test_ends_of_lines_may_be_those_of_another_system():
    assert check_text(text_of(file(ROUNDED, SUM).replace("\n", "\r\n").encode())).bound == 1


SCRIPT = Path(checker.__file__)


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [(file(ROUNDED, SUM), 0, "accepted"), (file(ROUNDED), 1, "refused"), ("none", 2, "usage")],
)
def test_it_runs_by_itself(tmp_path, text, code, said):
    """Copied elsewhere, without euclio and what comes with it."""
    (tmp_path / "alone.py").write_text(SCRIPT.read_text())
    (tmp_path / "p.vipr").write_text(text)
    command = [sys.executable, "-I", "-S", "alone.py", "p.vipr"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert said in done.stdout + done.stderr
    assert (done.stdout + done.stderr).count("\n") == 1


@pytest.mark.parametrize("name", ["missing", "."])
def test_what_cannot_be_opened_is_exit_code_2(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    assert checker.main([name]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_it_is_short_and_needs_the_standard_library_alone():
    source = SCRIPT.read_text()
    assert len(source.splitlines()) <= 320
    imported = {line.split()[1].split(".")[0] for line in source.splitlines() if line.startswith(("import", "from"))}
    assert imported <= set(sys.stdlib_module_names)
