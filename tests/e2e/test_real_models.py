"""What a real model on this machine can: `make model-test MODEL_URL=… MODEL=…` (marker `model`)."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
FLOOR = {"chat", "system message", "cut answers told", "schema, native", "log-probabilities", "streaming", "seeds"}
"""What the smallest models of a current server can; calling tools is another matter."""


@pytest.mark.model
def test_the_endpoint_can_what_any_server_can(envforge: Run, tmp_path: Path) -> None:
    url, name = os.environ.get("ENVFORGE_TEST_MODEL_URL"), os.environ.get("ENVFORGE_TEST_MODEL")
    if not url or not name:
        pytest.skip("set ENVFORGE_TEST_MODEL_URL and ENVFORGE_TEST_MODEL to an endpoint and a model there")
    wish = ("--model", name, "--base-url", url, "--extra", '{"cache_prompt": false}', "--json")
    done = envforge("models", "check", *wish, cwd=tmp_path, timeout=3600)
    assert done.returncode in (0, 1), done.stderr
    found = {finding["check"]: finding for finding in json.loads(done.stdout)["findings"]}
    assert {name: found[name]["detail"] for name in FLOOR if found[name]["verdict"] != "yes"} == {}
