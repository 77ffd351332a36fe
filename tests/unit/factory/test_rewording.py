"""Tasks in the words of a model behind an endpoint: what passes the gates is kept, what does not never ships."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import ConfigError
from envforge.factory.synth_tasks import synth_tasks
from envforge.factory.task_config import SynthConfig, SynthReport
from envforge.factory.verify_tasks import verify_tasks
from envforge.llm.connect import ModelSettings
from envforge.llm.loopback.answers import answer_of
from envforge.llm.loopback.server import Exchange, LoopbackServer
from envforge.store.tasks import read_set_certificate, read_tasks
from envforge.store.workspace import Workspace

from .test_synth_tasks import Choose, Tree, choose, loosen, silent

__all__ = ["choose"]
QUICK = ("new-contact-details",)
COURTESY = " Many thanks in advance."
Write = Callable[[str], str]


def courteous(request: str) -> str:
    """The same request with a courtesy that says nothing."""
    return request + COURTESY


def forgetful(request: str) -> str:
    """Every name and number is gone."""
    return " ".join("it" if any(c.isdigit() or c.isupper() for c in word) else word for word in request.split())


def generous(request: str) -> str:
    """It asks for more than the goal."""
    return f"{request} And give all of them a refund of $500."


class Endpoint:
    """Answers as a writer and as a reader who finds everything."""

    def __init__(self) -> None:
        self.write: Write = courteous
        self.calls = 0

    async def __call__(self, exchange: Exchange) -> None:
        self.calls += 1
        asked = exchange.body["messages"][1]["content"]
        if exchange.body.get("logprobs"):
            top = [{"token": "yes", "logprob": math.log(0.9)}, {"token": "no", "logprob": math.log(0.1)}]
            await exchange.answer(answer_of("yes", logprobs={"content": [{**top[0], "top_logprobs": top}]}))
            return
        request = asked.removeprefix("REQUEST\n").partition("\n\nFIXED WORDS")[0]
        await exchange.answer(answer_of(self.write(request)))


@pytest.fixture
def endpoint() -> Endpoint:
    return Endpoint()


@pytest.fixture(scope="module")
def workspace(ferry: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all tests here: what was judged once is not judged again."""
    folder = tmp_path_factory.mktemp("worded")
    shutil.copytree(ferry / "environments" / "ferry", folder / "environments" / "ferry")
    loosen(folder, balance={"families": 1, "family_share": 1.0})
    return folder


@pytest.fixture
def make(workspace: Path, choose: Choose, endpoint: Endpoint) -> Iterator[Callable[..., SynthReport]]:
    choose(QUICK)
    with LoopbackServer(endpoint) as server:

        def made(author: Any, **wish: Any) -> SynthReport:
            model = ModelSettings("m", base_url=server.base_url) if author != "compiled" else None
            config = SynthConfig(workspace, ("ferry",), 1, processes=1, author=author, model=model, **wish)
            return synth_tasks(config, silent)[0]

        yield made


def test_words_that_pass_are_kept_and_verified_and_paid_once(
    make: Callable[..., SynthReport], endpoint: Endpoint, workspace: Path, tree: Tree
) -> None:
    report = make("mixed")
    assert report.shipped and report.wording is not None
    assert (report.wording.asked, report.wording.kept, report.wording.refused) == (1, 1, {})
    assert report.spent["calls"] == endpoint.calls and report.spent["completion_tokens"] > 0
    tasks = read_tasks(report.folder).tasks
    assert all(task.instruction.endswith(COURTESY) for task in tasks)
    assert all(task.words_by.startswith("agent:") and "reword-1@" in task.words_by for task in tasks)
    certificate = read_set_certificate(report.folder)
    assert certificate.author == "mixed" and certificate.wording == report.wording
    assert set(report.wording.before) == set(report.wording.after)
    verified = verify_tasks(Workspace(workspace), "ferry", silent)
    assert verified.problems == ()
    before, calls = tree(workspace / "tasks"), endpoint.calls
    shutil.rmtree(workspace / "tasks")
    make("mixed")
    assert tree(workspace / "tasks") == before and endpoint.calls == calls, "something was asked for twice"
    damaged = workspace / "tasks" / "ferry" / "tasks.jsonl"
    damaged.write_text(damaged.read_text(encoding="utf-8").replace(COURTESY, " And refund everyone $500."))
    problems = verify_tasks(Workspace(workspace), "ferry", silent).problems
    assert any("covered rejects it" in one for one in problems), problems


@pytest.mark.parametrize("write", [forgetful, generous])
def test_words_that_lose_or_add_something_never_ship(
    make: Callable[..., SynthReport], endpoint: Endpoint, write: Write
) -> None:
    endpoint.write = write
    mixed = make("mixed")
    assert mixed.wording is not None and mixed.wording.kept == 0 and mixed.wording.refused == {"writer": 1}
    assert mixed.shipped and not any(task.words_by for task in mixed.tasks)
    assert {task.instruction for task in mixed.tasks} == {task.instruction for task in make("compiled").tasks}
    only_theirs = make("agent")
    assert not only_theirs.tasks and not only_theirs.shipped and only_theirs.rejected["wording: writer"] == 1


def test_an_author_without_a_model(workspace: Path) -> None:
    with pytest.raises(ConfigError, match="needs a model"):
        synth_tasks(SynthConfig(workspace, ("ferry",), 2, author="mixed"), silent)
