"""Instances and results in JSON files; the only place where outside data is validated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from euclio.core.lazy import lazy_names

if TYPE_CHECKING:
    from euclio.files.instance_files import load_instance, save_instance
    from euclio.files.result_files import WrittenResult, load_result, result_to_json, result_to_text, save_result
    from euclio.pipeline.files import cluster_from_text, cluster_to_text, load_cluster, save_cluster
    from euclio.session.files import load_session, save_session, session_from_text, session_to_text

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

_INSTANCES, _RESULTS = "euclio.files.instance_files", "euclio.files.result_files"
_SESSIONS, _CLUSTERS = "euclio.session.files", "euclio.pipeline.files"
__getattr__ = lazy_names(
    __name__,
    {
        "load_instance": _INSTANCES,
        "save_instance": _INSTANCES,
        "WrittenResult": _RESULTS,
        "load_result": _RESULTS,
        "result_to_json": _RESULTS,
        "result_to_text": _RESULTS,
        "save_result": _RESULTS,
        "cluster_from_text": _CLUSTERS,
        "cluster_to_text": _CLUSTERS,
        "load_cluster": _CLUSTERS,
        "save_cluster": _CLUSTERS,
        "load_session": _SESSIONS,
        "save_session": _SESSIONS,
        "session_from_text": _SESSIONS,
        "session_to_text": _SESSIONS,
    },
)
