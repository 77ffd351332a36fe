"""The process that serves a model's file: `python -m envforge.llm.providers.local_server SETTINGS` (JSON).

It says `listening URL` on standard output and ends when its standard input does, that is, when whoever started it ends.
"""

from __future__ import annotations

import importlib
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

PACKAGE = "xllamacpp"


def serve(settings: dict[str, Any]) -> Any:
    """Start the server; it runs until what is returned goes away."""
    package: Any = importlib.import_module(PACKAGE)
    params = package.CommonParams()
    params.model.path = settings["model"]
    params.model_alias = {Path(settings["model"]).stem}
    params.hostnames = ["127.0.0.1"]
    params.port = _free_port()
    params.n_ctx = settings["context"]
    params.n_parallel = settings["parallel"]
    params.cpuparams.n_threads = settings["threads"]
    params.cpuparams_batch.n_threads = settings["threads"]
    params.use_jinja = True
    params.ui = False
    if settings["chat_template"]:
        params.chat_template = Path(settings["chat_template"]).read_text(encoding="utf-8")
    server = package.Server(params)
    print(f"\nlistening http://127.0.0.1:{params.port}/v1", flush=True)  # noqa: T201
    _say_no_more()
    return server


def _say_no_more() -> None:
    """From here on nobody reads standard output: a server that went on writing there would stop at a full pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


if __name__ == "__main__":
    held = serve(json.loads(sys.argv[1]))
    sys.stdin.read()
