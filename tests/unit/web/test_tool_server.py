"""Servers of the Model Context Protocol, as small programs over stdio; none of their tools is ever called."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import cast

import pytest

from envforge.core.errors import ConfigError, SourceError
from envforge.core.records.source import Anchor
from envforge.web import tool_server
from envforge.web.fetch import open_fetcher
from envforge.web.tool_server import ToolServerFetcher

SERVER = """
import json, os, sys
print("a line of a log", flush=True)
for line in sys.stdin:
    message = json.loads(line)
    number, method = message.get("id"), message["method"]
    if number is None:
        continue
    if method == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "Harbour desk", "version": "1.2"}}
    elif method == "tools/list" and "cursor" not in message["params"]:
        seen = sorted(os.environ) if "--environment" in sys.argv else []
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}), flush=True)
        print(json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}), flush=True)
        result = {"tools": [{"name": "list_ships", "inputSchema": {"type": "object"}, "seen": seen,
                             "home": os.environ["HOME"]}], "nextCursor": "2"}
    elif method == "tools/list":
        result = {"tools": [{"name": "get_ship", "inputSchema": {"type": "object"}}]}
    else:
        sys.exit("a call that nobody asked for")
    print(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}), flush=True)
"""


def spec_of(folder: Path, source: str, *arguments: str) -> str:
    program = folder / "server.py"
    program.write_text(source)
    return "mcp:" + shlex.join([sys.executable, "-I", str(program), *arguments])


def fetch(spec: str, timeout: float = 60.0) -> list[dict[str, object]]:
    (item,) = ToolServerFetcher([spec], timeout=timeout, clock=lambda: "2024-05-01T08:00:00Z").fetch(Anchor(spec=spec))
    assert item.source.retrieved_at == "2024-05-01T08:00:00Z"
    return json.loads(item.body)["tools"]


def living(mark: str) -> list[str]:
    """Processes that have `mark` in their command line (Linux)."""
    found: list[str] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes()
            state = (folder / "stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if mark.encode() in line and state != "Z":
            found.append(folder.name)
    return found


def test_all_pages_of_a_servers_tools(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, SERVER)
    (item,) = ToolServerFetcher([spec]).fetch(Anchor(spec=spec))
    assert [tool["name"] for tool in json.loads(item.body)["tools"]] == ["list_ships", "get_ship"]
    assert (item.source.url, item.source.path) == ("mcp:Harbour-desk@1.2", "Harbour-desk.tools.json")
    assert item.source.mime == "application/json" and item.source.licence.status == "unstated"
    assert str(tmp_path) not in str(item.source.to_json())


def test_it_inherits_no_secret_and_its_home_is_gone_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARBOUR_TOKEN", "secret")
    first = fetch(spec_of(tmp_path, SERVER, "--environment"))[0]
    seen = first["seen"]
    assert isinstance(seen, list)
    assert {"PATH", "HOME", "LANG"} <= set(map(str, cast("list[object]", seen)))
    assert "HARBOUR_TOKEN" not in seen and "USER" not in seen
    assert first["home"] != os.environ.get("HOME") and not Path(str(first["home"])).exists()


def test_only_what_the_user_named_is_started(tmp_path: Path) -> None:
    mark = tmp_path / "started"
    spec = spec_of(tmp_path, f"open({str(mark)!r}, 'w')")
    with pytest.raises(ConfigError, match="may not start a program") as caught:
        ToolServerFetcher([]).fetch(Anchor(spec=spec))
    assert "--source" in caught.value.remedy
    door = open_fetcher(workspace=tmp_path, snapshot=None, cache=tmp_path / "cache")
    with pytest.raises(ConfigError, match="may not start a program"):
        door.fetch(Anchor(spec=spec))
    assert not mark.exists()


def test_a_server_that_never_answers_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    source = (
        "import subprocess, sys, time\n"
        "command = [sys.executable, '-c', 'import time; time.sleep(600)', sys.argv[1]]\n"
        "subprocess.Popen(command, start_new_session=True)\n"
        "time.sleep(600)\n"
    )
    mark = f"never-{os.getpid()}-answers"
    spec = spec_of(tmp_path, source, mark)
    with pytest.raises(SourceError, match="did not answer within 2 seconds") as caught:
        fetch(spec, timeout=2.0)
    assert caught.value.retryable and caught.value.remedy
    assert not living(mark)


def test_a_server_that_reads_nothing_is_ended_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_server, "_PROTOCOL", "x" * 1_000_000)  # more than a pipe holds
    with pytest.raises(SourceError, match="did not answer"):
        fetch(spec_of(tmp_path, "import time; time.sleep(600)"), timeout=1.0)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "ended before it answered"),
        ("import sys; sys.stdout.write('x' * 50_000_000); sys.stdout.flush(); sys.stdin.read()", "more than"),
        (
            'print(\'{"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "no"}}\', flush=True); input()',
            "refuses",
        ),
        ("print('[' * 100_000, flush=True)", "ended before"),
    ],
    ids=["ends", "floods", "refuses", "nests"],
)
def test_other_ways_to_fail(tmp_path: Path, source: str, message: str) -> None:
    with pytest.raises(SourceError, match=message) as caught:
        fetch(spec_of(tmp_path, source))
    assert caught.value.remedy


def test_a_command_that_is_not_there() -> None:
    with pytest.raises(SourceError, match="cannot be started"):
        fetch("mcp:no-such-program-anywhere --x")


def test_pages_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_server, "MAX_PAGES", 5)
    endless = SERVER.replace(
        'result = {"tools": [{"name": "get_ship"', 'result = {"nextCursor": "3", "tools": [{"name": "get"'
    )
    with pytest.raises(SourceError, match="more than 5 pages"):
        fetch(spec_of(tmp_path, endless))


def test_a_server_of_the_reference_library(tmp_path: Path) -> None:
    pytest.importorskip("mcp.server.mcpserver")
    source = (
        "from mcp.server.mcpserver import MCPServer\n"
        "server = MCPServer('harbour')\n"
        "@server.tool()\n"
        "async def get_ship(ship_id: str) -> dict:\n"
        "    'Look a ship up.'\n"
        "    raise SystemExit('never called')\n"
        "server.run()\n"
    )
    program = tmp_path / "desk.py"
    program.write_text(source)
    (tool,) = fetch("mcp:" + shlex.join([sys.executable, str(program)]))
    assert tool["name"] == "get_ship" and tool["description"] == "Look a ship up."
