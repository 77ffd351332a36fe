"""Answers kept by what was asked: a run that is repeated or resumed pays nothing twice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from envforge.core.contracts import Model
from envforge.core.errors import StoreError
from envforge.core.model_errors import (
    AnswerError,
    EmptyAnswerError,
    FilteredAnswerError,
    MalformedArgumentsError,
    NotJsonError,
    RefusedAnswerError,
    SchemaMismatchError,
    ToolChoiceError,
    TruncatedAnswerError,
    UnknownToolError,
)
from envforge.core.records.completion import Completion, CompletionRequest, Usage
from envforge.store.files import read_json, write_json

UNUSABLE: dict[str, type[AnswerError]] = {
    kind.__name__: kind
    for kind in (
        *(EmptyAnswerError, FilteredAnswerError, MalformedArgumentsError, RefusedAnswerError),
        *(ToolChoiceError, TruncatedAnswerError, UnknownToolError),
        *(NotJsonError, SchemaMismatchError),
    )
}
"""What a model itself made of a request: to ask again is to ask the same."""
OnHit = Callable[[CompletionRequest, Completion], None]


class CachedModel:
    """One file per answer under `folder`, named by the hash of model and request; failures are never kept.

    Sampling without a seed is asked anew each time, unless `sampled`: then it is what was drawn first. With `unusable`,
    answers that may not be used are kept too, and raised again: a run that goes on with them asks for nothing twice.
    """

    def __init__(
        self,
        model: Model,
        folder: Path,
        *,
        sampled: bool = False,
        unusable: bool = False,
        on_hit: OnHit | None = None,
    ) -> None:
        self._model = model
        self._folder = folder
        self._sampled = sampled
        self._unusable = unusable
        self._on_hit = on_hit
        self._asking: dict[str, asyncio.Lock] = {}
        self.hits = 0

    @property
    def identity(self) -> str:
        """Whom it asks."""
        return self._model.identity

    async def complete(self, request: CompletionRequest) -> Completion:
        """The answer kept, or a new one. Raises ModelError; StoreError for a damaged file."""
        if request.sampled and not self._sampled:
            return await self._model.complete(request)
        key = request.key(self.identity)
        # Who asks the same meanwhile waits for that answer.
        lock = self._asking.setdefault(key, asyncio.Lock())
        async with lock:
            kept = self._kept(key)
            if kept is None:
                return await self._asked(request, self._path(key))
        self.hits += 1
        if self._on_hit:
            self._on_hit(request, kept)
        return kept

    async def _asked(self, request: CompletionRequest, path: Path) -> Completion:
        try:
            completion = await self._model.complete(request)
        except AnswerError as error:
            if self._unusable and type(error).__name__ in UNUSABLE:
                write_json(path, {"model": self.identity, "error": _written(error)})
            raise
        write_json(path, {"model": self.identity, "completion": completion.to_json()})
        return completion

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"

    def _kept(self, key: str) -> Completion | None:
        path = self._path(key)
        if not path.exists():
            return None
        value: Any = read_json(path)
        try:
            if self._unusable and "error" in value:
                self.hits += 1
                raise _read(value["error"])
            return Completion.model_validate({**value["completion"], "cached": True})
        except (ValidationError, KeyError, TypeError) as error:
            told = str(error).splitlines()[0]
            raise StoreError(f"is no kept answer: {told}", where=str(path), remedy="delete the file") from None

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()


def _written(error: AnswerError) -> dict[str, Any]:
    usage = error.usage.to_json() if error.usage is not None else None
    told = {"message": error.message, "remedy": error.remedy, "text": error.text}
    problems = {"problems": list(error.problems)} if isinstance(error, SchemaMismatchError) else {}
    return {"kind": type(error).__name__, **told, **problems, "usage": usage}


def _read(kept: dict[str, Any]) -> AnswerError:
    """Raises KeyError, TypeError, ValidationError for what is no error that was kept."""
    usage = Usage.model_validate(kept["usage"]) if kept["usage"] is not None else None
    if kept["kind"] == SchemaMismatchError.__name__:
        return SchemaMismatchError(kept["message"], problems=tuple(kept["problems"]), usage=usage, text=kept["text"])
    return UNUSABLE[kept["kind"]](kept["message"], remedy=kept["remedy"], text=kept["text"], usage=usage)
