"""How agents ask their model: every answer is on disk before it is used, so that none is paid twice."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from types import TracebackType
from typing import Any

from envforge.core.contracts import Model
from envforge.core.model_errors import EmptyAnswerError
from envforge.core.records.completion import Completion, CompletionRequest
from envforge.llm.cache import CachedModel
from envforge.llm.structured import Structured, structured

_FENCED = re.compile(r"```(\w*)[ \t]*\n(.*?)(?:\n```|\Z)", re.DOTALL)


class Asker:
    """A model, and a folder with its answers by what was asked. One event loop for all calls of a run.

    `native`: the endpoint holds the model to a schema; otherwise only the prompt says it.
    """

    def __init__(self, model: Model, replies: Path, *, native: bool = True) -> None:
        self._model = CachedModel(model, replies, sampled=True, unusable=True)
        self._native = native
        self._runner = asyncio.Runner()

    @property
    def identity(self) -> str:
        """Which model of whom."""
        return self._model.identity

    def json(self, request: CompletionRequest, schema: dict[str, Any]) -> Structured:
        """A value that fits the schema, from one try: what to make of a wrong one is the caller's to decide.

        Raises ModelError.
        """
        return self._runner.run(structured(self._model, request, schema, native=self._native, tries=1))

    def text(self, request: CompletionRequest) -> Completion:
        """An answer in words. Raises ModelError."""
        return self._runner.run(self._model.complete(request))

    def close(self) -> None:
        """Close the model and the loop."""
        try:
            self._runner.run(self._model.close())
        finally:
            self._runner.close()

    def __enter__(self) -> Asker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def code_of(completion: Completion, language: str = "python") -> str:
    """The longest fenced block of an answer in that language (or in none that is named), else the whole of a text
    without a block. Raises EmptyAnswerError where nothing is left."""
    blocks = [body for named, body in _FENCED.findall(completion.text) if named.lower() in ("", language, language[:2])]
    found = max(blocks, key=len, default="") if "```" in completion.text else completion.text
    if not found.strip():
        message = f"the answer holds no block of {language} code"
        raise EmptyAnswerError(message, usage=completion.usage, text=completion.text)
    return found.strip("\n") + "\n"
