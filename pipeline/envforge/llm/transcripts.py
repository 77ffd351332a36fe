"""Transcripts: every call of a run as a line of JSON, without secrets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from envforge.core.contracts import Model
from envforge.core.errors import ModelError
from envforge.core.model_errors import AnswerError
from envforge.core.records.completion import Completion, CompletionRequest
from envforge.llm.permission import Secret
from envforge.store.log import append_record


class Transcript:
    """Appends to a JSONL file. Every text goes through the scrubber, and `key` is taken out wherever it stands."""

    def __init__(self, path: Path, key: Secret | None = None) -> None:
        self._path = path
        self._key = key or Secret("")

    def answered(self, identity: str, request: CompletionRequest, completion: Completion) -> None:
        """A call with its answer. Raises StoreError."""
        self._append(identity, request, {"completion": completion.to_json()})

    def hit(self, identity: str) -> Callable[[CompletionRequest, Completion], None]:
        """Notes answers that came from a cache."""
        return lambda request, completion: self.answered(identity, request, completion)

    def failed(self, identity: str, request: CompletionRequest, error: ModelError) -> None:
        """A call that failed. Raises StoreError."""
        told: dict[str, Any] = {"kind": type(error).__name__, "message": error.message, "retryable": error.retryable}
        if isinstance(error, AnswerError):
            told["text"] = error.text
        self._append(identity, request, {"error": told})

    def _append(self, identity: str, request: CompletionRequest, outcome: dict[str, Any]) -> None:
        # The key is of the request as it was: a scripted model finds its answer by it.
        line = {"key": request.key(identity), "model": identity, "request": request.to_json(), **outcome}
        append_record(self._path, cast("dict[str, Any]", self._scrubbed(line)), sort_keys=False)

    def _scrubbed(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._key.hide(value)
        if isinstance(value, list):
            return [self._scrubbed(entry) for entry in cast("list[Any]", value)]
        if isinstance(value, dict):
            entries = cast("dict[str, Any]", value)
            return {self._key.hide(name): self._scrubbed(entry) for name, entry in entries.items()}
        return value


class RecordedModel:
    """A model of which every call, well or not, is written to a transcript."""

    def __init__(self, model: Model, transcript: Transcript) -> None:
        self._model = model
        self._transcript = transcript

    @property
    def identity(self) -> str:
        """Whom it asks."""
        return self._model.identity

    async def complete(self, request: CompletionRequest) -> Completion:
        """The answer. Raises ModelError."""
        try:
            completion = await self._model.complete(request)
        except ModelError as error:
            self._transcript.failed(self.identity, request, error)
            raise
        self._transcript.answered(self.identity, request, completion)
        return completion

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()
