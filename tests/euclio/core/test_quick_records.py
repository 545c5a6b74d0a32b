"""Records that are changed and sent quickly are what `dataclasses` makes of them."""

import pickle
from dataclasses import FrozenInstanceError, dataclass, fields, replace

import pytest
from run_batches import LONG

from euclio.core.quick_records import changed, quick
from euclio.experiments.execution import blank_record
from euclio.experiments.record import Record
from euclio.experiments.task import SolverSetting, Task
from euclio.supervision.serving import Said


def record():
    setting = SolverSetting("harpagon", "1", "h")
    return blank_record(Task("session", "s", "hash", setting, LONG, 0, 0))


def test_a_changed_record_is_that_of_dataclasses():
    given = record()
    changes = {"status": "optimal", "value": 1.5, "plan": {"modules": []}}
    assert changed(given, **changes) == replace(given, **changes)
    assert given.status == "unknown"


def test_a_field_that_is_not_there_cannot_be_changed():
    with pytest.raises(TypeError, match="Record has no field 'cost'"):
        changed(record(), cost=1.0)


@pytest.mark.parametrize("make", [record, lambda: Said(record()), lambda: LONG])
def test_what_is_sent_arrives_as_it_was(make):
    sent = make()
    arrived = pickle.loads(pickle.dumps(sent))
    assert type(arrived) is type(sent)
    assert all(getattr(arrived, field.name) == getattr(sent, field.name) for field in fields(sent))


def test_the_key_of_a_task_is_sent_and_not_made_again():
    task = Task("session", "s", "hash", SolverSetting("harpagon", "1", "h"), LONG, 0, 0)
    object.__setattr__(task, "key", "as it was")
    assert pickle.loads(pickle.dumps(task)).key == "as it was"


def test_what_arrived_is_frozen():
    arrived = pickle.loads(pickle.dumps(record()))
    with pytest.raises(FrozenInstanceError):
        arrived.status = "optimal"


def test_sending_a_record_asks_for_no_list_of_fields(monkeypatch):
    """Which is what took longer than all else of sending it, 100 µs of each run."""
    sent = pickle.dumps(record())

    def refused(*_):
        raise AssertionError("the fields are listed again")

    monkeypatch.setattr("dataclasses.fields", refused)
    assert isinstance(pickle.loads(sent), Record)
    assert pickle.loads(pickle.dumps(changed(record(), status="optimal"))).status == "optimal"


@quick
@dataclass(frozen=True, slots=True)
class One:
    """A record of a single field, whose value may itself be a tuple."""

    pair: tuple[int, int]


def test_a_record_of_one_field_is_sent_too():
    assert pickle.loads(pickle.dumps(One((1, 2)))) == One((1, 2))
    assert changed(One((1, 2)), pair=(3, 4)) == One((3, 4))
