"""How a session's plan is served, in plain Python: the definition in code, which the compiled engine is held to.

It is written from docs/model/serving.md alone and shares nothing with the engine but the `System` that both serve.
"""

from .records import Execution, Invocation, Served
from .server import serve, serve_clients

__all__ = ["Execution", "Invocation", "Served", "serve", "serve_clients"]
