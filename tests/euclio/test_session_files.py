import json
from pathlib import Path

import pytest
from tiny_sessions import TEXT, tiny_session

from euclio import load
from euclio.core.errors import InputError
from euclio.core.numbers import exact
from euclio.files import json_reading, load_session, save_session, session_from_text, session_to_text

INSTANCES = Path(__file__).parents[3] / "shared" / "instances"
FILES = sorted(INSTANCES.glob("sessions*/*.json"))


def test_text_gives_the_session_typed_in_python():
    assert session_from_text(TEXT) == tiny_session()


def test_load_is_offered_by_the_package(tmp_path):
    path = tmp_path / "tiny.json"
    save_session(tiny_session(), path)
    assert load(path) == tiny_session()


@pytest.mark.skipif(not FILES, reason="the folder shared/instances is absent")
def test_measured_instances_survive_saving_and_loading(tmp_path):
    for file in FILES:
        session = load_session(file)
        save_session(session, tmp_path / "again.json")
        assert load_session(tmp_path / "again.json") == session


@pytest.mark.parametrize("number", ["0.1", "1e-3", "0.1000000000000000055511151231257827", "123456789.000000001"])
def test_decimal_text_is_kept_exactly(number):
    session = session_from_text(TEXT.replace('"slo_s": 1.0', f'"slo_s": {number}'))
    assert session.slo_s == exact(number)
    assert session_from_text(session_to_text(session)) == session


def test_byte_order_mark_is_accepted(tmp_path):
    path = tmp_path / "bom.json"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    assert load_session(path) == tiny_session()


def test_file_above_the_limit_is_refused_without_reading(tmp_path, monkeypatch):
    path = tmp_path / "large.json"
    with path.open("wb") as stream:
        stream.truncate(200 * 1024**2)
    monkeypatch.setattr(Path, "open", lambda *a, **k: pytest.fail("the file was opened"))
    with pytest.raises(InputError, match="larger than the limit of 64 MiB"):
        json_reading.read_json(path)


def changed(change):
    data = json.loads(TEXT)
    change(data)
    return json.dumps(data)


def set_in(*path_and_value):
    *path, last, value = path_and_value

    def change(data):
        for key in path:
            data = data[key]
        data[last] = value

    return changed(change)


def without(*path):
    *path, last = path

    def change(data):
        for key in path:
            data = data[key]
        del data[last]

    return changed(change)


def renamed(old, new, *path):
    def change(data):
        for key in path:
            data = data[key]
        data[new] = data.pop(old)

    return changed(change)


ROW = ("modules", 0, "profile", 0)

BAD_TEXTS = {
    "unknown field": (set_in("modules", 0, "gpu", 1), "modules[0].gpu", "is an unknown field"),
    "misspelt field": (renamed("edges", "edgs"), "edgs", "did you mean `edges`?"),
    "rate without unit": (
        renamed("rate_rps", "rate", "modules", 1),
        "modules[1].rate",
        "write `rate_rps`, in requests",
    ),
    "slo without unit": (renamed("slo_s", "slo"), "slo", "write `slo_s`, in seconds"),
    "slo in milliseconds": (renamed("slo_s", "slo_ms"), "slo_ms", "write `slo_s`, in seconds"),
    "price without unit": (renamed("price_per_h", "price", "hardware", 0), "hardware[0].price", "`price_per_h`"),
    "duration without unit": (renamed("duration_s", "duration", *ROW), "modules[0].profile[0].duration", "seconds"),
    "missing field": (without("slo_s"), "slo_s", "is missing; add it, in seconds"),
    "missing edges": (without("edges"), "edges", "is missing"),
    "missing batch": (without(*ROW, "batch"), "modules[0].profile[0].batch", "is missing"),
    "text for a number": (set_in("slo_s", "1"), "slo_s", "is the text '1'; it must be a number"),
    "true for a number": (set_in("slo_s", True), "slo_s", "is true"),
    "null for a number": (set_in("slo_s", None), "slo_s", "is null"),
    "fraction for a batch": (set_in(*ROW, "batch", 1.5), "modules[0].profile[0].batch", "whole number"),
    "object for a list": (set_in("modules", {}), "modules", "it must be a list"),
    "list for an object": (set_in("modules", 0, []), "modules[0]", "it must be an object"),
    "number for a name": (set_in("modules", 0, "name", 3), "modules[0].name", "it must be a text"),
    "empty name": (set_in("modules", 0, "name", " "), "modules[0].name", "printable"),
    "line break in a name": (set_in("modules", 0, "name", "a\nb"), "modules[0].name", "printable"),
    "edge of three": (set_in("edges", [["a", "b", "c"]]), "edges[0]", "an edge is [from, to]"),
    "edge of one": (set_in("edges", [["detect"]]), "edges[0][1]", "an edge is [from, to]"),
    "NaN": (set_in("slo_s", float("nan")), "slo_s", "is NaN; give a finite"),
    "infinite": (set_in("modules", 0, "rate_rps", float("inf")), "modules[0].rate_rps", "is Infinity"),
    "vast exponent": (TEXT.replace("1.0,", "1e999999999,", 1), "slo_s", "ordinary size"),
    "vast whole number": (TEXT.replace("1.0,", "1" * 5000 + ",", 1), "slo_s", "5000 characters"),
    "zero rate": (set_in("modules", 1, "rate_rps", 0), "modules[1].rate_rps", "greater than 0"),
    "negative slo": (set_in("slo_s", -1), "slo_s", "greater than 0"),
    "negative price": (set_in("hardware", 1, "price_per_h", -2), "hardware[1].price_per_h", "at least 0"),
    "zero batch": (set_in(*ROW, "batch", 0), "modules[0].profile[0].batch", "from 1"),
    "zero duration": (set_in(*ROW, "duration_s", 0), "modules[0].profile[0].duration_s", "greater than 0"),
    "empty profile": (set_in("modules", 0, "profile", []), "modules[0].profile", "is empty"),
    "no modules": (set_in("modules", []), "modules", "no modules"),
    "configuration twice": (
        changed(lambda d: d["modules"][0]["profile"].append(d["modules"][0]["profile"][0])),
        "modules[0].profile",
        "two configurations share",
    ),
    "unknown hardware": (set_in(*ROW, "hardware", "T4"), "modules[0].profile[0].hardware", "unknown hardware 'T4'"),
    "duplicate hardware": (set_in("hardware", 1, "name", "V100"), "hardware[1].name", "listed twice"),
    "duplicate module": (set_in("modules", 1, "name", "detect"), "modules[1].name", "listed twice"),
    "duplicate edge": (set_in("edges", [["detect", "classify"]] * 2), "edges[1]", "listed twice"),
    "unknown module": (set_in("edges", [["detect", "track"]]), "edges[0]", "unknown module 'track'"),
    "cycle": (
        set_in("edges", [["detect", "classify"], ["classify", "detect"]]),
        "edges",
        "form a cycle: ",
    ),
    "duplicate key": (TEXT.replace('"slo_s": 1.0', '"slo_s": 1.0, "slo_s": 2'), "slo_s", "written twice"),
    "no schema": (without("schema"), "schema", "is missing"),
    "wrong version": (set_in("schema", "euclio/session/9"), "schema", "this release reads euclio/session/1"),
    "wrong schema": (set_in("schema", "euclio/result/1"), "schema", "a file of schema euclio/session/1"),
    "deep nesting": (TEXT.replace("[[", "[" * 100 + "[[").replace("]]}", "]]" + "]" * 100 + "}"), "edges", "nested"),
    "very deep nesting": ("[" * 200_000, None, "nested"),
    "a list": ("[]", None, "must hold an object"),
    "not JSON": ('{"schema": ', None, "is not JSON at line 1 column 12"),
    "empty file": (" \n", None, "is empty"),
    "binary text": ("\0\1\2", None, "binary"),
}


@pytest.mark.parametrize("case", BAD_TEXTS)
def test_bad_text_names_file_field_and_remedy_in_one_line(case):
    text, field, words = BAD_TEXTS[case]
    with pytest.raises(InputError) as caught:
        session_from_text(text, file="bad.json")
    error = caught.value
    assert error.file == "bad.json"
    assert words in error.message
    assert "\n" not in str(error)
    if case == "deep nesting":
        assert error.field.startswith("edges")
    else:
        assert error.field == field


def long_chain(count):
    """A chain of modules that share a profile, as text, in reverse order of the edges."""
    row = {"hardware": "h", "batch": 1, "concurrency": 1, "duration_s": 0.1}
    return json.dumps(
        {
            "schema": "euclio/session/1",
            "name": "long",
            "slo_s": 1,
            "hardware": [{"name": "h", "price_per_h": 1}],
            "modules": [{"name": f"m{i}", "rate_rps": 10, "profile": [row]} for i in range(count)],
            "edges": [[f"m{i}", f"m{i + 1}"] for i in range(count - 1)],
        }
    )


def test_modules_with_equal_profiles_share_one():
    session = session_from_text(long_chain(3))
    assert session.modules[0].profile is session.modules[2].profile


def test_cycle_of_very_many_modules_is_named_in_short():
    text = long_chain(5000).replace('["m0", "m1"]', '["m4999", "m0"], ["m0", "m1"]')
    with pytest.raises(InputError, match=r"edges: the edges form a cycle: (m\d+ -> )+\.\.\. -> m\d+; remove") as error:
        session_from_text(text)
    assert len(str(error.value)) < 400


def test_reading_that_takes_too_long_is_bad_input(monkeypatch, tmp_path):
    monkeypatch.setattr("euclio.files.reading_limit.READING_LIMIT_S", 0.05)
    path = tmp_path / "long.json"
    path.write_text(long_chain(20_000))
    with pytest.raises(InputError, match=r"long.json: takes more than 0.05 s to read; give a smaller one"):
        load_session(path)
