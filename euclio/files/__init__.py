"""Instances and results in JSON files; the only place where outside data is validated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from euclio.core.lazy import lazy_names

if TYPE_CHECKING:
    from euclio.files.instance_files import load_instance, save_instance
    from euclio.files.result_files import WrittenResult, load_result, result_to_json, result_to_text, save_result
    from euclio.pipeline.files import cluster_from_text, cluster_to_text, load_cluster, save_cluster
    from euclio.session.files.instances import load_session, save_session, session_from_text, session_to_text

__all__ = [
    "WrittenResult",
    "cluster_from_text",
    "cluster_to_text",
    "load_cluster",
    "load_instance",
    "load_result",
    "load_session",
    "result_to_json",
    "result_to_text",
    "save_cluster",
    "save_instance",
    "save_result",
    "save_session",
    "session_from_text",
    "session_to_text",
]

__getattr__ = lazy_names(
    __name__,
    {
        "euclio.files.instance_files": ["load_instance", "save_instance"],
        "euclio.files.result_files": [
            "WrittenResult",
            "load_result",
            "result_to_json",
            "result_to_text",
            "save_result",
        ],
        "euclio.pipeline.files": ["cluster_from_text", "cluster_to_text", "load_cluster", "save_cluster"],
        "euclio.session.files.instances": ["load_session", "save_session", "session_from_text", "session_to_text"],
    },
)
