"""What all curricula have alike: their tasks, their decks, and a state that is saved and restored exactly."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from envforge.core.errors import ConfigError
from envforge.core.ids import canonical_json, sha256_text
from envforge.core.records.base import Record
from envforge.core.records.curriculum import CurriculumState, CurriculumTask, GroupResult
from envforge.core.seeds import stream
from envforge.train.curricula.deck import Deck

SettingsT = TypeVar("SettingsT", bound=Record)
Told: TypeAlias = tuple[CurriculumTask, GroupResult]
"""A task, and what came of a group of its episodes."""


class NoSettings(Record):
    """There is nothing to set."""


class SeededCurriculum(ABC, Generic[SettingsT]):
    """Draws come from the seed and the number of the draw alone, so that a state holds no generator."""

    name: ClassVar[str]

    def __init__(self, tasks: Sequence[CurriculumTask], settings: SettingsT, seed: int) -> None:
        """Raises ConfigError for no tasks, and for two of one id."""
        self._known = {task.id: task for task in tasks}
        if not tasks or len(self._known) < len(tasks):
            what = "there are no tasks to choose from" if not tasks else "two tasks have one id"
            raise ConfigError(what, where=f"curriculum {self.name}", remedy="make the training set again")
        self.settings = settings
        self._tasks = tuple(sorted(tasks, key=lambda task: task.id))
        self._seed = seed
        self._draws = 0
        self._decks: dict[str, Deck[CurriculumTask]] = {}

    def sample(self, n: int) -> tuple[CurriculumTask, ...]:
        """The next `n` tasks."""
        if n < 1:
            raise ConfigError(
                f"{n} tasks cannot be chosen", where=f"curriculum {self.name}", remedy="ask for 1 or more"
            )
        random = stream(self._seed, "curriculum", self.name, self._draws)
        self._draws += 1
        return tuple(self._chosen(n, random))

    def update(self, results: Sequence[GroupResult]) -> None:
        """What came of a batch; what could not be scored is as if it had not been played."""
        told: list[Told] = []
        for result in results:
            if result.task not in self._known:
                raise ConfigError(f"there is no task {result.task!r}", where=f"curriculum {self.name}")
            if result.rate is not None:
                told.append((self._known[result.task], result))
        if told:
            self._learn(told)

    def keeps(self, result: GroupResult) -> bool:
        """Whatever could be scored."""
        return result.rate is not None

    def state(self) -> CurriculumState:
        """All that it remembers."""
        return CurriculumState(
            name=self.name,
            seed=self._seed,
            settings=self.settings.model_dump(mode="json"),
            tasks=self._fingerprint(),
            draws=self._draws,
            decks={name: deck.dealt for name, deck in sorted(self._decks.items()) if deck.dealt},
            values=self._values(),
        )

    def restore(self, state: CurriculumState) -> None:
        """Go on from a state of this curriculum over these tasks."""
        ours = (self.name, self._seed, self.settings.model_dump(mode="json"), self._fingerprint())
        theirs = (state.name, state.seed, state.settings, state.tasks)
        names = ("name", "seed", "settings", "tasks")
        other = [name for name, our, their in zip(names, ours, theirs, strict=True) if our != their]
        if other:
            raise ConfigError(
                f"the state is of a curriculum with other {', '.join(other)}",
                where=f"curriculum {self.name}",
                remedy="resume with the configuration and the training set of the checkpoint",
            )
        self._draws = state.draws
        for name, deck in self._decks.items():
            deck.dealt = state.decks.get(name, 0)
        self._take(state.values)

    @abstractmethod
    def _chosen(self, n: int, random: Random) -> Sequence[CurriculumTask]:
        """The tasks of one draw."""

    @abstractmethod
    def _learn(self, told: Sequence[Told]) -> None:
        """From groups that could be scored; at least one."""

    @abstractmethod
    def _values(self) -> dict[str, Any]:
        """What it learned, as JSON."""

    @abstractmethod
    def _take(self, values: dict[str, Any]) -> None:
        """What it had learned."""

    def _decks_by(self, name_of: Callable[[CurriculumTask], str]) -> dict[str, Deck[CurriculumTask]]:
        """A deck for each group of tasks, by the group's name; their places are part of the state."""
        groups: dict[str, list[CurriculumTask]] = {}
        for task in self._tasks:
            groups.setdefault(name_of(task), []).append(task)
        self._decks = {name: Deck(cards, self._seed, f"{self.name} {name}") for name, cards in sorted(groups.items())}
        return self._decks

    def _fingerprint(self) -> str:
        return sha256_text(canonical_json([task.to_json() for task in self._tasks]))


class UnlearningCurriculum(SeededCurriculum[SettingsT]):
    """One that learns nothing: results change nothing in it."""

    def _learn(self, told: Sequence[Told]) -> None:
        del told

    def _values(self) -> dict[str, Any]:
        return {}

    def _take(self, values: dict[str, Any]) -> None:
        del values
