"""The local provider with a package of ours in the place of the one that runs models: real processes, no real model."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from envforge.core import model_errors as errors
from envforge.core.errors import ConfigError
from envforge.core.records.completion import CompletionRequest
from envforge.llm.permission import CALLS_VARIABLE
from envforge.llm.providers.local import LocalModel

Ask = Callable[..., CompletionRequest]
STAND_IN = """
import os, types
from pathlib import Path
from envforge.llm.loopback.faults import well
from envforge.llm.loopback.answers import answer_of
from envforge.llm.loopback.server import LoopbackServer

class CommonParams:
    def __init__(self):
        self.model, self.cpuparams, self.cpuparams_batch = (types.SimpleNamespace() for _ in range(3))
        self.chat_template = ""

class Server:
    def __init__(self, params):
        print("loading", params.model.path)
        if Path(params.model.path).read_text() != "weights":
            raise SystemExit("this is no model")
        said = f"{os.getpid()} {params.cpuparams.n_threads} {params.n_ctx} {params.chat_template}"
        async def behave(exchange):
            if "chatter" in str(exchange.body):
                print("." * 300_000, flush=True)
            await well(answer_of(said))(exchange)

        self.server = LoopbackServer(behave, port=params.port)
        self.server.__enter__()
"""


@pytest.fixture
def model_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file for a model; the stand-in is importable here and in processes, and starting one is allowed."""
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "xllamacpp.py").write_text(STAND_IN)
    monkeypatch.syspath_prepend(packages)
    paths = [str(packages), str(Path(__file__).parents[3] / "pipeline")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.setenv(CALLS_VARIABLE, "any")
    path = tmp_path / "small.gguf"
    path.write_text("weights")
    return path


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_file_is_served_asked_and_ended(model_file: Path, ask: Ask, tmp_path: Path) -> None:
    template = tmp_path / "template.jinja"
    template.write_text("{{ messages }}")
    model = LocalModel(model_file, chat_template=template, threads=3, context=512)

    async def main() -> list[str]:
        answers = await asyncio.gather(*(model.complete(ask(text)) for text in ("a", "b")))
        await model.close()
        return [answer.text for answer in answers]

    first, second = asyncio.run(main())
    process, rest = first.split(" ", 1)
    assert first == second and rest == "3 512 {{ messages }}" and not alive(int(process))
    assert "small" in model.identity and "127.0.0.1" not in model.identity


def test_what_is_in_the_files_tells_models_apart(model_file: Path, tmp_path: Path) -> None:
    template = tmp_path / "template.jinja"
    template.write_text("{{ messages }}")
    other = tmp_path / "other" / model_file.name
    other.parent.mkdir()
    other.write_text("thgiew!")

    def identity(path: Path, chat_template: Path | None = None) -> str:
        return LocalModel(path, chat_template=chat_template).identity

    first = [identity(model_file), identity(other), identity(model_file, template)]
    template.write_text("{{ massages }}")
    assert len({*first, identity(model_file, template)}) == 4 and identity(model_file) == first[0]


def test_a_server_that_chatters_all_the_time_is_not_held_up(model_file: Path, ask: Ask) -> None:
    model = LocalModel(model_file, timeout_seconds=20.0)

    async def main() -> list[str]:
        answers = [(await model.complete(ask(f"chatter {number}"))).text for number in range(4)]
        await model.close()
        return answers

    assert len(set(asyncio.run(main()))) == 1


def test_a_server_that_died_is_started_anew(model_file: Path, ask: Ask) -> None:
    model = LocalModel(model_file)

    async def main() -> tuple[int, int]:
        first = int((await model.complete(ask())).text.split()[0])
        os.kill(first, signal.SIGKILL)
        for _ in range(100):
            try:
                again = int((await model.complete(ask())).text.split()[0])
            except errors.EndpointError:
                await asyncio.sleep(0.05)
                continue
            await model.close()
            return first, again
        raise AssertionError("it never came back")

    first, again = asyncio.run(main())
    assert first != again and not alive(again)


def test_a_file_that_is_no_model_is_told(model_file: Path, ask: Ask) -> None:
    model_file.write_text("a poem")

    async def main() -> None:
        model = LocalModel(model_file)
        with pytest.raises(errors.ServerFaultError, match="did not start"):
            await model.complete(ask())
        await model.close()

    asyncio.run(main())


def test_what_is_missing_is_told(model_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        LocalModel(model_file.parent / "none.gguf")
    with pytest.raises(ConfigError, match="no such file"):
        LocalModel(model_file, chat_template=model_file.parent / "none.jinja")
    monkeypatch.setattr("envforge.llm.providers.local.PACKAGE", "package_that_nobody_has")
    with pytest.raises(ConfigError, match=r"envforge\[local\]"):
        LocalModel(model_file)


def test_tests_start_no_model(model_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CALLS_VARIABLE, "loopback")
    with pytest.raises(errors.CallRefusedError):
        LocalModel(model_file)
