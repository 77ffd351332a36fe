"""What faults are made of: values that differ, records that are not there, records called alike."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from difflib import SequenceMatcher
from random import Random
from typing import Any, cast

from envforge.core.ids import seeded_uuid
from envforge.core.records.environment import ToolSpec
from envforge.core.records.trajectory import Trajectory, Turn
from envforge.rollout.agents.agent import Assignment
from envforge.world.environment import Environment
from envforge.world.observation import PAGING

NAMES = ("name", "title", "full_name", "first_name", "last_name", "preview_name")
"""Columns that people call records by."""
INVENTED = ("Oldmere Quay", "Tavia Brindlewood", "Project Kestrel Nine", "Halvorsen & Moth", "The Amber Ledger")
_DATE = re.compile(r"^\d{4}-\d\d-\d\d")
_UUID = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-")
_WORD = re.compile(r"[A-Za-z]{4,}")
_NEAR, _FAR = 0.7, 0.4


@dataclass(frozen=True)
class Played:
    """A task with its gold solution's own episode: what faults are planned on."""

    environment: Environment
    assignment: Assignment
    gold: Trajectory
    random: Random

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The gold calls."""
        return self.gold.turns

    def spec(self, number: int) -> ToolSpec:
        """The tool of a gold call."""
        return next(tool for tool in self.assignment.tools if tool.name == self.turns[number].tool)

    def writes(self, number: int) -> bool:
        """It is a writing call."""
        return not self.spec(number).annotations.read_only

    def numbers(self) -> list[int]:
        """All gold calls, in a drawn order; writing ones first as often as not."""
        found = list(range(len(self.turns)))
        self.random.shuffle(found)
        return sorted(found, key=lambda number: not self.writes(number)) if self.random.random() < 0.5 else found

    def records(self, number: int) -> list[tuple[str, Any, str]]:
        """(parameter, value, table) of a gold call's arguments that name a record by its key."""
        found: list[tuple[str, Any, str]] = []
        for name, kind in self.spec(number).consumes.items():
            value = self.turns[number].arguments.get(name)
            table = self.table(kind)
            if isinstance(value, str | int) and table:
                found.append((name, value, table))
        return found

    def table(self, kind: str) -> str:
        """The table of a semantic type such as page.id, "" when there is none."""
        entity, _, column = kind.partition(".")
        for table, info in self.environment.template.tables.items():
            if info.primary_key == (column,) and table.replace("_", "").startswith(entity.replace("_", "")[:-1]):
                return table
        return ""

    def plain_arguments(self, number: int) -> list[str]:
        """Arguments of a gold call that name no record and no page."""
        consumed = self.spec(number).consumes
        return [name for name in self.turns[number].arguments if name not in consumed and name not in PAGING]

    def is_search(self, number: int, name: str) -> bool:
        """A read's free text: a name that is looked for."""
        schema: Any = self.spec(number).parameters.get("properties", {}).get(name, {})
        value = self.turns[number].arguments.get(name)
        free = isinstance(value, str) and not _DATE.match(value) and "enum" not in schema
        return free and not self.writes(number) and name in ("query", *NAMES, "city")

    def row(self, table: str, key: Any) -> Mapping[str, Any]:
        """The row with this key; empty when there is none."""
        info = self.environment.template.tables[table]
        rows = self.environment.reader.own(info.select_row, (key,))
        return info.as_row(rows[0]) if rows else {}

    def other_record(self, table: str, key: Any, *, alike: bool) -> Any:
        """The key of a row whose name is spelled much like this one's, or not at all so; None when there is none."""
        info = self.environment.template.tables[table]
        mine = self.row(table, key)
        columns = [column for column in NAMES if isinstance(mine.get(column), str)]
        if alike and not columns:
            return None
        chosen = ", ".join(f'"{column}"' for column in (info.primary_key[0], *columns))
        found: list[Any] = []
        for other, *names in self.environment.reader.own(f'SELECT {chosen} FROM "{table}"', ()):  # noqa: S608
            pairs = zip((mine[column] for column in columns), names, strict=True)
            near = max((_nearness(one, theirs) for one, theirs in pairs if isinstance(theirs, str)), default=0.0)
            if other != key and (near >= _NEAR if alike else near < _FAR):
                found.append(other)
        return self.random.choice(found) if found else None


def _nearness(one: str, other: str) -> float:
    """From 0 to 1: how much of two texts is spelled alike."""
    matcher = SequenceMatcher(None, one.lower(), other.lower(), autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= _FAR else 0.0


def another(value: Any, schema: Mapping[str, Any], random: Random) -> Any:
    """A value of the same sort that differs; None where none comes to mind."""
    if schema.get("enum"):
        others = [one for one in schema["enum"] if one != value]
        return random.choice(others) if others else None
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + random.choice((1, 2, 10, -1))
    if isinstance(value, dict) and value:
        fields = cast("dict[str, Any]", value)
        name = random.choice(sorted(fields))
        inner = another(fields[name], {}, random)
        return None if inner is None else {**fields, name: inner}
    if isinstance(value, str) and _DATE.match(value):
        day = date.fromisoformat(value[:10]) + timedelta(days=random.choice((-40, -7, 3, 31)))
        return day.isoformat() + value[10:]
    if isinstance(value, str) and value:
        return random.choice((f"{value} (draft)", value[: max(1, len(value) // 2)], "to be confirmed"))
    return None


def invented(value: Any, random: Random) -> Any:
    """A key of the same shape that no row has."""
    if isinstance(value, int):
        return value + random.randint(70_000, 90_000)
    text = str(value)
    if _UUID.match(text):
        return seeded_uuid("invented", random.random().hex())
    if _WORD.search(text) and text == text.lower():
        return f"{random.choice(('grand', 'meta', 'late'))}-{random.choice(('harbour', 'lattice', 'quorum'))}-api"
    return "".join(random.choice("QXZJWKV9875") for _ in text)


def values_of(turns: tuple[Turn, ...], field: str) -> Iterator[Any]:
    """What results showed in fields of this name, each once."""
    seen: set[str] = set()
    for turn in turns:
        for value in _fields(turn.observation, field):
            if isinstance(value, str | int) and str(value) not in seen:
                seen.add(str(value))
                yield value


def _fields(value: Any, field: str) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for name, inner in cast("Mapping[str, Any]", value).items():
            if name == field:
                yield inner
            yield from _fields(inner, field)
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            yield from _fields(inner, field)
