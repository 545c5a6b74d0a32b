"""Plans of sessions as deployments: groups of machines alike, written in the formats of serving systems."""

from euclio.core.lazy import callable_package

# `euclio.export` is this room and a verb.
callable_package(__name__, "euclio.verbs.export", "export")
