"""Bad objectives, delays and applications on the command line: one line with file, field and remedy, exit code 2."""

import copy
import json

import pytest

from euclio.cli import main

GOOD = {
    "schema": "euclio/session/1",
    "name": "chat",
    "hardware": [{"name": "g", "price_per_h": 1}],
    "modules": [
        {
            "name": name,
            "rate_rps": 10,
            "profile": [{"hardware": "g", "batch": 1, "concurrency": 1, "duration_s": 0.01}],
        }
        for name in ("a", "b")
    ],
    "edges": [{"from": "a", "to": "b", "delay_s": 0.1}],
    "objectives": [{"name": "first", "to": "a", "slo_s": 0.3}, {"name": "answer", "to": "b", "slo_s": 1}],
    "applications": [{"name": "chat", "modules": ["a"]}],
}
DELAY, FIRST, OTHER = ("edges", 0, "delay_s"), ("objectives", 0), ("objectives", 1)
TWICE = [{"name": "x", "modules": ["a"]}, {"name": "x", "modules": ["b"]}]
SAME = [{"name": "x", "modules": ["a"]}, {"name": "y", "modules": ["b"]}]


def changed(place, value):
    """The session with a value at a place of its file; None leaves the field out."""
    data = copy.deepcopy(GOOD)
    *before, last = place
    inside = data
    for key in before:
        inside = inside[key]
    if value is None:
        del inside[last]
    else:
        inside[last] = value
    return data


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ((*FIRST, "to"), "nobody", "objectives[0].to: unknown module 'nobody'; known: a, b"),
        (("objectives",), None, "slo_s: is missing; add it, in seconds, or objectives of modules"),
        (("objectives",), [], "slo_s: is missing; add it, in seconds, or objectives of modules"),
        (("slo_s",), 1, "slo_s: stands next to objectives; keep one of them"),
        ((*OTHER, "name"), "first", "objectives[1].name: 'first' is listed twice; rename one"),
        ((*OTHER, "slo_s"), 0, "objectives[1].slo_s: is 0; it must be greater than 0"),
        ((*OTHER, "slo_s"), 1e13, "objectives[1].slo_s: is 10000000000000.0; magnitudes from 1e-12 to 1e12"),
        (DELAY, -0.1, "edges[0].delay_s: is -0.1; it must be at least 0"),
        (DELAY, 1e13, "edges[0].delay_s: is 10000000000000.0; magnitudes from 1e-12 to 1e12"),
        (DELAY, "0.1", "edges[0].delay_s: is the text '0.1'; it must be a number, without quotes"),
        (("edges", 0, "to"), "x", "edges[0]: unknown module 'x'; known: a, b"),
        (("edges", 0, "to"), None, "edges[0].to: is missing; add it"),
        (("edges", 0, "delay"), 1, "edges[0].delay: is an unknown field; remove it (known: from, to, delay_s)"),
        (("applications",), TWICE, "applications[1].name: 'x' is listed twice; rename one"),
        (("applications",), SAME, "applications[1]: is the same part of the DAG as 'x'; keep one of them"),
        (("applications", 0, "modules"), [], "applications[0].modules: names no module; name one of its modules"),
        (("applications", 0, "modules"), ["x"], "applications[0].modules: unknown module 'x'; known: a, b"),
        (("applications", 0, "rate_rps"), 0, "applications[0].rate_rps: is 0; it must be greater than 0"),
    ],
)
def test_a_bad_file_is_one_line(place, value, said, tmp_path, capsys):
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(changed(place, value)))
    assert main(["solve", str(file)]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.startswith(f"euclio: {file}: {said}")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["most", "--budget", "0"], "argument --budget: is 0; it must be greater than 0"),
        (["most", "--budget", "3", "--of", "nobody"], "unknown application 'nobody'; known: chat"),
        (["solve", "--slo", "nobody=1"], "--slo: unknown objective 'nobody'; known: first, answer"),
        (["solve", "--slo", "1"], "--slo: the session has several objectives; name one of first, answer"),
        (["solve", "--slo", "answer=0"], "argument --slo: is 0; it must be greater than 0"),
        (["solve", "--rate", "nobody=1"], "--rate: unknown application 'nobody'; known: chat"),
        (["solve", "--rate", "chat=1,chat=2"], "argument --rate: 'chat' is given twice; keep one of them"),
        (["solve", "--rate", "chat=1e12"], "--rate: is too high for this session"),
    ],
)
def test_a_bad_option_is_one_line(arguments, said, tmp_path, capsys):
    file = tmp_path / "good.json"
    file.write_text(json.dumps(GOOD))
    verb, *options = arguments
    try:
        code = main([verb, str(file), *options])
    except SystemExit as end:  # from argparse
        code = end.code
    assert code == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert said in line


def test_the_longest_delay_is_explained_and_no_delay_changes_nothing(tmp_path, capsys):
    """10¹² s between a and b are more than any objective; 0 s are as no delay."""
    file = tmp_path / "long.json"
    file.write_text(json.dumps(changed(DELAY, 1e12)))
    assert main(["solve", str(file)]) == 3
    assert "delays on the way to b take 1000000000000 s, more than objective answer" in capsys.readouterr().err
    costs = []
    for data in (changed(DELAY, 0), changed(("edges",), [["a", "b"]])):
        file.write_text(json.dumps(data))
        assert main(["solve", str(file), "--json"]) == 0
        costs.append(json.loads(capsys.readouterr().out)["cost_per_h"])
    assert costs[0] == costs[1]
