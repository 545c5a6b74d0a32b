import json
from dataclasses import replace
from pathlib import Path

import pytest
from bad_sessions import BAD_TEXTS
from places import SHARED
from tiny_sessions import TEXT, tiny_session

from euclio import load
from euclio.core.errors import InputError
from euclio.core.numbers import exact
from euclio.files import json_reading
from euclio.problems.session.files.instances import load_session, save_session, session_from_text, session_to_text

INSTANCES = SHARED
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


@pytest.mark.slow
def test_cycle_of_very_many_modules_is_named_in_short():
    text = long_chain(5000).replace('["m0", "m1"]', '["m4999", "m0"], ["m0", "m1"]')
    with pytest.raises(InputError, match=r"edges: the edges form a cycle: (m\d+ -> )+\.\.\. -> m\d+; remove") as error:
        session_from_text(text)
    assert len(str(error.value)) < 400


def test_reading_that_takes_too_long_is_bad_input(monkeypatch, tmp_path):
    monkeypatch.setattr("euclio.files.instance_files.READING_LIMIT_S", 0.05)
    path = tmp_path / "long.json"
    path.write_text(long_chain(20_000))
    with pytest.raises(InputError, match=r"long.json: takes more than 0.05 s to read; give a smaller one"):
        load_session(path)


def test_a_currency_is_kept_and_an_old_file_keeps_its_bytes():
    session = session_from_text(TEXT)
    assert '"currency"' not in session_to_text(session)
    with_currency = replace(session, currency="EUR")
    assert session_from_text(session_to_text(with_currency)) == with_currency
