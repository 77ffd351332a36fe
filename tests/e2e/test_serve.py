"""`envforge serve` as a program: many clients of both kinds, bad input, and an end that leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from jsonschema import Draft202012Validator
from mcp import Client

from envforge.core.errors import EnvforgeError, SandboxError
from envforge.core.records.trajectory import Trajectory
from envforge.factory.opened_tasks import open_tasks
from envforge.rollout.agents import Answer, Call, agent_maker
from envforge.rollout.score import Scorer
from envforge.store.episodes import read_episodes
from envforge.store.record_lines import read_records
from envforge.store.workspace import Workspace
from envforge.world.client import EpisodeServer
from envforge.world.environment import Environment
from envforge.world.replay import audit
from envforge.world.serve.told import output_schema

Run = Callable[..., "subprocess.CompletedProcess[str]"]
ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "tests" / "fixtures" / "environments" / "library"
SHIPPED = ("notion", "airline-booking")
CLIENTS = 64


@dataclass
class Program:
    """A running server."""

    process: subprocess.Popen[str]
    ready: dict[str, Any]

    @property
    def url(self) -> str:
        return self.ready["url"]

    def below(self) -> list[psutil.Process]:
        """Its own processes."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def end(self, number: int) -> tuple[int, str]:
        """Exit code and what it wrote to standard error."""
        self.process.send_signal(number)
        _, told = self.process.communicate(timeout=60)
        return self.process.returncode, told


@pytest.fixture
def start(child_environment: Callable[[Mapping[str, str]], dict[str, str]]) -> Any:
    """start(arguments…) → a context with a running server."""

    @contextlib.contextmanager
    def run(*arguments: str, cwd: Path = ROOT) -> Generator[Program]:
        command = [sys.executable, "-m", "envforge.cli.main", "serve", *arguments, "--port", "0", "--json"]
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, cwd=cwd, env=child_environment({}), text=True, stdout=pipe, stderr=pipe
        ) as process:
            try:
                assert process.stdout is not None and process.stderr is not None
                line = process.stdout.readline()
                assert line, process.stderr.read()
                yield Program(process, json.loads(line))
            finally:
                process.kill()

    return run


Start = Callable[..., "contextlib.AbstractContextManager[Program]"]

# What each client writes, and what it must see of it alone.
WRITES: dict[str, Callable[[int], tuple[str, dict[str, Any]]]] = {
    "notion": lambda number: ("create_page", {"title": f"Page of client {number:03}"}),
    "airline-booking": lambda number: (
        "create_customer",
        {"first_name": "Zelda", "last_name": f"Client{number:03}", "birth_date": "1990-05-01",
         "email": f"zelda{number:03}@example.com"},
    ),
}  # fmt: skip
READS: dict[str, tuple[str, dict[str, Any]]] = {
    "notion": ("search", {"query": "Page of client"}),
    "airline-booking": ("search_customers", {"first_name": "Zelda"}),
}
MARK = re.compile(r"(?:Page of client |Client)(\d{3})")


async def _official(server: Program, mode: str, number: int, name: str) -> str:
    """The official client; the episode is finished by who started it."""
    with EpisodeServer(server.url, server.ready["token"]) as control:
        episode = await asyncio.to_thread(control.start, name, seed=number)
        seen: Any = None
        async with Client(episode.mcp_url, mode=mode) as client:
            await client.list_tools()
            for tool, arguments in (WRITES[name](number), READS[name]):
                result = await client.call_tool(tool, arguments)
                assert not result.is_error, result
                seen = result.structured_content
        assert await asyncio.to_thread(episode.finish, {"client": number}) is True
        return json.dumps(seen)


def _plain(server: Program, number: int, name: str) -> str:
    """Our own client."""
    with EpisodeServer(server.url, server.ready["token"]) as control, control.start(name, seed=number) as episode:
        seen: Any = None
        for tool, arguments in (WRITES[name](number), READS[name]):
            observation = episode.call(tool, arguments)
            assert observation.ok, observation
            seen = observation.body
        assert episode.finish({"client": number}) is True
        return json.dumps(seen)


async def _all_at_once(server: Program) -> list[str]:
    with ThreadPoolExecutor(CLIENTS) as threads:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(threads)

        def one(number: int) -> Coroutine[Any, Any, str]:
            name, kind = SHIPPED[number % 2], number // 2 % 3
            if kind == 2:
                return asyncio.to_thread(_plain, server, number, name)
            return _official(server, ("auto", "legacy")[kind], number, name)

        return await asyncio.gather(*(one(number) for number in range(CLIENTS)))


@pytest.mark.slow
def test_many_clients_keep_their_states_apart(start: Start, tmp_path: Path) -> None:
    with start(*SHIPPED, "--record", str(tmp_path)) as server:
        seen = asyncio.run(_all_at_once(server))
        for number, text in enumerate(seen):
            assert set(MARK.findall(text)) == {f"{number:03}"}, text
        below = server.below()
        assert server.end(signal.SIGTERM) == (0, "")
        _, alive = psutil.wait_procs(below, timeout=20)
        assert not alive
    for name in SHIPPED:
        environment = Environment.open(ROOT / "environments" / name)
        episodes = read_episodes(tmp_path / name / "episodes.jsonl")
        assert sorted(episode.seed for episode in episodes) == [n for n in range(CLIENTS) if SHIPPED[n % 2] == name]
        # What each episode claims to have seen and changed, a process of its own gives too.
        assert audit(environment, episodes, share=0.25, seed=1) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_gold_solutions_pass_through_the_server(start: Start, tmp_path: Path, name: str) -> None:
    opened = open_tasks(Workspace(ROOT), name)
    chosen = [task for task in opened.tasks.tasks if task.difficulty.minimal_calls <= 12][:8]
    assert {task.kind for task in chosen} == {"graph", "program"}
    schemas = {tool.name: Draft202012Validator(output_schema(tool.returns)) for tool in opened.environment.tools}
    with start(name, "--tasks", "--record", str(tmp_path)) as server:
        with EpisodeServer(server.url, server.ready["token"]) as control:
            listed = control.tasks()[name]
            assert [one["task"] for one in listed] == [task.id for task in opened.tasks.tasks]
            for task in chosen:
                with control.start(task=task.id) as episode:
                    assert (episode.instruction, episode.now) == (task.instruction, task.now)
                    agent = agent_maker("gold")(opened.assignment(task), 0)
                    action = agent.act(None)
                    while isinstance(action, Call):
                        seen = episode.call(action.tool, action.arguments).body
                        schemas[action.tool].validate(seen)
                        action = agent.act(seen)
                    agent.close()
                    assert isinstance(action, Answer)
                    episode.finish(action.value)
        assert server.end(signal.SIGINT) == (0, "")
    made = read_records(tmp_path / name / "trajectories.jsonl", Trajectory, "")
    assert [one.task_id for one in made] == [task.id for task in chosen]
    with Scorer(opened.environment) as scorer:
        for task, one in zip(chosen, made, strict=True):
            verdict = scorer.score_episode(task, one, opened.tasks.verifiers.get(task.id) or None)
            assert verdict.score == 1.0, (task.id, verdict)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_with_everything_it_started(start: Start, number: int) -> None:
    arguments = (str(LIBRARY), "--uncertified", "--workers", "2")
    with start(*arguments) as server:
        with EpisodeServer(server.url, server.ready["token"]) as control:
            episodes = [control.start() for _ in range(4)]
            assert all(episode.call("get_book", {"book_id": 101}).ok for episode in episodes)
            below = server.below()
            assert len(below) >= 3
            # Connections that are open, and one that is in the middle of a request.
            half = socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2])))
            half.sendall(b"POST /e/x/call HTTP/1.1\r\nhost: localhost\r\ncontent-len")
            code, told = server.end(number)
            half.close()
            for episode in episodes:
                with pytest.raises(EnvforgeError):
                    episode.close()
        assert (code, told) == (0, "")
        _, alive = psutil.wait_procs(below, timeout=20)
        assert not alive


HANGS = """
import asyncio, sys
from pathlib import Path
from envforge.world.environment import Environment
from envforge.world.serve import episodes, server, stdio
from envforge.world.serve.offer import Offer
async def hang(*_):
    print("starting", file=sys.stderr, flush=True)
    await asyncio.sleep(600)
offer = Offer(Environment.open(Path(sys.argv[1])))
if sys.argv[2] == "http":
    episodes.Episodes.__aenter__ = hang
    config = server.ServeConfig(port=0)
    server.serve([offer], config, server.open_listener(config), print)
else:
    episodes.Episodes.start = hang
    stdio.serve_stdio(offer, stdio.StdioConfig())
"""
"""A server whose start does not come to an end."""


@pytest.mark.parametrize("way", ["http", "stdio"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_calls_off_a_start(
    child_environment: Callable[[Mapping[str, str]], dict[str, str]], way: str, number: int
) -> None:
    command = [sys.executable, "-c", HANGS, str(LIBRARY), way]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, env=child_environment({}), text=True, stdin=pipe, stdout=pipe, stderr=pipe
    ) as process:
        assert process.stderr is not None and process.stderr.readline() == "starting\n"
        below = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(number)
        assert process.communicate(timeout=60) == ("", "") and process.returncode == 0
    _, alive = psutil.wait_procs(below, timeout=20)
    assert not alive


def test_what_runs_when_it_is_told_to_end_is_answered(start: Start, tmp_path: Path) -> None:
    folder = tmp_path / "library"
    shutil.copytree(LIBRARY, folder)
    source = (folder / "tools.py").read_text(encoding="utf-8")
    at = source.index('"""', source.index('"""', source.index("def get_book(")) + 3) + 3
    slow = "\n    total = 0\n    for number in range(30_000_000):\n        total += number\n"
    (folder / "tools.py").write_text(source[:at] + slow + source[at:], encoding="utf-8")
    with start(str(folder), "--uncertified", "--isolation", "forked") as server:
        with EpisodeServer(server.url, server.ready["token"]) as control, ThreadPoolExecutor(1) as thread:
            episode = control.start()
            running = thread.submit(episode.call, "get_book", {"book_id": 101})
            deadline = time.monotonic() + 30
            while not running.running() and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(0.2)
            server.process.send_signal(signal.SIGTERM)
            assert running.result(timeout=60).ok
            with pytest.raises(EnvforgeError):
                episode.close()
        _, told = server.process.communicate(timeout=60)
        assert (server.process.returncode, told) == (0, "")


def test_a_server_that_is_killed_leaves_no_process(start: Start) -> None:
    with start(str(LIBRARY), "--uncertified") as server:
        with EpisodeServer(server.url, server.ready["token"]) as control:
            episode = control.start()
            assert episode.call("get_book", {"book_id": 101}).ok
            below = server.below()
            assert below
            server.process.kill()
            with pytest.raises(SandboxError):
                episode.close()
        _, alive = psutil.wait_procs(below, timeout=20)
        assert not alive


def test_the_ready_line_for_people(
    child_environment: Callable[[Mapping[str, str]], dict[str, str]], tmp_path: Path
) -> None:
    token = tmp_path / "token"
    token.write_text("a-token-of-one-s-own\n", encoding="utf-8")
    for more in ([], ["--token-file", str(token)]):
        command = [
            sys.executable,
            "-m",
            "envforge.cli.main",
            "serve",
            str(LIBRARY),
            "--uncertified",
            "--port",
            "0",
            *more,
        ]
        with subprocess.Popen(command, env=child_environment({}), text=True, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            line = process.stdout.readline()
            process.terminate()
            rest = process.stdout.read()
        assert re.fullmatch(r"serving library at http://127\.0\.0\.1:\d+(; token \S{40,})?\n", line)
        assert ("; token" in line) is (not more) and "one-s-own" not in line + rest and rest == ""


BAD: list[tuple[tuple[str, ...], str]] = [
    (("notthere",), "no environment 'notthere'"),
    (("notion", "notion"), "two environments have the id notion"),
    (("notion", "--host", "0.0.0.0"), "can be reached from other machines"),
    (("notion", "--host", "no.such.host.invalid", "--token-file", "token"), "is no address"),
    (("notion", "--host", "192.0.2.1", "--token-file", "token"), "cannot listen on 192.0.2.1"),
    (("notion", "--token-file", "missing"), "no such file"),
    (("notion", "--token-file", "short"), "holds no token"),
    (("notion", "--task", "1"), "--task goes with --stdio only"),
    (("notion", "--stdio", "--tasks"), "--tasks does not go with --stdio"),
    (("notion", "--stdio", "--port", "1"), "--port does not go with --stdio"),
    (("notion", "airline-booking", "--stdio"), "--stdio serves one environment, not 2"),
    (("notion", "--stdio", "--task", "task-nope"), "no task 'task-nope'"),
    ((str(LIBRARY),), "the certificate does not hold"),
    ((str(LIBRARY), "--uncertified", "--tasks"), "holds no tasks"),
]


@pytest.mark.parametrize(("arguments", "told"), BAD, ids=[" ".join(arguments)[-60:] for arguments, _ in BAD])
def test_bad_input(envforge: Run, tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    (tmp_path / "token").write_text("a-token-of-one-s-own", encoding="utf-8")
    (tmp_path / "short").write_text("secret", encoding="utf-8")
    done = envforge("serve", *arguments, "--workspace", str(ROOT), cwd=tmp_path, timeout=120)
    assert done.returncode == 2, done.stdout
    assert told in done.stderr and "Traceback" not in done.stderr and done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_tampered_environment_is_not_served(envforge: Run, tmp_path: Path) -> None:
    place = tmp_path / "environments" / "notion"
    shutil.copytree(ROOT / "environments" / "notion", place)
    (place / "tools.py").write_text((place / "tools.py").read_text(encoding="utf-8") + "\n", encoding="utf-8")
    for more in ((), ("--stdio",)):
        done = envforge("serve", "notion", *more, cwd=tmp_path, timeout=120)
        assert done.returncode == 2 and done.stdout == ""
        assert "the certificate does not hold" in done.stderr and "envforge check notion" in done.stderr


def test_a_machine_that_cannot_hold_tool_code_serves_none(envforge: Run, tmp_path: Path) -> None:
    for more in (("--port", "0"), ("--stdio",)):
        arguments = ("serve", "notion", *more, "--workspace", str(ROOT))
        done = envforge(*arguments, cwd=tmp_path, env={"ENVFORGE_SANDBOX": "paper"}, timeout=120)
        assert done.returncode == 2 and done.stdout == "" and "there is no sandbox 'paper'" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_port_in_use(envforge: Run, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = envforge("serve", "notion", "--port", port, "--workspace", str(ROOT), cwd=tmp_path, timeout=120)
    assert done.returncode == 2 and f"port {port} is in use" in done.stderr and "Traceback" not in done.stderr


def test_nothing_of_a_server_is_imported_before_it_is_wanted() -> None:
    heavy = ("mcp", "uvicorn", "starlette", "anyio")
    code = f"import sys, envforge.cli.main; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "[]\n"


INSPECTOR = os.environ.get("ENVFORGE_TEST_INSPECTOR") or shutil.which("mcp-inspector")


@pytest.mark.skipif(
    INSPECTOR is None, reason="needs mcp-inspector in PATH: npm install @modelcontextprotocol/inspector"
)
def test_the_inspector_s_command_line(
    start: Start, child_environment: Callable[[Mapping[str, str]], dict[str, str]]
) -> None:
    def inspect(*arguments: str) -> Any:
        command = [str(INSPECTOR), "--cli", *arguments]
        done = subprocess.run(
            command, env=child_environment({}), capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    call = ("--method", "tools/call", "--tool-name", "search", "--tool-arg", "query=heron", "--tool-arg", "page_size=1")
    with (
        start("notion") as server,
        EpisodeServer(server.url, server.ready["token"]) as control,
        control.start() as episode,
    ):
        over_http = (episode.mcp_url, "--transport", "http")
        assert len(inspect(*over_http, "--method", "tools/list")["tools"]) > 10
        found = inspect(*over_http, *call)
        refused = inspect(*over_http, *call[:5], "query=heron", "--tool-arg", "page_size=0")
    assert len(found["structuredContent"]["result"]["items"]) == 1
    assert refused["isError"] is True
    program = (sys.executable, "-m", "envforge.cli.main", "serve", "notion", "--stdio", "--workspace", str(ROOT))
    path = ("-e", f"PYTHONPATH={os.environ.get('PYTHONPATH', '')}")
    assert inspect(*path, *program, *call)["structuredContent"] == found["structuredContent"]
