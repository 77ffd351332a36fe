"""The agents that a run may be about: those that ship by name, and models."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from envforge.core.ids import canonical_json, sha256_text
from envforge.llm.connect import ModelSettings, connect
from envforge.llm.prices import Prices
from envforge.rollout.model_player import ModelPlay, ModelPlayer
from envforge.rollout.named_player import NamedPlayer
from envforge.rollout.request import Player

CACHE = "cache"


async def _nothing() -> None:
    """An agent without a model holds no connection."""


@dataclass(frozen=True)
class Subject:
    """The agent that a run is about. `model` is its name at the endpoint, for its price; nothing: no model."""

    player: Player
    model: str = ""
    close: Callable[[], Awaitable[None]] = field(default=_nothing)


def named_subject(agent: str, max_turns: int) -> Subject:
    """An agent that ships. Raises ConfigError for an unknown one."""
    return Subject(NamedPlayer(agent, max_turns=max_turns))


def model_subject(settings: ModelSettings, play: ModelPlay, folder: Path, prices: Prices) -> Subject:
    """A model; its accounts and the cache of its answers stand in the folder of the run.

    Raises ConfigError for settings that cannot hold, StoreError for damaged files of an earlier run.
    """
    name = Path(settings.model).name
    connection = connect(settings, run=folder, cache=folder / CACHE, prices=prices, transcribed=False)
    player = ModelPlayer(connection.model, play, name=f"model:{name}")
    return Subject(player, settings.model, connection.model.close)


def model_folder(runs: Path, settings: ModelSettings, play: ModelPlay, tasks: object) -> Path:
    """The folder of a model's run, where none is named: the same question, the same folder."""
    asked = [settings.model, settings.provider, settings.base_url, dict(settings.extra), repr(play), repr(tasks)]
    plain = "".join(letter if letter.isalnum() else "-" for letter in Path(settings.model).name).strip("-")
    return runs / f"eval-{plain[-40:]}-{sha256_text(canonical_json(asked))[:8]}"
