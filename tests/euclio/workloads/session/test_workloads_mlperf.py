"""Sessions from results of MLPerf Inference: what is read, the rule of the profile, and the one line of an error."""

import json
from fractions import Fraction

import pytest

from euclio.cli import main
from euclio.core.errors import InputError
from euclio.core.folders import data_dir
from euclio.problems.session.files.instances import load_session
from euclio.workloads.session.mlperf import chosen, durations_s, read_results, session_from_result

SERVER = {
    "completed_per_s": 99.9,
    "scheduled_per_s": 100,
    "p50_ms": 20,
    "p90_ms": 30,
    "p99_ms": 40,
    "bound_p99_ms": 130,
}
ROW = {
    "round": "2.0",
    "submitter": "Us",
    "system": "one",
    "accelerator": "A",
    "benchmark": "bert-99",
    "single_stream_ms": {"p50": 4, "p90": 5, "p99": 6},
    "offline_per_s": 500,
    "server": SERVER,
    "valid": True,
    "path": "closed/Us/results/one",
}
EIGHT_MS = {"p50": 11, "p99": 12}


def written(folder, *rows):
    (folder / "results.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def result(tmp_path, **changes):
    row = {key: value for key, value in {**ROW, **changes}.items() if value is not None}
    (found,) = read_results(written(tmp_path, row))
    return found


def ms(durations):
    return [float(1000 * d) for d in durations]


def test_batch_1_is_single_stream_and_the_largest_reaches_offline(tmp_path):
    found = durations_s(result(tmp_path), 16)
    assert len(found) == 16
    assert found[0] == Fraction("0.004")
    assert found[-1] == Fraction(16, 500)


def test_durations_are_linear_in_between(tmp_path):
    assert ms(durations_s(result(tmp_path), 5)) == pytest.approx([4, 5.5, 7, 8.5, 10])


def test_batch_8_is_multi_stream_and_offline_comes_in_beyond_it(tmp_path):
    found = ms(durations_s(result(tmp_path, multi_stream_8_ms=EIGHT_MS), 16))
    assert found[:8] == pytest.approx([4, 5, 6, 7, 8, 9, 10, 11])
    assert found[11] == pytest.approx((11 + 32) / 2)
    assert found[15] == pytest.approx(32)


def test_fewer_than_8_are_read_from_what_was_measured(tmp_path):
    assert ms(durations_s(result(tmp_path, multi_stream_8_ms=EIGHT_MS), 2)) == pytest.approx([4, 5])
    assert ms(durations_s(result(tmp_path), 1)) == [4]


def test_offline_may_be_reached_at_another_batch(tmp_path):
    assert ms(durations_s(result(tmp_path), 2, offline_batch=5)) == pytest.approx([4, 5.5])


def test_no_batch_takes_less_than_a_smaller_one(tmp_path):
    assert ms(durations_s(result(tmp_path, offline_per_s=10000), 4)) == [4, 4, 4, 4]


def test_durations_are_whole_nanoseconds_rounded_up(tmp_path):
    found = durations_s(result(tmp_path, offline_per_s=3), 2)
    assert found[-1] == Fraction(666666667, 10**9)


def test_the_session_takes_rate_and_objective_from_server(tmp_path):
    session = session_from_result(result(tmp_path), price_per_h="0.5", largest_batch=12)
    assert session.name == "bert-99 one"
    assert session.slo_s == Fraction("0.13")
    (module,) = session.modules
    assert (module.name, module.rate_rps) == ("bert-99", 100)
    assert [c.batch for c in module.profile] == [1, 2, 4, 8, 12]
    assert session.price == {"A": Fraction(1, 2)}


def test_both_may_be_given_instead(tmp_path):
    row = result(tmp_path, server=None)
    session = session_from_result(row, price_per_h=1, largest_batch=1, rate_rps=7, slo_s="0.2", name="mine")
    assert (session.name, session.slo_s, session.modules[0].rate_rps) == ("mine", Fraction("0.2"), 7)


def test_all_batches_can_be_had(tmp_path):
    session = session_from_result(result(tmp_path), price_per_h=1, largest_batch=9, batches=range(1, 10))
    assert [c.batch for c in session.modules[0].profile] == list(range(1, 10))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"server": None}, "rate_rps: is missing, and the result has no Server to take it from; give it"),
        ({"single_stream_ms": None}, "single_stream_ms: is missing, which batch 1 is read from; choose a result that "),
        ({"offline_per_s": None}, "offline_per_s: is missing, which larger batches are read from; choose a result "),
        ({"valid": False}, "valid: is false; MLPerf does not accept such a run, choose another"),
    ],
)
def test_what_a_result_lacks_is_named(tmp_path, changes, message):
    with pytest.raises(InputError) as caught:
        session_from_result(result(tmp_path, **changes), price_per_h=1, largest_batch=4)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("", "has no results; give at least one line"),
        ("[]\n", "line 1: is a list; it must be an object with round, submitter"),
        ("{", "line 1: is not JSON at line 1 column 2"),
        (json.dumps({**ROW, "offline_per_s": "5"}), "line 1, offline_per_s: is the text '5'; it must be a number"),
        (json.dumps({**ROW, "offline_per_s": 0}), "line 1, offline_per_s: is 0; it must be a number greater than 0"),
        (json.dumps({**ROW, "server": {**SERVER, "p50_ms": -1}}), "line 1, server.p50_ms: is -1; it must be a number"),
        (json.dumps({**ROW, "runde": 1}), "line 1, runde: is an unknown field"),
        (json.dumps({k: v for k, v in ROW.items() if k != "path"}), "line 1, path: is missing; add it"),
        (f"{json.dumps(ROW)}\n\n{json.dumps(ROW)}", "line 3: repeats line 1 (2.0, Us, one, bert-99); keep one of them"),
    ],
)
def test_bad_files_are_refused_in_one_line(tmp_path, lines, message):
    file = tmp_path / "results.jsonl"
    file.write_text(lines, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_results(tmp_path)
    assert str(caught.value).startswith(f"{file}: {message}")
    assert "\n" not in str(caught.value)


def test_a_folder_without_the_file_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"results\.jsonl: no such file; check the path"):
        read_results(tmp_path)


def test_a_result_is_chosen_by_what_names_it(tmp_path):
    rows = read_results(written(tmp_path, ROW, {**ROW, "benchmark": "rnnt"}, {**ROW, "round": "2.1"}))
    fields = {"system": "one", "benchmark": "bert-99", "round": None, "submitter": None}
    with pytest.raises(InputError, match=r"^round: is missing; DIR has 2\.0, 2\.1$"):
        chosen(rows, "DIR", **fields)
    assert chosen(rows, "DIR", **{**fields, "round": "2.1"}) is rows[2]
    with pytest.raises(InputError, match=r"^system: is 'two'; DIR has one$"):
        chosen(rows, "DIR", **{**fields, "system": "two"})


def test_many_names_are_not_all_listed(tmp_path):
    rows = read_results(written(tmp_path, *({**ROW, "system": f"s{k}"} for k in range(20))))
    with pytest.raises(InputError, match="s11 and 8 more"):
        chosen(rows, "DIR", system=None)


def command(folder, out, *more):
    return main(["import", "mlperf", str(folder), "--price", "0.71", "--batch", "16", "--out", str(out), *more])


def test_the_command_writes_a_session(tmp_path, capsys):
    out = tmp_path / "session.json"
    assert command(data_dir() / "mlperf", out, "--system", "L4x1_TRT", "--benchmark", "bert-99") == 0
    assert capsys.readouterr().out == f"{out}\n"
    session = load_session(out)
    assert session.price == {"NVIDIA L4": Fraction("0.71")}
    assert session.modules[0].rate_rps == Fraction("898.87")
    assert session.modules[0].profile[-1].duration_s == Fraction("0.015502675")


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({}, ["--system", "two"], "--system: is 'two'; FOLDER has one"),
        ({"server": None}, [], "--rate: is missing, and the result has no Server to take it from; give it"),
        ({"offline_per_s": None}, [], "FOLDER: offline_per_s: is missing, which larger batches are read from"),
    ],
)
def test_the_command_names_the_option_or_the_field(tmp_path, capsys, changes, options, message):
    row = {key: value for key, value in {**ROW, **changes}.items() if value is not None}
    assert command(written(tmp_path, row), tmp_path / "out.json", *options) == 2
    err = capsys.readouterr().err
    assert err.replace(str(tmp_path), "FOLDER").startswith(f"euclio: {message}")
    assert err.count("\n") == 1
