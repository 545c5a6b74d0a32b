"""Tables whose units, failures or counts were once read wrongly without a word: each is right now, or refused."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

import euclio
from euclio.core.errors import InputError


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def read(name, text, **more):
    Path(name).write_text(text, encoding="utf-8")
    return euclio.import_csv(name, **({"prices": {"L4": 0.7}, "rates": {"detect": 1}, "slo": 100} | more))


def rate_of(header, **more):
    """Requests per second of a row that says 120 at batch 8 under a header."""
    session = read("t.csv", f"batch,{header}\n8,120\n", columns={"throughput": header}, **more)
    return session.modules[0].profile[0].throughput_rps


@pytest.mark.parametrize(
    ("header", "rate"),
    [
        ("requests_per_minute", 2),
        ("req_per_min", 2),
        ("requestsPerMinute", 2),
        ("QPM", 2),
        ("rpm", 2),
        ("req/min", 2),
        ("requests_per_hour", Fraction(1, 30)),
        ("req/h", Fraction(1, 30)),
        ("req/hr", Fraction(1, 30)),
        ("batches/min", 16),
        ("batches per hour", Fraction(4, 15)),
        ("batches/s", 960),
        ("Batches per second", 960),
        ("Throughput at max batch (req/s)", 120),
        ("Throughput under 100 ms", 120),
        ("Throughput under 100 ms (req/s)", 120),
        ("qps at batch 8", 120),
        ("requests_per_second", 120),
        ("Throughput (infer/sec)", 120),
        ("max rps", 120),
        ("rps per 1 machine", 120),
        ("samples/s per GPU", 120),
    ],
)
def test_a_header_of_a_rate_says_its_time_and_what_it_counts(header, rate):
    """A rate that is 60 times too high makes a plan with one machine in place of 60."""
    assert rate_of(header) == rate


@pytest.mark.parametrize(
    ("header", "option"),
    [
        ("req/day", "unit"),
        ("requests_per_day", "unit"),
        ("kreq/s", "unit"),
        ("Mreq/s", "unit"),
        ("krps", "unit"),
        ("GB/s", "unit"),
        ("req/ms", "unit"),
        ("batch throughput", "unit"),
        ("ms per request", "columns"),
        ("Time per request (ms)", "columns"),
        ("throughput_ms", "columns"),
    ],
)
def test_another_rate_is_asked_for_and_never_guessed(header, option):
    """A header that names another unit says that the number is no rate of requests per second."""
    with pytest.raises(InputError) as refused:
        rate_of(header)
    assert refused.value.field == option
    assert repr(header.lower()) in refused.value.message


def test_batches_of_a_time_are_a_unit():
    """What a header may say can also be said where the header says nothing."""
    assert rate_of("speed", unit={"throughput": "batches/min"}) == 16
    assert rate_of("kreq/s", unit={"throughput": "1000"}) == 120000
    with pytest.raises(InputError):
        rate_of("speed", unit={"throughput": "batches/fortnight"})


def price_of(header, **more):
    """The price per hour of a row that says 730 under a header."""
    text = f"hardware,batch,throughput_rps,{header}\nL4,1,120,730\n"
    more = {"columns": {"price_per_h": header}, "prices": None} | more
    return read("t.csv", text, **more).hardware[0].price_per_h


@pytest.mark.parametrize("header", ["monthly_cost", "Price (cents/h)", "usd_per_day", "$/month", "cost per 1M req"])
def test_a_price_that_is_not_per_hour_is_asked_for(header):
    """A price per month read as one per hour is 730 times too high."""
    with pytest.raises(InputError, match="is needed: price_per_h"):
        price_of(header)
    assert price_of(header, unit={"price_per_h": "month"}) == 1


@pytest.mark.parametrize("header", ["cost", "Price ($/h)", "percent_price", "CostPerHour", "cost_per_replica"])
def test_other_headers_of_prices_are_per_hour(header):
    """The price of these is per hour, as before."""
    assert price_of(header) == 730
    assert price_of(header, unit={"price_per_h": "0.01"}) == Fraction("7.3")


def test_per_is_refused_where_no_inline_price_is():
    """The option had no effect on a column, and the price per month stood as one per hour."""
    with pytest.raises(InputError, match="price_per_h=month"):
        price_of("price_per_h", per="month")


def test_a_share_of_failures_needs_its_unit():
    """0.05 is five of a hundred or of ten thousand; only one of them is kept."""
    text = "batch,rps,error_rate\n1,100,0\n2,180,0.05\n"
    columns = {"throughput": "rps", "failed_share": "error_rate"}
    with pytest.raises(InputError, match="failed_share=%"):
        read("t.csv", text, columns=columns)
    for unit, rows in (("%", 2), ("1", 1)):
        session = read("t.csv", text, columns=columns, unit={"failed_share": unit})
        assert len(session.modules[0].profile) == rows


@pytest.mark.parametrize(
    "failed",
    [
        '"error":"CUDA out of memory"',
        '"error":"cudaErrorLaunchFailure"',
        '"errors":3',
        '"failed":true',
        '"status":"FAILED"',
        '"status":"OOM"',
        '"status":503',
        '"success":false',
        '"success_rate":0.77',
        '"success_rate":"77 %"',
        '"success rate (%)":77',
    ],
)
def test_a_row_that_says_that_it_failed_is_left_out(failed, capsys):
    """A rate of a run that ran out of memory is no rate of answers."""
    text = f'{{"bs":8,"rps":178}}\n{{"bs":16,"rps":900,{failed}}}\n'
    session = read("t.jsonl", text, columns={"batch": "bs", "throughput": "rps"})
    assert [c.batch for c in session.modules[0].profile] == [8]
    assert re.search("line 2: .* it is left out", capsys.readouterr().err)


@pytest.mark.parametrize(
    "right",
    [
        '"error":""',
        '"error":null',
        '"error":"None"',
        '"errors":"no errors"',
        '"errors":0',
        '"failed":false',
        '"status":"ok"',
        '"status":"COMPLETED"',
        '"status":200',
        '"success":true',
        '"success":1000',
        '"success_rate":1',
        '"success_rate":1.0',
        '"success_rate":"100 %"',
        '"success rate (%)":99.95',
        '"result_file":"a.json"',
        '"result":512.5',
        '"state":"no load"',
    ],
)
def test_a_row_that_says_that_it_succeeded_is_read(right):
    """Words of success stand where words of failure may."""
    text = f'{{"bs":8,"rps":178,{right}}}\n'
    assert read("t.jsonl", text, columns={"batch": "bs", "throughput": "rps"}).modules[0].profile


TABLE = "| bs | rps |\n|---|---|\n| {} | {} |\n"


def test_a_table_below_a_heading_of_its_own_is_refused():
    """The rates of an A100 below its heading were taken for those of the L4."""
    columns = {"batch": "bs", "throughput": "rps"}
    with pytest.raises(InputError, match="file of its own"):
        read("t.md", f"## L4\n{TABLE.format(1, 80)}\n## A100\n{TABLE.format(8, 900)}", columns=columns)
    session = read("t.md", f"## L4\n{TABLE.format(1, 80)}\n{TABLE.format(8, 900)}", columns=columns)
    assert len(session.modules[0].profile) == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.json", '[{"Batch":8,"batch":16,"rps":100}]'),
        ("t.jsonl", '{"Batch":8,"rps":100}\n{"batch":16,"rps":100}\n'),
        ("t.md", "| Batch | batch | rps |\n|---|---|---|\n| 8 | 16 | 100 |\n"),
    ],
)
def test_a_column_that_is_there_twice_is_refused(name, text):
    """Capitals do not matter, so the second of them took the place of the first."""
    with pytest.raises(InputError, match="names column 'batch' twice"):
        read(name, text, columns={"batch": "Batch", "throughput": "rps"})


VARIANT = "- {{name: {}, model: {}, capacity: 140, cost: 3.5, minReplicas: 1, maxReplicas: 2}}\n"


def test_replicas_of_one_variant_for_two_models_are_refused():
    """Two replicas for each of two models were read as two for both, and a plan of three was called impossible."""
    more = {"prices": None, "rates": {"m": 200, "n": 200}}
    with pytest.raises(InputError, match="big-m and big-n"):
        read("t.yaml", VARIANT.format("big", "m") + VARIANT.format("big", "n"), **more)
    session = read("t.yaml", VARIANT.format("big-m", "m") + VARIANT.format("big-n", "n"), **more)
    assert [(own.count, own.at_least) for own in session.hardware] == [(2, 1), (2, 1)]


def test_a_stock_that_two_modules_share_is_read():
    """A stock is of the machines, whose rows may be of several modules."""
    text = "module,hardware,batch,throughput_rps,count\nm,L4,1,100,2\nn,L4,1,100,2\n"
    assert read("t.csv", text, rates={"m": 50, "n": 50}).hardware[0].count == 2


def test_fields_outside_the_rows_are_named(capsys):
    """A unit that stands once for all rows was left out without a word."""
    text = '{"gpu":"L4","unit":"per minute","by":{"who":"me"},"runs":[{"bs":8,"rps":120}]}'
    read("t.json", text, columns={"batch": "bs", "throughput": "rps"})
    assert "t.json: gpu, unit, by.who: outside the rows, not read" in capsys.readouterr().err
    read("t.json", '{"bs":8,"rps":120}', columns={"batch": "bs", "throughput": "rps"})
    assert "outside" not in capsys.readouterr().err


@pytest.mark.parametrize(("rates", "doubted"), [(("1.024", "2.300"), 1), (("1.024", "0.125"), 0), (("1024", "2"), 0)])
def test_points_that_may_divide_thousands_are_doubted(rates, doubted, capsys):
    """A spreadsheet that writes 1.024 for a thousand shows it by no other number."""
    text = f"batch;rps\n1;{rates[0]}\n8;{rates[1]}\n"
    read("t.csv", text, columns={"throughput": "rps"}, rates={"detect": "0.01"})
    assert ("line 2: 1.024 may be 1024" in capsys.readouterr().err) == bool(doubted)
