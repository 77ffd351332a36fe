"""Manners of solving: what a sound solution may do otherwise in its calls, standing between it and its environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from envforge.core.ids import canonical_json
from envforge.gates.atoms import Path, atoms, lists, with_value
from envforge.gates.solutions import Change, Step
from envforge.synth.faults import Twice
from envforge.synth.paging import Paging
from envforge.world.observation import Observation
from envforge.world.programs import ToolCall

_FEW = 3
MOST_PAGES = 40
"""Of a list that is paged through for one key."""


class Pages(Change):
    """Pages are small."""

    def __init__(self, paging: Mapping[str, Paging], size: int) -> None:
        self.paging, self.size = paging, size

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """Only where a tool has pages to go on with."""
        paging = self.paging.get(tool)
        if paging is None:
            return call(tool, arguments)
        return call(tool, {**arguments, paging.size_parameter: self.size})


@dataclass(frozen=True)
class Entry:
    """A list in which what a tool gives for one key stands too.

    `parameter` of the tool is `field` of the list's items; its result holds the like of an item as `record`.
    """

    parameter: str
    listing: str
    paging: Paging
    field: str
    record: str


class Listed(Change):
    """Instead of a look-up by a key, a list is paged through until the key is there; only what it shows is seen.

    A few times: somebody who does so for each of a hundred keys gives up.
    """

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self.entries = entries
        self.made = 0

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """The look-up where no list has the key. Its result has the fields of the item, the rest is unknown."""
        entry = self.entries.get(tool) if self.made < _FEW else None
        self.made += entry is not None
        if entry is None or set(arguments) != {entry.parameter}:
            return call(tool, arguments)
        item = self._item(call, entry, arguments[entry.parameter])
        if item is None:
            return call(tool, arguments)
        return Observation(True, {entry.record: item})

    def _item(self, call: ToolCall, entry: Entry, key: Any) -> dict[str, Any] | None:
        given: dict[str, Any] = {entry.paging.size_parameter: entry.paging.size} if entry.paging.size_parameter else {}
        for _ in range(MOST_PAGES):
            seen = call(entry.listing, given)
            result: dict[str, Any] = dict(seen.result or {})
            found = next((item for item in result.get(entry.paging.items, ()) if item.get(entry.field) == key), None)
            following = result.get(entry.paging.following) if entry.paging.following else None
            if found is not None or not following:
                return found
            given = {**given, entry.paging.cursor: following}
        return None


class Reversed(Change):
    """Lists that reads give are seen in another order, page by page."""

    def __init__(self, writing: frozenset[str]) -> None:
        self.writing = writing

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """The innermost lists too."""
        seen = call(tool, arguments)
        if seen.result is None or tool in self.writing:
            return seen
        result: Any = seen.result
        for path, items in sorted(lists(result), key=lambda found: -len(found[0])):
            result = with_value(result, path, list(reversed(_at(result, path, items))))
        return Observation(True, result, spec=seen.spec)


def _at(result: Any, path: Path, items: list[Any]) -> list[Any]:
    found = result
    for part in path:
        found = found[part]
    return cast("list[Any]", found) if isinstance(found, list) else items


class Deferred(Change):
    """Writes are kept until the program has ended, and are made from the last to the first then."""

    def __init__(self, writes: Sequence[Step]) -> None:
        self.writes = writes
        self.kept: list[tuple[str, dict[str, Any]]] = []

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """What the gold saw of its writes."""
        number = len(self.kept)
        if number < len(self.writes) and self.writes[number].tool == tool:
            self.kept.append((tool, arguments))
            return self.writes[number].seen
        return call(tool, arguments)

    def finish(self, call: ToolCall) -> None:
        """Now they are made."""
        for tool, arguments in reversed(self.kept):
            call(tool, arguments)


class Again(Twice):
    """Every write is made twice."""

    def __init__(self, writing: frozenset[str]) -> None:
        super().__init__(0)
        self.writing = writing

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """The program sees the first answer."""
        return self.at(call, tool, arguments) if tool in self.writing else call(tool, arguments)


class LooksFirst(Change):
    """Before a write, what was read before is read again."""

    def __init__(self, writing: frozenset[str]) -> None:
        self.writing = writing
        self.read: dict[str, tuple[str, dict[str, Any]]] = {}

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """A few of the last reads."""
        if tool not in self.writing:
            self.read[canonical_json([tool, arguments])] = (tool, arguments)
            call(tool, arguments)
        else:
            for name, given in list(self.read.values())[-_FEW:]:
                call(name, given)
        return call(tool, arguments)


class Split(Change):
    """A write that sets several things sets them one after the other."""

    def __init__(self, parts: Mapping[str, Sequence[str]]) -> None:
        self.parts = parts

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """The last answer is seen, or the first refusal."""
        names = [name for name in self.parts.get(tool, ()) if name in arguments]
        if len(names) < 2:
            return self._inside(call, tool, arguments)
        kept = {name: value for name, value in arguments.items() if name not in names}
        seen = call(tool, {**kept, names[0]: arguments[names[0]]})
        return call(tool, {**kept, **{n: arguments[n] for n in names[1:]}}) if seen.ok else seen

    def _inside(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """The same for an object of values: {"properties": {...}}."""
        for name in self.parts.get(tool, ()):
            value: Any = arguments.get(name)
            if isinstance(value, dict) and len(cast("dict[str, Any]", value)) > 1:
                fields = cast("dict[str, Any]", value)
                first = next(iter(fields))
                seen = call(tool, {**arguments, name: {first: fields[first]}})
                rest = {n: v for n, v in fields.items() if n != first}
                return call(tool, {**arguments, name: rest}) if seen.ok else seen
        return call(tool, arguments)


class OtherText(Change):
    """One text that nobody dictated is another one."""

    def __init__(self, text: str, other: str) -> None:
        self.text, self.other = text, other

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """Wherever it is sent."""
        given: Any = arguments
        for path, value in list(atoms(arguments)):
            if value == self.text and isinstance(value, str):
                given = with_value(given, path, self.other)
        return call(tool, given)
