"""Instances and results in JSON files; the only place where outside data is validated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from euclio.core.lazy import lazy_names

if TYPE_CHECKING:
    from euclio.files.instance_files import load_instance, save_instance
    from euclio.files.result_files import load_result, result_to_json, result_to_text, save_result

__all__ = [
    "load_instance",
    "load_result",
    "result_to_json",
    "result_to_text",
    "save_instance",
    "save_result",
]

__getattr__ = lazy_names(
    __name__,
    {
        "euclio.files.instance_files": ["load_instance", "save_instance"],
        "euclio.files.result_files": [
            "load_result",
            "result_to_json",
            "result_to_text",
            "save_result",
        ],
        # Scripts take these from here; they stand with their families, by whose names alone they are known here.
        "euclio.core.result": ["WrittenResult"],
        "euclio.problems.pipeline.files": ["cluster_from_text", "cluster_to_text", "load_cluster", "save_cluster"],
        "euclio.problems.session.files.instances": [
            "load_session",
            "save_session",
            "session_from_text",
            "session_to_text",
        ],
    },
)
