"""A model that answers what it was told to: a list, a function, or the transcript of another run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import ValidationError

from envforge.core.errors import ConfigError, ModelError
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
    kept: dict[str, list[tuple[int, Completion]]] = {}
    identities: set[str] = set()
    for number, line in enumerate(each_jsonl(path), start=1):
        try:
            if "completion" in line:
                kept.setdefault(line["key"], []).append((number, Completion.model_validate(line["completion"])))
                identities.add(line["model"])
        except (KeyError, TypeError, ValidationError) as error:
            told = str(error).splitlines()[0]
            raise ConfigError(f"line {number} is none of a transcript: {told}", where=str(path)) from None
    left: dict[str, list[Completion]] = {}

    def answer(request: CompletionRequest) -> Answer:
        # By the key: the request itself stands there without what looked like a secret.
        asked = request.key("")
        if asked not in left:
            found = [entry for identity in identities for entry in kept.get(request.key(identity), ())]
            left[asked] = [completion for _, completion in sorted(found, key=itemgetter(0))]
        answers = left[asked]
        if not answers:
            return ScriptEndedError("the transcript has no answer to this request", where=str(path))
        return answers.pop(0) if len(answers) > 1 else answers[0]

    return ScriptedModel(answer, identity=f"transcript {path.name}")
