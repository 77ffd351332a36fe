"""A model in a file: starts llama.cpp's own server on loopback for it, in a process that ends with this one."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import importlib.util
import json
import sys
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from envforge.core.errors import ConfigError
from envforge.core.model_errors import ServerFaultError
from envforge.core.records.completion import Completion, CompletionRequest
from envforge.llm.fields import excerpt
from envforge.llm.permission import require_permission
from envforge.llm.providers.local_server import PACKAGE
from envforge.llm.providers.openai import OpenAIModel

_REPEATABLE: Mapping[str, Any] = {"cache_prompt": False}
"""With a prompt kept from another call, equal seeds give different texts."""


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:16]


class LocalModel:
    """Serves a GGUF file and asks it. The server starts with the first call.

    `chat_template`: a file with a Jinja template instead of the model's own. Raises ConfigError where the file or the
    package that runs it is missing, CallRefusedError where this process may start none.
    """

    def __init__(
        self,
        path: Path,
        *,
        chat_template: Path | None = None,
        context: int = 8192,
        threads: int = 2,
        parallel: int = 1,
        timeout_seconds: float = 600.0,
        start_seconds: float = 300.0,
    ) -> None:
        require_permission("")
        for file in (path, chat_template):
            if file is not None and not file.is_file():
                raise ConfigError(
                    "no such file", where=str(file), remedy="give a GGUF file, and a Jinja file as template"
                )
        if importlib.util.find_spec(PACKAGE) is None:
            raise ConfigError(f"needs the package {PACKAGE}", where=str(path), remedy="pip install 'envforge[local]'")
        settings = {"model": str(path), "context": context, "threads": threads, "parallel": parallel}
        self._settings: dict[str, Any] = {**settings, "chat_template": str(chat_template or "")}
        self._name = path.stem
        self._files = (path, chat_template)
        self._timeout = timeout_seconds
        self._start_seconds = start_seconds
        self._starting = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self._model: OpenAIModel | None = None

    @property
    def identity(self) -> str:
        """The file's name and what changes its answers; not the address, which is another each time.

        By content: models of one base have names and sizes alike, and an answer kept from one is none of another's.
        """
        weights, template = self._digests
        told = f", template {template}" if template else ""
        return f"{self._name} (sha256 {weights}), context {self._settings['context']}{told}"

    @cached_property
    def _digests(self) -> tuple[str, str]:
        """Of weights and template; "" for a file that is not given."""
        weights, template = self._files
        return _digest(weights), _digest(template) if template is not None else ""

    async def complete(self, request: CompletionRequest) -> Completion:
        """The answer. Raises ModelError. A server that has died since the last call is started anew."""
        async with self._starting:
            if self._process is not None and self._process.returncode is not None:
                await self.close()
            self._model = self._model or await self._started()
            model = self._model
        return await model.complete(request)

    async def _started(self) -> OpenAIModel:
        pipe, null = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        command = (sys.executable, "-m", "envforge.llm.providers.local_server", json.dumps(self._settings))
        self._process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=null)
        try:
            async with asyncio.timeout(self._start_seconds):
                base_url = await self._address(self._process)
        except TimeoutError:
            await self.close()
            told = f"the local server did not start within {self._start_seconds:g} seconds"
            raise ServerFaultError(told, where=self._name) from None
        return OpenAIModel(self._name, base_url=base_url, timeout_seconds=self._timeout, extra=_REPEATABLE)

    async def _address(self, process: asyncio.subprocess.Process) -> str:
        """What the server says when it is ready; it chatters before."""
        assert process.stdout is not None
        said = b""
        async for line in process.stdout:
            if line.startswith(b"listening "):
                return line.split()[1].decode()
            said = line
        await process.wait()
        told = f"the local server did not start: {excerpt(said.decode('utf-8', 'replace'))}"
        raise ServerFaultError(told, where=self._settings["model"], remedy="is it a GGUF file that fits into memory?")

    async def close(self) -> None:
        """End the server."""
        if self._model is not None:
            await self._model.close()
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
        self._model = self._process = None
