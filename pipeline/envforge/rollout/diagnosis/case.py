"""A failed episode beside the gold solution of its task: which gold calls were made, missed, or made otherwise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from envforge.core.ids import canonical_json
from envforge.core.records.environment import ToolSpec
from envforge.core.records.task import Check, Task
from envforge.core.records.trajectory import Trajectory, Turn
from envforge.rollout.diagnosis.entities import Entities
from envforge.world.observation import PAGING

_BLANK: tuple[Any, ...] = (None, "", 0, False, [], {})
_STATE = ("row", "absent", "count", "document", "unchanged")


@dataclass(frozen=True)
class Deviation:
    """A gold call that was not made, and the call that was made in its place (same tool, or on the same record)."""

    gold: int
    made: int


class Case:
    """What the rules look at. `gold` is the gold solution's own episode, on the same seed."""

    def __init__(
        self, task: Task, trajectory: Trajectory, gold: Trajectory, tools: Mapping[str, ToolSpec], entities: Entities
    ) -> None:
        """Raises ValueError for a trajectory without a verdict."""
        if trajectory.verdict is None:
            raise ValueError("the trajectory has no verdict: score it first")
        self.task, self.trajectory, self.tools, self.entities = task, trajectory, tools, entities
        self.turns: Sequence[Turn] = trajectory.turns
        self.gold: Sequence[Turn] = gold.turns
        self.verdict = trajectory.verdict
        self.checks: Mapping[str, Check] = {check.id: check for check in task.checks}

    @cached_property
    def failed(self) -> list[str]:
        """Ids of checks that failed; judged items of a rubric are no checks."""
        return [result.id for result in self.verdict.checks if not result.passed and result.id in self.checks]

    @cached_property
    def state_is_wrong(self) -> bool:
        """Some check on rows or documents failed."""
        return any(self.checks[name].kind in _STATE for name in self.failed)

    @cached_property
    def answer_is_wrong(self) -> bool:
        """Some check on the answer failed."""
        return any(self.checks[name].kind == "answer" for name in self.failed)

    @property
    def claims(self) -> bool:
        """The episode ends with an answer that says something."""
        answer = self.trajectory.answer
        fields = cast("dict[str, Any]", answer).values() if isinstance(answer, dict) else [answer]
        return self.trajectory.ending == "answered" and any(value not in _BLANK for value in fields)

    @property
    def answers(self) -> bool:
        """The task wants an answer."""
        return any(check.kind == "answer" for check in self.checks.values())

    def writes(self, turn: Turn) -> bool:
        """The call is one that may change something."""
        spec = self.tools.get(turn.tool)
        return spec is not None and not spec.annotations.read_only

    @cached_property
    def matched(self) -> dict[int, int]:
        """Gold call -> the call that is the same but for paging, rather one that worked; each call once."""
        waiting: defaultdict[str, list[int]] = defaultdict(list)
        for place in sorted(range(len(self.turns)), key=lambda place: not self.turns[place].ok):
            waiting[_key(self.turns[place])].append(place)
        found: dict[int, int] = {}
        for place, turn in enumerate(self.gold):
            if waiting[_key(turn)]:
                found[place] = waiting[_key(turn)].pop(0)
        return found

    @cached_property
    def missed(self) -> list[int]:
        """Gold calls that were not made; of a list read page by page the further pages do not count."""
        return [place for place in range(len(self.gold)) if place not in self.matched and not self._paged(place)]

    @cached_property
    def extra(self) -> list[int]:
        """Calls that are no gold calls."""
        made = set(self.matched.values())
        return [place for place in range(len(self.turns)) if place not in made]

    @cached_property
    def otherwise(self) -> list[Deviation]:
        """Missed gold calls paired with extra calls of the same tool: those most alike, then nearest, each once."""
        free = list(self.extra)
        found: list[Deviation] = []
        for gold in self.missed:
            same = [place for place in free if self.turns[place].tool == self.gold[gold].tool]
            if same:
                best = max(same, key=lambda place: (self._likeness(gold, place), -abs(place - gold)))
                free.remove(best)
                found.append(Deviation(gold, best))
        return found

    @cached_property
    def unexplained(self) -> list[int]:
        """Missed gold calls in whose place no call of the same tool stands."""
        paired = {one.gold for one in self.otherwise}
        return [place for place in self.missed if place not in paired]

    @cached_property
    def stray(self) -> list[int]:
        """Extra calls that stand in no gold call's place."""
        paired = {one.made for one in self.otherwise}
        return [place for place in self.extra if place not in paired]

    def differing(self, pair: Deviation) -> list[str]:
        """Names of arguments that differ, paging aside."""
        gold, made = _arguments(self.gold[pair.gold]), _arguments(self.turns[pair.made])
        names = sorted({*gold, *made})
        return [name for name in names if canonical_json(gold.get(name)) != canonical_json(made.get(name))]

    def seen_before(self, place: int) -> frozenset[str]:
        """Texts of all scalars that were shown before a call."""
        return self._seen[min(place, len(self._seen) - 1)]

    def was_said(self, value: Any) -> bool:
        """It stands in the instruction."""
        return isinstance(value, str | int | float) and str(value).casefold() in self.task.instruction.casefold()

    def recovered(self, pair: Deviation) -> bool:
        """The purpose of the missed call was reached otherwise: what later gold calls take from it was shown by the
        call in its place, or was used all the same.
        """
        before = {text for turn in self.gold[: pair.gold] for text in scalars(turn.observation)}
        shown = set(scalars(self.gold[pair.gold].observation)) - before
        taken = {place: shown & set(scalars(self.gold[place].arguments)) for place in range(pair.gold, len(self.gold))}
        needed = {text for texts in taken.values() for text in texts}
        if any(taken[place] for place in self.matched if place > pair.gold):
            return True
        if any(self._taken_from(pair, place) for place, texts in taken.items() if texts):
            return False
        return bool(needed) and needed <= set(scalars(self.turns[pair.made].observation))

    def _taken_from(self, pair: Deviation, gold: int) -> bool:
        """A later call has a value that only the call in the missed one's place showed: it led there."""
        later = next((one for one in self.otherwise if one.gold == gold and one.made > pair.made), None)
        if later is None:
            return False
        other = set(scalars(self.turns[later.made].arguments)) - set(scalars(self.gold[gold].arguments))
        return bool(other & (set(scalars(self.turns[pair.made].observation)) - self.seen_before(pair.made)))

    def _paged(self, place: int) -> bool:
        """A page of a list of which an earlier page is the same call."""
        key = _key(self.gold[place])
        return any(_key(turn) == key for turn in self.gold[:place]) and not self.writes(self.gold[place])

    def _likeness(self, gold: int, made: int) -> int:
        mine, theirs = _arguments(self.turns[made]), _arguments(self.gold[gold])
        return sum(canonical_json(mine[name]) == canonical_json(theirs[name]) for name in mine.keys() & theirs.keys())

    @cached_property
    def _seen(self) -> list[frozenset[str]]:
        held: set[str] = set()
        found = [frozenset(held)]
        for turn in self.turns:
            held.update(scalars(turn.observation.get("result")))
            found.append(frozenset(held))
        return found


def scalars(value: Any) -> Iterator[str]:
    """The texts of all strings and numbers inside."""
    if isinstance(value, Mapping):
        for inner in cast("Mapping[str, Any]", value).values():
            yield from scalars(inner)
    elif isinstance(value, list | tuple):
        for inner in cast("list[Any]", value):
            yield from scalars(inner)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)


def _arguments(turn: Turn) -> dict[str, Any]:
    return {name: value for name, value in turn.arguments.items() if name not in PAGING}


def _key(turn: Turn) -> str:
    return canonical_json([turn.tool, _arguments(turn)])
