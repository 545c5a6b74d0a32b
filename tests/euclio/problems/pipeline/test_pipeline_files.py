import pytest
from bad_clusters import BAD_TEXTS
from places import SHARED
from tiny_clusters import TEXT, tiny_cluster

from euclio.core.errors import InputError
from euclio.problems.pipeline.files import cluster_from_text, cluster_to_text, load_cluster, save_cluster

INSTANCES = SHARED
FILES = sorted(INSTANCES.glob("pipelines/*.json"))


def test_text_gives_the_cluster_typed_in_python():
    assert cluster_from_text(TEXT) == tiny_cluster()


def test_cluster_survives_saving_and_loading(tmp_path):
    save_cluster(tiny_cluster(), tmp_path / "tiny.json")
    assert load_cluster(tmp_path / "tiny.json") == tiny_cluster()


@pytest.mark.skipif(not FILES, reason="the folder shared/instances is absent")
def test_measured_instances_survive_saving_and_loading():
    for file in FILES:
        cluster = load_cluster(file)
        assert cluster_from_text(cluster_to_text(cluster)) == cluster


@pytest.mark.parametrize("case", BAD_TEXTS)
def test_bad_text_names_file_field_and_remedy_in_one_line(case):
    text, line = BAD_TEXTS[case]
    with pytest.raises(InputError) as caught:
        cluster_from_text(text, file="bad.json")
    assert str(caught.value).startswith(f"bad.json: {line}")
    assert "\n" not in str(caught.value)
