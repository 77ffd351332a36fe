"""Answers kept by what was asked: a run that is repeated or resumed pays nothing twice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from envforge.core.contracts import Model
from envforge.core.errors import StoreError
from envforge.core.records.completion import Completion, CompletionRequest
from envforge.store.files import read_json, write_json

OnHit = Callable[[CompletionRequest, Completion], None]


class CachedModel:
    """One file per answer under `folder`, named by the hash of model and request; failures are never kept.

    Sampling without a seed is asked anew each time, unless `sampled`: then it is what was drawn first.
    """

    def __init__(self, model: Model, folder: Path, *, sampled: bool = False, on_hit: OnHit | None = None) -> None:
        self._model = model
        self._folder = folder
        self._sampled = sampled
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
                completion = await self._model.complete(request)
                write_json(self._path(key), {"model": self.identity, "completion": completion.to_json()})
                return completion
        self.hits += 1
        if self._on_hit:
            self._on_hit(request, kept)
        return kept

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"

    def _kept(self, key: str) -> Completion | None:
        path = self._path(key)
        if not path.exists():
            return None
        value: Any = read_json(path)
        try:
            return Completion.model_validate({**value["completion"], "cached": True})
        except (ValidationError, KeyError, TypeError) as error:
            told = str(error).splitlines()[0]
            raise StoreError(f"is no kept answer: {told}", where=str(path), remedy="delete the file") from None

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()
