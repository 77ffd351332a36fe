"""Prices of models, from a dated data file (validators/prices/models.json)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from envforge.core.errors import ConfigError
from envforge.core.records.base import Record
from envforge.core.records.completion import Usage
from envforge.store.files import read_json

PRICES_FILE = "validators/prices/models.json"
_MILLION = 1_000_000
_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")


class Price(Record):
    """US dollars for a million tokens; without `cached_input` what is cached costs like the rest."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached_input: float | None = Field(default=None, ge=0)

    def cost(self, usage: Usage) -> float:
        """Dollars of a call."""
        again = usage.cached_prompt_tokens
        cached = self.input if self.cached_input is None else self.cached_input
        paid = (usage.prompt_tokens - again) * self.input + again * cached + usage.completion_tokens * self.output
        return paid / _MILLION


class Prices(Record):
    """What models cost, as of a day. `source` is where a reader finds each figure, `note` what to know of them."""

    as_of: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    source: str = Field(min_length=1)
    note: str = ""
    models: dict[str, Price] = Field(default_factory=dict[str, Price])

    def of(self, model: str) -> Price | None:
        """The price of a model; of a dated one (name-2026-01-31) that of its name. None: unknown."""
        return self.models.get(model) or self.models.get(_DATED.sub("", model))


def read_prices(path: Path) -> Prices:
    """The prices of a file. Raises ConfigError naming the field, StoreError."""
    value: Any = read_json(path)
    try:
        return Prices.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{place}: {first['msg']}", where=str(path), remedy="see docs/models.md") from None
