"""A model that answers what it was told to: a list, a function, or the transcript of another run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import ValidationError

from envforge.core.errors import ConfigError, ModelError
from envforge.core.ids import canonical_json
from envforge.core.model_errors import ScriptEndedError
from envforge.core.records.completion import Completion, CompletionRequest
from envforge.llm.answer import read_answer
from envforge.llm.loopback.answers import answer_of
from envforge.store.files import each_jsonl

Answer: TypeAlias = "str | dict[str, Any] | Completion | ModelError"
"""A text, the raw answer of a server (it is read as strictly as a real one), a completion, or an error to raise."""
Script: TypeAlias = "Sequence[Answer] | Callable[[CompletionRequest], Answer]"


class ScriptedModel:
    """Answers from a script. `asked` holds the requests, in order. A list that is used up is an error."""

    def __init__(self, script: Script, *, identity: str = "scripted") -> None:
        self._function = script if callable(script) else None
        self._rest: Iterator[Answer] = iter(() if callable(script) else script)
        self._identity = identity
        self.asked: list[CompletionRequest] = []

    @property
    def identity(self) -> str:
        """What it was called."""
        return self._identity

    async def complete(self, request: CompletionRequest) -> Completion:
        """The next answer. Raises it where it is an error, and ScriptEndedError after the last."""
        self.asked.append(request)
        # As with a real one, others get their turn meanwhile.
        await asyncio.sleep(0)
        answer = self._function(request) if self._function else next(self._rest, None)
        if answer is None:
            raise ScriptEndedError(f"the script has no answer to call {len(self.asked)}", where=self._identity)
        if isinstance(answer, ModelError):
            raise answer
        if isinstance(answer, Completion):
            return answer
        return read_answer(answer_of(answer) if isinstance(answer, str) else answer, request)

    async def close(self) -> None:
        """Nothing to close."""


def from_transcript(path: Path) -> ScriptedModel:
    """Answers each request as the transcript has it; the same one asked again gets the next of its answers, in turn.

    Raises ConfigError for a line that is none of a transcript, StoreError for an unreadable file.
    """
    kept: dict[str, list[Completion]] = {}
    for number, line in enumerate(each_jsonl(path), start=1):
        try:
            if "completion" in line:
                request = CompletionRequest.model_validate(line["request"])
                kept.setdefault(_asked(request), []).append(Completion.model_validate(line["completion"]))
        except (KeyError, ValidationError) as error:
            told = str(error).splitlines()[0]
            raise ConfigError(f"line {number} is none of a transcript: {told}", where=str(path)) from None

    def answer(request: CompletionRequest) -> Answer:
        left = kept.get(_asked(request))
        if not left:
            return ScriptEndedError("the transcript has no answer to this request", where=str(path))
        return left.pop(0) if len(left) > 1 else left[0]

    return ScriptedModel(answer, identity=f"transcript {path.name}")


def _asked(request: CompletionRequest) -> str:
    asked = request.model_dump(mode="json", exclude={"stage", "stream"})
    return canonical_json(asked)
