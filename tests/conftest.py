"""What the cross-room tests share: the command line as a subprocess, and environments that are built once per run."""

from __future__ import annotations

import atexit
import fcntl
import importlib
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.sites.certificates import certified
from tests.sites.hub import LoopbackHub
from tests.sites.server import Site
from tests.warm import WarmStart

from envforge.core.contracts import TaskCandidate
from envforge.core.records.blueprint import Blueprint
from envforge.core.records.environment import EnvironmentBlueprint
from envforge.core.records.graph import ToolGraph
from envforge.core.records.intent import IntentFamily
from envforge.store.tasks import TaskSet, read_set_certificate, read_tasks, write_tasks
from envforge.synth.author import CompiledTaskAuthor, Proposal
from envforge.world.environment import Environment

FIXTURES = Path(__file__).parent / "fixtures"
ROOT = Path(__file__).parents[1]
Run = Callable[..., "subprocess.CompletedProcess[str]"]
Build = Callable[[str, Callable[[Path], None]], Path]

MUTANTS_IN_TESTS = 48
"""Mutants that are planted where the mutation gate is beside the point; the share that must die is the shipped one."""


OTHER_ORDER = {"PYTHONHASHSEED": "1"}
"""Sets in another order than in commands that start warm, which have one order: the same bytes must come of both."""


def _environment(extra: Mapping[str, str]) -> dict[str, str]:
    # Tables as wide as they like, no colours, and no package client that could reach a network by mistake.
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith(("PIP_", "NPM_CONFIG_"))}
    offline = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "NO_COLOR": "1", "COLUMNS": "240", "TERM": "dumb"}
    return {**kept, **offline, **extra}


_warm = WarmStart(_environment({}))
atexit.register(_warm.close)


def _run(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, timeout: float = 300, **options: Any
) -> subprocess.CompletedProcess[str]:
    environment = _environment(env or {})
    # What Python reads when it starts, and what subprocess.run does before, needs a process that starts cold.
    if not options and not any(name.startswith("PYTHON") for name in env or {}):
        return _warm.run(arguments, cwd=cwd, env=environment, timeout=timeout)
    return _cold(*arguments, cwd=cwd, env=environment, timeout=timeout, **options)


def _cold(
    *arguments: str, cwd: Path, env: Mapping[str, str], timeout: float = 300, **options: Any
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "envforge.cli.main", *arguments],
        cwd=cwd,
        env=env,
        timeout=timeout,
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


@pytest.fixture(autouse=True)
def no_real_models(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test calls a model that is not on loopback or starts one, but those marked `model`; no test has a key."""
    for name in [name for name in os.environ if name.startswith("OPENAI_")]:
        monkeypatch.delenv(name)
    if request.node.get_closest_marker("model") is None:
        monkeypatch.setenv("ENVFORGE_MODEL_CALLS", "loopback")


@pytest.fixture(scope="session")
def envforge() -> Run:
    """envforge("mine", …, cwd=FOLDER, env={…}) → the finished process of the command line."""
    return _run


@pytest.fixture(scope="session")
def child_environment() -> Callable[[Mapping[str, str]], dict[str, str]]:
    """The environment variables of such a process, for tests that start it by themselves."""
    return _environment


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """once(name, make) → a folder that `make` fills, once for all worker processes. It is read only: copy it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def build(name: str, make: Callable[[Path], None]) -> Path:
        folder, mark = shared / name, shared / f"{name}.done"
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not mark.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                mark.touch()
        return folder

    return build


@pytest.fixture(scope="session")
def few_mutants() -> Callable[[Path], None]:
    """Puts a thresholds file into a workspace that differs from the shipped one in the number of mutants only."""

    def write(workspace: Path) -> None:
        value = json.loads((ROOT / "validators/gates/environment.json").read_text(encoding="utf-8"))
        value["mutation"]["most"] = MUTANTS_IN_TESTS
        target = workspace / "validators" / "gates" / "environment.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(value), encoding="utf-8")

    return write


def _mine(workspace: Path, theme: str, options: Sequence[str] = ()) -> None:
    source = f"file:{FIXTURES / theme}"
    done = _run("mine", "--theme", theme, "--new", "--source", source, "--json", *options, cwd=workspace, timeout=900)
    (workspace / "report.json").write_text(done.stdout, encoding="utf-8")
    (workspace / "exit").write_text(f"{done.returncode}\n{done.stderr}", encoding="utf-8")


@pytest.fixture(scope="session")
def lighthouses(once: Build) -> Path:
    """A workspace with the certified environment `lighthouses`: four CSV files, no archetype, shipped thresholds."""
    return once("lighthouses", lambda folder: _mine(folder, "lighthouses"))


@pytest.fixture(scope="session")
def coast(once: Build, few_mutants: Callable[[Path], None]) -> Path:
    """A workspace where `lighthouses` was mined from a folder of its own; what the command said is in `said`."""

    def make(folder: Path) -> None:
        shutil.copytree(FIXTURES / "lighthouses", folder / "lighthouses")
        few_mutants(folder)
        command = ("mine", "--theme", "lighthouses", "--new", "--source", "file:lighthouses")
        done = _run(*command, cwd=folder, env=OTHER_ORDER)
        assert done.returncode == 0, done.stdout + done.stderr
        (folder / "said").write_text(done.stdout, encoding="utf-8")

    return once("coast", make)


@pytest.fixture(scope="session")
def ferry(once: Build, few_mutants: Callable[[Path], None]) -> Path:
    """A workspace with `ferry` and `ferry--s1`: a timetable as CSV files, with an archetype and writing tools."""

    def make(folder: Path) -> None:
        few_mutants(folder)
        _mine(folder, "ferry", ["--database-seeds", "0-1"])

    return once("ferry", make)


TASKS_IN_TESTS = 12


@pytest.fixture(scope="session")
def ferry_tasks(once: Build, ferry: Path) -> Path:
    """A workspace with `ferry` and a few tasks of it, made by the command line; its answer is in report.json."""

    def make(folder: Path) -> None:
        shutil.copytree(ferry / "environments" / "ferry", folder / "environments" / "ferry")
        shutil.copytree(ferry / "validators", folder / "validators")
        wish = ("--env", "ferry", "--count", str(TASKS_IN_TESTS), "--processes", "2")
        done = _run("synth-tasks", *wish, "--json", cwd=folder, timeout=900)
        (folder / "report.json").write_text(done.stdout, encoding="utf-8")
        (folder / "exit").write_text(f"{done.returncode}\n{done.stderr}", encoding="utf-8")

    return once("ferry_tasks", make)


@pytest.fixture(scope="session")
def snapshot() -> Path:
    """The folder of the snapshot; skips without one."""
    folder = os.environ.get("ENVFORGE_TEST_SNAPSHOT")
    if not folder:
        pytest.skip("set ENVFORGE_TEST_SNAPSHOT to a folder with snapshot.warc.gz and index.json")
    return Path(folder)


def _tree(folder: Path) -> dict[str, bytes]:
    found = {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    return dict(sorted(found.items()))


@pytest.fixture(scope="session")
def tree() -> Callable[[Path], dict[str, bytes]]:
    """tree(folder) → path → bytes of every file, hidden ones too."""
    return _tree


@pytest.fixture(scope="session")
def library() -> Environment:
    """The library environment of the fixtures, opened."""
    return Environment.open(FIXTURES / "environments" / "library")


@pytest.fixture(scope="session")
def library_candidates(library: Environment) -> dict[str, TaskCandidate]:
    """Family → its first candidate task in the library environment (fixtures/goals/library.yaml)."""
    text = (FIXTURES / "goals" / "library.yaml").read_text(encoding="utf-8")
    families = [IntentFamily.model_validate(entry) for entry in yaml.safe_load(text)]
    knowledge = EnvironmentBlueprint(blueprint=Blueprint(theme="library", title="Library", tables=(), operations=()))
    author = CompiledTaskAuthor(library, knowledge, [(family, "archetype") for family in families], seed=1)
    found: dict[str, TaskCandidate] = {}
    for proposal in author.proposals():
        assert isinstance(proposal, Proposal), proposal
        found.setdefault(proposal.candidate.family.id, proposal.candidate)
    assert set(found) == {family.id for family in families}
    return dict(sorted(found.items()))


@pytest.fixture(scope="session")
def started_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The loopback web, started once; tests take `site`."""
    site = Site(*certified(tmp_path_factory.mktemp("certificates")))
    yield site
    site.close()


@pytest.fixture
def site(started_site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A little web on loopback (tests/sites); a connection to anywhere else is a failure of the test."""
    connect = socket.socket.connect

    def only_here(self: socket.socket, address: Any) -> None:
        assert self.family == socket.AF_UNIX or address[0] in ("127.0.0.1", "::1"), f"dialled {address}"
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", only_here)
    started_site.reset()
    return started_site


@pytest.fixture(scope="session")
def started_hub() -> Iterator[LoopbackHub]:
    """A hub on loopback, started once; tests take `loopback_hub`."""
    hub = LoopbackHub()
    yield hub
    hub.close()


@pytest.fixture
def loopback_hub(started_hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> LoopbackHub:
    """A hub without repositories (tests/sites/hub.py); its client in this process keeps nothing elsewhere."""
    constants: Any = importlib.import_module("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub-cache"))
    importlib.import_module("huggingface_hub.utils").disable_progress_bars()
    started_hub.reset()
    return started_hub


@pytest.fixture(scope="session")
def small_set(once: Build) -> Path:
    """A workspace with a shipped environment and a few of its tasks."""

    def make(folder: Path) -> None:
        shutil.copytree(ROOT / "environments" / "web-browsers", folder / "environments" / "web-browsers")
        shipped = ROOT / "tasks" / "web-browsers"
        write_few_tasks(shipped, folder / "tasks" / "web-browsers", TASKS_TO_PUBLISH)

    return once("small_set", make)


TASKS_TO_PUBLISH = 6


def write_few_tasks(source: Path, target: Path, count: int) -> None:
    """The first tasks of a folder, with a certificate that fits them."""
    found = read_tasks(source)
    tasks = found.tasks[:count]
    programs, verifiers = (
        {task.id: sources[task.id] for task in tasks if task.id in sources}
        for sources in (found.programs, found.verifiers)
    )
    graph = ToolGraph.model_validate(json.loads((source / "graph.json").read_text(encoding="utf-8")))
    write_tasks(target, TaskSet(tasks, programs, verifiers, graph), [], read_set_certificate(source))
