"""Profiles from perf_analyzer's CSV: what duration is read, and the one line that names what cannot be known."""

import json
from fractions import Fraction

import pytest

from euclio.cli import main
from euclio.core.errors import InputError
from euclio.problems.session import Configuration
from euclio.workloads.session.csv_profiles import read_profiles
from euclio.workloads.session.served import Point, Server, derive

HEADER = (
    "Concurrency,Inferences/Second,Client Send,Network+Server Send/Recv,Server Queue,Server Compute Input,"
    "Server Compute Infer,Server Compute Output,Client Recv,p50 latency,p90 latency,p95 latency,p99 latency\n"
)
# Batch 4 takes 20 ms on one instance; with one request outstanding the network takes 5 ms of 25.
ONE = (
    HEADER
    + "1,160,40,4900,60,900,18900,100,2,25100,26000,26400,27000\n"
    + "4,196,41,4800,56700,950,18950,100,2,81000,83000,84000,86000\n"
    + "2,198,42,4850,15500,940,18960,100,2,40300,41500,42000,43000\n"
)
# Batch 4 on two instances that share the machine: 32 ms each.
TWO = (
    HEADER
    + "1,120,40,4900,60,900,27900,100,2,33100,34000,34400,35000\n"
    + "2,210,40,4900,300,900,30900,100,2,38000,39000,39400,40000\n"
    + "4,248,40,4900,28000,900,30900,100,2,64100,66000,66400,67000\n"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.csv").write_text(ONE, encoding="utf-8")
    (tmp_path / "two.csv").write_text(TWO, encoding="utf-8")
    return tmp_path


def imported(*arguments):
    return main(["import", "perf-analyzer", *arguments, "--model", "detect", "--hardware", "L4", "--out", "p.csv"])


def test_the_duration_is_that_of_the_highest_rate_of_a_busy_server(folder, capsys):
    assert imported("one.csv", "two.csv", "--batch", "4", "--instances", "1,2") == 0
    out, err = capsys.readouterr()
    assert (out, err) == ("p.csv\n", "")
    assert (folder / "p.csv").read_text() == (
        "module,hardware,batch,concurrency,duration_s\ndetect,L4,4,1,0.020202021\ndetect,L4,4,2,0.032258065\n"
    )
    assert read_profiles("p.csv") == {
        "detect": (Configuration("L4", 4, 1, "0.020202021"), Configuration("L4", 4, 2, "0.032258065"))
    }


def export(mode="concurrency", answers=50):
    """Fifty requests of 20 ms, one after the other from 1 s on, in a window of a second; the last may lack answers."""
    requests = [{"timestamp": k, "response_timestamps": [k + 20_000_000]} for k in range(10**9, 2 * 10**9, 20_000_000)]
    for one in requests[answers:]:
        one["response_timestamps"] = []
    window = {"requests": requests, "window_boundaries": [10**9, 2 * 10**9]}
    return json.dumps({"experiments": [{"experiment": {"mode": mode, "value": 1}, **window}], "version": "2"})


def test_an_export_of_requests_is_read(folder):
    """50 requests of 4 inputs in a second: 4 / 200 s a batch."""
    (folder / "e.json").write_text(export(), encoding="utf-8")
    assert imported("e.json", "--batch", "4") == 0
    assert read_profiles("p.csv") == {"detect": (Configuration("L4", 4, 1, "0.02"),)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            export(mode="request_rate"),
            "e.json: experiments[0].experiment.mode: is 'request_rate': how many requests were",
        ),
        (export(answers=49), "e.json: experiments[0]: has requests without an answer; measure without failures"),
        ('{"a": 1}', "e.json: is no export of perf_analyzer's requests that is known ('experiments'); give the CSV"),
        ('{"experiments": 3}', "e.json: is no export of perf_analyzer's requests that is known ("),
        (export().replace("2000000000]}", "1000000000]}"), "e.json: experiments[0]: has no request that ended in its"),
    ],
)
def test_a_wrong_export_is_refused_in_one_line(folder, capsys, text, expected):
    (folder / "e.json").write_text(text, encoding="utf-8")
    assert imported("e.json", "--batch", "4") == 2
    assert f"euclio: {expected}" in capsys.readouterr().err


def test_a_machine_serves_what_was_measured_and_no_more(folder):
    assert imported("two.csv", "--batch", "4", "--instances", "2") == 0
    (c,) = read_profiles("p.csv")["detect"]
    assert Fraction(2479, 10) < c.throughput_rps <= 248


def test_several_files_of_one_server_are_put_together(folder):
    lines = ONE.splitlines(keepends=True)
    (folder / "low.csv").write_text("".join(lines[:2]))
    (folder / "high.csv").write_text(lines[0] + "".join(lines[2:]))
    assert imported("low.csv", "high.csv", "--batch", "4") == 0
    assert read_profiles("p.csv") == {"detect": (Configuration("L4", 4, 1, "0.020202021"),)}


def test_columns_may_be_added_and_lines_end_with_a_comma(folder):
    lines = [f"{line},GPU-1:0.5;,\n" for line in ONE.splitlines()[1:]]
    (folder / "one.csv").write_text(HEADER.strip() + ",Avg GPU Utilization\n" + "".join(lines))
    assert imported("one.csv", "--batch", "4") == 0


def test_profiles_are_appended(folder):
    assert imported("one.csv", "--batch", "4") == 0
    assert imported("two.csv", "--batch", "4", "--instances", "2", "--append") == 0
    assert [c.concurrency for c in read_profiles("p.csv")["detect"]] == [1, 2]


def test_a_configuration_is_not_appended_twice(folder, capsys):
    assert imported("one.csv", "--batch", "4") == 0
    before = (folder / "p.csv").read_text()
    assert imported("one.csv", "--batch", "4", "--append") == 2
    assert capsys.readouterr().err == (
        "euclio: p.csv: has detect on L4 with batch 4 and concurrency 1 already; take it out there, or write to "
        "another file\n"
    )
    assert (folder / "p.csv").read_text() == before


def test_a_session_is_made_of_it(folder):
    assert imported("one.csv", "two.csv", "--batch", "4", "--instances", "1,2") == 0
    options = ["--prices", "L4=0.71", "--rates", "100", "--slo", "0.2", "--out", "s.json"]
    assert main(["import", "csv", "p.csv", *options]) == 0


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("", [], "has no rows below its header; give at least one measurement"),
        (HEADER, [], "has no rows below its header; give at least one measurement"),
        (
            ONE.replace("Concurrency", "Request Rate"),
            [],
            "line 1: gives Request Rate: how many requests were outstanding is not known; measure with "
            "--concurrency-range",
        ),
        (
            "Concurrency,p50 latency\n1,2\n",
            [],
            "line 1: lacks column 'Inferences/Second'; give a file written by `perf_analyzer -f`",
        ),
        (
            "Concurrency,Inferences/Second,Client Send,Server Compute Infer,Client Recv\n1,2,3,4,5\n",
            [],
            "line 1: lacks Server Compute Input, Server Compute Output, without which euclio cannot tell whether the "
            "server put requests together; measure a Triton server (--service-kind triton)",
        ),
        (
            ONE.replace("1,160,", "1,0,"),
            [],
            "line 2, Inferences/Second: is 0: nothing was answered; take the line out, or measure for longer",
        ),
        (ONE.replace("160", "fast"), [], "line 2, Inferences/Second: is 'fast'; it must be a number of at least 0"),
        (
            ONE.replace("900,18900,100", "0,0,0"),
            [],
            "line 2, Server Compute Infer: adds up to 0 with the other compute times: an ensemble, or no model at "
            "work; measure its models",
        ),
        (
            "Concurrency,Inferences/Second,Server Compute Input,Server Compute Infer,Server Compute Output,"
            "Server Cache Hit,Client Recv\n1,160,900,18900,100,3,2\n",
            [],
            "line 2, Server Cache Hit: is not 0: answers came from the cache; measure without it",
        ),
        (
            ONE.replace("\n4,196", "\n4.5,196"),
            [],
            "line 3, Concurrency: is '4.5'; it must be a whole number, at least 1",
        ),
        (
            ONE,
            ["--instances", "8"],
            "keeps at most 4 requests outstanding, which leaves some of 8 instances idle; measure with a concurrency "
            "of 8 or more, best of 16",
        ),
        # The server forms batches of four requests: each is in the compute steps as long as its batch.
        (
            HEADER + "8,700,40,4900,22000,900,21000,100,2,46000,47000,48000,49000\n",
            [],
            "had 3.85 requests at work per instance at concurrency 8: the server put requests together, or runs more "
            "instances; say how many, or measure without dynamic batching",
        ),
        (
            HEADER + "8,100,40,4900,22000,900,21000,100,2,46000,47000,48000,49000\n",
            [],
            "may have put requests together (the instances were busy for 55.00 % of the time at concurrency 8); if "
            "there was no dynamic batching, say --no-dynamic-batching",
        ),
    ],
)
def test_what_cannot_be_known_is_refused_in_one_line(folder, capsys, text, options, expected):
    (folder / "one.csv").write_text(text)
    assert imported("one.csv", "--batch", "4", *options) == 2
    assert capsys.readouterr().err == f"euclio: one.csv: {expected}\n"
    assert not (folder / "p.csv").exists()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["one.csv"], "the following arguments are required: --batch; see `euclio import perf-analyzer --help`"),
        (
            ["one.csv", "two.csv", "two.csv", "--batch", "1,2"],
            "--batch: gives 2 numbers for 3 files; give one, or one for each file",
        ),
        (
            ["one.csv", "--batch", "0"],
            "argument --batch: '0' must be a whole number from 1 to 1000000; see `euclio import perf-analyzer --help`",
        ),
        (
            ["p.csv", "--batch", "4"],
            "p.csv: --out: is read by this command, and would be lost; choose another file",
        ),
        (
            ["none.csv", "--batch", "4"],
            "none.csv: cannot be read: no such file or directory; name a CSV file of perf_analyzer",
        ),
    ],
)
def test_the_command_names_the_option(folder, capsys, options, expected):
    assert imported(*options) == 2
    assert capsys.readouterr().err == f"euclio: {expected}\n"


def test_idle_instances_are_said(folder, capsys):
    (folder / "one.csv").write_text("".join(ONE.splitlines(keepends=True)[:2]))
    assert imported("one.csv", "--batch", "4") == 0
    assert capsys.readouterr().err == (
        "euclio: batch 4, 1 instance: busy for 79.60 % of the time at the highest rate (concurrency 1); the duration "
        "counts the time without work too\n"
    )
    assert read_profiles("p.csv") == {"detect": (Configuration("L4", 4, 1, "0.025"),)}


def test_a_server_that_is_known_not_to_batch_may_idle(folder):
    (folder / "one.csv").write_text(HEADER + "8,100,40,4900,22000,900,21000,100,2,46000,47000,48000,49000\n")
    assert imported("one.csv", "--batch", "4", "--no-dynamic-batching") == 0


def test_a_name_that_cannot_be_read_again_is_refused(folder, capsys):
    assert (
        main(
            ["import", "perf-analyzer", "one.csv", "--batch", "4", "--model", "", "--hardware", "L4", "--out", "p.csv"]
        )
        == 2
    )
    assert "module: is the text ''" in capsys.readouterr().err


def test_what_shows_at_one_load_counts_for_all():
    points = [Point(c, Fraction(10), Fraction(s, 100)) for c, s in ((2, 10), (4, 18))]
    assert Server(1, 1, None).busy(points[0]) == 1
    with pytest.raises(InputError, match=r"had 1\.8 requests at work per instance at concurrency 4"):
        derive(Server(1, 1, None), points, "L4")


def test_busy_loads_are_preferred_to_a_higher_rate():
    points = [Point(c, Fraction(x), None) for c, x in ((2, 12), (4, 10))]
    assert derive(Server(1, 2, False), points, "L4").configuration == Configuration("L4", 1, 2, "0.2")


def test_a_server_known_to_batch_is_refused():
    with pytest.raises(InputError, match="has dynamic batching"):
        derive(Server(1, 1, True), [Point(2, Fraction(10), Fraction(1, 10))], "L4")
